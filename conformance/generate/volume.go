package generate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The storage classes of every cluster with volumes.
const (
	driver       = "csi.example.com"
	delayedClass = "delayed"   // provisioned by driver for the chosen node
	promptClass  = "immediate" // provisioned by driver at once
	localClass   = "local"     // never provisioned
	oldClass     = "in-tree"   // migrated to CSI
	missingClass = "nonexistent"
	bindDone     = "pv.kubernetes.io/bind-completed"
)

// storage is the volumes of the cluster while it is drawn.
type storage struct {
	pvs  []*corev1.PersistentVolume
	pvcs []*corev1.PersistentVolumeClaim
}

func (w *world) hasVolumes() bool {
	for f := BoundVolumes; f <= BrokenVolumes; f++ {
		if w.weights[f] > 0 {
			return true
		}
	}
	return false
}

func (w *world) storageClasses() {
	if !w.hasVolumes() {
		return
	}
	wait, prompt := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	for _, class := range []storagev1.StorageClass{
		{Provisioner: driver, VolumeBindingMode: &wait, ObjectMeta: w.meta("", delayedClass)},
		{Provisioner: driver, VolumeBindingMode: &prompt, ObjectMeta: w.meta("", promptClass)},
		{Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &wait, ObjectMeta: w.meta("", localClass)},
		{Provisioner: "kubernetes.io/aws-ebs", VolumeBindingMode: &wait, ObjectMeta: w.meta("", oldClass)},
	} {
		if class.Name == delayedClass && w.percent(30) {
			class.AllowedTopologies = []corev1.TopologySelectorTerm{{
				MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{
					Key: corev1.LabelTopologyZone, Values: some(&w.dice, zones, 2),
				}},
			}}
		}
		w.add(stored(&class))
	}
	counted, strict := w.has(StorageCapacity), w.percent(w.weights[VolumeLimits]/2)
	csi := &storagev1.CSIDriver{ObjectMeta: w.meta("", driver), Spec: storagev1.CSIDriverSpec{StorageCapacity: &counted}}
	if strict {
		csi.Spec.PreventPodSchedulingIfMissing = &strict
	}
	w.add(stored(csi))
	for _, zone := range zones {
		if !counted || w.percent(20) {
			continue
		}
		free := resource.MustParse(pick(&w.dice, []string{"100Gi", "12Gi", "3Gi", "0"}))
		capacity := &storagev1.CSIStorageCapacity{
			ObjectMeta: w.meta("default", "capacity-"+zone), StorageClassName: delayedClass, Capacity: &free,
		}
		capacity.NodeTopology = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: zone}}
		if w.percent(30) {
			largest := resource.MustParse("8Gi")
			capacity.MaximumVolumeSize = &largest
		}
		w.add(stored(capacity))
	}
}

// csiNode registers the driver on most nodes, with a limit on some.
func (w *world) csiNode(node *corev1.Node) {
	if !w.hasVolumes() || w.percent(w.weights[VolumeLimits]/6) {
		return
	}
	csi := &storagev1.CSINode{ObjectMeta: w.meta("", node.Name)}
	csi.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
	for _, name := range []string{driver, "ebs.csi.aws.com"} {
		entry := storagev1.CSINodeDriver{Name: name, NodeID: node.Name, TopologyKeys: []string{corev1.LabelTopologyZone}}
		if w.has(VolumeLimits) {
			count := int32(w.between(1, 3))
			entry.Allocatable = &storagev1.VolumeNodeResources{Count: &count}
		}
		if name == driver || w.percent(50) {
			csi.Spec.Drivers = append(csi.Spec.Drivers, entry)
		}
	}
	w.add(stored(csi))
}

// volumes draws free local volumes that claims may find.
func (w *world) volumes() {
	for _, node := range w.nodes {
		for range 2 {
			if w.percent(w.weights[LocalVolumes] * 2 / 3) {
				w.localVolume(node)
			}
		}
	}
}

func (w *world) localVolume(node *corev1.Node) *corev1.PersistentVolume {
	pv := w.volume(localClass)
	pv.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{
		Local: &corev1.LocalVolumeSource{Path: "/mnt/" + pv.Name},
	}
	pv.Spec.NodeAffinity = onlyWhere(corev1.LabelHostname, node.Name)
	w.pvs = append(w.pvs, pv)
	return pv
}

func (w *world) volume(class string) *corev1.PersistentVolume {
	pv := &corev1.PersistentVolume{ObjectMeta: w.meta("", w.name("pv"))}
	pv.Spec = corev1.PersistentVolumeSpec{
		Capacity:         corev1.ResourceList{corev1.ResourceStorage: quantity("%dGi", pick(&w.dice, []int{10, 5, 20, 1}))},
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		StorageClassName: class,
	}
	pv.Status.Phase = corev1.VolumeAvailable
	return pv
}

func onlyWhere(key, value string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}},
		},
	}}}}
}

// mountBound gives a running pod volumes it could really have.
func (w *world) mountBound(pod *corev1.Pod) {
	if w.has(BoundVolumes) {
		w.use(pod, w.boundClaim(pod.Namespace).Name)
	}
	if w.has(InlineVolumes) {
		w.inline(pod)
	}
}

// mount gives a pending pod volumes of every kind.
func (w *world) mount(pod *corev1.Pod) {
	w.mountBound(pod)
	if w.has(DelayedVolumes) {
		w.use(pod, w.freeClaim(pod.Namespace, pick(&w.dice, []string{delayedClass, delayedClass, oldClass})).Name)
	}
	if w.has(LocalVolumes) {
		for range w.between(1, 2) {
			w.use(pod, w.freeClaim(pod.Namespace, localClass).Name)
		}
	}
	if w.has(EphemeralVolumes) {
		w.ephemeral(pod)
	}
	if w.has(BrokenVolumes) {
		w.broken(pod)
	}
}

func (w *world) use(pod *corev1.Pod, claim string) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{
		Name:         fmt.Sprintf("v%d", len(pod.Spec.Volumes)),
		VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}},
	})
}

func (w *world) freeClaim(namespace, class string) *corev1.PersistentVolumeClaim {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: w.meta(namespace, w.name("pvc"))}
	claim.Spec = corev1.PersistentVolumeClaimSpec{
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		StorageClassName: &class,
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceStorage: quantity("%dGi", pick(&w.dice, []int{5, 1, 10, 15})),
		}},
	}
	claim.Status.Phase = corev1.ClaimPending
	w.pvcs = append(w.pvcs, claim)
	return claim
}

// boundClaim draws a claim with its volume, or takes one already in use.
func (w *world) boundClaim(namespace string) *corev1.PersistentVolumeClaim {
	for _, claim := range w.pvcs {
		if claim.Namespace == namespace && claim.Status.Phase == corev1.ClaimBound && w.percent(20) {
			return claim
		}
	}
	class := pick(&w.dice, []string{delayedClass, promptClass, oldClass})
	claim := w.freeClaim(namespace, class)
	pv := w.volume(class)
	if w.has(ReadWriteOncePod) {
		claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
		pv.Spec.AccessModes = claim.Spec.AccessModes
	}
	if class == oldClass {
		pv.Spec.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-" + pv.Name}
	} else {
		pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "handle-" + pv.Name}
	}
	zone := pick(&w.dice, zones)
	if w.percent(50) {
		pv.Spec.NodeAffinity = onlyWhere(corev1.LabelTopologyZone, zone)
	}
	if w.percent(40) {
		pv.Labels[pick(&w.dice, []string{corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone})] = pick(
			&w.dice, []string{zone, zone, zones[0] + "__" + zones[1]},
		)
	}
	pv.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]}
	w.bind(claim, pv)
	w.pvs = append(w.pvs, pv)
	return claim
}

func (w *world) bind(claim *corev1.PersistentVolumeClaim, pv *corev1.PersistentVolume) {
	claim.Spec.VolumeName = pv.Name
	claim.Annotations = map[string]string{bindDone: "yes"}
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.Capacity = pv.Spec.Capacity
	claim.Status.AccessModes = claim.Spec.AccessModes
	pv.Spec.ClaimRef = &corev1.ObjectReference{
		APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
	}
	pv.Status.Phase = corev1.VolumeBound
}

// inline draws disks named in the pod itself, of few names so that they meet.
func (w *world) inline(pod *corev1.Pod) {
	source := corev1.VolumeSource{}
	id, readOnly := pick(&w.dice, []string{"disk-a", "disk-b"}), w.percent(40)
	switch w.below(4) {
	case 0:
		source.GCEPersistentDisk = &corev1.GCEPersistentDiskVolumeSource{PDName: id, ReadOnly: readOnly}
	case 1:
		source.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: id, ReadOnly: readOnly}
	case 2:
		source.ISCSI = &corev1.ISCSIVolumeSource{
			TargetPortal: "10.0.0.1:3260", IQN: "iqn.2026-01.com.example:" + id, ReadOnly: readOnly,
		}
	default:
		source.RBD = &corev1.RBDVolumeSource{
			CephMonitors: some(&w.dice, []string{"10.0.0.1:6789", "10.0.0.2:6789"}, 2), RBDImage: id,
			ReadOnly: readOnly,
		}
	}
	pod.Spec.Volumes = append(
		pod.Spec.Volumes, corev1.Volume{Name: fmt.Sprintf("v%d", len(pod.Spec.Volumes)), VolumeSource: source},
	)
}

// ephemeral draws a generic ephemeral volume whose claim may not exist yet, or
// belong to someone else.
func (w *world) ephemeral(pod *corev1.Pod) {
	class, name := delayedClass, fmt.Sprintf("v%d", len(pod.Spec.Volumes))
	spec := corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: &class,
		Resources: corev1.VolumeResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
		},
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: spec}},
	}})
	if w.percent(15) {
		return
	}
	claim := w.freeClaim(pod.Namespace, class)
	claim.Name, claim.Spec = pod.Name+"-"+name, spec
	if !w.percent(10) {
		controller := true
		claim.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &controller,
			BlockOwnerDeletion: &controller,
		}}
	}
}

// broken draws claims that no node can satisfy.
func (w *world) broken(pod *corev1.Pod) {
	switch w.below(6) {
	case 0:
		w.use(pod, "missing")
	case 1:
		w.use(pod, w.freeClaim(pod.Namespace, promptClass).Name)
	case 2:
		claim := w.boundClaim(pod.Namespace)
		claim.Spec.VolumeName = "lost"
		claim.Status.Phase = corev1.ClaimLost
		w.use(pod, claim.Name)
	case 3:
		claim := w.freeClaim(pod.Namespace, delayedClass)
		claim.DeletionTimestamp = &metav1.Time{Time: epoch}
		claim.Finalizers = []string{"kubernetes.io/pvc-protection"}
		w.use(pod, claim.Name)
	case 4:
		w.use(pod, w.freeClaim(pod.Namespace, "").Name)
	default:
		w.use(pod, w.freeClaim(pod.Namespace, missingClass).Name)
	}
}

// attachments draws what the attach controller has done for the volumes in use.
func (w *world) attachments() {
	for _, pv := range w.pvs {
		if pv.Spec.CSI == nil || len(w.nodes) == 0 || !w.has(VolumeLimits) {
			continue
		}
		attachment := &storagev1.VolumeAttachment{ObjectMeta: w.meta("", w.name("va"))}
		attachment.Spec = storagev1.VolumeAttachmentSpec{
			Attacher: driver, NodeName: pick(&w.dice, w.nodes).Name,
			Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &pv.Name},
		}
		attachment.Status.Attached = true
		w.add(stored(attachment))
	}
}
