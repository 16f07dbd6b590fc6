package framework_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// largeNode is a filter that looks at one node at a time, and so needs no PreFilter.
type largeNode struct{ millicores int64 }

func (largeNode) Name() string { return "LargeNode" }

func (l largeNode) Filter(_ *cluster.Pod, node *cluster.Node) trace.Verdict {
	has := node.API.Status.Allocatable.Cpu().MilliValue()
	if has >= l.millicores {
		return trace.Verdict{}
	}
	return trace.Verdict{
		Code:     trace.UnschedulableAndUnresolvable,
		Reasons:  []string{"node(s) were too small"},
		Evidence: []trace.Evidence{{What: "cores", Want: trace.MilliCPU(l.millicores), Have: trace.MilliCPU(has)}},
	}
}

// A filter answers about a node with a verdict: a code, kube-scheduler's words for it, and evidence.
func Example() {
	plugin := largeNode{millicores: 8000}
	node := cluster.NewNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "small"}})
	verdict := plugin.Filter(nil, node)
	fmt.Println(verdict)
	for _, e := range verdict.Evidence {
		fmt.Println(e)
	}
	// Output:
	// UnschedulableAndUnresolvable: node(s) were too small
	// cores: wants 8, has 0
}

// The cycle runs every filter in the same way, whichever of the two interfaces it has.
func ExampleFilterOf() {
	filter, ok := framework.FilterOf(largeNode{millicores: 8000})
	if !ok {
		return
	}
	state := cluster.NewState()
	for _, name := range []string{"n1", "n2"} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		state.Apply(cluster.Event{Action: cluster.Add, Object: node})
	}
	snapshot := state.Snapshot()
	study := filter.PreFilter(nil, snapshot)
	for _, node := range snapshot.Nodes {
		fmt.Println(node.Name, study.Check.Filter(node))
	}
	// Output:
	// n1 UnschedulableAndUnresolvable: node(s) were too small
	// n2 UnschedulableAndUnresolvable: node(s) were too small
}

// A score that counts apples on each node is brought to kube-scheduler's scale of 0 to 100.
func ExampleDefaultNormalize() {
	apples := []int64{3, 12, 0}
	framework.DefaultNormalize(apples)
	fmt.Println(apples)
	// Output:
	// [25 100 0]
}
