package nodevolumelimits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/csi-translation-lib/plugins"

	"github.com/schedstep/schedstep/core/cluster"
)

// volume is one volume of a CSI driver.
type volume struct {
	driver string
	handle string
	from   string // the claim's key, or the pod's for a disk it names itself
}

func (v volume) is(o volume) bool { return v.driver == o.driver && v.handle == o.handle }

func contains(list []volume, v volume) bool { return slices.ContainsFunc(list, v.is) }

// problem is why a pod's volumes cannot be counted.
type problem struct {
	missing string // the first claim that does not exist
	err     string // anything else
}

// tally finds the CSI volumes of pods and nodes.
type tally struct {
	plugin  *Plugin
	objects *cluster.Objects
}

// volumesOf appends the pod's CSI volumes, each once. A missing claim is returned as a problem and passed over; any
// other problem ends the search.
func (t *tally) volumesOf(pod *cluster.Pod, csi *storagev1.CSINode, list []volume) ([]volume, problem) {
	var all problem
	for i := range pod.API.Spec.Volumes {
		v, wrong := t.volumeOf(pod, &pod.API.Spec.Volumes[i], csi)
		if all.missing == "" {
			all.missing = wrong.missing
		}
		if all.err = wrong.err; all.err != "" {
			return list, all
		}
		if v.driver != "" && v.handle != "" && !contains(list, v) {
			list = append(list, v)
		}
	}
	return list, all
}

// volumeOf is one volume of a pod as CSI sees it; the zero value when it is none of CSI's.
func (t *tally) volumeOf(pod *cluster.Pod, v *corev1.Volume, csi *storagev1.CSINode) (volume, problem) {
	use, ok := pod.ClaimOf(v)
	if !ok {
		return t.diskOf(pod, v, csi)
	}
	if use.Name == "" {
		return volume{}, problem{err: "PersistentVolumeClaim had no name"}
	}
	key := pod.ClaimKey(use)
	claim, ok := t.objects.VolumeClaims.Find(key)
	if !ok {
		return volume{}, problem{missing: use.Name}
	}
	if use.Ephemeral {
		if err := ephemeral.VolumeIsForPod(pod.API, claim); err != nil {
			return volume{}, problem{err: err.Error()}
		}
	}
	found := t.ofClaim(claim, csi)
	found.from = key
	return found, problem{}
}

// diskOf is a disk that the pod names itself, when the node serves it through CSI.
func (t *tally) diskOf(pod *cluster.Pod, v *corev1.Volume, csi *storagev1.CSINode) (volume, problem) {
	translator := t.plugin.translator
	if !translator.IsInlineMigratable(v) {
		return volume{}, problem{}
	}
	inTree, err := translator.GetInTreePluginNameFromSpec(nil, v)
	if err != nil {
		return volume{}, problem{err: fmt.Sprintf("looking up provisioner name for volume %s: %v", v.Name, err)}
	}
	if !t.isMigrated(csi, inTree) {
		return volume{}, problem{}
	}
	pv, err := translator.TranslateInTreeInlineVolumeToCSI(logr.Discard(), v, pod.Namespace())
	if err != nil || pv == nil {
		return volume{}, problem{err: fmt.Sprintf("converting volume(%s) from inline to csi: %v", v.Name, err)}
	}
	driver, err := translator.GetCSINameFromInTreeName(inTree)
	if err != nil {
		return volume{}, problem{err: fmt.Sprintf("looking up CSI driver name for provisioner %s: %v", inTree, err)}
	}
	if pv.Spec.CSI == nil {
		return volume{}, problem{}
	}
	return volume{driver: driver, handle: pv.Spec.CSI.VolumeHandle, from: pod.Key}, problem{}
}

// ofClaim is the claim's volume, or the one its class would have made.
func (t *tally) ofClaim(claim *corev1.PersistentVolumeClaim, csi *storagev1.CSINode) volume {
	if claim.Spec.VolumeName == "" {
		return t.ofClass(claim, csi)
	}
	pv, ok := t.objects.Volumes.Find(claim.Spec.VolumeName)
	if !ok {
		return t.ofClass(claim, csi)
	}
	if source := pv.Spec.CSI; source != nil {
		return volume{driver: source.Driver, handle: source.VolumeHandle}
	}
	translator := t.plugin.translator
	if !translator.IsPVMigratable(pv) {
		return volume{}
	}
	inTree, err := translator.GetInTreePluginNameFromSpec(pv, nil)
	if err != nil || !t.isMigrated(csi, inTree) {
		return volume{}
	}
	translated, err := translator.TranslateInTreePVToCSI(logr.Discard(), pv)
	if err != nil || translated.Spec.CSI == nil {
		return volume{}
	}
	return volume{driver: translated.Spec.CSI.Driver, handle: translated.Spec.CSI.VolumeHandle}
}

// ofClass is a volume that is not made yet, as its class describes it. Its handle is that of no real volume.
func (t *tally) ofClass(claim *corev1.PersistentVolumeClaim, csi *storagev1.CSINode) volume {
	name := cluster.ClaimClass(claim)
	if name == "" {
		return volume{}
	}
	class, ok := t.objects.StorageClasses.Find(name)
	if !ok {
		return volume{}
	}
	v := volume{driver: class.Provisioner, handle: "\x00" + cluster.Key(claim)}
	if !t.plugin.translator.IsMigratableIntreePluginByName(class.Provisioner) {
		return v
	}
	if !t.isMigrated(csi, class.Provisioner) {
		return volume{}
	}
	driver, err := t.plugin.translator.GetCSINameFromInTreeName(class.Provisioner)
	if err != nil {
		return volume{}
	}
	v.driver = driver
	return v
}

// attachedTo appends the volumes attached to a node that are not in the list. Those of in-tree plugins are passed over.
func (t *tally) attachedTo(node string, list []volume) []volume {
	t.objects.EachAttachment(node, func(a *storagev1.VolumeAttachment) bool {
		if a.Spec.Attacher == "" || a.Spec.Source.PersistentVolumeName == nil {
			return true
		}
		pv, ok := t.objects.Volumes.Find(*a.Spec.Source.PersistentVolumeName)
		if !ok || pv.Spec.CSI == nil {
			return true
		}
		if v := (volume{driver: a.Spec.Attacher, handle: pv.Spec.CSI.VolumeHandle, from: a.Name}); !contains(list, v) {
			list = append(list, v)
		}
		return true
	})
	return list
}

// isMigrated reports whether a node serves an in-tree plugin through CSI. Every node with a CSINode does, for the
// plugins whose migration is over.
func (t *tally) isMigrated(csi *storagev1.CSINode, inTree string) bool {
	if csi == nil || t.plugin.ways.NoInTreeMigration {
		return false
	}
	if inTree == plugins.PortworxVolumePluginName && t.plugin.ways.PortworxByAnnotation {
		said := strings.Split(csi.Annotations[corev1.MigratedPluginsAnnotationKey], ",")
		return slices.Contains(said, inTree)
	}
	switch inTree {
	case plugins.AWSEBSInTreePluginName, plugins.PortworxVolumePluginName, plugins.GCEPDInTreePluginName,
		plugins.AzureDiskInTreePluginName, plugins.CinderInTreePluginName:
		return true
	}
	return false
}
