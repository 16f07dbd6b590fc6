package compare_test

import (
	"context"
	"testing"
	"time"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

// remedied counts what TestChangesThatAreProposedPlaceThePodInKubeSchedulerToo has tried.
type remedied struct {
	tally            compare.Tally
	pods             int // that had no node, and for which changes were looked for
	none             int // of them, those for which no change was found
	offered, configs int // changes; those of them that change the configuration, which is no event and is passed over
	parts            int // proper parts of them
}

// TestChangesThatAreProposedPlaceThePodInKubeSchedulerToo draws clusters, and looks for the smallest changes for every
// pod that has no node at the end. Each proposed change, and each proper part of it, is then done in a cluster of its
// own, in which kube-scheduler runs beside ours from the first event: both must agree in every cycle, and the pod must
// have a node with the whole change and none with a part.
func TestChangesThatAreProposedPlaceThePodInKubeSchedulerToo(t *testing.T) {
	from, to := plays.Seeds(t, 60)
	to = from + (to-from+4)/5 // a cluster is played a dozen times here
	var of remedied
	for seed := from; seed < to; seed++ {
		drawn, err := plays.Crowded(seed, config.Gates{})
		if err != nil {
			t.Fatal(err)
		}
		drawn.Script = atOnce(drawn.Script)
		s, err := played(drawn)
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range waiting(s) {
			of.try(t, seed, drawn, s, pod)
		}
	}
	t.Logf("seeds %d to %d: %d pods without a node, %d of them without a change that helps; %d changes placed the pod, "+
		"%d proper parts did not, %d change the configuration and were passed over; %d cycles compared", from, to, of.pods,
		of.none, of.offered, of.parts, of.configs, of.tally.Cycles)
	if 2*of.pods < to-from || of.offered < of.pods || of.parts < of.pods/20 {
		t.Errorf("that is little: %+v", of)
	}
	if to-from >= 800 && of.pods < 1000 {
		t.Errorf("the long run is of %d pods, and has to be of 1,000", of.pods)
	}
}

// atOnce has everything of a script happen at its beginning.
func atOnce(script source.Script) source.Script {
	for i := range script {
		script[i].At = script[0].At
	}
	return script
}

// played is a session at the end of a play, by ours alone.
func played(p compare.Play) (*session.Session, error) {
	ours, err := compare.New(p.Configuration, p.Gates, p.Start)
	if err != nil {
		return nil, err
	}
	s := session.New(play.NewPlayer(ours, play.NewSimulated(), p.Script.Log()), session.About{})
	s.Move(context.Background(), session.Continue, session.Forward, nil)
	return s, nil
}

// waiting are the pods of ours that have no node.
func waiting(s *session.Session) []string {
	var pods []string
	for _, pod := range s.At().Names().Pods {
		if s.At().Place(pod).Queue == "unschedulable" {
			pods = append(pods, pod)
		}
	}
	return pods
}

func (of *remedied) try(t *testing.T, seed int, drawn compare.Play, s *session.Session, pod string) {
	t.Helper()
	found, err := remedy.Find(t.Context(), s.At(), pod, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.Without != "" {
		return
	}
	of.pods++
	if len(found.Remedies) == 0 {
		of.none++
	}
	for _, r := range found.Remedies {
		for mask := 1; mask < 1<<len(r.Changes); mask++ {
			var part remedy.Remedy
			for i, c := range r.Changes {
				if mask&(1<<i) != 0 {
					part.Changes = append(part.Changes, c)
				}
			}
			whole := len(part.Changes) == len(r.Changes)
			events, doable := eventsOf(s, part)
			switch {
			case !doable && whole:
				t.Fatalf("seed %d, %s: %v cannot be done", seed, pod, lines(r))
			case !doable:
				of.parts++
				continue
			case len(events) == 0:
				of.configs++
				continue
			}
			node := placed(t, seed, drawn, events, pod, &of.tally)
			if whole != (node != "") {
				t.Errorf("seed %d, %s: after %q of %q it is on %q", seed, pod, lines(part), lines(r), node)
			}
			if whole {
				of.offered++
			} else {
				of.parts++
			}
		}
	}
}

// lines are the commands of a change.
func lines(r remedy.Remedy) []string {
	var all []string
	for _, c := range r.Changes {
		all = append(all, c.Line)
	}
	return all
}

// eventsOf are the events that a change is made of; false where it cannot be done. The session stays as it is.
func eventsOf(s *session.Session, r remedy.Remedy) (events []cluster.Event, doable bool) {
	before := s.Position().Step
	branch, _, err := s.Edit(r.Edit())
	if err != nil {
		return nil, false
	}
	step := 0
	_, err = s.Again(context.Background(), func(made play.Step, _ *core.Scheduler) {
		if step++; step > before && made.Kind == play.Delivered {
			events = append(events, made.Event)
		}
	})
	return events, err == nil && s.Drop(branch) == nil
}

// placed is the node that a pod has after a play, the events, and the time after which pods are tried again anyway,
// with kube-scheduler beside ours all the time; "" is none.
func placed(
	t *testing.T, seed int, drawn compare.Play, events []cluster.Event, pod string, tally *compare.Tally,
) string {
	t.Helper()
	ours, err := compare.New(drawn.Configuration, drawn.Gates, drawn.Start)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := compare.Linked(drawn.Configuration)
	if err != nil {
		t.Fatal(err)
	}
	tally.Cases++
	both := beside{
		t, compare.Beside(ours, theirs, tally), play.NewPlayer(ours, play.NewSimulated(), drawn.Script.Log()),
	}
	defer both.pair.Close()
	both.settle()
	for _, e := range events {
		before := ours.State().Fork()
		step := both.player.Deliver(e)
		both.check(both.pair.Delivered(e, before, step.Effects, step.Facts))
	}
	both.settle()
	if live, there := ours.State().Pod(pod); there && live.NodeName == "" {
		both.player.RunOn(ours.Now().Add(ours.Queue().Patience() + time.Minute))
		both.settle()
	}
	for _, d := range both.pair.Differences() {
		t.Errorf("seed %d, %s: %s", seed, pod, d)
	}
	live, there := ours.State().Pod(pod)
	if !there {
		return ""
	}
	return live.NodeName
}

// beside is kube-scheduler beside ours in one cluster.
type beside struct {
	t      *testing.T
	pair   *compare.Pair
	player *play.Player
}

func (b *beside) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// settle steps until nothing is left to do.
func (b *beside) settle() {
	b.t.Helper()
	for range 10_000 {
		before := b.player.Scheduler().State().Fork()
		step, more := b.player.Step()
		switch {
		case !more:
			return
		case step.Kind == play.Delivered && step.Event.Object != nil:
			b.check(b.pair.Delivered(step.Event, before, step.Effects, step.Facts))
		case step.Kind == play.Tried:
			b.check(b.pair.Tried(step.Effects, step.Facts))
		default:
			b.check(b.pair.Waited(step.Effects))
		}
	}
	b.t.Fatal("the queues do not settle")
}
