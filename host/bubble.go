package host

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

// The runtime behind testing/synctest: a bubble has a clock, timers and goroutines of its own, and its clock moves when
// all of its goroutines are blocked. It is reached by its name, so that what links it needs -ldflags=-checklinkname=0.
//
//go:linkname bubbleRun internal/synctest.Run
func bubbleRun(f func())

//go:linkname bubbleWait internal/synctest.Wait
func bubbleWait()

// patience is how long a call may take on the clock of this machine.
const patience = 20 * time.Second

// haste is how long it may take once the user has ended the move that it is part of.
const haste = time.Second

// heed is what the user ends a move by. Homes that were forked from one another share it.
type heed struct {
	mu     sync.Mutex
	done   <-chan struct{} // nil: there is no move under way
	broken []*entry        // calls that did not come to an end
}

// breaks keeps a call that did not come to an end.
func (h *heed) breaks(e *entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = append(h.broken, e)
}

// known is why a call will not come to an end: that of the same plugin and extension point in the same attempt did not
// before; "": there was none. With more detail an attempt may have more calls, or fewer.
func (h *heed) known(e *entry) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.broken {
		if b.what == e.what && b.at.Equal(e.at) && sameWay(b.begun(), e.begun()) {
			return b.broke
		}
	}
	return ""
}

// begun is the last entry before a call that is no call of a plugin: the beginning of an attempt, or a change.
func (e *entry) begun() *entry {
	b := e.before
	for b != nil && strings.Contains(b.what, " ") {
		b = b.before
	}
	return b
}

// sameWay reports whether two journals hold the same calls with the same answers.
func sameWay(a, b *entry) bool {
	for a != b {
		if a == nil || b == nil || a.length != b.length || a.what != b.what || !a.at.Equal(b.at) ||
			!sameAnswer(a.answer, b.answer) {
			return false
		}
		a, b = a.before, b.before
	}
	return true
}

func (h *heed) to(done <-chan struct{}) (before <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, h.done = h.done, done
	return before
}

func (h *heed) now() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.done
}

// bubble is where the instances of a home live.
type bubble struct {
	jobs chan job
	over chan string   // why it ended
	dead string        // why nothing can be done in it any more
	sign chan struct{} // of life, from a call under way

	asking atomic.Bool // the call under way waits for an extender, which has a timeout of its own

	patience time.Duration
	heed     *heed
}

type job struct {
	at   time.Time
	do   func()
	done chan outcome
}

// outcome is how a job ended.
type outcome struct {
	panicked string
	took     time.Duration // of the bubble's time
}

// newBubble starts a bubble. Its clock begins in the year 2000; the first job moves it on.
func newBubble(patience time.Duration, by *heed) *bubble {
	b := &bubble{
		jobs: make(chan job), over: make(chan string, 1), sign: make(chan struct{}, 1), patience: patience, heed: by,
	}
	go func() {
		defer func() {
			if r := recover(); r != nil {
				b.over <- fmt.Sprint(r)
			}
		}()
		bubbleRun(func() {
			for j := range b.jobs {
				j.done <- run(j)
			}
		})
		b.over <- "it was closed"
	}()
	return b
}

// run does one job in the bubble, and comes back when nothing in the bubble moves.
func run(j job) (o outcome) {
	if ahead := time.Until(j.at); !j.at.IsZero() && ahead > 0 {
		time.Sleep(ahead)
	}
	begun := time.Now()
	func() {
		defer func() {
			if r := recover(); r != nil {
				o.panicked = fmt.Sprintf("%v (%s)", r, panickedAt(string(debug.Stack())))
			}
		}()
		j.do()
	}()
	bubbleWait()
	o.took = time.Since(begun)
	return o
}

// panickedAt is the first place of a stack that is neither the runtime's nor the host's.
func panickedAt(stack string) string {
	_, stack, _ = strings.Cut(stack, "\npanic(")
	lines := strings.Split(stack, "\n")
	for i := 3; i < len(lines); i += 2 {
		place := strings.TrimSpace(lines[i])
		place, _, _ = strings.Cut(place, " +0x")
		if !strings.Contains(place, "/src/runtime/") {
			return place
		}
	}
	return "place unknown"
}

// do runs f in the bubble at a moment of virtual time. An error is one that ends the bubble.
func (b *bubble) do(at time.Time, f func()) (outcome, error) {
	if b.dead != "" {
		return outcome{}, errors.New(b.dead)
	}
	j := job{at: at, do: f, done: make(chan outcome, 1)}
	select {
	case b.jobs <- j:
	case why := <-b.over:
		b.dead = "it ended: " + why
		return outcome{}, errors.New(b.dead)
	}
	return b.await(j)
}

// await waits for the end of a job, for as long as there is patience with it.
func (b *bubble) await(j job) (outcome, error) {
	begun, longest := time.Now(), b.patience
	late, ended, said := time.NewTimer(longest), b.heed.now(), fmt.Sprintf("a call ran for %s", b.patience)
	defer late.Stop()
	for {
		select {
		case o := <-j.done:
			return o, nil
		case <-b.sign:
			begun = time.Now()
			late.Reset(longest)
			continue
		case <-ended:
			ended, longest, said = nil, min(haste, b.patience), "a call went on when the move was ended"
			late.Reset(longest - time.Since(begun))
			continue
		case why := <-b.over:
			b.dead = "it does not come to rest: " + why
		case <-late.C:
			if b.asking.Load() {
				late.Reset(longest)
				continue
			}
			b.dead = "it does not come to rest: " + said
		}
		return outcome{}, errors.New(b.dead)
	}
}

// alive reports that the call under way has not come to a stop: it had plugins called.
func (b *bubble) alive() {
	select {
	case b.sign <- struct{}{}:
	default:
	}
}

// close ends the bubble once what is under way in it has ended.
func (b *bubble) close() {
	if b.dead == "" {
		b.dead = "it was closed"
		close(b.jobs)
	}
}

// noErrorWaits has errors that goroutines report (runtime.HandleError) handled by no one, as log lines of plugins are
// dropped: the handlers that are there wait for a moment by the clock of whichever bubble reported last, which may be a
// year ahead.
func noErrorWaits() { utilruntime.ErrorHandlers = nil }

// neverStops makes wait.NeverStop a channel that a select in any bubble leaves out: one that was made outside bubbles
// would count as something that may still happen.
func neverStops() { wait.NeverStop = nil }
