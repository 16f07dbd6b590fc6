package plan_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask/plan"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// followed plays a course to its end, and returns the player there and all that happened, in words.
func followed(f *plan.Fleet, c *course.Course) (*play.Player, string) {
	p := f.Player.Branch()
	c.Follow(p)
	var facts strings.Builder
	for {
		step, ok := p.Step()
		if !ok {
			return p, facts.String()
		}
		for _, fact := range step.Facts {
			fmt.Fprintln(&facts, fact)
		}
	}
}

// onNodes are the nodes of pods by key; "" of one without.
func onNodes(p *play.Player) map[string]string {
	all := map[string]string{}
	p.Scheduler().State().EachPod(func(pod *cluster.Pod) bool {
		all[pod.Key] = pod.NodeName
		return true
	})
	return all
}

// compareEnd holds the end of a course to the report of its plan: the moment, where pods come to, which wait.
func compareEnd(f failing, fleet *plan.Fleet, p *plan.Plan, end *play.Player, what string) {
	took := end.Scheduler().Now().Sub(fleet.Player.Scheduler().Now()).Seconds()
	if math.Abs(took-p.Seconds) > 1e-6 {
		f.Fatalf("the plan takes %v s, and its course %v\n%s", p.Seconds, took, what)
	}
	on, lands := onNodes(end), map[string]string{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Refused == nil {
			delete(lands, s.Pod)
		}
		for _, m := range s.Moves {
			lands[m.Pod] = m.To
		}
	}
	for pod, node := range lands {
		if there, is := on[pod]; is && there != node && !slices.Contains(p.Preempts, pod) {
			f.Fatalf("%s is said to come to %q, and its course ends with it on %q\n%s", pod, node, there, what)
		}
	}
	for _, w := range p.Pending {
		if node, is := on[w.Pod]; w.Sure == "" && (!is || node != "") {
			f.Fatalf("%s is said to wait, and the course ends with it on %q (there: %v)\n%s", w.Pod, node, is, what)
		}
	}
	for pod, node := range on {
		waits := func(w plan.Wait) bool { return w.Pod == pod }
		if node == "" && !slices.ContainsFunc(p.Pending, waits) && !slices.ContainsFunc(p.Before, waits) {
			f.Fatalf("%s waits at the end of the course, and the plan does not name it\n%s", pod, what)
		}
	}
}

// TestACourseEndsAsItsPlanReports follows the drains and upgrades of random clusters, also from a file.
func TestACourseEndsAsItsPlanReports(t *testing.T) {
	moved := 0
	law.CheckCostly(t, func(r *rapid.T) {
		manifest := drawnCluster(r)
		f := fleet(t, r, manifest)
		var p plan.Plan
		var err error
		if rapid.Bool().Draw(r, "upgrade") {
			var u plan.Upgraded
			u, err = f.Upgrade(t.Context(), plan.UpgradeOf{Nodes: []string{"n0", "n1"}, Surge: 1}, nil)
			p = u.Plan
		} else {
			d := plan.Drain{Nodes: []string{"n0"}, AtOnce: rapid.Bool().Draw(r, "at once")}
			p, err = f.Drain(t.Context(), d, nil)
		}
		if err != nil {
			r.Fatalf("%v", err)
		}
		c := p.Course()
		end, facts := followed(f, c)
		compareEnd(r, f, &p, end, manifest)
		for i := range p.Steps {
			moved += len(p.Steps[i].Moves)
			if said := fmt.Sprintf("step %d of the plan: ", i+1); strings.Count(facts, said) != 1 {
				r.Fatalf("%q is %d times among the facts\n%s\n%s", said, strings.Count(facts, said), facts, manifest)
			}
		}
		text, err := c.Save(recording.NewRedactor().Redact)
		if err != nil {
			r.Fatalf("%v", err)
		}
		read, err := course.Read(text)
		if err != nil {
			r.Fatalf("%v", err)
		}
		if _, again := followed(f, read); again != facts {
			r.Fatalf("a course that was saved and read goes another way\n%s\nnot\n%s\n%s", again, facts, manifest)
		}
	})
	law.Met(t, moved > 0, "no pod moved")
}

// stepped is a session of a fleet, on a branch on which the plan that words name begins.
func stepped(t *testing.T, manifest string, words ...string) (*session.Session, *plan.Fleet) {
	t.Helper()
	f := fleet(t, t, manifest)
	s := session.New(f.Player.Branch(), session.About{Title: "test", Version: "1.37", Objects: f.Workloads})
	at, err := plan.At(s.At())
	if err != nil {
		t.Fatal(err)
	}
	found, err := at.Worked(t.Context(), words, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Edit(session.Follow(found.Course)); err != nil {
		t.Fatal(err)
	}
	return s, f
}

// factsAt are the facts of the step of the cursor.
func factsAt(s *session.Session) string {
	var all []string
	for _, fact := range s.Frame().Facts {
		all = append(all, fact.String())
	}
	return fmt.Sprint(s.Frame().Now, " ", strings.Join(all, "; "))
}

// TestEveryGoalIsSteppedForthAndBack goes through the branch of each plan step by step, back again, and compares.
func TestEveryGoalIsSteppedForthAndBack(t *testing.T) {
	whole := three("4") + workload("Deployment", "web", 3, "1", "") + workload("StatefulSet", "db", 2, "1", "") +
		budget("web", 2) + lone("big", "4", 0)
	for _, test := range []struct {
		words  string
		branch string
		steps  int
		holds  []string // facts
	}{
		{"drain n1", "plan-drain-n1", 3, []string{
			"step 1 of the plan: kubectl cordon n1", "step 2 of the plan: evict shop/", "replicaset creates Pod shop/web",
			"kubelet finds Ready Pod shop/web", "kubelet has stopped Pod shop/web",
		}},
		{"drain n1 n2 --by drain", "plan-drain", 6, []string{"step 6 of the plan: "}},
		{"lose node=n2", "plan-lose-node-n2", 1, []string{"step 1 of the plan: gone: [n2]", "Node Delete n2"}},
		{"upgrade n1 --max-surge 1", "plan-upgrade", 5, []string{
			"step 1 of the plan: new node n1-new in the place of n1", "Node Add n1-new", "Node Delete n1",
		}},
		{"capacity web", "plan-capacity-web", 8, []string{"step 1 of the plan: new: [shop/web-", "cpu"}},
		{"room big", "plan-room-big", 3, []string{"evict shop/"}},
		{"pack", "plan-pack", 3, []string{"kubectl cordon "}},
		{"capacity --templates pools", "plan-capacity", 2, []string{"new: [", "kubectl uncordon new-"}},
	} {
		t.Run(test.words, func(t *testing.T) {
			manifest := whole
			if test.words == "capacity --templates pools" {
				manifest = strings.ReplaceAll(whole, "labels: {kubernetes", `labels: {eks.amazonaws.com/nodegroup: main, kubernetes`)
			}
			if test.words == "pack" {
				manifest = three("4") + workload("Deployment", "web", 2, "1", "")
			}
			s, _ := stepped(t, manifest, strings.Fields(test.words)...)
			if b := s.Frame().Branch; b != test.branch {
				t.Errorf("the branch is %s, want %s", b, test.branch)
			}
			all := forthAndBack(t, s)
			for _, want := range test.holds {
				if !strings.Contains(all, want) {
					t.Errorf("no fact has %q:\n%s", want, all)
				}
			}
			if n := stepsOfPlan(t, s); n != test.steps {
				t.Errorf("%d steps, want %d:\n%s", n, test.steps, all)
			}
			if err := s.Switch("main"); err != nil {
				t.Fatal(err)
			}
			if p := s.At().Plan(); p != nil {
				t.Errorf("the plan %v is carried out on the main line", p)
			}
		})
	}
}

// forthAndBack goes step by step to the end of a branch and back, and returns the facts, which are the same both ways.
func forthAndBack(t *testing.T, s *session.Session) string {
	t.Helper()
	ctx, facts := context.Background(), []string{factsAt(s)}
	for s.Move(ctx, session.Out, session.Forward, nil).Reason == session.StoppedAtStep {
		facts = append(facts, factsAt(s))
	}
	for i := range facts {
		if back := facts[len(facts)-1-i]; factsAt(s) != back {
			t.Fatalf("backwards %d steps are\n%s\nnot\n%s", i, factsAt(s), back)
		}
		s.Move(ctx, session.Out, session.Backward, nil)
	}
	return strings.Join(facts, "\n")
}

// stepsOfPlan goes from the beginning of a plan through its steps and back, and counts them.
func stepsOfPlan(t *testing.T, s *session.Session) int {
	t.Helper()
	ctx := context.Background()
	if err := s.Switch(s.Frame().Branch); err != nil {
		t.Fatal(err)
	}
	for s.Move(ctx, session.ToPlanned, session.Backward, nil).Reason == session.StoppedAtStep && s.At().Plan().Done > 0 {
		continue
	}
	var places []session.Position
	done := 0
	for s.Move(ctx, session.ToPlanned, session.Forward, nil).Reason == session.StoppedAtStep {
		places, done = append(places, s.Position()), max(done, s.At().Plan().Done)
	}
	if p := s.At().Plan(); done != len(p.Steps) {
		t.Errorf("%d steps are behind the end, of %d", done, len(p.Steps))
	}
	for i, place := range slices.Backward(places) {
		if i == len(places)-1 && s.Position() == place {
			continue // nothing comes after the last one
		}
		if s.Move(ctx, session.ToPlanned, session.Backward, nil); s.Position() != place {
			t.Errorf("backwards the cursor comes to %v, not %v", s.Position(), place)
		}
	}
	return done
}

// TestAPlanGoesOnAfterAWhatIf has a node cordoned in the middle of a plan: what comes later is carried out.
func TestAPlanGoesOnAfterAWhatIf(t *testing.T) {
	s, _ := stepped(t, three("4")+workload("Deployment", "web", 3, "1", ""), "drain", "n1")
	ctx := t.Context()
	s.Move(ctx, session.ToPlanned, session.Forward, nil)
	if _, _, err := s.Edit(session.Cordon("n2")); err != nil {
		t.Fatal(err)
	}
	s.Move(ctx, session.Continue, session.Forward, nil)
	on := 0
	for _, node := range onNodes(s.At().Player()) {
		if node == "n3" {
			on++
		}
	}
	if p := s.At().Plan(); p == nil || p.Done != len(p.Steps) || on != 2 {
		t.Errorf("the plan is %+v, and %d pods are on the only node that is left", p, on)
	}
	if _, err := plan.At(s.At()); err == nil {
		t.Error("a plan is made where another one is carried out")
	}
	if _, is := trace.Fact(trace.Requested{}).(fmt.Stringer); !is {
		t.Error("a request is no sentence")
	}
}
