package lint

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// domain is a value of a constraint's key while pods are spread over it.
type domain struct {
	pods   int    // that count
	usable bool   // the pod may use a node of it
	node   string // one that it may not use
	why    closed
	taint  string
}

// closed is why a pod may not use a node that counts for its constraint.
type closed int

const (
	byTaint closed = iota
	byCordon
	bySelection
)

// trapped describes the first waiting pod of those that spread alike. PodTopologySpread counts a domain as long as one
// node of it takes part, also a node that the pod may not use: nodeTaintsPolicy is Ignore unless it is set (1.37). The
// count of such a domain does not grow, and maxSkew above it is all that the other domains may hold.
func (o *objects) trapped() []Finding {
	var found []Finding
	told := map[string]bool{}
	for _, p := range o.waiting() {
		for i := range p.Spec.TopologySpreadConstraints {
			c := &p.Spec.TopologySpreadConstraints[i]
			selector, ok := selectorOf(p, c)
			id := p.Namespace + " " + c.TopologyKey + " " + selector.String()
			if c.WhenUnsatisfiable != corev1.DoNotSchedule || !ok || !selector.Matches(labels.Set(p.Labels)) || told[id] {
				continue
			}
			told[id] = true
			if says := o.trap(p, c, selector); says != "" {
				found = append(found, about(p, says))
			}
		}
	}
	return found
}

// selectorOf is the selector of a constraint with the values of its matchLabelKeys; false where it selects nothing.
func selectorOf(p *corev1.Pod, c *corev1.TopologySpreadConstraint) (labels.Selector, bool) {
	selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
	if err != nil {
		return labels.Nothing(), false
	}
	requirements, selectable := selector.Requirements()
	if !selectable {
		return selector, false
	}
	own := labels.Set{}
	for _, key := range c.MatchLabelKeys {
		if value, has := p.Labels[key]; has {
			own[key] = value
		}
	}
	return labels.SelectorFromSet(own).Add(requirements...), true
}

// trap is how a constraint holds back pods for good; "" where it does not.
func (o *objects) trap(p *corev1.Pod, c *corev1.TopologySpreadConstraint, selector labels.Selector) phrase.Text {
	domains := o.domainsOf(p, c, selector)
	names := slices.Sorted(maps.Keys(domains))
	lowest, shut := 0, ""
	few := c.MinDomains != nil && int(*c.MinDomains) > len(domains)
	for _, name := range names {
		if d := domains[name]; !d.usable && (shut == "" || d.pods < lowest) {
			lowest, shut = d.pods, name
		}
	}
	if few {
		lowest = 0
	}
	waiting, room, open := o.matching(p.Namespace, selector), 0, 0
	for _, d := range domains {
		if d.usable {
			open++
			room += max(0, lowest+int(c.MaxSkew)-d.pods)
		}
	}
	if open == 0 || waiting <= room || shut == "" && !few {
		return ""
	}
	if few {
		return phrase.Textf(
			"wants %d domains of %s at least (minDomains), and the nodes have %d: at most %d of %d waiting pods fit",
			*c.MinDomains, c.TopologyKey, len(domains), room, waiting,
		)
	}
	return sentence(c.TopologyKey, shut, domains[shut], room, waiting)
}

func sentence(key, name string, d *domain, room, waiting int) phrase.Text {
	switch d.why {
	case bySelection:
		return phrase.Textf(
			"spreads by %s, and domain %s counts, whose node %s does not match the pod's node selection: at most %d of %d "+
				"waiting pods fit (nodeAffinityPolicy: Honor leaves the domain out)", key, name, d.node, room, waiting,
		)
	case byCordon:
		return phrase.Textf(
			"spreads by %s, and domain %s counts, whose node %s is cordoned: at most %d of %d waiting pods fit",
			key, name, d.node, room, waiting,
		)
	case byTaint:
	}
	return phrase.Textf(
		"spreads by %s, and domain %s counts, whose node %s has the taint %s, which the pod does not tolerate: at most %d "+
			"of %d waiting pods fit (nodeTaintsPolicy: Honor leaves the domain out)", key, name, d.node, d.taint, room, waiting,
	)
}

// matching counts the pods without a node that a selector means.
func (o *objects) matching(namespace string, selector labels.Selector) int {
	n := 0
	for _, p := range o.pods {
		if p.Spec.NodeName == "" && p.Namespace == namespace && selector.Matches(labels.Set(p.Labels)) {
			n++
		}
	}
	return n
}

// domainsOf are the domains that count for a constraint of a pod, with the pods in them. A node takes part that has the
// keys of all its constraints that forbid nodes, and that the two policies of the constraint let in.
func (o *objects) domainsOf(
	p *corev1.Pod, c *corev1.TopologySpreadConstraint, selector labels.Selector,
) map[string]*domain {
	required := nodeaffinity.GetRequiredNodeAffinity(p)
	domains, of := map[string]*domain{}, map[string]*domain{}
	for _, n := range o.nodes {
		fits, _ := required.Match(n)
		taint := bars(p, n)
		if !hasKeys(p, n) || !fits && honors(c.NodeAffinityPolicy, true) ||
			taint != "" && honors(c.NodeTaintsPolicy, false) && !onlyCordoned(n, taint) {
			continue
		}
		name := n.Labels[c.TopologyKey]
		d := domains[name]
		if d == nil {
			d = &domain{}
			domains[name] = d
		}
		of[n.Name] = d
		switch {
		case fits && taint == "":
			d.usable = true
		case d.node != "":
		case !fits:
			d.node, d.why = n.Name, bySelection
		case onlyCordoned(n, taint):
			d.node, d.why = n.Name, byCordon
		default:
			d.node, d.why, d.taint = n.Name, byTaint, taint
		}
	}
	for _, other := range o.pods {
		if d := of[other.Spec.NodeName]; d != nil && other.Namespace == p.Namespace &&
			selector.Matches(labels.Set(other.Labels)) {
			d.pods++
		}
	}
	return domains
}

// honors reports whether a policy is Honor; without one it is the default of its kind.
func honors(policy *corev1.NodeInclusionPolicy, without bool) bool {
	if policy == nil {
		return without
	}
	return *policy == corev1.NodeInclusionPolicyHonor
}

// onlyCordoned reports whether a node that is closed by that taint does not have it: it is cordoned, and no controller
// has written the taint.
func onlyCordoned(n *corev1.Node, taint string) bool {
	return !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return cluster.TaintText(&t) == taint })
}

// hasKeys reports whether a node has the keys of all constraints that forbid nodes to the pod.
func hasKeys(p *corev1.Pod, n *corev1.Node) bool {
	return !slices.ContainsFunc(p.Spec.TopologySpreadConstraints, func(c corev1.TopologySpreadConstraint) bool {
		_, has := n.Labels[c.TopologyKey]
		return c.WhenUnsatisfiable == corev1.DoNotSchedule && !has
	})
}
