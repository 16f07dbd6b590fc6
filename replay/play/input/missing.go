package input

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Missing lists the kinds that the input could not hold and that some pod of it depends on, with one sentence for each
// guess that is made in their absence.
func (in *Input) Missing() []phrase.Text {
	if in.told != nil {
		return sentences(in.told.Missing)
	}
	n := in.needs()
	var guesses []string
	kinds := map[string][]string{}
	for _, kind := range in.lacks {
		row := cluster.RowOf(kind)
		if row == nil || row.Guess == "" || !n.depends(row) {
			continue
		}
		if kinds[row.Guess] == nil {
			guesses = append(guesses, row.Guess)
		}
		kinds[row.Guess] = append(kinds[row.Guess], string(kind))
	}
	var out []phrase.Text
	for _, guess := range guesses {
		out = append(out, phrase.Textf("%s (%s)", strings.Join(kinds[guess], ", "), phrase.Text(guess)))
	}
	return out
}

// needs is what the pods of an input depend on.
type needs struct {
	waits  bool // some pod is to be placed
	some   map[cluster.Need]bool
	owners map[cluster.Kind]bool // that own a pod to place
}

// depends reports whether some pod depends on a kind.
func (n *needs) depends(row *cluster.KindRow) bool {
	switch row.Need {
	case cluster.NeededByEveryPod:
		return n.waits || row.Kind == cluster.KindPod
	case cluster.NeededForOwners:
		return n.owners[row.Kind]
	}
	return n.some[row.Need]
}

// needs looks at every pod of the script for what its placing depends on.
func (in *Replay) needs() *needs {
	n := &needs{some: map[cluster.Need]bool{}, owners: map[cluster.Kind]bool{}}
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
	n.waits = waiting
	n.some[cluster.NeededForPreemption] = placed && waiting && highest > lowest
	return n
}

// ofAnyPod is what even a pod on a node is judged by.
func (n *needs) ofAnyPod(p *corev1.Pod) {
	if p.Spec.PriorityClassName != "" && p.Spec.Priority == nil {
		n.some[cluster.NeededForPriorities] = true
	}
	if slices.ContainsFunc(podTerms(p), func(t corev1.PodAffinityTerm) bool { return t.NamespaceSelector != nil }) {
		n.some[cluster.NeededForNamespaceSelectors] = true
	}
}

func (n *needs) ofPodToPlace(p *corev1.Pod) {
	if slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil || v.Ephemeral != nil
	}) {
		n.some[cluster.NeededForClaims] = true
	}
	if len(p.Spec.ResourceClaims) > 0 {
		n.some[cluster.NeededForDevices] = true
	}
	if p.Spec.SchedulingGroup != nil {
		n.some[cluster.NeededForGroups] = true
	}
	if len(p.Spec.TopologySpreadConstraints) > 0 {
		return
	}
	if owner := metav1.GetControllerOf(p); owner != nil {
		n.owners[cluster.Kind(owner.Kind)] = true
	}
	if len(p.Labels) > 0 {
		n.some[cluster.NeededForLabels] = true
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
