// Package volumebinding is kube-scheduler's VolumeBinding plugin (1.37): a node must reach the volumes of the pod's
// claims, and for each claim without a volume one must be found or provisioned there. Filter finds them and Reserve
// assumes them; PreBind writes this to the API and waits. It is not the volume controller, which binds and provisions.
package volumebinding

import (
	"time"

	csitranslation "k8s.io/csi-translation-lib"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Name is kube-scheduler's name of the plugin.
const Name = "VolumeBinding"

// Reasons of the plugin for nodes and pods.
const (
	ReasonAffinity  = "node(s) didn't match PersistentVolume's node affinity"
	reasonNoVolume  = "node(s) didn't find available persistent volumes to bind"
	reasonNoSpace   = "node(s) did not have enough free storage"
	reasonAbsent    = "pvc(s) bound to non-existent pv(s)" // 1.19 and earlier
	reasonMissing   = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
	reasonImmediate = "pod has unbound immediate PersistentVolumeClaims"
)

// Ways are what differs between releases and by feature gates. The zero value is 1.37's.
type Ways struct {
	// StorageNotScored scores no node by its free storage (without StorageCapacityScoring; volume_binding.go, Score).
	StorageNotScored bool
	// UnscoredGetsZero scores all nodes with 0 where StorageNotScored leaves them unscored (1.29 and earlier,
	// volume_binding.go, Score).
	UnscoredGetsZero bool
	// AttributesClassRejected finds no volume for a claim, or no claim for a volume, that has a VolumeAttributesClass
	// (without VolumeAttributesClass; binder.go).
	AttributesClassRejected bool
	// AttributesClassIgnored does not compare the VolumeAttributesClass of a claim with that of a volume (1.30 and
	// earlier, binder.go).
	AttributesClassIgnored bool
	// CapacityUnchecked does not check the storage for volumes that are to be provisioned, and words the reason for a
	// missing volume as 1.19 does (without CSIStorageCapacity; 1.19 and earlier, scheduling/scheduler_binder.go).
	CapacityUnchecked bool
	// LostClaimIsBound treats a claim that lost its volume as bound to it (1.19 and earlier,
	// scheduling/scheduler_binder.go).
	LostClaimIsBound bool
	// UnboundClaimIsError returns an error at a node for an unbound claim whose class binds immediately, and for a
	// missing volume; only one reason is returned (1.17 and earlier, volume_binding.go, Filter).
	UnboundClaimIsError bool
	// LocalVolumesNameNodes makes PreFilter return the nodes that the bound volumes name by the label
	// kubernetes.io/hostname, as if its values were names of nodes (1.29.10, 1.30.6, 1.31.2 and earlier, binder.go,
	// GetEligibleNodes).
	LocalVolumesNameNodes bool
	Affinity              string // the reason of a node that a bound volume does not reach; "": ReasonAffinity
}

// AffinityConflict is the reason in 1.32 and earlier.
const AffinityConflict = "node(s) had volume node affinity conflict"

// Plugin finds volumes for pods.
type Plugin struct {
	framework.SignVolumes
	ways       Ways
	affinity   []string // the reason of a node that a bound volume does not reach
	timeout    time.Duration
	shape      framework.Shape // what a utilization of a storage class's capacity is worth
	translator csitranslation.CSITranslator
}

var (
	_ framework.FilterPlugin  = (*Plugin)(nil)
	_ framework.ScorePlugin   = (*Plugin)(nil)
	_ framework.ReservePlugin = (*Plugin)(nil)
	_ framework.PreBindPlugin = (*Plugin)(nil)
	_ framework.Waker         = (*Plugin)(nil)
	_ framework.Signer        = (*Plugin)(nil)
)

// New makes the plugin from validated args, every field of which is set.
func New(args configv1.VolumeBindingArgs, ways Ways) *Plugin {
	if ways.Affinity == "" {
		ways.Affinity = ReasonAffinity
	}
	return &Plugin{
		ways:       ways,
		affinity:   []string{ways.Affinity},
		timeout:    time.Duration(*args.BindTimeoutSeconds) * time.Second,
		shape:      framework.ShapeOf(args.Shape),
		translator: csitranslation.New(),
	}
}

// Name is VolumeBinding.
func (p *Plugin) Name() string { return Name }

// PreFilter sorts the pod's claims. A claim that cannot be used, or that does not wait for its first consumer and
// has no volume, rejects the pod on all nodes.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	if len(pod.Claims) == 0 {
		return framework.Study{Verdict: skip}
	}
	s, v := p.study(pod, snapshot.Objects())
	if !v.OK() {
		return framework.Study{Verdict: v}
	}
	return framework.Study{Nodes: s.namedNodes(), Check: &check{study: s}}
}

var skip = trace.Verdict{Code: trace.Skip}
