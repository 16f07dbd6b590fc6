package panel_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/tui/view"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

const zone = "topology.kubernetes.io/zone"

func gang(name string, minCount int32, change ...func(*schedulingv1beta1.PodGroup)) *schedulingv1beta1.PodGroup {
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: minCount}
	for _, c := range change {
		c(g)
	}
	return g
}

func withinAZone(g *schedulingv1beta1.PodGroup) {
	g.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
		Topology: []schedulingv1beta1.TopologyConstraint{{Key: zone}},
	}
}

func in(domain string) func(*corev1.Node) { return func(n *corev1.Node) { n.Labels[zone] = domain } }

func of(group string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group} }
}

// gangs are three zones, a gang that fits into two of them, one that fits nowhere, and one that lacks pods.
func gangs(t testing.TB) *session.Session {
	t.Helper()
	gates, err := config.ParseGates("GenericWorkload=true,TopologyAwareWorkloadScheduling=true")
	if err != nil {
		t.Fatal(err)
	}
	c := config.DefaultWith(config.Options{Gates: gates})
	var script source.Script
	add := func(at time.Duration, objects ...cluster.Object) {
		for _, o := range objects {
			script = append(script, source.Timed{At: start.Add(at), Event: cluster.Event{Action: cluster.Add, Object: o}})
		}
	}
	add(0,
		node("a-1", "4", "16Gi", in("a")), node("a-2", "4", "16Gi", in("a")), node("b-1", "4", "16Gi", in("b")),
		node("b-2", "4", "16Gi", in("b")),
		node("c-1", "16", "64Gi", in("c")), pod("web-0", "1", "1Gi", on("a-1")),
		gang("train", 4, withinAZone), pod("train-0", "2", "4Gi", of("train")), pod("train-1", "2", "4Gi", of("train")),
		pod("train-2", "2", "4Gi", of("train")), pod("train-3", "2", "4Gi", of("train")),
	)
	add(time.Second, gang("huge", 3), pod("huge-0", "9", "4Gi", of("huge")), pod("huge-1", "9", "4Gi", of("huge")), pod(
		"huge-2", "9", "4Gi", of("huge"),
	))
	add(time.Second, gang("late", 3), pod("late-0", "1", "1Gi", of("late")), pod("orphan-0", "1", "1Gi", of("nobody")))
	s := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff,
		Groups: c.Groups, Start: start, Seed: 1,
		Detail: trace.Full,
	})
	return session.New(
		play.NewPlayer(s, play.NewSimulated(), script.Log()), session.About{Title: "gangs", Version: "1.37"},
	)
}

// afterGroup is the frame at the end of the next cycle of a group.
func afterGroup(t testing.TB, s *session.Session, name string) *session.Frame {
	t.Helper()
	s.Goto(context.Background(), session.Position{}, nil)
	for range 20 {
		s.Move(context.Background(), session.Next, session.Forward, nil)
		if f := s.Frame(); f.Cycle != nil && f.Cycle.Entity.Name == name && f.Cycle.Group != nil {
			return f
		}
	}
	t.Fatalf("no cycle of the group %s", name)
	return nil
}

func TestGroupShowsTheQuorumThePlacementsAndWhoIsMissing(t *testing.T) {
	s := gangs(t)
	a := album{file: "group.txt"}
	bound := afterGroup(t, s, "train")
	a.add("bound, 118x26", shot(t, panel.NewGroup(), bound, 118, 26))
	a.add("bound, 80x16", shot(t, panel.NewGroup(), bound, 80, 16))
	a.add("bound, 40x10", shot(t, panel.NewGroup(), bound, 40, 10))
	a.add("bound, ASCII", shotIn(panel.NewGroup(), bound, 118, 26, styles(t, themes.Mono, themes.ASCII())))
	filtered := panel.NewGroup()
	filtered.Filter("INSUFFICIENT")
	a.add("filtered", shot(t, filtered, bound, 118, 10))
	a.add("phases", line(t, 118, func(r widget.Region) { panel.DrawPhases(bound, r, 0) }))
	lost := afterGroup(t, s, "huge")
	a.add("not placed, 118x16", shot(t, panel.NewGroup(), lost, 118, 16))
	a.add("the queue after it", shot(t, &panel.Queue{}, lost, 60, 18))
	for _, pod := range []string{
		"podgroup/default/huge", "default/huge-0", "default/huge-1", "default/huge-2", "podgroup/default/late",
		"default/late-0", "default/orphan-0",
	} {
		why := &panel.Why{}
		why.Explain(view.Selection{Subject: view.OfPod, Pod: pod, NodeIndex: -1, PluginIndex: -1, Fact: -1, Placement: -1})
		a.add("why "+pod, shot(t, why, lost, 100, 18))
	}
	afterGroup(t, s, "train")
	for range 30 {
		s.Move(t.Context(), session.Over, session.Backward, nil)
		if g := s.Frame().Cycle; g != nil && g.Group != nil && len(g.Group.Placements) == 2 {
			break
		}
	}
	a.add("while it is tried", shot(t, panel.NewGroup(), s.Frame(), 118, 20))
	a.add("phases meanwhile", line(t, 118, func(r widget.Region) { panel.DrawPhases(s.Frame(), r, 0) }))
	a.add("before any cycle", shot(t, panel.NewGroup(), &session.Frame{}, 60, 5))
	a.compare(t)
}

func TestGroupExplainsEveryRow(t *testing.T) {
	s := gangs(t)
	f := afterGroup(t, s, "train")
	a := album{file: "group_why.txt"}
	p := panel.NewGroup()
	for row := range 15 {
		selected := p.Selection(f)
		why := &panel.Why{}
		why.Explain(selected)
		if row < 6 || row > 9 {
			a.add(why.Title(f)+" "+p.Who(f), shot(t, why, f, 100, 14))
		}
		p.Move(f, 1, 0)
	}
	a.compare(t)
}

func TestFilterAndScoreShowTheMemberThatIsPointedAt(t *testing.T) {
	s := gangs(t)
	f := afterGroup(t, s, "train")
	p := panel.NewGroup()
	seen := map[string]bool{}
	for range 15 {
		one := p.Frame(f)
		who := p.Who(f)
		selected := p.Selection(f)
		if selected.Subject == view.OfMember && one.Cycle.Entity.Key() != selected.Pod {
			t.Fatalf("%s is selected and %s is shown", selected.Pod, one.Cycle.Entity.Key())
		}
		if who == "" || one.Try().Matrix == nil {
			t.Fatalf("nobody's filters are shown for %+v", selected)
		}
		if selected.Subject == view.OfMember {
			seen[who] = true
		}
		p.Move(f, 1, 0)
	}
	if len(seen) != 12 {
		t.Errorf("%d members in placements were seen, not 12", len(seen))
	}
	if !p.Find(f, "default/train-3") || !strings.HasPrefix(p.Who(f), "train-3 in zone b") {
		t.Errorf("find went to %s", p.Who(f))
	}
	if rows := view.GroupTable(f, ""); len(rows) != 16 || !slices.Contains(rows[0], "PodGroupPodsCount") {
		t.Errorf("exported %d rows: %v", len(rows), rows)
	}
}
