package cluster

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/schedstep/schedstep/internal/phrase"
)

// AffinityTerm is one term of a pod's affinity or anti-affinity to other pods, parsed.
type AffinityTerm struct {
	TopologyKey       string
	Selector          labels.Selector
	Namespaces        []string        // sorted, each once; the pod's own when the term names none and selects none
	NamespaceSelector labels.Selector // matches nothing when the term has none
	API               *corev1.PodAffinityTerm
	Text              phrase.Text // in words: "app=web in topology kubernetes.io/hostname"
}

// WeightedAffinityTerm is a preferred term with its weight, 1 to 100.
type WeightedAffinityTerm struct {
	AffinityTerm
	Weight int32
}

// Matches reports whether the term selects pods of that namespace and these labels; namespaceLabels are the labels of
// the namespace itself.
func (t *AffinityTerm) Matches(set *LabelSet, namespaceLabels labels.Set) bool {
	if !t.Selector.Matches(set.Labels) {
		return false
	}
	return t.hasNamespace(set.Namespace) || t.NamespaceSelector.Matches(namespaceLabels)
}

// hasNamespace reports whether the term names the namespace.
func (t *AffinityTerm) hasNamespace(name string) bool {
	_, found := slices.BinarySearch(t.Namespaces, name)
	return found
}

// AffinitySet is a namespace and the affinity terms of a pod in it, shared by every pod that has exactly these terms:
// the pods of one template have one. It is parsed once, and its terms are evaluated once for all of its pods.
type AffinitySet struct {
	ID        int32 // dense from 0, in order of first appearance
	Namespace string

	RequiredAffinity      []AffinityTerm
	RequiredAntiAffinity  []AffinityTerm
	PreferredAffinity     []WeightedAffinityTerm
	PreferredAntiAffinity []WeightedAffinityTerm

	// A list with a term that cannot be parsed is empty, as kube-scheduler 1.37 has it; these are the errors.
	RequiredAffinityErr     error
	RequiredAntiAffinityErr error
	Err                     error // all four lists' errors in kube-scheduler's words

	reach int32 // 1 + the number of Namespace when no term reaches beyond it, else reachBeyond
}

// reachBeyond marks an AffinitySet with terms that may select pods of other namespaces.
const reachBeyond int32 = 0

// affinitySet is the shared AffinitySet of a pod; nil for one without affinity or anti-affinity to pods. Two are equal
// when the namespace and the terms are, byte by byte in the wire format, which writes maps in the order of keys.
func (s *State) affinitySet(api *corev1.Pod) *AffinitySet {
	a := api.Spec.Affinity
	if a == nil || a.PodAffinity == nil && a.PodAntiAffinity == nil {
		return nil
	}
	key := append([]byte(api.Namespace), 0)
	key = appendTerms(key, a.PodAffinity)
	key = appendTerms(key, a.PodAntiAffinity)
	if set, ok := s.affinities.Get(string(key)); ok {
		return set
	}
	set := newAffinitySet(api.Namespace, a)
	set.ID = int32(s.affinities.Len())
	if set.isLocal() {
		set.reach = 1 + s.where.namespace(set.Namespace)
	}
	s.affinities.Set(string(key), set)
	return set
}

// wired is a part of an API object that knows its wire format.
type wired interface {
	Size() int
	Marshal() ([]byte, error)
}

// appendTerms adds the length and the bytes of a part; a nil part has the bytes of an empty one.
func appendTerms(key []byte, part wired) []byte {
	size := part.Size()
	key = binary.AppendUvarint(key, uint64(size))
	if size == 0 {
		return key
	}
	bytes, err := part.Marshal()
	if err != nil {
		panic("an API object that was read cannot be written: " + err.Error())
	}
	return append(key, bytes...)
}

func newAffinitySet(namespace string, a *corev1.Affinity) *AffinitySet {
	set := &AffinitySet{Namespace: namespace}
	var preferredErr, preferredAntiErr error
	if p := a.PodAffinity; p != nil {
		set.RequiredAffinity, set.RequiredAffinityErr = affinityTerms(
			namespace, p.RequiredDuringSchedulingIgnoredDuringExecution,
		)
		set.PreferredAffinity, preferredErr = weightedTerms(namespace, p.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if p := a.PodAntiAffinity; p != nil {
		set.RequiredAntiAffinity, set.RequiredAntiAffinityErr = affinityTerms(
			namespace, p.RequiredDuringSchedulingIgnoredDuringExecution,
		)
		set.PreferredAntiAffinity, preferredAntiErr = weightedTerms(
			namespace, p.PreferredDuringSchedulingIgnoredDuringExecution,
		)
	}
	var errs []error
	add := func(list string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", list, err))
		}
	}
	add("requiredAffinityTerms", set.RequiredAffinityErr)
	add("requiredAntiAffinityTerms", set.RequiredAntiAffinityErr)
	add("preferredAffinityTerms", preferredErr)
	add("preferredAntiAffinityTerms", preferredAntiErr)
	if len(errs) > 0 {
		set.Err = utilerrors.NewAggregate(errs)
	}
	return set
}

// isLocal reports whether every term selects pods of the set's own namespace only.
func (s *AffinitySet) isLocal() bool {
	local := func(t *AffinityTerm) bool {
		return labels.MatchesNothing(t.NamespaceSelector) &&
			!slices.ContainsFunc(t.Namespaces, func(n string) bool { return n != s.Namespace })
	}
	for _, terms := range [][]AffinityTerm{s.RequiredAffinity, s.RequiredAntiAffinity} {
		for i := range terms {
			if !local(&terms[i]) {
				return false
			}
		}
	}
	for _, terms := range [][]WeightedAffinityTerm{s.PreferredAffinity, s.PreferredAntiAffinity} {
		for i := range terms {
			if !local(&terms[i].AffinityTerm) {
				return false
			}
		}
	}
	return true
}

func affinityTerms(namespace string, terms []corev1.PodAffinityTerm) ([]AffinityTerm, error) {
	out := make([]AffinityTerm, 0, len(terms))
	for i := range terms {
		t, err := affinityTerm(namespace, &terms[i])
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func weightedTerms(namespace string, terms []corev1.WeightedPodAffinityTerm) ([]WeightedAffinityTerm, error) {
	out := make([]WeightedAffinityTerm, 0, len(terms))
	for i := range terms {
		t, err := affinityTerm(namespace, &terms[i].PodAffinityTerm)
		if err != nil {
			return nil, err
		}
		out = append(out, WeightedAffinityTerm{AffinityTerm: t, Weight: terms[i].Weight})
	}
	return out, nil
}

func affinityTerm(namespace string, term *corev1.PodAffinityTerm) (AffinityTerm, error) {
	selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
	if err != nil {
		return AffinityTerm{}, err
	}
	namespaceSelector, err := metav1.LabelSelectorAsSelector(term.NamespaceSelector)
	if err != nil {
		return AffinityTerm{}, err
	}
	namespaces := slices.Clone(term.Namespaces)
	if len(namespaces) == 0 && term.NamespaceSelector == nil {
		namespaces = []string{namespace}
	}
	slices.Sort(namespaces)
	namespaces = slices.Compact(namespaces)
	t := AffinityTerm{
		TopologyKey: term.TopologyKey, Selector: selector,
		Namespaces: namespaces, NamespaceSelector: namespaceSelector, API: term,
	}
	t.Text = t.text(namespace)
	return t, nil
}

// text is the term in words; the namespaces are left out when they are the pod's own.
func (t *AffinityTerm) text(namespace string) phrase.Text {
	parts := []phrase.Phrase{phrase.New("%s", t.Selector.String())}
	switch {
	case labels.MatchesNothing(t.Selector):
		parts[0] = phrase.New("no pod")
	case t.Selector.Empty():
		parts[0] = phrase.New("any pod")
	}
	if len(t.Namespaces) > 1 || len(t.Namespaces) == 1 && t.Namespaces[0] != namespace {
		parts = append(parts, phrase.New(" of namespace %s", strings.Join(t.Namespaces, " or ")))
	}
	switch {
	case labels.MatchesNothing(t.NamespaceSelector):
	case t.NamespaceSelector.Empty():
		parts = append(parts, phrase.New(" of any namespace"))
	default:
		parts = append(parts, phrase.New(" of namespaces with %s", t.NamespaceSelector.String()))
	}
	return phrase.Join("", append(parts, phrase.New(" in topology %s", t.TopologyKey))...).Text()
}
