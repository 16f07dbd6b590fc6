package cluster

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/component-helpers/storage/ephemeral"
)

// ClaimUse is a volume of a pod that comes through a PersistentVolumeClaim.
type ClaimUse struct {
	Name      string // of the claim, in the pod's namespace; "" where the pod names none
	Ephemeral bool   // the claim is made for this pod alone
}

// parseVolumes finds the volumes that matter to scheduling among a pod's many: claims, and disks named in the pod.
func (p *Pod) parseVolumes() {
	volumes := p.API.Spec.Volumes
	for i := range volumes {
		v := &volumes[i]
		if use, ok := p.ClaimOf(v); ok {
			p.Claims = append(p.Claims, use)
		} else if isDisk(v) {
			p.Disks = append(p.Disks, v)
		}
	}
}

// ClaimOf is the claim by which the pod uses one of its volumes; false when it uses the volume by none.
func (p *Pod) ClaimOf(v *corev1.Volume) (ClaimUse, bool) {
	switch {
	case v.PersistentVolumeClaim != nil:
		return ClaimUse{Name: v.PersistentVolumeClaim.ClaimName}, true
	case v.Ephemeral != nil:
		return ClaimUse{Name: ephemeral.VolumeClaimName(p.API, v), Ephemeral: true}, true
	}
	return ClaimUse{}, false
}

// isDisk reports whether a volume is of a kind that used to be in Kubernetes itself and is somewhere outside the node.
func isDisk(v *corev1.Volume) bool {
	return v.GCEPersistentDisk != nil || v.AWSElasticBlockStore != nil || v.ISCSI != nil || v.RBD != nil ||
		v.AzureDisk != nil || v.AzureFile != nil || v.Cinder != nil || v.VsphereVolume != nil || v.PortworxVolume != nil
}

// ClaimKey is the key of one of the pod's claims.
func (p *Pod) ClaimKey(u ClaimUse) string { return p.API.Namespace + "/" + u.Name }

// Reach is where something can be used from, as far as one label decides it: from nodes whose label Key is one of
// Values, if at all. The zero value sets no limit.
type Reach struct {
	Key    string
	Values []string
}

// Volume is a PersistentVolume parsed once. It is never changed.
type Volume struct {
	API      *corev1.PersistentVolume
	Affinity *nodeaffinity.LazyErrorNodeSelector // of labels only; nil: usable from every node
	Reach    Reach
}

// ParseVolume parses a PersistentVolume.
func ParseVolume(api *corev1.PersistentVolume) *Volume {
	v := &Volume{API: api}
	if a := api.Spec.NodeAffinity; a != nil && a.Required != nil {
		v.Affinity = nodeaffinity.NewLazyErrorNodeSelector(a.Required)
		v.Reach = selectorReach(a.Required)
	}
	return v
}

// selectorReach is the first label of which a selector with a single term wants certain values.
func selectorReach(s *corev1.NodeSelector) Reach {
	if len(s.NodeSelectorTerms) != 1 {
		return Reach{}
	}
	for _, r := range s.NodeSelectorTerms[0].MatchExpressions {
		if r.Operator == corev1.NodeSelectorOpIn {
			return Reach{Key: r.Key, Values: r.Values}
		}
	}
	return Reach{}
}

// Capacity is a CSIStorageCapacity parsed once. It is never changed.
type Capacity struct {
	API      *storagev1.CSIStorageCapacity
	Topology labels.Selector // of the nodes that reach the storage; nil: none does
	Reach    Reach
}

// parseCapacity parses a CSIStorageCapacity. A topology that cannot be parsed reaches no node.
func parseCapacity(api *storagev1.CSIStorageCapacity) *Capacity {
	c := &Capacity{API: api}
	if api.NodeTopology == nil {
		return c
	}
	selector, err := metav1.LabelSelectorAsSelector(api.NodeTopology)
	if err != nil {
		return c
	}
	c.Topology = selector
	for key, value := range api.NodeTopology.MatchLabels {
		if c.Reach.Key == "" || key < c.Reach.Key {
			c.Reach = Reach{Key: key, Values: []string{value}}
		}
	}
	return c
}

// storageIndex finds volumes by class and by the claim they are set aside for, capacities by class, and attachments
// by node.
//
//	volumes      class, claim ("" when free), name
//	capacities   class, key
//	attachments  node, name
type storageIndex struct {
	volumes     table[*Volume]
	capacities  table[*Capacity]
	attachments table[*storagev1.VolumeAttachment]
}

func (x *storageIndex) copy() storageIndex {
	return storageIndex{volumes: x.volumes.copy(), capacities: x.capacities.copy(), attachments: x.attachments.copy()}
}

// filed is the key of an object in an index.
func filed(parts ...string) string { return string(Compound(parts...)) }

func (s *Objects) applyVolume(action Action, o *corev1.PersistentVolume) Object {
	at := func(v *corev1.PersistentVolume) string { return filed(VolumeClass(v), boundTo(v), v.Name) }
	return refiled(&s.Volumes, &s.storage.volumes, action, o, at, ParseVolume)
}

func (s *Objects) applyCapacity(action Action, o *storagev1.CSIStorageCapacity) Object {
	at := func(c *storagev1.CSIStorageCapacity) string { return filed(c.StorageClassName, Key(c)) }
	return refiled(&s.CSIStorageCapacities, &s.storage.capacities, action, o, at, parseCapacity)
}

func (s *Objects) applyAttachment(action Action, o *storagev1.VolumeAttachment) Object {
	at := func(a *storagev1.VolumeAttachment) string { return filed(a.Spec.NodeName, a.Name) }
	same := func(a *storagev1.VolumeAttachment) *storagev1.VolumeAttachment { return a }
	return refiled(&s.volumeAttachments, &s.storage.attachments, action, o, at, same)
}

// refiled applies an event to the objects of a kind and to their index. The index keeps what parse returns for an
// object, under the key that at returns for it.
func refiled[T Object, V any](
	store *Store[T], index *table[V], action Action, o T, at func(T) string, parse func(T) V,
) Object {
	old, had := store.apply(action, o)
	if had {
		index.Delete(at(old))
	}
	if action != Delete {
		index.Set(at(o), parse(o))
	}
	return known(old, had)
}

// known is the object an event replaced. Without one it is nil itself, and not an Object that holds a nil pointer.
func known[T Object](old T, had bool) Object {
	if !had {
		return nil
	}
	return old
}

// boundTo is the key of the claim a volume is set aside for, or bound to.
func boundTo(v *corev1.PersistentVolume) string {
	if v.Spec.ClaimRef == nil {
		return ""
	}
	return v.Spec.ClaimRef.Namespace + "/" + v.Spec.ClaimRef.Name
}

// EachVolumeFor calls f with every volume of a class that is free or set aside for that claim by its claimRef, until f
// returns false: first the free ones, each group in the order of names. Assumed versions of a volume count.
func (s *Objects) EachVolumeFor(class, claim string, f func(*Volume) bool) {
	more := true
	look := func(prefix string) {
		s.storage.volumes.Ascend(prefix, func(key string, v *Volume) bool {
			if !strings.HasPrefix(key, prefix) {
				return false
			}
			if s.Volumes.assumed.Len() > 0 {
				if assumed, ok := s.Volumes.Assumed(v.API.Name); ok {
					v = ParseVolume(assumed)
				}
			}
			more = f(v)
			return more
		})
	}
	look(filed(class, "", ""))
	if more {
		look(filed(class, claim, ""))
	}
}

// EachCapacity calls f with every capacity of a class in the order of keys until f returns false.
func (s *Objects) EachCapacity(class string, f func(*Capacity) bool) {
	prefix := filed(class, "")
	s.storage.capacities.Ascend(prefix, func(key string, c *Capacity) bool {
		return strings.HasPrefix(key, prefix) && f(c)
	})
}

// EachAttachment calls f with every attachment to a node in the order of names until f returns false.
func (s *Objects) EachAttachment(node string, f func(*storagev1.VolumeAttachment) bool) {
	if s.storage.attachments.Len() == 0 {
		return
	}
	prefix := filed(node, "")
	s.storage.attachments.Ascend(prefix, func(key string, a *storagev1.VolumeAttachment) bool {
		return strings.HasPrefix(key, prefix) && f(a)
	})
}

// EBSDisk is the name of a disk, in a pod or in a PersistentVolume; "": it is none of the provider's.
func EBSDisk(v *corev1.AWSElasticBlockStoreVolumeSource) string {
	if v == nil {
		return ""
	}
	return v.VolumeID
}

// GCEDisk is like EBSDisk.
func GCEDisk(v *corev1.GCEPersistentDiskVolumeSource) string {
	if v == nil {
		return ""
	}
	return v.PDName
}

// AzureDisk is like EBSDisk.
func AzureDisk(v *corev1.AzureDiskVolumeSource) string {
	if v == nil {
		return ""
	}
	return v.DiskName
}
