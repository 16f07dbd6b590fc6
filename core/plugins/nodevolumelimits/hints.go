package nodevolumelimits

import (
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for new nodes' drivers, higher limits, volumes that go, and a missing claim.
func (p *Plugin) Hints() []queue.Hint {
	hints := []queue.Hint{
		{Event: cluster.ClusterEvent{Resource: cluster.CSINodeResource, Action: cluster.Added}},
		{Event: cluster.ClusterEvent{Resource: cluster.CSINodeResource, Action: cluster.Updated}, Helps: someLimitRose},
		{Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted}, Helps: p.gaveVolumeBack},
		{Event: cluster.ClusterEvent{Resource: cluster.VolumeClaimResource, Action: cluster.Added}, Helps: queue.ClaimUsed},
		{
			Event: cluster.ClusterEvent{Resource: cluster.VolumeAttachmentResource, Action: cluster.Deleted},
			Helps: p.gotDetached,
		},
	}
	if p.ways.HintsTakeAnyDetachment {
		hints[len(hints)-1].Helps = nil
		hints = slices.Delete(hints, 1, 2)
	}
	return hints
}

// someLimitRose reports whether a driver's limit is higher than before; no limit counts as 0.
func someLimitRose(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	old := map[string]int64{}
	for _, d := range change.Old.(*storagev1.CSINode).Spec.Drivers {
		old[d.Name], _ = limitOf(&d)
	}
	for _, d := range change.New.(*storagev1.CSINode).Spec.Drivers {
		if limit, _ := limitOf(&d); limit > old[d.Name] {
			return true, nil
		}
	}
	return false, nil
}

// gaveVolumeBack reports whether the deleted pod had a node, or the promise of one, and a volume that may have counted.
func (p *Plugin) gaveVolumeBack(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	gone := change.OldPod
	return (gone.NodeName != "" || gone.Nominated != "") && p.counts(gone), nil
}

// gotDetached reports whether the pod has a claim, or a disk that the same driver serves. It reads volumes in the order
// of the pod, and ephemeral ones count for nothing, as upstream has it.
func (p *Plugin) gotDetached(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	attacher := change.Old.(*storagev1.VolumeAttachment).Spec.Attacher
	for i := range pod.API.Spec.Volumes {
		v := &pod.API.Spec.Volumes[i]
		if v.PersistentVolumeClaim != nil {
			return true, nil
		}
		if !p.translator.IsInlineMigratable(v) {
			continue
		}
		pv, err := p.translator.TranslateInTreeInlineVolumeToCSI(logr.Discard(), v, pod.Namespace())
		if err != nil || pv == nil {
			return true, fmt.Errorf("converting volume(%s) from inline to csi: %w", v.Name, err)
		}
		if pv.Spec.CSI != nil && pv.Spec.CSI.Driver == attacher {
			return true, nil
		}
	}
	return false, nil
}
