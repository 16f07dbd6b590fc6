package host

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// TestAPluginKeepsANodeForAnotherPod has a call keep n2 for p1, which waits, and another one take it back. The calls
// see it at once, and forks repeat it. What p1 keeps for itself is lost with its cycle.
func TestAPluginKeepsANodeForAnotherPod(t *testing.T) {
	large := func(o *odd) *corev1.Pod {
		pods := o.handle.SharedInformerFactory().Core().V1().Pods().Lister()
		p, err := pods.Pods("default").Get("p1")
		if err != nil {
			return nil
		}
		return p
	}
	seen := func(o *odd) string {
		var names []string
		for _, p := range o.handle.NominatedPodsForNode("n2") {
			names = append(names, p.GetPod().Name)
		}
		return "n2 is kept for [" + strings.Join(names, " ") + "]"
	}
	plugin := oddly(func(o *odd, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
		before := seen(o)
		to := &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: "n2"}
		switch p := large(o); {
		case pod.Name == "p1":
			o.handle.AddNominatedPod(klog.Background(), podInfo(pod), to)
			return fwk.NewStatus(fwk.Unschedulable, "p1 waits, "+seen(o))
		case pod.Name == "p3" && node.Node().Name == "n1" && p != nil:
			o.handle.AddNominatedPod(klog.Background(), podInfo(p), to)
			o.handle.UpdateNominatedPod(klog.Background(), p, podInfo(p)) // names no node: it stays
		case pod.Name == "p4" && node.Node().Name == "n1" && p != nil:
			o.handle.AddNominatedPod(klog.Background(), podInfo(p), to)
			before = seen(o)
			o.handle.DeleteNominatedPodIfExists(p)
		default:
			return nil
		}
		return fwk.NewStatus(fwk.Unschedulable, pod.Name+" before: "+before+", after: "+seen(o))
	})
	p := oddPlayer(t, oddScript(6), plugin)
	said := ""
	for {
		at := p.Fork()
		step, more := p.Step()
		if !more {
			break
		}
		if again, _ := at.Step(); factsOf(again) != factsOf(step) {
			t.Fatalf("a fork has\n%s\nand the original\n%s", factsOf(again), factsOf(step))
		}
		said += factsOf(step) + "\n"
	}
	for _, want := range []string{
		"p1 waits, n2 is kept for []", "p3 before: n2 is kept for [], after: n2 is kept for [p1]",
		"p4 before: n2 is kept for [p1], after: n2 is kept for []",
		"default/p1 nominated on n2", "default/p1 nominated nowhere",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}
