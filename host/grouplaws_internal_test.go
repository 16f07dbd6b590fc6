package host

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
)

// memoryOf is what the plugin of a scheduler remembers. It makes the instance of a fork.
func memoryOf(t *testing.T, s *core.Scheduler) string {
	t.Helper()
	i, err := homeOf(s.State().Companion()).instance()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range i.plugins {
		if troupe, is := p.Plugin.(*troupe); is {
			return troupe.memory()
		}
	}
	t.Fatal("the instance has no such plugin")
	return ""
}

// told is a replay of the groups that nothing interrupts.
type told struct {
	facts    []string // of each step, with all verdicts
	kept     []string // of each step, what a session keeps of them
	memories []string // what the plugin remembers after so many steps
}

func toldOf(t *testing.T) told {
	t.Helper()
	p := troupePlayer(t, trace.Full)
	all := told{memories: []string{memoryOf(t, p.Scheduler())}}
	for {
		step, more := p.Step()
		if !more {
			break
		}
		all.facts = append(all.facts, factsOf(step))
		all.memories = append(all.memories, memoryOf(t, p.Scheduler()))
	}
	s := troupeSession(t)
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	all.kept = texts(s)
	text := strings.Join(all.facts, "\n")
	for _, must := range []string{ // else the laws below are about nothing
		"PostFilter Troupe: Success", "no room after", "PlacementGenerate Troupe: Success [b a]", "in this state",
	} {
		if !strings.Contains(text, must) {
			t.Fatalf("no %q in\n%s", must, text)
		}
	}
	for _, must := range []string{"Unreserve", "without low0", "held", "NormalizePlacementScore"} {
		if last := all.memories[len(all.memories)-1]; !strings.Contains(last, must) {
			t.Fatalf("no %q in %s", must, last)
		}
	}
	return all
}

// TestAForkOfAPluginOfGroupsGoesOnAsTheOriginal forks a replay at every step. Each fork makes a new instance, which
// repeats the calls that were made within PodGroupPostFilter: it must remember what the original does, answer as it
// does from there on, and differ in no call of the journal.
func TestAForkOfAPluginOfGroupsGoesOnAsTheOriginal(t *testing.T) {
	gateGroups(t)
	want, p := toldOf(t), troupePlayer(t, trace.Summary)
	told := facts(troupePlayer(t, trace.Summary))
	for at := 0; ; at++ {
		f := p.Fork()
		if diff := cmp.Diff(want.memories[at], memoryOf(t, f.Scheduler())); diff != "" {
			t.Fatalf("a fork at step %d remembers\n%s", at, diff)
		}
		if got := facts(f); !slices.Equal(got, told[at:]) {
			t.Fatalf("a fork at step %d goes on otherwise:\n%s", at, cmp.Diff(told[at:], got))
		}
		if diff := cmp.Diff(want.memories[at], memoryOf(t, p.Scheduler())); diff != "" {
			t.Fatalf("the original of a fork at step %d remembers\n%s", at, diff)
		}
		if _, more := p.Step(); !more {
			if parting, part := p.Scheduler().GuestsPart(f.Scheduler()); part {
				t.Errorf("the last fork differs at %+v", parting)
			}
			break
		}
	}
	for _, note := range p.Scheduler().GuestNotes() {
		if strings.Contains(note, "answered otherwise") {
			t.Error(note)
		}
	}
}

// TestDetailChangesNothingForAPluginWithAMemory plays with each detail. More detail has filters called about nodes that
// kube-scheduler does not call them about; a plugin that counts its calls must not notice.
func TestDetailChangesNothingForAPluginWithAMemory(t *testing.T) {
	gateGroups(t)
	want := ""
	for _, detail := range []trace.Detail{trace.Summary, trace.Reported, trace.Full, trace.Reasoned} {
		p := troupePlayer(t, detail)
		facts(p)
		got := memoryOf(t, p.Scheduler())
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with detail %s the plugin remembers\n%s", detail, diff)
		}
	}
}

// troupeSession is a session of the groups.
func troupeSession(t *testing.T) *session.Session {
	t.Helper()
	return session.New(troupePlayer(t, trace.Summary), session.About{})
}

// same compares a session with a replay that nothing interrupted, at the cursor.
func (w told) same(t *testing.T, s *session.Session, doing string) {
	t.Helper()
	at, begun := s.Position(), texts(s)
	if len(begun) > len(w.kept) || !slices.Equal(begun, w.kept[:len(begun)]) {
		t.Fatalf("%s, at %+v:\n%s", doing, at, cmp.Diff(w.kept[:min(len(begun), len(w.kept))], begun))
	}
	if at.Step > 0 {
		shown := factsOf(play.Step{Facts: s.Frame().Facts})
		if whole := w.facts[at.Step-1]; !strings.HasPrefix(whole, shown) && at.Cell == 0 {
			t.Fatalf("%s, at %+v it shows\n%s", doing, at, cmp.Diff(whole, shown))
		}
	}
	k := s.At() // in the middle of a step it is at the end of the step before
	if diff := cmp.Diff(w.memories[k.Steps()], memoryOf(t, k.Player().Scheduler())); diff != "" {
		t.Fatalf("%s, at %+v the plugin remembers\n%s", doing, at, diff)
	}
}

// TestBackAndForthOverGroupsIsTheSame walks through a session at random. It goes back and forth by facts, phases,
// steps and cycles, looks at pods, and leaves for branches and returns.
func TestBackAndForthOverGroupsIsTheSame(t *testing.T) {
	gateGroups(t)
	want := toldOf(t)
	from, to := seeds(t, 2)
	for seed := from; seed < to; seed++ {
		chance, s := rand.New(rand.NewPCG(uint64(seed), 34)), troupeSession(t)
		strides := []session.Stride{session.Into, session.Over, session.Out, session.Next, session.Next, session.Continue}
		for range 30 {
			stride, direction := strides[chance.IntN(len(strides))], session.Direction(chance.IntN(2))
			s.Move(t.Context(), stride, direction, nil)
			doing := fmt.Sprintf("seed %d, after stride %d direction %d", seed, stride, direction)
			switch chance.IntN(4) {
			case 0:
				number := int64(1 + chance.IntN(25))
				s.GotoCycle(t.Context(), number, nil)
				doing += fmt.Sprintf(" and cycle %d", number)
			case 1: // makes forks of its own
				if _, err := s.At().Explain("default/third-0"); err != nil && !strings.Contains(err.Error(), "there is no pod") {
					t.Fatal(err)
				}
			case 2:
				if _, _, err := s.Edit(session.Cordon("n1")); err != nil {
					break // before the node is there
				}
				s.Move(t.Context(), session.Next, session.Forward, nil)
				if err := s.Switch("main"); err != nil {
					t.Fatal(err)
				}
				doing += " and a branch"
			}
			want.same(t, s, doing)
		}
	}
}

// whatIfs are changes that are made around a cycle of a group.
var whatIfs = map[string]session.Edit{
	"cordon":     session.Cordon("n3"),
	"delete pod": session.DeletePod("default/low5"),
	"add node":   session.AddNode("n9", "n1", nil),
}

// branched goes to a position, makes a change, plays the branch to its end, and returns its facts and the memory of the
// plugin there.
func branched(t *testing.T, s *session.Session, at session.Position, e session.Edit) (facts []string, memory string) {
	t.Helper()
	s.Goto(t.Context(), at, nil)
	if s.Position() != at {
		t.Fatalf("it is at %+v and not at %+v", s.Position(), at)
	}
	if _, _, err := s.Edit(e); err != nil {
		t.Fatal(err)
	}
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	return texts(s), memoryOf(t, s.At().Player().Scheduler())
}

// TestAWhatIfAroundACycleOfAGroupIsTheSameFromEverywhere makes a change before, in and after each cycle in which the
// plugin made room for a group, in a session that has been to the end and back, and in one that goes straight there:
// what comes of it is the same, and the history stays as it was.
func TestAWhatIfAroundACycleOfAGroupIsTheSameFromEverywhere(t *testing.T) {
	gateGroups(t)
	want := toldOf(t)
	walked, tried, apart := troupeSession(t), 0, 0
	for step, text := range want.facts {
		phase := strings.Index(text, "PostFilter Troupe: Success")
		if phase < 0 || tried == 2 {
			continue
		}
		tried++
		inside := strings.Count(text[:phase], "\n") // the facts before the answer: the cursor is in the call
		for name, edit := range whatIfs {
			for _, at := range []session.Position{{Step: step}, {Step: step + 1, Fact: inside}, {Step: step + 2}} {
				s := walked
				s.Move(t.Context(), session.Continue, session.Forward, nil)
				got, memory := branched(t, s, settled(t, at), edit)
				straight, remembers := branched(t, troupeSession(t), settled(t, at), edit)
				if !slices.Equal(got, straight) {
					t.Fatalf("%s at %+v:\n%s", name, at, cmp.Diff(straight, got))
				}
				if diff := cmp.Diff(remembers, memory); diff != "" {
					t.Fatalf("%s at %+v: the plugin remembers\n%s", name, at, diff)
				}
				if !slices.Equal(got, want.kept) {
					apart++
				}
				if err := s.Switch("main"); err != nil {
					t.Fatal(err)
				}
				want.same(t, s, name)
			}
		}
	}
	if tried < 2 || apart == 0 {
		t.Errorf("%d cycles were tried, and %d branches differ from the history", tried, apart)
	}
}

// settled is a position as a session has it: at the end of a step it is that many facts into it.
func settled(t *testing.T, at session.Position) session.Position {
	t.Helper()
	s := troupeSession(t)
	s.Goto(t.Context(), at, nil)
	return s.Position()
}
