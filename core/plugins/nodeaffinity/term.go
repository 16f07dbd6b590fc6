package nodeaffinity

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// required is what a node must have: every requirement of the selector, and one of the terms. The staging library's own
// form of it returns yes or no and builds a map for every node; this one also finds what failed, and allocates only
// then. A test compares the two.
type required struct {
	selector []requirement // in the order of keys
	terms    []term
	hasTerms bool // false: the terms require nothing; true without terms: no node will do
}

// term is one term of a node selector: all of its requirements hold, or the term does not.
type term struct {
	requirements []requirement
	broken       bool // it cannot be parsed and matches no node
}

// preference is a term that makes a node better.
type preference struct {
	term
	weight int64
}

// requirement is one comparison with a label or a field of a node.
type requirement struct {
	want string // "in (ssd, nvme)"
	key  string

	label *labels.Requirement // nil: a selector's exact value, or a field
	value string
	kind  requirementKind
}

type requirementKind uint8

const (
	byLabel    requirementKind = iota // by the requirement's label
	exactLabel                        // the label is there and has the value
	sameField                         // the field has the value
	otherField                        // the field has another value
)

// parseRequired reads a pod's nodeSelector and required node affinity; either may be missing.
func parseRequired(nodeSelector map[string]string, selector *corev1.NodeSelector) required {
	r := required{terms: parseTerms(selector), hasTerms: selector != nil}
	if len(nodeSelector) == 0 {
		return r
	}
	r.selector = make([]requirement, 0, len(nodeSelector))
	for _, key := range slices.Sorted(maps.Keys(nodeSelector)) {
		value := nodeSelector[key]
		r.selector = append(
			r.selector, requirement{want: value, key: key, value: value, kind: exactLabel},
		)
	}
	return r
}

// parseTerms leaves out empty terms, which match nothing.
func parseTerms(selector *corev1.NodeSelector) []term {
	if selector == nil {
		return nil
	}
	terms := make([]term, 0, len(selector.NodeSelectorTerms))
	for i := range selector.NodeSelectorTerms {
		if !empty(&selector.NodeSelectorTerms[i]) {
			terms = append(terms, parseTerm(&selector.NodeSelectorTerms[i]))
		}
	}
	return terms
}

// parsePreferences leaves out empty terms and those with weight 0.
func parsePreferences(terms []corev1.PreferredSchedulingTerm) []preference {
	preferences := make([]preference, 0, len(terms))
	for i := range terms {
		t := &terms[i]
		if t.Weight != 0 && !empty(&t.Preference) {
			preferences = append(preferences, preference{term: parseTerm(&t.Preference), weight: int64(t.Weight)})
		}
	}
	return preferences
}

func empty(t *corev1.NodeSelectorTerm) bool {
	return len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0
}

var labelOperators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
	corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
}

func parseTerm(t *corev1.NodeSelectorTerm) term {
	parsed := term{requirements: make([]requirement, 0, len(t.MatchExpressions)+len(t.MatchFields))}
	for i := range t.MatchExpressions {
		e := &t.MatchExpressions[i]
		operator, known := labelOperators[e.Operator]
		label, err := labels.NewRequirement(e.Key, operator, e.Values)
		if !known || err != nil {
			parsed.broken = true
			return parsed
		}
		parsed.requirements = append(
			parsed.requirements, requirement{want: words(e), key: e.Key, label: label},
		)
	}
	for i := range t.MatchFields {
		e := &t.MatchFields[i]
		kind, known := fieldOperators[e.Operator]
		if !known || len(e.Values) != 1 {
			parsed.broken = true
			return parsed
		}
		parsed.requirements = append(parsed.requirements, requirement{
			want: words(e), key: e.Key, value: e.Values[0], kind: kind,
		})
	}
	return parsed
}

var fieldOperators = map[corev1.NodeSelectorOperator]requirementKind{
	corev1.NodeSelectorOpIn: sameField, corev1.NodeSelectorOpNotIn: otherField,
}

// words is the expression as text: "in (a, b)", "not in (a)", "present", "absent", "> 4", "< 4".
func words(e *corev1.NodeSelectorRequirement) string {
	values := strings.Join(e.Values, ", ")
	switch e.Operator {
	case corev1.NodeSelectorOpIn:
		return "in (" + values + ")"
	case corev1.NodeSelectorOpNotIn:
		return "not in (" + values + ")"
	case corev1.NodeSelectorOpExists:
		return "present"
	case corev1.NodeSelectorOpDoesNotExist:
		return "absent"
	case corev1.NodeSelectorOpGt:
		return "> " + values
	case corev1.NodeSelectorOpLt:
		return "< " + values
	}
	return string(e.Operator) + " " + values
}

// matches reports whether the node has all that is required.
func (r *required) matches(node *cluster.Node) bool {
	for i := range r.selector {
		if !r.selector[i].matches(node) {
			return false
		}
	}
	if !r.hasTerms {
		return true
	}
	for i := range r.terms {
		if r.terms[i].matches(node) {
			return true
		}
	}
	return false
}

// matches reports whether the node meets every requirement.
func (t *term) matches(node *cluster.Node) bool {
	if t.broken {
		return false
	}
	for i := range t.requirements {
		if !t.requirements[i].matches(node) {
			return false
		}
	}
	return true
}

// matches compares with one label or field. A node without a name has no fields, and those meet everything.
func (r *requirement) matches(node *cluster.Node) bool {
	switch r.kind {
	case exactLabel:
		value, ok := node.API.Labels[r.key]
		return ok && value == r.value
	case sameField:
		return node.Name == "" || r.field(node) == r.value
	case otherField:
		return node.Name == "" || r.field(node) != r.value
	}
	return r.label.Matches(labels.Set(node.API.Labels))
}

// field is the node's field; metadata.name is the only one there is.
func (r *requirement) field(node *cluster.Node) string {
	if r.key == metav1.ObjectNameField {
		return node.Name
	}
	return ""
}

// why lists what the node fails: the selector's keys, and the first failing requirement of each term.
func (r *required) why(node *cluster.Node, room *trace.Room) []trace.Evidence {
	evidence := room.Evidence(r.pieces(node))
	for i := range r.selector {
		if !r.selector[i].matches(node) {
			evidence = append(evidence, r.selector[i].evidence(node))
		}
	}
	if !r.hasTerms || r.anyTerm(node) {
		return evidence
	}
	if len(r.terms) == 0 {
		return append(evidence, trace.Evidence{
			What: "required node affinity", Want: trace.Words("one of its terms to match"),
			Have: trace.Words("no term that can"),
		})
	}
	for i := range r.terms {
		e := r.terms[i].why(node)
		if len(r.terms) > 1 {
			e.Term = uint16(i + 1)
		}
		evidence = append(evidence, e)
	}
	return evidence
}

// pieces is how many pieces of evidence why lists.
func (r *required) pieces(node *cluster.Node) int {
	n := 0
	for i := range r.selector {
		if !r.selector[i].matches(node) {
			n++
		}
	}
	if r.hasTerms && !r.anyTerm(node) {
		n += max(1, len(r.terms))
	}
	return n
}

func (r *required) anyTerm(node *cluster.Node) bool {
	for i := range r.terms {
		if r.terms[i].matches(node) {
			return true
		}
	}
	return false
}

// why is the first requirement that the node fails.
func (t *term) why(node *cluster.Node) trace.Evidence {
	if !t.broken {
		for i := range t.requirements {
			if !t.requirements[i].matches(node) {
				return t.requirements[i].evidence(node)
			}
		}
	}
	return trace.Evidence{
		What: "node selector term", Want: trace.Words("a term that can be read"),
		Have: trace.Words("an operator or value that cannot"),
	}
}

func (r *requirement) evidence(node *cluster.Node) trace.Evidence {
	e := trace.Evidence{Topic: r.topic(), What: phrase.Text(r.key), Want: trace.Text(r.want), Have: trace.Absent("absent")}
	if e.Topic == trace.OfField {
		e.Have = trace.Text(r.field(node))
	} else if value, ok := node.API.Labels[r.key]; ok {
		e.Have = trace.Text(value)
	}
	return e
}

func (r *requirement) topic() trace.Topic {
	switch r.kind {
	case sameField, otherField:
		return trace.OfField
	case exactLabel:
		return trace.OfLabel
	case byLabel:
	}
	return trace.OfExpression
}

// namedNodes is the union of the nodes that the terms name, sorted; false when some term names none, so that every
// node may match.
func namedNodes(selector *corev1.NodeSelector) ([]string, bool) {
	if selector == nil || len(selector.NodeSelectorTerms) == 0 {
		return nil, false
	}
	names := []string{}
	for i := range selector.NodeSelectorTerms {
		inTerm, named := namedIn(selector.NodeSelectorTerms[i].MatchFields)
		if !named {
			return nil, false
		}
		names = append(names, inTerm...)
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// namedIn is the intersection of the node names that the requirements list.
func namedIn(fields []corev1.NodeSelectorRequirement) (names []string, named bool) {
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Key != metav1.ObjectNameField || f.Operator != corev1.NodeSelectorOpIn:
		case !named:
			names, named = slices.Clone(f.Values), true
		default:
			names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(f.Values, name) })
		}
	}
	return names, named
}
