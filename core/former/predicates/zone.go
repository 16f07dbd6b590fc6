package predicates

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// VolumeZone is NoVolumeZoneConflict: a node with a zone or a region has those that the labels of the pod's volumes
// name. A claim without a volume is an error, and with it the cycle of the pod.
func VolumeZone(ways Ways) *Plugin {
	return Of(zoneName, ways, volumeZone{ways.UnboundClaimIsError})
}

const zoneName = "NoVolumeZoneConflict"

type volumeZone struct{ noWaiting bool }

// Name is NoVolumeZoneConflict.
func (volumeZone) Name() string { return zoneName }

// PreFilter leaves all to the nodes: what is wrong with a claim is found at a node with a zone alone.
func (z volumeZone) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	return framework.Study{Check: &zoneCheck{pod: pod, objects: snapshot.Objects(), noWaiting: z.noWaiting}}
}

type zoneCheck struct {
	pod       *cluster.Pod
	objects   *cluster.Objects
	noWaiting bool
}

// zoneLabels are the labels that are compared.
var zoneLabels = [...]string{corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion}

// Filter compares the labels of each volume, in the order of the pod's volumes.
func (c *zoneCheck) Filter(node *cluster.Node) trace.Verdict {
	placed := slices.ContainsFunc(zoneLabels[:], func(key string) bool {
		_, has := node.Label(key)
		return has
	})
	if !placed {
		return trace.Verdict{}
	}
	for i := range c.pod.API.Spec.Volumes {
		use := c.pod.API.Spec.Volumes[i].PersistentVolumeClaim
		if use == nil {
			continue
		}
		volume, err := c.volume(use.ClaimName)
		switch {
		case err != "":
			return broken(err)
		case volume == nil:
			continue
		}
		for _, key := range zoneLabels {
			if v := c.compare(node, volume, key); !v.OK() {
				return v
			}
		}
	}
	return trace.Verdict{}
}

// volume is the volume of a claim; nil: it waits for its pod to have a node; err is what is wrong.
func (c *zoneCheck) volume(name string) (_ *corev1.PersistentVolume, err string) {
	if name == "" {
		return nil, "PersistentVolumeClaim had no name"
	}
	claim, found := c.objects.VolumeClaims.Find(c.pod.Namespace() + "/" + name)
	if !found {
		return nil, fmt.Sprintf("persistentvolumeclaim %q not found", name)
	}
	if claim.Spec.VolumeName == "" {
		if !c.noWaiting && c.waits(claim) {
			return nil, ""
		}
		return nil, fmt.Sprintf("PersistentVolumeClaim is not bound: %q", name)
	}
	volume, found := c.objects.Volumes.Find(claim.Spec.VolumeName)
	if !found {
		return nil, fmt.Sprintf("persistentvolume %q not found", claim.Spec.VolumeName)
	}
	return volume, ""
}

// waits reports whether the class of a claim has volumes made only after the pod has its node.
func (c *zoneCheck) waits(claim *corev1.PersistentVolumeClaim) bool {
	if claim.Spec.StorageClassName == nil || *claim.Spec.StorageClassName == "" {
		return false
	}
	class, found := c.objects.StorageClasses.Find(*claim.Spec.StorageClassName)
	return found && class.VolumeBindingMode != nil &&
		*class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// compare looks at one label of a volume. A label with several zones takes any of them; one that names no zone in
// between is passed over.
func (c *zoneCheck) compare(node *cluster.Node, volume *corev1.PersistentVolume, key string) trace.Verdict {
	value, has := volume.Labels[key]
	if !has {
		return trace.Verdict{}
	}
	zones := []string{value}
	if !c.noWaiting {
		zones = strings.Split(value, "__")
		if slices.ContainsFunc(zones, func(zone string) bool { return strings.TrimSpace(zone) == "" }) {
			return trace.Verdict{}
		}
		for i := range zones {
			zones[i] = strings.TrimSpace(zones[i])
		}
	}
	own, _ := node.Label(key)
	if slices.Contains(zones, own) {
		return trace.Verdict{}
	}
	return trace.Verdict{
		Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reasonZone},
		Evidence: []trace.Evidence{{
			What: phrase.Textf("label %s of volume %s", key, volume.Name), Want: trace.Text(value), Have: trace.Text(own),
		}},
	}
}
