package play_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
)

// booked is a story in which two schedulers place a pod each on the only node, which has room for one.
const booked = `scheduler batch
node n1 cpu=4
pod web cpu=3
pod job cpu=3 scheduler=batch
`

func playerOf(t *testing.T, story string) *play.Player {
	t.Helper()
	in, err := input.ReadScenario("story", strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&play.Declared{Name: "default-scheduler"}).Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return in.Play(c, 0, trace.Full)
}

// factsOf are the facts of all steps to the end, a line each.
func factsOf(p *play.Player) []string {
	var all []string
	for {
		step, more := p.Step()
		if !more {
			return all
		}
		for _, f := range step.Facts {
			all = append(all, f.String())
		}
	}
}

func positionOf(t *testing.T, lines []string, part string) int {
	t.Helper()
	for i, line := range lines {
		if strings.Contains(line, part) {
			return i
		}
	}
	t.Fatalf("no fact says %q in:\n%s", part, strings.Join(lines, "\n"))
	return 0
}

func TestSchedulersOfARoundDoNotSeeEachOther(t *testing.T) {
	facts := factsOf(playerOf(t, booked))
	first := positionOf(t, facts, "cycle 1: default/web popped")
	second := positionOf(t, facts, "cycle 2: default/job popped")
	told := positionOf(t, facts, "Pod Update default/web (AssignedPodAdd)")
	refused := positionOf(t, facts, "the kubelet of n1 refuses default/job: OutOfcpu: Pod was rejected: "+
		"Node didn't have enough resource: cpu, requested: 3000, used: 3000, capacity: 4000")
	double := positionOf(t, facts,
		"n1 is booked by several schedulers: default/web (default-scheduler), default/job (batch)")
	if first > second || second > told || told > refused || refused > double {
		t.Errorf("the order is %d %d %d %d %d", first, second, told, refused, double)
	}
}

func TestAForkOfSeveralSchedulersTakesTheSameCourse(t *testing.T) {
	p := playerOf(t, booked+"pod more cpu=1 count=3\npod jobs cpu=1 count=3 scheduler=batch\n")
	for steps := 0; ; steps++ {
		fork, again := factsOf(p.Fork()), factsOf(p.Fork())
		if strings.Join(fork, "\n") != strings.Join(again, "\n") {
			t.Fatalf("after %d steps two forks differ", steps)
		}
		if _, more := p.Step(); !more {
			return
		}
		if rest := factsOf(p.Fork()); len(rest) > len(fork) {
			t.Fatalf("after %d steps more is left than before", steps+1)
		}
	}
}

func TestAnotherSchedulersPodIsRoomThatIsGone(t *testing.T) {
	p := playerOf(t, "scheduler batch\nnode n1 cpu=4\npod web cpu=3\nrun\npod job cpu=3 scheduler=batch\n")
	facts := factsOf(p)
	positionOf(t, facts, "0/1 nodes are available: 1 Insufficient cpu")
	for _, f := range facts {
		if strings.Contains(f, "refuses") {
			t.Error(f)
		}
	}
	if n := p.Waiting().Unschedulable; n != 1 {
		t.Errorf("%d pods are unschedulable", n)
	}
	if _, _, queued := p.ForPod("default/job").Queue().Find("default/job"); !queued {
		t.Error("the pod is not in the queue of its scheduler")
	}
	if _, _, queued := p.For("default-scheduler").Queue().Find("default/job"); queued {
		t.Error("the pod is in the queue of a scheduler that does not place it")
	}
}

func TestARecordingOfOneSchedulerHasNoKubelet(t *testing.T) {
	facts := factsOf(playerOf(t, "node n1 cpu=4\npod web cpu=3\npod job cpu=3\nrun\nbind job n1\n"))
	for _, f := range facts {
		if strings.Contains(f, "kubelet") {
			t.Error(f)
		}
	}
}

func TestTheSchedulerLookedAtIsTheLastOrTheChosen(t *testing.T) {
	p := playerOf(t, booked)
	for range 5 {
		p.Step()
	}
	p.LookAt(1)
	if name := p.Scheduler().Name(); name != "batch" {
		t.Errorf("%s is looked at", name)
	}
	p.LookAt(-1)
	if name := p.Scheduler().Name(); name != p.Schedulers()[p.Acted()].Name() {
		t.Errorf("%s is looked at, and %d ran last", name, p.Acted())
	}
}
