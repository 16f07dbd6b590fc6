package lint

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/schedstep/schedstep/internal/phrase"
)

// missing finds objects that a waiting pod names and that do not exist: kube-scheduler often reports only "not found".
func (o *objects) missing() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		var says []phrase.Text
		for i := range p.Spec.Volumes {
			says = append(says, o.missingOfVolume(p, &p.Spec.Volumes[i])...)
		}
		for i := range p.Spec.ResourceClaims {
			says = append(says, o.missingOfDevices(p, &p.Spec.ResourceClaims[i])...)
		}
		says = append(says, o.missingKeys(p)...)
		for _, text := range says {
			found = append(found, about(p, text))
		}
	}
	return found
}

func (o *objects) missingOfVolume(p *corev1.Pod, v *corev1.Volume) []phrase.Text {
	if v.PersistentVolumeClaim == nil {
		return nil
	}
	name := v.PersistentVolumeClaim.ClaimName
	claim, there := o.all.VolumeClaims.Find(p.Namespace + "/" + name)
	if !there {
		return []phrase.Text{phrase.Textf("PersistentVolumeClaim %s is not in the input", name)}
	}
	class := claim.Spec.StorageClassName
	if claim.Spec.VolumeName != "" || class == nil || *class == "" {
		return nil
	}
	if _, there := o.all.StorageClasses.Find(*class); there {
		return nil
	}
	return []phrase.Text{phrase.Textf("claim %s wants StorageClass %s, which is not in the input", name, *class)}
}

func (o *objects) missingOfDevices(p *corev1.Pod, wanted *corev1.PodResourceClaim) []phrase.Text {
	if wanted.ResourceClaimName == nil {
		return nil
	}
	claim, there := o.all.ResourceClaims.Find(p.Namespace + "/" + *wanted.ResourceClaimName)
	if !there {
		return []phrase.Text{phrase.Textf("ResourceClaim %s is not in the input", *wanted.ResourceClaimName)}
	}
	var says []phrase.Text
	for i := range claim.Spec.Devices.Requests {
		for _, class := range classesOf(&claim.Spec.Devices.Requests[i]) {
			if _, there := o.all.DeviceClasses.Find(class); !there {
				says = append(says, phrase.Textf("claim %s wants DeviceClass %s, which is not in the input", claim.Name, class))
			}
		}
	}
	return says
}

// classesOf are the classes of devices that a request names, if there is no choice among several.
func classesOf(r *resourcev1.DeviceRequest) []string {
	if r.Exactly == nil {
		return nil
	}
	return []string{r.Exactly.DeviceClassName}
}

// missingKeys finds labels by which pods are to be near others, and that no node has.
func (o *objects) missingKeys(p *corev1.Pod) []phrase.Text {
	a := p.Spec.Affinity
	if a == nil || a.PodAffinity == nil {
		return nil
	}
	var says []phrase.Text
	for _, term := range a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if o.domains(term.TopologyKey) == 0 {
			says = append(says, phrase.Textf("pod affinity by %s: no node has that label", term.TopologyKey))
		}
	}
	return says
}
