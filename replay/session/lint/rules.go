package lint

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/schedstep/schedstep/internal/phrase"
)

// selectors finds the labels that keep a waiting pod off every node.
func (o *objects) selectors() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		missing := phrase.Text("")
		for _, key := range slices.Sorted(maps.Keys(p.Spec.NodeSelector)) {
			value := p.Spec.NodeSelector[key]
			if !slices.ContainsFunc(o.nodes, func(n *corev1.Node) bool { return n.Labels[key] == value }) {
				missing = phrase.Textf("nodeSelector %s=%s: no node has that label", key, value)
				break
			}
		}
		required := nodeaffinity.GetRequiredNodeAffinity(p)
		if missing == "" && !slices.ContainsFunc(o.nodes, func(n *corev1.Node) bool {
			fits, err := required.Match(n)
			return fits || err != nil
		}) {
			missing = "nodeSelector and required node affinity together match no node"
		}
		if missing != "" {
			found = append(found, about(p, missing))
		}
	}
	return found
}

// criticalAddons is tolerated by every part of the platform, wherever it runs.
const criticalAddons = "CriticalAddonsOnly"

// tolerations leaves out the keys of Kubernetes itself, which are tolerated in case the taints come.
func (o *objects) tolerations() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		for _, t := range p.Spec.Tolerations {
			if t.Key == "" || t.Key == criticalAddons || strings.Contains(t.Key, "kubernetes.io/") || o.hasTaint(t.Key) {
				continue
			}
			found = append(found, about(p, phrase.Textf("tolerates %s, and no node has a taint with that key", t.Key)))
		}
	}
	return found
}

func (o *objects) hasTaint(key string) bool {
	return slices.ContainsFunc(o.nodes, func(n *corev1.Node) bool {
		return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
	})
}

// affinities looks at terms about the pod's own namespace or namespaces named, of which the input holds other pods.
func (o *objects) affinities() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		if p.Spec.Affinity == nil || p.Spec.Affinity.PodAffinity == nil {
			continue
		}
		for _, term := range p.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
			others, matched := o.among(p, &term)
			if others > 0 && matched == 0 {
				found = append(found, about(p, phrase.Textf("requires pods with labels %s, and no pod there has them",
					metav1.FormatLabelSelector(term.LabelSelector))))
			}
		}
	}
	return found
}

// among counts the other pods in the namespaces of a term, and those of all pods there, itself included, that the term
// means. Terms that select namespaces by labels are not counted.
func (o *objects) among(p *corev1.Pod, term *corev1.PodAffinityTerm) (others, matched int) {
	selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
	if err != nil || term.NamespaceSelector != nil || len(term.MatchLabelKeys)+len(term.MismatchLabelKeys) > 0 {
		return 0, 0
	}
	namespaces := term.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{p.Namespace}
	}
	for _, other := range o.pods {
		if !slices.Contains(namespaces, other.Namespace) {
			continue
		}
		if other != p {
			others++
		}
		if selector.Matches(labels.Set(other.Labels)) {
			matched++
		}
	}
	return others, matched
}

// crowded describes the first waiting pod of those that keep away from each other. A node without the label is in no
// domain, and takes any number of them.
func (o *objects) crowded() []Finding {
	var found []Finding
	told := map[string]bool{}
	for _, p := range o.waiting() {
		if p.Spec.Affinity == nil || p.Spec.Affinity.PodAntiAffinity == nil {
			continue
		}
		for _, term := range p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
			selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
			_, matched := o.among(p, &term)
			domains := o.domains(term.TopologyKey)
			if slices.ContainsFunc(o.nodes, func(n *corev1.Node) bool {
				_, has := n.Labels[term.TopologyKey]
				return !has
			}) {
				continue
			}
			id := p.Namespace + " " + term.TopologyKey + " " + metav1.FormatLabelSelector(term.LabelSelector)
			if err != nil || !selector.Matches(labels.Set(p.Labels)) || matched <= domains || told[id] {
				continue
			}
			told[id] = true
			found = append(found, about(p, phrase.Textf(
				"pods with labels %s keep away from each other by %s: there are %d of them, and the nodes have %d of its values",
				metav1.FormatLabelSelector(term.LabelSelector), term.TopologyKey, matched, domains,
			)))
		}
	}
	return found
}

// spread looks at the constraints that a pod wrote itself. A selector that does not match the pod it belongs to, nor
// any other, counts zero pods everywhere: every node is as good as the others. That needs no nodes.
func (o *objects) spread() []Finding {
	var found []Finding
	for _, p := range o.pending() {
		for _, c := range p.Spec.TopologySpreadConstraints {
			if len(o.nodes) > 0 && o.domains(c.TopologyKey) == 0 {
				found = append(found, about(p, phrase.Textf("spreads by %s, and no node has that label", c.TopologyKey)))
				continue
			}
			selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
			if err != nil || len(c.MatchLabelKeys) > 0 || slices.ContainsFunc(o.pods, func(other *corev1.Pod) bool {
				return other.Namespace == p.Namespace && selector.Matches(labels.Set(other.Labels))
			}) {
				continue
			}
			found = append(found, about(p, phrase.Textf(
				"spreads pods with labels %s by %s, and no pod of its namespace has them, itself included",
				metav1.FormatLabelSelector(c.LabelSelector), c.TopologyKey,
			)))
		}
	}
	return found
}

// domains counts the values of a label of the nodes.
func (o *objects) domains(key string) int {
	values := map[string]bool{}
	for _, n := range o.nodes {
		if value, has := n.Labels[key]; has {
			values[value] = true
		}
	}
	return len(values)
}
