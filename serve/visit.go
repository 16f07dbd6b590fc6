package serve

import (
	"cmp"
	"context"
	"net"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// visit is one guest with the one channel they have.
type visit struct {
	door    *Door
	conn    net.Conn
	channel ssh.Channel
	guest   Guest
	slow    *rate.Limiter
	late    clock.Timer // closes the connection of who neither sits nor goes

	terminal *Terminal // nil: none was asked for
	seated   bool      // somebody looks at it
}

// requests of SSH that are answered; all others are refused.
const (
	askTerminal = "pty-req"
	askScreen   = "shell"
	tellSize    = "window-change"
)

// refusalWords are the sentences for those who ask for something else.
var refusalWords = map[string]string{
	"exec":      "There is one program here, the class; no commands are run. Leave the command out.",
	"subsystem": "There are no files here to be copied.",
}

// answer goes through what the guest asks for, until they are gone.
func (v *visit) answer(ctx context.Context, asked <-chan *ssh.Request) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	defer func() { _ = v.channel.Close() }()
	for r := range asked {
		if !v.door.wait(ctx, v.slow, 1) {
			return
		}
		sentence := v.refusal(r.Type)
		good := sentence == "" && v.take(ctx, leave, r)
		if r.WantReply {
			_ = r.Reply(good || sentence != "", nil) // who is told no by SSH does not read why
		}
		if sentence != "" {
			v.say(sentence)
			v.end(1)
			return
		}
	}
}

// take does what a request asks for, if it is one that is answered.
func (v *visit) take(ctx context.Context, leave context.CancelFunc, r *ssh.Request) bool {
	switch r.Type {
	case askTerminal:
		var p struct {
			Term          string
			Columns, Rows uint32
			Width, Height uint32
			Modes         string
		}
		if v.terminal != nil || ssh.Unmarshal(r.Payload, &p) != nil {
			return false
		}
		v.terminal = newTerminal(v, termOf(p.Term), v.sizeOf(p.Columns, p.Rows), leave)
		return true
	case tellSize:
		var p struct{ Columns, Rows, Width, Height uint32 }
		if v.terminal == nil || ssh.Unmarshal(r.Payload, &p) != nil {
			return false
		}
		v.terminal.resize(v.sizeOf(p.Columns, p.Rows))
		return true
	case askScreen:
		if v.seated {
			return false
		}
		v.seated = true
		v.door.all.Go(func() { v.sit(ctx, leave) })
		return true
	}
	return false
}

// refusal is why somebody has to go who asks for something else than a screen on a terminal; "": they need not.
func (v *visit) refusal(request string) string {
	if request == askScreen && v.terminal == nil {
		return v.door.language.Of("A class needs a terminal: leave out -T.")
	}
	return v.door.language.Of(refusalWords[request])
}

// sit shows the guest what there is to be seen, if there is room.
func (v *visit) sit(ctx context.Context, leave context.CancelFunc) {
	defer leave()
	d := v.door
	d.mu.Lock()
	full := d.guests == d.limits.Guests
	if !full {
		d.guests++
	}
	d.mu.Unlock()
	if full {
		v.say(d.language.Of("The class is full."))
		v.end(1)
		return
	}
	defer func() {
		d.mu.Lock()
		d.guests--
		d.mu.Unlock()
	}()
	v.late.Stop()
	d.all.Go(func() { v.terminal.listen(ctx, leave) })
	last := d.host(ctx, v.guest, v.terminal)
	if why := v.terminal.why(); why != "" {
		last = why
	}
	if last != "" {
		v.say(last)
	}
	v.end(0)
}

// say writes a sentence beside the screen.
func (v *visit) say(sentence string) {
	timer := v.door.clock.AfterFunc(v.door.limits.Stuck, func() { _ = v.conn.Close() })
	defer timer.Stop()
	_, _ = v.channel.Stderr().Write([]byte(sentence + "\r\n"))
}

// end tells the guest's ssh how it ended, and closes what there is. Who does not go then is put out.
func (v *visit) end(status uint32) {
	v.late.Reset(v.door.limits.Stuck)
	_, _ = v.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
	_ = v.channel.Close()
}

// The size of a terminal that does not say its own.
const (
	usualWidth  = 80
	usualHeight = 24
)

// sizeOf is the size of a terminal within the limits.
func (v *visit) sizeOf(columns, rows uint32) Size {
	l := &v.door.limits
	return Size{
		Width:  int(min(cmp.Or(columns, usualWidth), uint32(l.Width))),
		Height: int(min(cmp.Or(rows, usualHeight), uint32(l.Height))),
	}
}

// termOf is the kind of a terminal; what is no such name counts as the usual one. Libraries look for files by it.
func termOf(name string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '+')
	}
	if name == "" || len(name) > mostOfAName || strings.ContainsFunc(name, odd) {
		return "xterm"
	}
	return name
}
