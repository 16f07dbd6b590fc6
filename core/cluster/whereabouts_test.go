package cluster_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/law"
)

// churn applies random events about 6 nodes and 30 pods, forks at random and goes on with the fork.
func churn(draw func(n int) int, steps int) (states []*cluster.State) {
	s := cluster.NewState()
	for range steps {
		name := fmt.Sprintf("n%d", draw(6))
		switch draw(10) {
		case 0:
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
			if v := draw(3); v > 0 {
				n.Labels = map[string]string{"zone": fmt.Sprintf("z%d", v)}
			}
			s.Apply(cluster.Event{Action: cluster.Add, Object: n})
		case 1:
			s.Apply(cluster.Event{Action: cluster.Delete, Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}})
		case 2:
			states = append(states, s)
			s = s.Fork()
		case 3:
			s.Snapshot().Topology("zone")
		default:
			changePod(draw, s, name)
		}
	}
	return append(states, s)
}

func changePod(draw func(n int) int, s *cluster.State, node string) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: fmt.Sprintf("ns%d", draw(2)), Name: fmt.Sprintf("p%d", draw(15)),
		Labels: map[string]string{"app": fmt.Sprintf("a%d", draw(3))},
	}}
	if draw(2) == 0 {
		p.Spec.Affinity = antiAffinity("app", fmt.Sprintf("a%d", draw(3)))
	}
	if draw(4) == 0 {
		p.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	key := p.Namespace + "/" + p.Name
	switch draw(5) {
	case 0:
		s.Apply(cluster.Event{Action: cluster.Delete, Object: p})
	case 1:
		s.Forget(key)
	case 2:
		s.Apply(cluster.Event{Action: cluster.Update, Object: p})
		if _, assumed := s.Assumed(key); !assumed {
			if parsed, ok := s.Pod(key); ok && parsed.NodeName == "" {
				s.Assume(parsed, node)
			}
		}
	default:
		p.Spec.NodeName = node
		s.Apply(cluster.Event{Action: cluster.Update, Object: p})
	}
}

func antiAffinity(key, value string) *corev1.Affinity {
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey:   "zone",
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}},
		}},
	}}
}

// told is everything that the snapshot holds about where pods are, in a form to compare.
type told struct {
	Sets       map[string]int // namespace/labels@node and how many; "!": terminating
	Affinities map[string]int
}

func fromIndex(v *cluster.Snapshot) told {
	t := told{map[string]int{}, map[string]int{}}
	v.EachSetAnywhere(func(set *cluster.LabelSet) bool {
		v.EachNodeOf(set, func(i int, count, terminating int32) bool {
			at := set.Namespace + "/" + set.Labels.String() + "@" + v.Nodes[i].Name
			t.Sets[at] += int(count)
			t.Sets[at+"!"] += int(terminating)
			return true
		})
		return true
	})
	for _, namespace := range []string{"ns0", "ns1"} {
		v.EachAffinity(namespace, func(set *cluster.AffinitySet) bool {
			v.EachNodeWith(set, func(i int, count int32) bool {
				t.Affinities[set.Namespace+"/"+set.RequiredAntiAffinity[0].Text.String()+"@"+v.Nodes[i].Name] += int(count)
				return true
			})
			return true
		})
	}
	return t
}

func fromNodes(v *cluster.Snapshot) told {
	t := told{map[string]int{}, map[string]int{}}
	for _, n := range v.Nodes {
		for _, p := range n.Pods {
			at := p.Namespace() + "/" + p.Labels.Labels.String() + "@" + n.Name
			t.Sets[at]++
			t.Sets[at+"!"] += 0
			if p.Terminating() {
				t.Sets[at+"!"]++
			}
			if p.Affinity != nil {
				t.Affinities[p.Namespace()+"/"+p.RequiredAntiAffinity[0].Text.String()+"@"+n.Name]++
			}
		}
	}
	return t
}

func TestWhereaboutsEqualAWalkOverAllNodesInEveryFork(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		for k, s := range churn(draw, 60) {
			v := s.Snapshot()
			if diff := cmp.Diff(fromNodes(v), fromIndex(v)); diff != "" {
				t.Fatalf("state %d (-nodes +index):\n%s", k, diff)
			}
			topology := v.Topology("zone")
			for i, n := range v.Nodes {
				value, has := n.Label("zone")
				d := topology.Of[i]
				if has != (d >= 0) || has && topology.Values[d] != value {
					t.Fatalf("state %d: node %s has zone %q, topology says domain %d of %v", k, n.Name, value, d, topology.Values)
				}
			}
		}
	})
}

func TestPodsOfOneTemplateShareTheirAffinitySet(t *testing.T) {
	s := cluster.NewState()
	parse := func(namespace, value string) *cluster.AffinitySet {
		return s.ParsePod(&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace}, Spec: corev1.PodSpec{Affinity: antiAffinity("app", value)},
		}).Affinity
	}
	a := parse("x", "web")
	if parse("x", "web") != a {
		t.Error("equal affinity in one namespace is parsed twice")
	}
	if parse("y", "web") == a || parse("x", "db") == a {
		t.Error("another namespace or another term shares the AffinitySet")
	}
	if want := "app=web in topology zone"; a.RequiredAntiAffinity[0].Text.String() != want {
		t.Errorf("the term reads %q, want %q", a.RequiredAntiAffinity[0].Text, want)
	}
}

func TestUnparsableTermEmptiesItsListAndSaysWhy(t *testing.T) {
	bad := antiAffinity("app", "web")
	bad.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector = &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}},
	}
	set := cluster.NewState().ParsePod(&corev1.Pod{Spec: corev1.PodSpec{Affinity: bad}}).Affinity
	if len(set.RequiredAntiAffinity) != 0 || set.RequiredAntiAffinityErr == nil {
		t.Fatalf("got terms %v and error %v", set.RequiredAntiAffinity, set.RequiredAntiAffinityErr)
	}
	if want := `requiredAntiAffinityTerms: "Near" is not a valid label selector operator`; set.Err.Error() != want {
		t.Errorf("got %q, want %q", set.Err, want)
	}
}
