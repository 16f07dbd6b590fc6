// Package session is a walk through a replay: a position, and moves from it in both directions. It runs the steps
// of a player to their ends and moves a cursor over the facts they leave; it never reaches into a cycle, knows no
// rule of scheduling, and draws nothing.
package session

import (
	"context"
	"io"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/session/cause"
)

// Session is a position in a replay with all that belongs to it. One goroutine uses it at a time.
type Session struct {
	about About

	branch   string
	branches map[string]*line // by name; names lists them in order
	names    []string
	line     *line

	at        Position
	kind      play.Kind    // of step at.Step
	facts     []trace.Fact // all facts of step at.Step, with full detail
	before    *play.Player // before step at.Step; nil at the start
	after     *play.Player // after step at.Step
	last      lastCycle
	stop      Stop
	breaks    []Breakpoint
	bookmarks []Bookmark
	displays  []display
	ids       int
	wakers    map[string][]Waker // by schedulerName, as far as they were needed
	number    int64              // of the last cycle that began at or before step at.Step
	limit     History
	dropped   int    // events of the log that are no longer kept
	short     *short // what lies before a keyframe, and was not played yet; nil: all was

	chosen   string // the scheduler that is looked at; "": the one that ran the last cycle
	language words.Language
}

// About is what a session knows about its replay.
type About struct {
	Title    string
	Story    string
	Version  string // of Kubernetes, such as "1.37"
	Unjudged []string
	Notes    []phrase.Text // what the replay does not take into account, or took otherwise than the input
	// Means selects the waiting pods that are shown; nil: all. All take part. Shown is how the user named them.
	Means func(*cluster.Pod) bool
	Shown string
	// Workloads are those of which pods were made because the input held none.
	Workloads []Workload
	// Objects are Deployments, DaemonSets and Jobs of the input, which no scheduler reads, where it was read for them.
	Objects []cluster.Object
	// Holders are objects of other programs that hold the gates of pods.
	Holders []cause.Holder
	// Happened: the replay is the past of a cluster, so that its moments are real.
	Happened bool
	// Records are the statements of the cluster's own scheduler about the pods; nil: there are none.
	Records *compare.Records
	// Hindsight compares the decisions of the cluster's own scheduler as the log brings them; may be nil. The session
	// alone uses it.
	Hindsight *compare.Hindsight
	// Configure reads a KubeSchedulerConfiguration of a release, as the one the replay began with was read; without a text
	// it is that one. nil: configurations cannot be read.
	Configure func(version string, text []byte, source string) (*config.Config, error)
	// Regate reads the configuration the replay began with for a release and its feature gates. nil: it cannot be read.
	Regate func(version, gates string) (*config.Config, error)
	// Write writes the replay as a recording, with the data of Session.Save at its end: the place of the session, and
	// (unless nil) a keyframe near there. nil: the replay cannot be written down.
	Write func(to io.Writer, saved, keyframe []byte) error
	// Keyframes make that a saved place is there at once; nil: it is played to.
	Keyframes *Keyframes
}

// New is a session at the very start of a player's replay. The player must not be used any more.
func New(p *play.Player, about About) *Session {
	p.Keep(trace.Reported)
	s := &Session{about: about, branches: map[string]*line{}}
	s.enter(mainLine, newLine(p, &about), Position{})
	return s
}

// Heed has calls of plugins of others given up that do not come to an end when ctx ends, until back is called. What
// takes a ctx does so itself.
func (s *Session) Heed(ctx context.Context) (back func()) { return s.line.tip.Heed(ctx) }

// Finish runs the main line to its end, or as far as its log goes by now, and returns the player there, to be read. The
// cursor stays where it is, and breakpoints do not count.
func (s *Session) Finish(ctx context.Context) (*play.Player, error) {
	defer s.Heed(ctx)()
	main := s.branches[mainLine]
	for more, steps := true, 0; more; steps++ {
		if steps%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		_, more = main.extend()
	}
	return main.tip, nil
}

// mainLine is the branch on which nothing was tried out.
const mainLine = "main"

// Speak sets the user's language: frames and explanations carry it to the code that words them. A session does the same
// in every language.
func (s *Session) Speak(l words.Language) { s.language = l }

// Language is the one the person reads.
func (s *Session) Language() words.Language { return s.language }

// Position is where the cursor stands.
func (s *Session) Position() Position { return s.at }

// Cycle is the number of the last cycle that began at or before the step of the cursor; 0: none did.
func (s *Session) Cycle() int64 { return s.number }

// Behind is how many events of the log there are by now that lie after the cursor's step.
func (s *Session) Behind() int { return s.after.Remaining() }

// Move goes one stride and returns why it stopped. ctx ends a long move early, progress (may be nil) is called every
// now and then with the steps done.
func (s *Session) Move(ctx context.Context, stride Stride, direction Direction, progress func(steps int)) Stop {
	defer s.Heed(ctx)()
	w := walk{Session: s, ctx: ctx, progress: progress}
	if direction == Backward && s.leads(stride) {
		if err := s.Past(ctx, progress); err != nil {
			s.stop = untold(err)
			return s.stop
		}
	}
	if direction == Forward {
		s.stop = w.forward(stride)
		s.forget()
	} else {
		s.stop = w.backward(stride)
	}
	return s.stop
}
