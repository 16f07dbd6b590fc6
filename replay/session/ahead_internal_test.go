package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/scenario"
)

// counted is a world that counts how often it acts.
type counted struct {
	play.World
	acts *int
}

func (w counted) Fork() play.World { return counted{w.World.Fork(), w.acts} }

func (w counted) Do(e core.Effect, known *cluster.State, now time.Time) play.Outcome {
	*w.acts++
	return w.World.Do(e, known, now)
}

// story is a random course of events: nodes that fill up, pods that come, wait, preempt and go.
func story(t *rapid.T, lines int) string {
	number := func(label string, from, to int) int { return rapid.IntRange(from, to).Draw(t, label) }
	var b strings.Builder
	for i := range number("nodes", 1, 3) {
		fmt.Fprintf(&b, "node n%d cpu=%d zone=z%d\n", i, number("cpu", 1, 4), i%2)
	}
	for i := range lines {
		switch number("kind", 0, 6) {
		case 0:
			fmt.Fprintf(&b, "advance %ds\n", number("seconds", 1, 30))
		case 1:
			fmt.Fprintf(&b, "node late%d cpu=%d\n", i, number("cpu", 1, 4))
		default:
			fmt.Fprintf(&b, "pod p%d cpu=%d00m priority=%d grace=%d\n", i, number("cpu", 2, 25), number("priority", 0, 2)*10,
				number("grace", 0, 5))
		}
	}
	return b.String() + "advance 40s\n"
}

// failing is a test, or a drawn case of one.
type failing interface{ Fatalf(format string, a ...any) }

// begun is a story at its start.
func begun(t failing, text string, acts *int) *play.Player {
	s, err := scenario.Parse("story", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := s.Replay()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return on(r, counted{play.NewSimulated(), acts}, r.Script.Log())
}

// answers are the results of all queries at the cursor, as text. How far the session has run (Cycles, Steps, Whole,
// AtEnd) is a fact about the session, and no result.
func answers(s *Session) string {
	var b strings.Builder
	f := s.Frame()
	f.At = nil // where it lies is no answer
	f.Stop, f.Cycles, f.Steps, f.Whole, f.AtEnd = Stop{}, 0, 0, false, false
	fmt.Fprintf(&b, "%+v\n", withoutPointers(f))
	names := s.At().Names()
	fmt.Fprintln(&b, names)
	for _, pod := range names.Pods {
		e, err := s.At().Explain(pod)
		fmt.Fprintln(&b, pod, e.Now, e.Node, e.Place, e.Says, e.Asked, e.Nearest, e.Rejections, e.Changes, err)
		fmt.Fprintln(&b, s.At().History(pod), s.At().Place(pod))
		for _, node := range names.Nodes {
			pair, err := s.At().ExplainPair(pod, node)
			fmt.Fprintln(&b, node, pair.Asked, pair.Index, pair.Broken, err)
			fmt.Fprintln(&b, fmt.Sprint(s.At().Preview(pod, node)))
		}
		watch(&b, s, "pod."+pod+".queue", "pod."+pod+".node")
	}
	for _, node := range names.Nodes {
		e, err := s.At().ExplainNode(node)
		fmt.Fprintf(&b, "%+v %v\n", e, err)
		watch(&b, s, "node."+node+".pods")
	}
	watch(&b, s, "queue.active", "queue.unschedulable")
	return b.String()
}

// withoutPointers is a frame with its cycles as text.
func withoutPointers(f *Frame) string {
	cycles := fmt.Sprint(f.Cycle != nil, f.Last != nil)
	for _, c := range []*trace.Cycle{f.Cycle, f.Last} {
		if c != nil {
			cycles += fmt.Sprint(
				c.Number, c.Entity, c.Ended, len(c.Tries), c.Latest().Selected, c.Latest().PreFilters,
				c.Latest().Matrix != nil,
			)
			if m := c.Latest().Matrix; m != nil {
				cycles += fmt.Sprintf("%+v", *m)
			}
		}
	}
	plain := *f
	plain.Cycle, plain.Last, plain.Facts, plain.Cell = nil, nil, nil, nil
	return cycles + fmt.Sprintf("%v %+v", f.Facts, plain)
}

func watch(b *strings.Builder, s *Session, beliefs ...string) {
	for _, text := range beliefs {
		set, now, err := s.Watch(text)
		fmt.Fprintln(b, text, now, err)
		if err == nil {
			_ = s.Clear(set.ID)
		}
	}
	s.ids = 0
}

// TestNothingIsToldOfWhatLiesAhead walks a story fact by fact with a session that never was farther, and runs every
// query everywhere. The results must be the same in a session that ran another future to its end before it came back,
// and in one in which all that lies ahead in the present step was replaced.
func TestNothingIsToldOfWhatLiesAhead(t *testing.T) {
	law.CheckCostly(t, func(t *rapid.T) {
		acts := 0
		past := story(t, rapid.IntRange(1, 6).Draw(t, "past"))
		common := begun(t, past, &acts)
		for ok := true; ok; {
			_, ok = common.Step()
		}
		until := common.Scheduler().Now()
		future := past + "node huge cpu=64\npod last cpu=100m priority=100\nadvance 30s\n"
		fresh, back := New(begun(t, past, &acts), About{}), New(begun(t, future, &acts), About{})
		ctx := context.Background()
		back.Move(ctx, Continue, Forward, nil)
		last := rapid.IntRange(5, 40).Draw(t, "positions")
		for i := range last {
			if stop := fresh.Move(ctx, Into, Forward, nil); stop.Reason == StoppedAtEnd ||
				!fresh.after.Scheduler().Now().Before(until) {
				return
			}
			if i%5 != last%5 {
				continue
			}
			want := answers(fresh)
			back.Goto(ctx, fresh.Position(), nil)
			if got := answers(back); got != want {
				t.Fatalf("at %v a session that knows the future says\n%s\nand one that does not\n%s\n%s", fresh.Position(), got,
					want, future)
			}
			poisoned(fresh, func() {
				if got := answers(fresh); got != want {
					t.Fatalf("at %v the answers read what lies ahead in the step:\n%s\nnot\n%s\n%s", fresh.Position(), got, want, past)
				}
			})
		}
	})
}

// poisoned replaces what lies ahead in the middle of a step while a query runs.
func poisoned(s *Session, ask func()) {
	if s.at.Fact == len(s.facts) {
		return
	}
	after, facts, marks, notes := s.after, s.facts, s.line.marks, s.line.notes
	s.after = nil
	s.facts = slices.Clone(facts)
	for i := s.at.Fact; i < len(s.facts); i++ {
		s.facts[i] = trace.Recorded{Pod: "default/p0", Reason: "Poisoned", Note: "it lies ahead"}
	}
	if f, is := facts[s.at.Fact].(trace.Filtered); is && s.at.Cell > 0 {
		s.facts[s.at.Fact] = trace.Filtered{Matrix: otherAhead(f.Matrix, s.at.Cell)}
	}
	s.line.marks, s.line.notes = slices.Clone(marks), slices.Clone(notes)
	for i := range s.line.marks {
		if m := &s.line.marks[i]; m.Step == s.at.Step && m.Cycle > 0 { // an event has no outcome that could lie ahead
			m.Outcome = trace.SchedulerError
		}
	}
	for i := range s.line.notes {
		if s.line.notes[i].step == s.at.Step {
			s.line.notes[i].fact = trace.Recorded{Pod: "default/p0", Reason: "Poisoned", Note: "it lies ahead"}
		}
	}
	ask()
	s.after, s.facts, s.line.marks, s.line.notes = after, facts, marks, notes
}

// otherAhead is a matrix with the same answer to the first k cells, and the contrary in all others.
func otherAhead(m *trace.Matrix, k int) *trace.Matrix {
	other, known := *m, m.UpTo(k)
	other.First, other.Failures, other.Advice = slices.Clone(m.First), nil, nil
	for node := range m.Nodes {
		if !known.Ahead(node) {
			other.Failures = append(other.Failures, m.OnNode(node)...)
			other.Advice = append(other.Advice, m.AdviceOn(node)...)
			continue
		}
		first := int16(len(m.Plugins) - 1)
		if other.First[node] >= 0 {
			first = trace.FirstNone
		}
		if other.First[node] = first; first >= 0 {
			other.Failures = append(other.Failures, trace.Failure{
				Node: int32(node), Plugin: first, Verdict: trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"poisoned"}},
			})
			other.Advice = append(other.Advice, trace.Advice{})
		}
		if !slices.Contains(other.Visited, int32(node)) {
			other.Visited = append(slices.Clip(other.Visited), int32(node))
		}
	}
	return &other
}

// TestAWalkLetsTheWorldActOnce goes back and forth over 1,000 positions. The world acts as often as in a run straight
// to the end, and a replay that reads the journal of the walk sees the same facts without acting at all.
func TestAWalkLetsTheWorldActOnce(t *testing.T) {
	for seed := range 3 {
		walk1000(t, rapid.Custom(func(t *rapid.T) string { return story(t, 12) }).Example(seed))
	}
}

func walk1000(t *testing.T, text string) {
	straight := 0
	want := factsOf(begun(t, text, &straight))
	walked := 0
	p := begun(t, text, &walked)
	journal := p.Journal()
	s := New(p, About{})
	ctx := context.Background()
	strides := []Stride{Into, Over, Out, Next}
	for i := range 1000 {
		d := Direction(0)
		if i%5 >= 3 {
			d = Backward
		}
		s.Move(ctx, strides[i*7%len(strides)], d, nil)
	}
	s.Move(ctx, Continue, Forward, nil)
	if walked != straight || journal.Effects() != straight || straight == 0 {
		t.Errorf("the world acted %d times, the journal has %d effects; straight to the end it acts %d times", walked,
			journal.Effects(), straight)
	}
	again := 0
	replayed := begun(t, text, &again)
	replayed.Follow(journal)
	if got := factsOf(replayed); got != want || again != 0 {
		t.Errorf("a replay of the walk acted %d times; its facts are the same: %v", again, got == want)
	}
}

// factsOf is all that happens to the end.
func factsOf(p *play.Player) string {
	p.Keep(trace.Full)
	var b strings.Builder
	for {
		step, ok := p.Step()
		if !ok {
			return b.String()
		}
		fmt.Fprintln(&b, step.Kind, step.At, step.Facts)
	}
}
