package interpodaffinity

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
)

// wish is a term of the pod that is placed. Its namespace selector is replaced by the namespaces that have the labels
// at the time of the cycle; a namespace that is not known has none, and is selected only by the selector of everything.
type wish struct {
	*cluster.AffinityTerm
	anywhere   bool
	namespaces []string // sorted; meaningless when anywhere
}

func (p *Plugin) wish(term *cluster.AffinityTerm, objects *cluster.Objects) wish {
	w := wish{AffinityTerm: term, namespaces: term.Namespaces}
	switch {
	case term.NamespaceSelector.Empty(), p.ways.ResolvedSelectorKept && term.NamespaceSelector.Matches(labels.Set{}):
		w.anywhere = true
		return w
	case labels.MatchesNothing(term.NamespaceSelector):
		return w
	}
	w.namespaces = slices.Clone(term.Namespaces)
	objects.Namespaces.Each(func(n *corev1.Namespace) bool {
		if term.NamespaceSelector.Matches(labels.Set(n.Labels)) {
			w.namespaces = append(w.namespaces, n.Name)
		}
		return true
	})
	slices.Sort(w.namespaces)
	w.namespaces = slices.Compact(w.namespaces)
	return w
}

func (p *Plugin) wishes(terms []cluster.AffinityTerm, objects *cluster.Objects) []wish {
	if len(terms) == 0 {
		return nil
	}
	out := make([]wish, len(terms))
	for i := range terms {
		out[i] = p.wish(&terms[i], objects)
	}
	return out
}

// matches reports whether the wish is about pods of that LabelSet.
func (w *wish) matches(set *cluster.LabelSet) bool {
	if !w.anywhere {
		if _, found := slices.BinarySearch(w.namespaces, set.Namespace); !found {
			return false
		}
	}
	return w.Selector.Matches(set.Labels)
}

// eachSet calls f with the LabelSets of placed pods that the wish is about.
func (w *wish) eachSet(snapshot *cluster.Snapshot, f func(*cluster.LabelSet)) {
	matching := func(set *cluster.LabelSet) bool {
		if w.Selector.Matches(set.Labels) {
			f(set)
		}
		return true
	}
	if w.anywhere {
		snapshot.EachSetAnywhere(matching)
		return
	}
	for _, namespace := range w.namespaces {
		snapshot.EachSet(namespace, matching)
	}
}

// matchAll reports whether there are wishes and all are about pods of that LabelSet: one pod has to fulfil them all.
func matchAll(wishes []wish, set *cluster.LabelSet) bool {
	for i := range wishes {
		if !wishes[i].matches(set) {
			return false
		}
	}
	return len(wishes) > 0
}
