package session

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// SetDefaultClass marks a storage class default. The volume controller then names it in every claim without a class and
// without a volume (kube-controller-manager, pkg/controller/volume/persistentvolume, assignDefaultStorageClass, since
// 1.26).
func SetDefaultClass(class string) Edit { return doing("default-class", class) }

func (c *change) defaultClass(class string) error {
	found, ok := c.state().Objects().StorageClasses.Find(class)
	switch {
	case !ok:
		return phrase.Errorf("set default-class: there is no storage class %q here", class)
	case cluster.IsDefaultClass(found):
		return phrase.Errorf("set default-class: class %q is the default already", class)
	}
	marked := found.DeepCopy()
	metav1.SetMetaDataAnnotation(&marked.ObjectMeta, cluster.DefaultClassAnnotation, "true")
	c.do(cluster.Update, marked)
	claims := 0
	c.state().Objects().VolumeClaims.Each(func(claim *corev1.PersistentVolumeClaim) bool {
		if claim.Spec.VolumeName == "" && claim.Spec.StorageClassName == nil && cluster.ClaimClass(claim) == "" {
			named := claim.DeepCopy()
			named.Spec.StorageClassName = &class
			c.do(cluster.Update, named)
			claims++
		}
		return true
	})
	c.said = phrase.New("class %[1]s is the default, and %[2]d claims get it", class, claims)
	return nil
}

// KeyToday is the key that a beta label of nodes has today; false for other keys. An API server lets the node affinity
// of a PersistentVolume change from the one to the other (pkg/apis/core/validation, 1.37).
func KeyToday(key string) (today string, old bool) {
	today, old = map[string]string{
		corev1.LabelFailureDomainBetaZone:   corev1.LabelTopologyZone,
		corev1.LabelFailureDomainBetaRegion: corev1.LabelTopologyRegion,
		corev1.LabelInstanceType:            corev1.LabelInstanceTypeStable,
		"beta.kubernetes.io/os":             corev1.LabelOSStable,
		"beta.kubernetes.io/arch":           corev1.LabelArchStable,
	}[key]
	return today, old
}

// RenewKeys gives the node affinity of a PersistentVolume the keys that nodes have today.
func RenewKeys(volume string) Edit { return doing("renew-keys", volume) }

func (c *change) renewKeys(volume string) error {
	found, ok := c.state().Objects().Volumes.Find(volume)
	if !ok {
		return phrase.Errorf("renew-keys: there is no volume %q here", volume)
	}
	renewed, changed := found.DeepCopy(), 0
	if affinity := renewed.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
		for _, term := range affinity.Required.NodeSelectorTerms {
			for i := range term.MatchExpressions {
				if key, old := KeyToday(term.MatchExpressions[i].Key); old {
					term.MatchExpressions[i].Key = key
					changed++
				}
			}
		}
	}
	if changed == 0 {
		return phrase.Errorf("renew-keys: the node affinity of volume %q has no beta label", volume)
	}
	c.do(cluster.Update, renewed)
	c.said = phrase.New("the node affinity of volume %s has the labels of today", volume)
	return nil
}

// Unresize takes back the resize of a pod that waits for room.
func Unresize(pod string) Edit { return doing("unresize", pod) }

func (c *change) unresize(pod string) error {
	p, err := c.pod(pod)
	switch {
	case err != nil:
		return err
	case !resourcehelper.IsPodResizeDeferred(p.API) && !resourcehelper.IsPodResizeInfeasible(p.API):
		return phrase.Errorf("unresize: pod %q waits for no resize", pod)
	}
	c.said = phrase.New("the resize of %s is taken back", pod)
	return c.updatePod(p, func(api *corev1.Pod) error {
		*api = *Unresized(api)
		return nil
	})
}

// Unresized is a copy of a pod whose containers request what the kubelet has given them, with nothing that waits. What
// the status does not show stays as it is.
func Unresized(of *corev1.Pod) *corev1.Pod {
	p := of.DeepCopy()
	for _, status := range p.Status.ContainerStatuses {
		at := slices.IndexFunc(p.Spec.Containers, func(c corev1.Container) bool { return c.Name == status.Name })
		if at < 0 {
			continue
		}
		has := &p.Spec.Containers[at].Resources
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if given, known := status.AllocatedResources[name]; known && has.Requests != nil {
				has.Requests[name] = given
			}
			if status.Resources == nil || has.Limits == nil {
				continue
			}
			if limit, known := status.Resources.Limits[name]; known {
				has.Limits[name] = limit
			}
		}
	}
	p.Status.Conditions = slices.DeleteFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodResizePending
	})
	return p
}
