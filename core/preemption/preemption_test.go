package preemption_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/preemption"
	"github.com/schedstep/schedstep/internal/build"
)

func TestOnlyWhoMustLeavesANode(t *testing.T) {
	for _, test := range []struct {
		name    string
		objects []cluster.Object
		cpu     int64
		want    string
	}{
		{"the only pod", []cluster.Object{node("n", 4), pod("a", "n", 4, 0, 1)}, 2, "n: a"},
		{
			"the less important of two",
			[]cluster.Object{node("n", 4), pod("a", "n", 2, 0, 1), pod("b", "n", 2, 5, 1)},
			2, "n: a; stays b",
		},
		{
			"the younger of equals",
			[]cluster.Object{node("n", 4), pod("young", "n", 2, 0, 1), pod("old", "n", 2, 0, 9)},
			2,
			"n: young; stays old",
		},
		{
			"the later to start of those that did not",
			[]cluster.Object{node("n", 4), unstarted(pod("a", "n", 2, 0, 0)), unstarted(pod("b", "n", 2, 0, 0))},
			2, "n: b; stays a",
		},
		{
			"a small one stays though a bigger of more weight goes",
			[]cluster.Object{node("n", 4), pod("big", "n", 3, 5, 1), pod("small", "n", 1, 1, 1)},
			3, "n: big; stays small",
		},
		{
			"victims are told the most important first",
			[]cluster.Object{node("n", 4), pod("a", "n", 2, 1, 1), pod("b", "n", 2, 3, 1)},
			4, "n: b a",
		},
		{
			"nobody who may be evicted",
			[]cluster.Object{node("n", 4), pod("a", "n", 4, 10, 1)},
			2,
			"0 refused: UnschedulableAndUnresolvable: No preemption victims found for incoming pod",
		},
		{
			"not enough leave",
			[]cluster.Object{node("n", 4), pod("a", "n", 3, 10, 1), pod("b", "n", 1, 0, 1)},
			2,
			"0 refused: Unschedulable: Insufficient cpu",
		},
		{
			"room for all",
			[]cluster.Object{node("n", 4), pod("a", "n", 1, 0, 1)},
			2,
			`0 refused: Error: expected at least one victim pod on node "n"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			mustTell(t, preemption.Run(ask(stateOf(test.objects...), pod("new", "", test.cpu, 10, 0))), test.want)
		})
	}
}

func TestBudgetsProtect(t *testing.T) {
	two := func(budgets ...cluster.Object) []cluster.Object {
		return append(budgets, node("n", 4), labelled(pod("a", "n", 2, 5, 1), "web"), labelled(pod("b", "n", 2, 1, 1), "web"))
	}
	unselective := budget("all", "web", 0)
	unselective.Spec.Selector = &metav1.LabelSelector{}
	wrong := budget("wrong", "web", 0)
	wrong.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "x", Operator: "Sideways"}}
	foreign := budget("b", "web", 0)
	foreign.Namespace = "other"
	for _, test := range []struct {
		name    string
		objects []cluster.Object
		cpu     int64
		want    string
	}{
		{"the most important may go, the next may not", two(budget("b", "web", 1)), 4, "n: a b!"},
		{"so the protected one stays, though it is less important", two(budget("b", "web", 1)), 2, "n: a; stays b"},
		{"two may go", two(budget("b", "web", 2)), 4, "n: a b"},
		{"another application", two(budget("b", "db", 0)), 4, "n: a b"},
		{"another namespace", two(foreign), 4, "n: a b"},
		{"one the API server counted already", two(budget("b", "web", 0, "a")), 4, "n: a b!"},
		{"an empty selector selects nobody", two(unselective), 4, "n: a b"},
		{"nor does one that cannot be parsed", two(wrong), 4, "n: a b"},
		{
			"the first budget that is exceeded is the last that counts a pod",
			append(two(budget("1", "web", 0), budget("2", "web", 1)), labelled(pod("c", "n", 1, 0, 1), "web")), 4, "n: a! b! c!",
		},
		{
			"a pod without labels has no budget",
			[]cluster.Object{budget("b", "web", 0), node("n", 4), unlabelled(pod("a", "n", 4, 0, 1))},
			4, "n: a",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			mustTell(t, preemption.Run(ask(stateOf(test.objects...), pod("new", "", test.cpu, 10, 0))), test.want)
		})
	}
}

func unlabelled(p *corev1.Pod) *corev1.Pod {
	p.Labels = nil
	return p
}

// TestBudgetsCountEveryNodeAnew shows that trying one node leaves nothing behind for the next.
func TestBudgetsCountEveryNodeAnew(t *testing.T) {
	s := stateOf(budget("b", "web", 1), node("m", 4), node("n", 4),
		labelled(pod("a", "m", 4, 0, 1), "web"), labelled(pod("b", "n", 4, 0, 1), "web"))
	mustTell(t, preemption.Run(ask(s, pod("new", "", 4, 10, 0))), "m: a", "n: b")
}

func TestCandidatesAreRankedByEachCriterion(t *testing.T) {
	for _, test := range []struct {
		name    string
		objects []cluster.Object
		want    []string
		tied    int
	}{
		{"fewest budget violations, before all else", []cluster.Object{
			budget("b", "web", 0), labelled(pod("a", "m", 4, 0, 1), "web"), pod("b", "n", 4, 9, 1),
		}, []string{"n: b", "m: a!"}, 1},
		{"then the lowest highest priority", []cluster.Object{
			pod("a", "m", 4, 5, 1), pod("b", "n", 2, 4, 1), pod("c", "n", 2, 4, 1),
		}, []string{"n: b c", "m: a"}, 1},
		{"then the smallest sum of priorities", []cluster.Object{
			pod("a", "m", 2, 5, 1), pod("b", "m", 2, 4, 1), pod("c", "n", 2, 5, 1), pod("d", "n", 2, 3, 1),
		}, []string{"n: c d", "m: a b"}, 1},
		{"more victims of negative priority weigh more", []cluster.Object{
			pod("a", "m", 2, -5, 1), pod("b", "m", 2, -5, 1), pod("c", "n", 4, -5, 1),
		}, []string{"n: c", "m: a b"}, 1},
		{"then the latest of the earliest starts", []cluster.Object{
			pod("a", "m", 4, 5, 2), pod("b", "n", 4, 5, 1),
		}, []string{"n: b", "m: a"}, 1},
		{"of the highest priority only", []cluster.Object{
			pod("a", "m", 2, 5, 2), pod("b", "m", 2, 1, 1), pod("c", "n", 2, 5, 1), pod("d", "n", 2, 1, 9),
		}, []string{"n: c d", "m: a b"}, 1},
		{"one that did not start, starts after all that did by now", []cluster.Object{
			pod("a", "m", 4, 5, 0), unstarted(pod("b", "n", 4, 5, 0)), pod("c", "o", 4, 5, 1),
		}, []string{"n: b", "m: a", "o: c"}, 1},
		{"then the order of the snapshot", []cluster.Object{
			pod("a", "m", 4, 5, 1), pod("b", "n", 4, 5, 1),
		}, []string{"m: a", "n: b"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := stateOf(append([]cluster.Object{node("m", 4), node("n", 4)}, test.objects...)...)
			if test.want[len(test.want)-1] == "o: c" {
				s.Apply(cluster.Event{Object: node("o", 4)})
			}
			for offset := range s.Snapshot().Nodes {
				a := ask(s, pod("new", "", 4, 10, 0))
				a.Offset = offset
				answer := preemption.Run(a)
				mustTell(t, answer, test.want...)
				if answer.Tied != test.tied {
					t.Errorf("from %d: %d tied, want %d", offset, answer.Tied, test.tied)
				}
			}
		})
	}
}

func TestSearchEndsWithEnoughCandidates(t *testing.T) {
	s := stateOf(budget("b", "web", 0), node("k", 4), node("l", 4), node("m", 4), node("n", 4),
		pod("k1", "k", 4, 0, 1), labelled(pod("l1", "l", 4, 0, 1), "web"), labelled(pod("m1", "m", 4, 0, 1), "web"),
		pod("n1", "n", 4, 0, 1))
	for _, test := range []struct {
		name           string
		offset, wanted int
		want           []string
	}{
		{"from the first", 0, 1, []string{"k: k1", "l untried", "m untried", "n untried"}},
		{"in a circle", 3, 2, []string{"k: k1", "n: n1", "l untried", "m untried"}},
		{"it goes on until one harms no budget", 1, 1, []string{"n: n1", "l: l1!", "m untried", "k untried"}},
		{"all", 2, 4, []string{"k: k1", "n: n1", "l: l1!", "m: m1!"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := ask(s, pod("new", "", 4, 10, 0))
			a.Offset, a.Wanted = test.offset, test.wanted
			mustTell(t, preemption.Run(a), test.want...)
		})
	}
}

// TestPodsNominatedToANodeCount shows both passes: the nominated pod takes room, and its own absence must be borne too.
func TestPodsNominatedToANodeCount(t *testing.T) {
	s := stateOf(node("n", 4), pod("a", "n", 2, 0, 1), pod("b", "n", 2, 1, 1))
	for _, test := range []struct {
		name     string
		priority int32
		want     string
	}{
		{"one as important", 10, "n: b a"},
		{"a less important one does not", 9, "n: a; stays b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := ask(s, pod("new", "", 2, 10, 0))
			other := s.ParsePod(pod("other", "", 2, test.priority, 0)).Nominate("n")
			a.Judge = judge(s, a.Judge.Pod, other)
			mustTell(t, preemption.Run(a), test.want)
		})
	}
}

// TestEvictionsEndAntiAffinity shows that checks which count pods learn which pods leave.
func TestEvictionsEndAntiAffinity(t *testing.T) {
	away := pod("new", "", 1, 10, 0)
	build.Apart(corev1.PodAffinityTerm{
		LabelSelector: &metav1.LabelSelector{MatchLabels: build.Labels("app", "web")}, TopologyKey: corev1.LabelHostname,
	})(away)
	s := stateOf(node("n", 8), labelled(pod("a", "n", 1, 0, 1), "web"), labelled(pod("b", "n", 1, 0, 2), "db"), labelled(
		pod("c", "n", 1, 0, 3), "web",
	))
	mustTell(t, preemption.Run(ask(s, away)), "n: c a; stays b")
}

// TestVictimsThatDidNotStartAreInTheirNodesOrder has a budget that splits them: put together again, they are in the
// order in which kube-scheduler reads the clock for them.
func TestVictimsThatDidNotStartAreInTheirNodesOrder(t *testing.T) {
	s := stateOf(node("n", 6), budget("b", "db", 0),
		labelled(unstarted(pod("a", "n", 2, 0, 0)), "web"), labelled(unstarted(pod("b", "n", 2, 0, 0)), "db"),
		labelled(unstarted(pod("c", "n", 2, 0, 0)), "web"))
	mustTell(t, preemption.Run(ask(s, pod("new", "", 6, 10, 0))), "n: a b! c")
}

// TestTheClockReadAnewTurnsUnstartedVictimsRound is 1.36 and earlier: the later of two such pods is sorted first, and
// comes back first.
func TestTheClockReadAnewTurnsUnstartedVictimsRound(t *testing.T) {
	s := stateOf(node("n", 4), unstarted(pod("a", "n", 2, 0, 0)), unstarted(pod("b", "n", 2, 0, 0)))
	once := ask(s, pod("new", "", 2, 10, 0))
	mustTell(t, preemption.Run(once), "n: b; stays a")
	once.UnstartedPodStartsNow = true
	mustTell(t, preemption.Run(once), "n: a; stays b")
}

func TestUnstartedVictimsStartAtTheGivenTime(t *testing.T) {
	s := stateOf(node("n", 4), unstarted(pod("a", "n", 4, 0, 0)))
	answer := preemption.Run(ask(s, pod("new", "", 4, 10, 0)))
	if got := answer.Candidates[0].Earliest; !got.Equal(now) {
		t.Errorf("earliest start %s, want %s", got.Format(time.RFC3339), now.Format(time.RFC3339))
	}
}
