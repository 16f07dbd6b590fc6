package preemption_test

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/preemption"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/internal/law"
)

// cases draws small clusters (lists of up to 12 are sorted stably) with budgets, spreading, anti-affinity and host
// ports, and a pod to place.
func cases(t *rapid.T) (*cluster.State, *corev1.Pod) {
	s := cluster.NewState()
	nodes := rapid.IntRange(1, 4).Draw(t, "nodes")
	for i := range nodes {
		s.Apply(cluster.Event{Object: node(fmt.Sprint("n", i), rapid.Int64Range(2, 6).Draw(t, "cpu"))})
	}
	port := map[string]bool{}
	for i := range rapid.IntRange(0, 12).Draw(t, "pods") {
		on := fmt.Sprint("n", rapid.IntRange(0, nodes-1).Draw(t, "on"))
		p := drawn(t, fmt.Sprint("p", i), on)
		if rapid.IntRange(0, 5).Draw(t, "starting") == 0 {
			unstarted(p)
		}
		if len(p.Spec.Containers[0].Ports) > 0 && port[on] {
			p.Spec.Containers[0].Ports = nil
		}
		port[on] = port[on] || len(p.Spec.Containers[0].Ports) > 0
		s.Apply(cluster.Event{Object: p})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "budgets") {
		app := rapid.SampledFrom([]string{"web", "db"}).Draw(t, "protected")
		s.Apply(cluster.Event{Object: budget(fmt.Sprint("b", i), app, rapid.Int32Range(0, 2).Draw(t, "allowed"))})
	}
	return s, drawn(t, "new", "")
}

func drawn(t *rapid.T, name, on string) *corev1.Pod {
	p := labelled(pod(
		name, on, rapid.Int64Range(0, 3).Draw(t, "asks"), rapid.Int32Range(-2, 6).Draw(t, "priority"),
		rapid.IntRange(1, 4).Draw(t, "hours"),
	),
		rapid.SampledFrom([]string{"web", "db", "job"}).Draw(t, "app"))
	selects := &metav1.LabelSelector{
		MatchLabels: map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "selects")},
	}
	switch rapid.IntRange(0, 7).Draw(t, "wish") {
	case 0:
		build.Apart(corev1.PodAffinityTerm{LabelSelector: selects, TopologyKey: corev1.LabelHostname})(p)
	case 1:
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selects},
		}
	case 2:
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, Protocol: corev1.ProtocolTCP}}
	}
	return p
}

// plain is a dry run with nothing but copies of the whole state, from which pods are really deleted.
func plain(s *cluster.State, n *cluster.Node, p *corev1.Pod) (victims, stay []string, fits bool) {
	parsed := s.ParsePod(p)
	var leaving []*cluster.Pod
	for _, other := range n.Pods {
		if other.Priority < parsed.Priority {
			leaving = append(leaving, other)
		}
	}
	goesIn := func(without []*cluster.Pod) bool {
		f := s.Fork()
		for _, gone := range without {
			f.Apply(cluster.Event{Action: cluster.Delete, Object: gone.API})
		}
		there, _ := f.Snapshot().Node(n.Name)
		j := judge(f, f.ParsePod(p))
		_, fits := j.First(there)
		return fits
	}
	if len(leaving) == 0 || !goesIn(leaving) {
		return nil, nil, false
	}
	moreImportant := importance(leaving)
	slices.SortStableFunc(leaving, moreImportant)
	gone := slices.Clone(leaving)
	var victim []*cluster.Pod
	for _, protected := range []bool{true, false} {
		marked := violating(s, leaving)
		for i, other := range leaving {
			if marked[i] != protected {
				continue
			}
			back := slices.DeleteFunc(slices.Clone(gone), func(g *cluster.Pod) bool { return g == other })
			if goesIn(back) {
				gone, stay = back, append(stay, other.Name())
			} else {
				victim = append(victim, other)
			}
		}
	}
	slices.SortStableFunc(victim, moreImportant)
	for _, v := range victim {
		victims = append(victims, v.Name())
	}
	return victims, stay, true
}

// importance compares by priority, then by the start. kube-scheduler reads the clock once for each pod that has not
// started, in the order of the node: none of them ties, and the later one starts later.
func importance(inNodeOrder []*cluster.Pod) func(a, b *cluster.Pod) int {
	start := map[*cluster.Pod]int64{}
	for i, p := range inNodeOrder {
		start[p] = p.StartTime().UnixNano()
		if p.API.Status.StartTime == nil {
			start[p] = now.UnixNano() + int64(i)
		}
	}
	return func(a, b *cluster.Pod) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(start[a], start[b]))
	}
}

// violating counts by hand.
func violating(s *cluster.State, leaving []*cluster.Pod) []bool {
	left := map[string]int32{}
	marked := make([]bool, len(leaving))
	for i, p := range leaving {
		for k := range 3 {
			b, ok := s.Objects().DisruptionBudgets.Find(fmt.Sprint("default/b", k))
			if !ok || !labels.SelectorFromSet(b.Spec.Selector.MatchLabels).Matches(p.Labels.Labels) {
				continue
			}
			if _, counted := left[b.Name]; !counted {
				left[b.Name] = b.Status.DisruptionsAllowed
			}
			if left[b.Name]--; left[b.Name] < 0 {
				marked[i] = true
				break
			}
		}
	}
	return marked
}

func TestDryRunsDoWhatDeletingPodsWould(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s, p := cases(t)
		before := fingerprint(s)
		answer := preemption.Run(ask(s, p))
		if after := fingerprint(s); after != before {
			t.Fatalf("the state changed from %s to %s", before, after)
		}
		seen := 0
		for _, c := range answer.Candidates {
			seen++
			var victims, stay []string
			for _, v := range c.Victims {
				if v.Pod.Priority >= *p.Spec.Priority {
					t.Fatalf("%s of priority %d would have to leave for one of %d", v.Pod.Key, v.Pod.Priority, *p.Spec.Priority)
				}
				victims = append(victims, v.Pod.Name())
			}
			for _, r := range c.Reprieved {
				stay = append(stay, r.Name())
			}
			wantVictims, wantStay, fits := plain(s, c.Node, p)
			if !fits || !slices.Equal(victims, wantVictims) || !slices.Equal(stay, wantStay) {
				t.Fatalf("%s: %v leave and %v stay, want %v and %v", c.Node.Name, victims, stay, wantVictims, wantStay)
			}
		}
		for _, r := range answer.Refusals {
			seen++
			n := s.Snapshot().Nodes[r.Node]
			if victims, _, fits := plain(s, n, p); fits && len(victims) > 0 {
				t.Fatalf("%s was refused (%s), though %v could leave", n.Name, r.Verdict, victims)
			}
		}
		if want := len(s.Snapshot().Nodes); seen != want {
			t.Fatalf("%d nodes were told of, want %d", seen, want)
		}
	})
}

// fingerprint is everything a dry run might have changed.
func fingerprint(s *cluster.State) string {
	text := ""
	for _, n := range s.Snapshot().Nodes {
		text += fmt.Sprint(n.Name, n.Requested, n.NonZeroCPU, n.Ports, len(n.Sets), len(n.WithAffinity))
		for _, p := range n.Pods {
			text += p.Name()
		}
	}
	return text
}

// TestEqualsAreSortedAsKubeSchedulerSortsThem holds the two sorting functions of the standard library to each other.
func TestEqualsAreSortedAsKubeSchedulerSortsThem(t *testing.T) {
	type item struct{ key, place int }
	law.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 200).Draw(t, "keys")
		ours, theirs := make([]item, len(keys)), make([]item, len(keys))
		for i, k := range keys {
			ours[i], theirs[i] = item{k, i}, item{k, i}
		}
		slices.SortFunc(ours, func(a, b item) int { return cmp.Compare(a.key, b.key) })
		sort.Slice(theirs, func(i, j int) bool { return theirs[i].key < theirs[j].key })
		if !slices.Equal(ours, theirs) {
			t.Fatalf("slices.SortFunc made %v, sort.Slice %v", ours, theirs)
		}
	})
}
