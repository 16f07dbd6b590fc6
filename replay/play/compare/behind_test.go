package compare_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play/compare"
)

// tainted is a node that takes no pod any more.
func tainted(name string) *corev1.Node {
	n := apiserver.Node(name)
	n.Spec.Taints = []corev1.Taint{{Key: "node.kubernetes.io/unreachable", Effect: corev1.TaintEffectNoSchedule}}
	return n
}

// Their scheduler had put a on n1, and had not seen the taint of n2, when it put b there. What is seen is the taint,
// the bind of b and the bind of a. Neither the nodes as they were nor the order of binds explain that alone.
func TestANodeThatWasBehindIsExplainedWithTheBindsInTheOrderOfDecision(t *testing.T) {
	for _, story := range []struct {
		name  string
		pods  []string // in the order in which they come
		since int      // events between the taint and the bind of b
		want  compare.Verdict
	}{
		{"as above", []string{"a", "b"}, 0, compare.Explained},
		{"a was decided later", []string{"b", "a"}, 0, compare.Different},
		{"the taint is old", []string{"a", "b"}, 12, compare.Different},
	} {
		h := newHistory()
		h.happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), half("old", "n2"))
		for _, name := range story.pods {
			p := half(name, "")
			if name == "a" {
				p = apiserver.Pod(name, "")
			}
			h.happens(cluster.Add, p)
		}
		h.others(100)
		h.happens(cluster.Update, tainted("n2"))
		h.others(story.since)
		h.happens(cluster.Update, half("b", "n2"))
		h.happens(cluster.Update, apiserver.Pod("a", "n1"))
		h.others(100)
		var got compare.Decision
		for _, d := range h.hindsight.Report().Decisions {
			if d.Pod == "shop/b" {
				got = d
			}
		}
		if got.Verdict != story.want || got.Verdict == compare.Explained &&
			!strings.HasPrefix(got.Why.String(), "it was decided with the binds that their scheduler decided earlier") {
			t.Errorf("%s: %+v", story.name, got)
		}
	}
}
