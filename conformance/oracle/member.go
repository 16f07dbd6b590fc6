//go:build !before_1_36

package oracle

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// BeginGroup begins the cycle of a pod group, of which the Members that follow are.
func (o *Oracle) BeginGroup() { o.group = newGroupState() }

// Member runs what the cycle of a pod group runs for one of its members, which
// must have been Put: a cycle without PostFilter, on some nodes only (nil: on all
// of them). The members before it that found a node are to be assumed.
func (o *Oracle) Member(pod *corev1.Pod, nodes []string) (Answer, error) {
	return o.ask(pod, &placement{nodes})
}

// enter limits the snapshot to the placement, until left.
func (o *Oracle) enter(p *placement) (leave func(), err error) {
	if p == nil || p.nodes == nil {
		return func() {}, nil
	}
	all, err := o.snapshot.NodeInfos().List()
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	within := &fwk.Placement{Name: "placement"}
	for _, node := range all {
		if slices.Contains(p.nodes, node.Node().Name) {
			within.Nodes = append(within.Nodes, node)
		}
	}
	if err := o.snapshot.AssumePlacement(within); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return o.snapshot.ForgetPlacement, nil
}

// Tried is a Member that may be assumed when others were tried after it.
type Tried struct{ last lastCycle }

// Tried is the last Schedule or Member.
func (o *Oracle) Tried() Tried { return Tried{o.last} }

// Resume makes a cycle the last again, for Assume: the cycle of the group is over.
func (o *Oracle) Resume(t Tried) {
	leaveGroup(t.last.state)
	o.last = t.last
}

// StartAt sets the scheduler's nextStartNodeIndex, which nothing exported does.
func (o *Oracle) StartAt(index int) {
	field := reflect.ValueOf(o.scheduler).Elem().FieldByName("nextStartNodeIndex")
	reflect.NewAt(
		field.Type(), unsafe.Pointer(field.UnsafeAddr()),
	).Elem().SetInt(int64(index)) //nolint:gosec // of this very field
}
