package queue_test

import (
	"context"
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/queuesort"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
)

const profile = "default-scheduler"

// wish is one event a plugin waits for, in the words of both sides.
type wish struct {
	plugin   string
	resource string
	theirs   fwk.ActionType
	ours     cluster.ActionType
	// gets the name of the new object, and whether it is the pod that may wake
	helps func(object string, same bool) (bool, error)
}

func always(string, bool) (bool, error)        { return true, nil }
func big(object string, _ bool) (bool, error)  { return strings.HasPrefix(object, "big"), nil }
func itself(_ string, same bool) (bool, error) { return same, nil }
func broken(string, bool) (bool, error)        { return false, errors.New("cannot tell") }
func wishes() []wish {
	return []wish{
		{
			"SchedulingGates", "TargetPod", fwk.UpdatePodSchedulingGatesEliminated,
			cluster.UpdatePodSchedulingGatesEliminated, always,
		},
		{"Held", "AssignedPod", fwk.Delete, cluster.Deleted, always},
		{"Held", "TargetPod", fwk.Update, cluster.Updated, always},
		{"Fit", "Node", fwk.Add | fwk.UpdateNodeAllocatable, cluster.Added | cluster.UpdateNodeAllocatable, big},
		{"Fit", "AssignedPod", fwk.Delete, cluster.Deleted, always},
		{
			"Fit", "Pod", fwk.UpdatePodScaleDown | fwk.UpdatePodLabel,
			cluster.UpdatePodScaleDown | cluster.UpdatePodLabel, itself,
		},
		{"Taint", "Node", fwk.Add | fwk.UpdateNodeTaint, cluster.Added | cluster.UpdateNodeTaint, always},
		{"Claim", "AssignedPod", fwk.Delete, cluster.Deleted, always},
		{"Claim", "Node", fwk.Update, cluster.Updated, big},
		{"Broken", "Node", fwk.Add, cluster.Added, broken},
	}
}

// rejectors are all plugins a cycle may end with. Silent waits for nothing, Loud names no events.
func rejectors() []string {
	return []string{"Fit", "Taint", "Claim", "Broken", "Held", "Silent", "Loud"}
}

// gate is a PreEnqueue plugin of theirs.
type gate struct {
	name  string
	holds func(*corev1.Pod) bool
}

func (g gate) Name() string { return g.name }

func (g gate) PreEnqueue(_ context.Context, pod *corev1.Pod) *fwk.Status {
	if g.holds(pod) {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "held")
	}
	return nil
}

// gates never hold the same pod: theirs run in the order of a map.
func gates() []gate {
	return []gate{
		{"SchedulingGates", func(p *corev1.Pod) bool { return len(p.Spec.SchedulingGates) > 0 }},
		{"Held", func(p *corev1.Pod) bool { return p.Annotations["held"] != "" && len(p.Spec.SchedulingGates) == 0 }},
	}
}

func theirGates() map[string]fwk.PreEnqueuePlugin {
	m := map[string]fwk.PreEnqueuePlugin{}
	for _, g := range gates() {
		m[g.name] = g
	}
	return m
}

func theirHints() upstream.QueueingHintMap {
	hints := upstream.QueueingHintMap{}
	for _, w := range wishes() {
		hint := &upstream.QueueingHintFunction{PluginName: w.plugin, QueueingHintFn: w.theirHint}
		events := []fwk.ClusterEvent{{Resource: fwk.EventResource(w.resource), ActionType: w.theirs}}
		if w.resource == "Pod" {
			events = framework.UnrollPodEvent(events[0])
		}
		for _, e := range events {
			hints[e] = append(hints[e], hint)
		}
	}
	loud := wish{plugin: "Loud", helps: always}
	for _, e := range framework.UnrollWildCardResource() {
		hints[e.Event] = append(
			hints[e.Event], &upstream.QueueingHintFunction{PluginName: loud.plugin, QueueingHintFn: loud.theirHint},
		)
	}
	return hints
}

func (w wish) theirHint(_ klog.Logger, pod *corev1.Pod, _, object interface{}) (fwk.QueueingHint, error) {
	name, same := "", false
	switch o := object.(type) {
	case *corev1.Node:
		name = o.Name
	case *corev1.Pod:
		name, same = o.Name, o.UID == pod.UID
	}
	helps, err := w.helps(name, same)
	if helps {
		return fwk.Queue, err
	}
	return fwk.QueueSkip, err
}

func (w wish) ourHint(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	switch {
	case change != nil && change.NewNode != nil:
		return w.helps(change.NewNode.Name, false)
	case change != nil && change.NewPod != nil:
		return w.helps(change.NewPod.Name(), change.NewPod.UID() == pod.UID())
	}
	return w.helps("", false)
}

func ourRules() queue.Rules {
	var of queue.ProfileRules
	for _, g := range gates() {
		of.PreEnqueue = append(of.PreEnqueue, queue.Gate{Plugin: g.name, Check: func(
			p *cluster.Pod, _ *cluster.State,
		) trace.Verdict {
			if g.holds(p.API) {
				return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{"held"}}
			}
			return trace.Verdict{}
		}})
	}
	for _, w := range wishes() {
		hint := queue.Hint{
			Event: cluster.ClusterEvent{Resource: cluster.Resource(w.resource), Action: w.ours}, Helps: w.ourHint,
		}
		if last := len(of.Hints) - 1; last >= 0 && of.Hints[last].Plugin == w.plugin {
			of.Hints[last].Hints = append(of.Hints[last].Hints, hint)
			continue
		}
		of.Hints = append(of.Hints, queue.PluginHints{Plugin: w.plugin, Hints: []queue.Hint{hint}})
	}
	of.Hints = append(of.Hints, queue.PluginHints{Plugin: "Silent"})
	return queue.Rules{
		Sort: queuesort.New(), Profiles: map[string]queue.ProfileRules{profile: of},
		InitialBackoff: time.Second, MaxBackoff: 10 * time.Second, Discipline: release.Newest().Behaviour.Queue,
	}
}
