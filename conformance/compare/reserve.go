package compare

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/trace"
)

// refused is the answer of a Reserve plugin that took the node of a pod back in its cycle; false: none did.
func refused(facts []trace.Fact) (by trace.Ran, is bool) {
	for _, fact := range facts {
		if f, ran := fact.(trace.Ran); ran && f.Point == trace.PhaseReserve && !f.Undo && !f.Verdict.OK() {
			return f, true
		}
	}
	return trace.Ran{}, false
}

// reserve has kube-scheduler's plugins reserve for a pod that one of ours refused to: it must refuse there, too.
func (p *Pair) reserve(pod *corev1.Pod, node string, by trace.Ran) error {
	if p.theirs.Assume(pod, node) != nil {
		return nil
	}
	key := pod.Namespace + "/" + pod.Name
	p.differences = append(p.differences, Difference{
		Step: p.step, Pod: key, Plugin: by.Plugin, What: "Reserve", Node: node, Theirs: "Success", Ours: by.Verdict.String(),
	})
	if err := p.theirs.Forget(key); err != nil {
		return fmt.Errorf("step %d: %w", p.step, err)
	}
	return nil
}
