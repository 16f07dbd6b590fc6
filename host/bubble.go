package host

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	_ "unsafe" // for go:linkname

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

// bubble is where the instances of a home live.
type bubble struct {
	jobs chan job
	over chan string // why it ended
	dead string      // why nothing can be done in it any more

	patience time.Duration
}

type job struct {
	at   time.Time
	do   func()
	done chan outcome
}

// outcome is what became of a job.
type outcome struct {
	panicked string
	took     time.Duration // of the bubble's time, beyond the moment the job was given for
}

// newBubble starts a bubble. Its clock begins in the year 2000; the first job moves it on.
func newBubble(patience time.Duration) *bubble {
	b := &bubble{jobs: make(chan job), over: make(chan string, 1), patience: patience}
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
	func() {
		defer func() {
			if r := recover(); r != nil {
				o.panicked = fmt.Sprintf("%v (%s)", r, panickedAt(string(debug.Stack())))
			}
		}()
		j.do()
	}()
	bubbleWait()
	if late := time.Since(j.at); late > 0 {
		o.took = late
	}
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
	late := time.NewTimer(b.patience)
	defer late.Stop()
	select {
	case b.jobs <- j:
	case why := <-b.over:
		b.dead = "it ended: " + why
		return outcome{}, errors.New(b.dead)
	}
	select {
	case o := <-j.done:
		return o, nil
	case why := <-b.over:
		b.dead = "it does not come to rest: " + why
	case <-late.C:
		b.dead = fmt.Sprintf("it does not come to rest: a call ran for %s", b.patience)
	}
	return outcome{}, errors.New(b.dead)
}

// close ends the bubble once what is under way in it has ended.
func (b *bubble) close() {
	if b.dead == "" {
		b.dead = "it was closed"
		close(b.jobs)
	}
}

// neverStops makes wait.NeverStop a channel that a select in any bubble leaves out: one that was made outside bubbles
// would count as something that may still happen.
func neverStops() { wait.NeverStop = nil }
