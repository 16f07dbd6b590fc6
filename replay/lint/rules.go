package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	helpers "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
)

// selectors finds the labels that keep a waiting pod off every node.
func (o *objects) selectors() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		missing := ""
		for _, key := range slices.Sorted(maps.Keys(p.Spec.NodeSelector)) {
			value := p.Spec.NodeSelector[key]
			if !slices.ContainsFunc(o.nodes, func(n *corev1.Node) bool { return n.Labels[key] == value }) {
				missing = fmt.Sprintf("nodeSelector %s=%s: no node has that label", key, value)
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
			found = append(found, about(p, fmt.Sprintf("tolerates %s, and no node has a taint with that key", t.Key)))
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
				found = append(found, about(p, fmt.Sprintf("requires pods with labels %s, and no pod there has them",
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

// crowded describes the first waiting pod of those that keep away from each other.
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
			id := p.Namespace + " " + term.TopologyKey + " " + metav1.FormatLabelSelector(term.LabelSelector)
			if err != nil || !selector.Matches(labels.Set(p.Labels)) || matched <= domains || told[id] {
				continue
			}
			told[id] = true
			found = append(found, about(p, fmt.Sprintf(
				"pods with labels %s keep away from each other by %s: there are %d of them, and the nodes have %d of its values",
				metav1.FormatLabelSelector(term.LabelSelector), term.TopologyKey, matched, domains,
			)))
		}
	}
	return found
}

// spread looks at the constraints that a pod wrote itself. A selector that does not match the pod it belongs to, nor
// any other, counts zero pods everywhere: every node is as good as the others.
func (o *objects) spread() []Finding {
	var found []Finding
	told := map[string]bool{}
	for _, p := range o.waiting() {
		for _, c := range p.Spec.TopologySpreadConstraints {
			if o.domains(c.TopologyKey) == 0 {
				found = append(found, about(p, fmt.Sprintf("spreads by %s, and no node has that label", c.TopologyKey)))
				continue
			}
			if says := o.closedDomain(p, &c); says != "" && !told[p.Namespace+says] {
				told[p.Namespace+says] = true
				found = append(found, about(p, says))
			}
			selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
			if err != nil || len(c.MatchLabelKeys) > 0 || slices.ContainsFunc(o.pods, func(other *corev1.Pod) bool {
				return other.Namespace == p.Namespace && selector.Matches(labels.Set(other.Labels))
			}) {
				continue
			}
			found = append(found, about(p, fmt.Sprintf(
				"spreads pods with labels %s by %s, and no pod of its namespace has them, itself included",
				metav1.FormatLabelSelector(c.LabelSelector), c.TopologyKey,
			)))
		}
	}
	return found
}

// closedDomain describes a domain that stays the emptiest because the pod tolerates none of its nodes, and which counts
// all the same (nodeTaintsPolicy: Ignore, the default; plugin PodTopologySpread, filtering.go): the others fill up to
// the skew, and no further. "": there is none, or the pods are so few that it does not matter.
func (o *objects) closedDomain(p *corev1.Pod, c *corev1.TopologySpreadConstraint) string {
	if c.WhenUnsatisfiable != corev1.DoNotSchedule || len(c.MatchLabelKeys) > 0 ||
		c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor {
		return ""
	}
	open := map[string]bool{}
	required := nodeaffinity.GetRequiredNodeAffinity(p)
	for _, n := range o.nodes {
		value, has := n.Labels[c.TopologyKey]
		fits, err := required.Match(n)
		if err != nil || !has || !fits && ptr.Deref(c.NodeAffinityPolicy, honored) == honored {
			continue
		}
		open[value] = open[value] || fits && tolerates(p, n)
	}
	closed := ""
	for _, value := range slices.Sorted(maps.Keys(open)) {
		if !open[value] {
			closed = value
			break
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
	if err != nil || closed == "" || !selector.Matches(labels.Set(p.Labels)) {
		return ""
	}
	pods, domains := 0, 0
	for _, other := range o.pods {
		if other.Namespace == p.Namespace && selector.Matches(labels.Set(other.Labels)) {
			pods++
		}
	}
	for _, is := range open {
		if is {
			domains++
		}
	}
	if pods <= domains*int(c.MaxSkew) {
		return ""
	}
	return fmt.Sprintf("spreads by %s: domain %s counts, and stays empty, for the pod tolerates the taints of no node in it; "+
		"the %d other domains take at most %d of %d pods each (nodeTaintsPolicy: Honor leaves that domain out)",
		c.TopologyKey, closed, domains, c.MaxSkew, pods)
}

const honored = corev1.NodeInclusionPolicyHonor

// tolerates reports whether no taint keeps a pod off a node.
func tolerates(p *corev1.Pod, n *corev1.Node) bool {
	_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(logr.Discard(), n.Spec.Taints, p.Spec.Tolerations,
		func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }, true)
	return !untolerated
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

// budgets looks at budgets over pods that are there.
func (o *objects) budgets() []Finding {
	var found []Finding
	for _, b := range o.pdbs {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		pods := 0
		for _, p := range o.pods {
			if err == nil && p.Namespace == b.Namespace && selector.Matches(labels.Set(p.Labels)) {
				pods++
			}
		}
		if why := never(b); pods > 0 && why != "" {
			found = append(found, Finding{
				Object: "PodDisruptionBudget " + cluster.Key(b),
				Says:   fmt.Sprintf("%s: none of its pods may be evicted (there are %d)", why, pods),
			})
		}
	}
	return found
}

// never is what of a budget's spec forbids every eviction, however healthy its pods are; "" when nothing does.
func never(b *policyv1.PodDisruptionBudget) string {
	switch most, least := b.Spec.MaxUnavailable, b.Spec.MinAvailable; {
	case most != nil && (most.String() == "0" || most.String() == "0%"):
		return "maxUnavailable is " + most.String()
	case least != nil && least.String() == "100%":
		return "minAvailable is 100%"
	}
	return ""
}

// tooLarge compares each resource with the node that has most of it.
func (o *objects) tooLarge() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		wanted := helpers.PodRequests(p, helpers.PodResourcesOptions{})
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			want, most := wanted[name], corev1.ResourceList{}[name]
			for _, n := range o.nodes {
				if has := n.Status.Allocatable[name]; has.Cmp(most) > 0 {
					most = has
				}
			}
			if want.Cmp(most) > 0 {
				found = append(found, about(p, fmt.Sprintf("requests %s of %s, and no node has more than %s", want.String(),
					name, most.String())))
			}
		}
	}
	return found
}
