package input

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/importer"
)

// Missing tells of the kinds that the input could not hold and some pod of it depends on: what becomes a guess without
// them, one sentence for each guess.
func (in *Input) Missing() []string {
	n := in.needs()
	var guesses []string
	kinds := map[string][]string{}
	for _, kind := range in.lacks {
		if !n[kind] {
			continue
		}
		guess := importer.Guess(string(kind)).Guess
		if kinds[guess] == nil {
			guesses = append(guesses, guess)
		}
		kinds[guess] = append(kinds[guess], string(kind))
	}
	var out []string
	for _, guess := range guesses {
		out = append(out, strings.Join(kinds[guess], ", ")+" ("+guess+")")
	}
	return out
}

// kindsNeeded holds the kinds some pod depends on.
type kindsNeeded map[cluster.Kind]bool

func (n kindsNeeded) add(kinds ...cluster.Kind) {
	for _, k := range kinds {
		n[k] = true
	}
}

// needs looks at every pod of the script for what its placing depends on.
func (in *Input) needs() kindsNeeded {
	n := kindsNeeded{cluster.KindNode: true, cluster.KindPod: true}
	lowest, highest := int32(0), int32(0) // priority of pods on nodes, and of pods to place
	placed, waiting := false, false
	for _, t := range in.Script {
		p, ok := t.Event.Object.(*corev1.Pod)
		if !ok || t.Event.Action == cluster.Delete || cluster.Finished(p) {
			continue
		}
		n.ofAnyPod(p)
		priority := int32(0)
		if p.Spec.Priority != nil {
			priority = *p.Spec.Priority
		}
		if p.Spec.NodeName != "" {
			if !placed || priority < lowest {
				placed, lowest = true, priority
			}
			continue
		}
		if !waiting || priority > highest {
			waiting, highest = true, priority
		}
		n.ofPodToPlace(p)
	}
	if placed && waiting && highest > lowest {
		n.add(cluster.KindDisruptionBudget)
	}
	return n
}

// ofAnyPod is what even a pod on a node is judged by.
func (n kindsNeeded) ofAnyPod(p *corev1.Pod) {
	if p.Spec.PriorityClassName != "" && p.Spec.Priority == nil {
		n.add(cluster.KindPriorityClass)
	}
	if slices.ContainsFunc(podTerms(p), func(t corev1.PodAffinityTerm) bool { return t.NamespaceSelector != nil }) {
		n.add(cluster.KindNamespace)
	}
}

func (n kindsNeeded) ofPodToPlace(p *corev1.Pod) {
	for i := range p.Spec.Volumes {
		if v := &p.Spec.Volumes[i]; v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			n.add(cluster.KindStorageClass, cluster.KindCSINode, cluster.KindCSIDriver, cluster.KindCSIStorageCapacity,
				cluster.KindVolume, cluster.KindVolumeClaim, cluster.KindVolumeAttachment)
		}
	}
	if len(p.Spec.ResourceClaims) > 0 {
		n.add(cluster.KindDeviceClass, cluster.KindResourceSlice, cluster.KindDeviceTaintRule, cluster.KindResourceClaim)
	}
	if p.Spec.SchedulingGroup != nil {
		n.add(cluster.KindPodGroup)
	}
	if len(p.Spec.TopologySpreadConstraints) > 0 {
		return
	}
	if owner := metav1.GetControllerOf(p); owner != nil {
		n.add(cluster.Kind(owner.Kind))
	}
	if len(p.Labels) > 0 {
		n.add(cluster.KindService)
	}
}

// podTerms is every term of a pod's affinity and anti-affinity to pods.
func podTerms(p *corev1.Pod) []corev1.PodAffinityTerm {
	var terms []corev1.PodAffinityTerm
	a := p.Spec.Affinity
	if a == nil {
		return nil
	}
	if a.PodAffinity != nil {
		terms = append(terms, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		terms = append(terms, preferred(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution)...)
	}
	if a.PodAntiAffinity != nil {
		terms = append(terms, a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		terms = append(terms, preferred(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)...)
	}
	return terms
}

func preferred(weighted []corev1.WeightedPodAffinityTerm) []corev1.PodAffinityTerm {
	var terms []corev1.PodAffinityTerm
	for _, w := range weighted {
		terms = append(terms, w.PodAffinityTerm)
	}
	return terms
}
