package session

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/request"
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

// keysToday are the labels of nodes by their beta keys. An API server lets the node affinity of a PersistentVolume
// change from the one to the other (pkg/apis/core/validation, 1.37).
var keysToday = map[string]string{
	corev1.LabelFailureDomainBetaZone:   corev1.LabelTopologyZone,
	corev1.LabelFailureDomainBetaRegion: corev1.LabelTopologyRegion,
	corev1.LabelInstanceType:            corev1.LabelInstanceTypeStable,
	"beta.kubernetes.io/os":             corev1.LabelOSStable,
	"beta.kubernetes.io/arch":           corev1.LabelArchStable,
}

// Renewed are the operations that give the node affinity of a PersistentVolume the keys that nodes have today; none:
// it has no beta label.
func Renewed(v *corev1.PersistentVolume) []request.Operation {
	if v.Spec.NodeAffinity == nil || v.Spec.NodeAffinity.Required == nil {
		return nil
	}
	var all []request.Operation
	for i, term := range v.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for k, r := range term.MatchExpressions {
			if today, old := keysToday[r.Key]; old {
				path := fmt.Sprintf("/spec/nodeAffinity/required/nodeSelectorTerms/%d/matchExpressions/%d/key", i, k)
				all = append(all, request.Operation{Op: "replace", Path: path, Value: today})
			}
		}
	}
	return all
}

// RenewKeys gives the node affinity of a PersistentVolume the keys that nodes have today.
func RenewKeys(volume string) Edit { return doing("renew-keys", volume) }

func (c *change) renewKeys(volume string) error {
	found, ok := c.state().Objects().Volumes.Find(volume)
	if !ok {
		return phrase.Errorf("renew-keys: there is no volume %q here", volume)
	}
	operations := Renewed(found)
	if len(operations) == 0 {
		return phrase.Errorf("renew-keys: the node affinity of volume %q has no beta label", volume)
	}
	renewed, err := request.Patched(found, operations)
	if err != nil {
		return err
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
		back, err := request.Patched(api, Unresized(api))
		if err != nil {
			return err
		}
		*api = *back // the kubelet has nothing to wait for then
		api.Status.Conditions = slices.DeleteFunc(api.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodResizePending
		})
		return nil
	})
}

// Unresized are the operations that have the containers of a pod request again what the kubelet has given them; none:
// they request nothing else, or the status does not show it.
func Unresized(p *corev1.Pod) []request.Operation {
	var all []request.Operation
	for i, c := range p.Spec.Containers {
		at := slices.IndexFunc(p.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == c.Name })
		if at < 0 {
			continue
		}
		status := &p.Status.ContainerStatuses[at]
		back := func(list string, wanted, given corev1.ResourceList) {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				want, wants := wanted[name]
				if has, known := given[name]; wants && known && has.Cmp(want) != 0 {
					path := fmt.Sprintf("/spec/containers/%d/resources/%s/%s", i, list, name)
					all = append(all, request.Operation{Op: "replace", Path: path, Value: has.String()})
				}
			}
		}
		back("requests", c.Resources.Requests, status.AllocatedResources)
		if status.Resources != nil {
			back("limits", c.Resources.Limits, status.Resources.Limits)
		}
	}
	return all
}
