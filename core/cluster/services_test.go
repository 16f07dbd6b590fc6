package cluster_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/law"
)

func TestServicesOfAPodAreThoseWhoseSelectorMatches(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		set := func() map[string]string {
			m := map[string]string{}
			for range draw(4) {
				m[[]string{"a", "b", "c"}[draw(3)]] = []string{"1", "2", ""}[draw(3)]
			}
			return m
		}
		s := cluster.NewState()
		var states []*cluster.State
		for range draw(20) {
			o := &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("ns%d", draw(2)), Name: fmt.Sprintf("s%d", draw(5))},
			}
			if draw(5) > 0 {
				o.Spec.Selector = set()
			}
			action := cluster.Update
			if draw(4) == 0 {
				action, o.Spec.Selector = cluster.Delete, nil
			}
			s.Apply(cluster.Event{Action: action, Object: o})
			if draw(5) == 0 {
				states = append(states, s)
				s = s.Fork()
			}
		}
		pod := set()
		for _, s := range append(states, s) {
			var want, got []string
			s.Objects().Services.EachIn("ns0", func(o *corev1.Service) bool {
				if o.Spec.Selector != nil && labels.SelectorFromSet(o.Spec.Selector).Matches(labels.Set(pod)) {
					want = append(want, o.Name)
				}
				return true
			})
			for _, o := range s.Objects().ServicesOf("ns0", pod) {
				got = append(got, o.Name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("services of %v (-all +index):\n%s", pod, diff)
			}
		}
	})
}
