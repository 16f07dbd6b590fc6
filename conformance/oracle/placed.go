package oracle

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// lastCycle is what Assume needs of the Schedule before it.
type lastCycle struct {
	pod   *corev1.Pod
	state fwk.CycleState
}

// placedPod is a pod that was assumed, and neither seen on its node nor forgotten.
type placedPod struct {
	pod      *corev1.Pod // with its node
	state    fwk.CycleState
	promised []types.UID // claims whose allocation Reserve has promised
}

// Assume gives pod the node in the scheduler's memory and reserves its volumes
// and devices, as after a cycle that chose node. It must follow Schedule of the
// same pod. Its way to the node ends with Bind or with Forget.
func (o *Oracle) Assume(pod *corev1.Pod, node string) error {
	if o.last.pod == nil || key(o.last.pod) != key(pod) || o.last.state == nil {
		return fmt.Errorf("assume %s: not the pod scheduled last", key(pod))
	}
	pod = o.last.pod
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	if err := o.scheduler.Cache.AssumePod(o.logger, assumed); err != nil {
		return fmt.Errorf("assume %s: %w", key(pod), err)
	}
	o.scheduler.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	before := o.promised(pod.Spec.SchedulerName)
	framework := o.scheduler.Profiles[pod.Spec.SchedulerName]
	if status := framework.RunReservePluginsReserve(o.ctx, o.last.state, assumed, node); !status.IsSuccess() {
		framework.RunReservePluginsUnreserve(o.ctx, o.last.state, assumed, node)
		if err := o.scheduler.Cache.ForgetPod(o.logger, assumed); err != nil {
			return fmt.Errorf("assume %s: forget: %w", key(pod), err)
		}
		return fmt.Errorf("assume %s on %s: %w", key(pod), node, status.AsError())
	}
	placed := placedPod{pod: assumed, state: o.last.state}
	for uid := range o.promised(pod.Spec.SchedulerName) {
		if !before[uid] {
			placed.promised = append(placed.promised, uid)
		}
	}
	o.placed[key(pod)] = placed
	return nil
}

// promised is the claims whose allocation is in flight.
func (o *Oracle) promised(profile string) map[types.UID]bool {
	uids := map[types.UID]bool{}
	for _, uid := range inFlight(o.scheduler.Profiles[profile]) {
		uids[uid] = true
	}
	return uids
}

// Placed lists the pods that were assumed, and neither seen on their nodes nor
// forgotten, as namespace/name.
func (o *Oracle) Placed() []string { return slices.Sorted(maps.Keys(o.placed)) }

// Bind ends the work of PreBind for an assumed pod, whose writes are among the
// objects Put. The API server may refuse it still, and the pod be forgotten. A pod
// that is not assumed is passed over.
func (o *Oracle) Bind(key string) {
	p := o.placed[key]
	for _, uid := range p.promised {
		landed(o.scheduler.Profiles[p.pod.Spec.SchedulerName], uid)
	}
	if p.pod != nil {
		p.promised = nil
		o.placed[key] = p
	}
}

// Forget takes back what Assume did for a pod that has not been seen on its node. A pod that is not assumed is passed
// over.
func (o *Oracle) Forget(key string) error {
	p, ok := o.placed[key]
	if !ok {
		return nil
	}
	delete(o.placed, key)
	o.scheduler.Profiles[p.pod.Spec.SchedulerName].RunReservePluginsUnreserve(o.ctx, p.state, p.pod, p.pod.Spec.NodeName)
	o.writes.Take()
	if there, err := o.scheduler.Cache.IsAssumedPod(p.pod); err != nil || !there {
		return nil // its deletion has taken it out of the cache
	}
	if err := o.scheduler.Cache.ForgetPod(o.logger, p.pod); err != nil {
		return fmt.Errorf("forget %s: %w", key, err)
	}
	return nil
}
