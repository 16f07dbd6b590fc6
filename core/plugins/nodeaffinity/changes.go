package nodeaffinity

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Changes are the labels that would make the node match: one change for each of the pod's terms that labels can meet.
func (c *check) Changes(node *cluster.Node, _ trace.Verdict) []trace.Change {
	labels, ok := map[string]string{}, true
	if c.enforced != nil {
		labels, ok = c.enforced.missing(node, 0)
	}
	if !ok {
		return nil
	}
	var changes []trace.Change
	for term := range max(1, len(c.pod.terms)) {
		own, ok := c.pod.missing(node, term)
		if !ok {
			continue
		}
		maps.Copy(own, labels)
		if change := labelling(own); c.accepts(node, own) && !slices.ContainsFunc(changes, func(known trace.Change) bool {
			return known.Key() == change.Key()
		}) {
			changes = append(changes, change)
		}
	}
	return changes
}

func labelling(labels map[string]string) trace.Change {
	change := trace.Change{Kind: trace.LabelNode}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		change.Parts = append(change.Parts, trace.ChangePart{What: key, To: trace.Text(labels[key])})
	}
	return change
}

// accepts reports whether the node would match with some labels added or replaced. A test compares missing with it.
func (c *check) accepts(node *cluster.Node, labels map[string]string) bool {
	api := *node.API
	api.Labels = maps.Clone(api.Labels)
	if api.Labels == nil {
		api.Labels = map[string]string{}
	}
	maps.Copy(api.Labels, labels)
	labelled := node.Described(&api)
	return len(labels) > 0 && c.pod.matches(labelled) && (c.enforced == nil || c.enforced.matches(labelled))
}

// missing are the labels by which the node would meet the selector and one of the terms; false when labels alone
// cannot do it.
func (r *required) missing(node *cluster.Node, term int) (map[string]string, bool) {
	missing := map[string]string{}
	for i := range r.selector {
		if own := &r.selector[i]; !own.matches(node) {
			missing[own.key] = own.value
		}
	}
	if !r.hasTerms || r.anyTerm(node) {
		return missing, true
	}
	if term >= len(r.terms) || r.terms[term].broken {
		return nil, false
	}
	for i := range r.terms[term].requirements {
		own := &r.terms[term].requirements[i]
		if own.matches(node) {
			continue
		}
		value, ok := own.settable()
		if !ok {
			return nil, false
		}
		missing[own.key] = value
	}
	return missing, true
}

// settable is a value that meets the requirement; false when only taking a label away would, a field decides, or
// the label is the name of the node.
func (r *requirement) settable() (string, bool) {
	switch {
	case r.kind == exactLabel:
		return r.value, true
	case r.kind != byLabel || r.label.Operator() != selection.In || r.key == corev1.LabelHostname:
		return "", false
	}
	return r.label.Values().List()[0], true
}
