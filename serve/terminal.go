package serve

import (
	"context"
	"io"
	"sync"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// Size is that of a terminal, in cells.
type Size struct{ Width, Height int }

// Terminal is what a guest looks at and types on.
type Terminal struct {
	visit *visit
	term  string
	leave context.CancelFunc
	typed chan []byte

	mu      sync.Mutex
	size    Size
	resized chan struct{}
	rest    []byte // typed, and not read yet
	ended   string // why the guest has to go; "": they need not
	stuck   clock.Timer
	writing sync.Mutex
}

func newTerminal(v *visit, term string, size Size, leave context.CancelFunc) *Terminal {
	return &Terminal{
		visit: v, term: term, size: size, leave: leave, typed: make(chan []byte), resized: make(chan struct{}, 1),
	}
}

// Term is the kind of terminal that the client reports, as TERM has it.
func (t *Terminal) Term() string { return t.term }

// Size is how large it is now, or as much of that as is used.
func (t *Terminal) Size() Size {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size
}

// Resized receives a value when Size has changed. It is for one reader at a time.
func (t *Terminal) Resized() <-chan struct{} { return t.resized }

func (t *Terminal) resize(to Size) {
	t.mu.Lock()
	t.size = to
	t.mu.Unlock()
	select {
	case t.resized <- struct{}{}:
	default: // the reader will find the newest size
	}
}

// Dismiss ends the guest's visit, for the reason why.
func (t *Terminal) Dismiss(why string) {
	t.mu.Lock()
	if t.ended == "" {
		t.ended = why
	}
	t.mu.Unlock()
	t.leave()
}

func (t *Terminal) why() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// mostAtOnce is how many typed bytes are handed on at once.
const mostAtOnce = 1 << 10

// listen reads what is typed, no faster than the limits allow, and notices when nothing is.
func (t *Terminal) listen(ctx context.Context, leave context.CancelFunc) {
	defer leave()
	d := t.visit.door
	pace := rate.NewLimiter(d.limits.Typing, d.limits.Burst)
	idle := d.clock.AfterFunc(d.limits.Idle, func() {
		t.Dismiss(d.language.Say("You have pressed no key for %s. Come again: you go on where you were.", d.limits.Idle))
	})
	defer idle.Stop()
	for {
		piece := make([]byte, mostAtOnce)
		n, err := t.visit.channel.Read(piece)
		if n > 0 {
			idle.Reset(d.limits.Idle)
			if !d.wait(ctx, pace, n) {
				return
			}
			select {
			case t.typed <- piece[:n]:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Input is what is typed from now on, until ctx ends. There is one at a time; what one has not read is left to the
// next.
func (t *Terminal) Input(ctx context.Context) io.Reader { return &input{t, ctx} }

type input struct {
	terminal *Terminal
	ctx      context.Context
}

// Read waits for something typed.
func (i *input) Read(p []byte) (int, error) {
	t := i.terminal
	if i.ctx.Err() != nil {
		return 0, io.EOF
	}
	t.mu.Lock()
	left := t.rest
	t.mu.Unlock()
	if len(left) == 0 {
		select {
		case left = <-t.typed:
		case <-i.ctx.Done():
			return 0, io.EOF
		}
	}
	if i.ctx.Err() != nil { // it is for the next
		t.keep(left)
		return 0, io.EOF
	}
	n := copy(p, left)
	t.keep(left[n:])
	return n, nil
}

func (t *Terminal) keep(left []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = left
}

// Write draws. A terminal that does not take what is drawn is given up.
func (t *Terminal) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	d := t.visit.door
	if t.stuck == nil {
		t.stuck = d.clock.AfterFunc(d.limits.Stuck, func() { _ = t.visit.conn.Close() })
	} else {
		t.stuck.Reset(d.limits.Stuck)
	}
	defer t.stuck.Stop()
	return t.visit.channel.Write(p)
}
