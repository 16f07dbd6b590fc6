package scenario

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// nodeChoiceWords are the words by which a pod chooses among nodes.
func nodeChoiceWords() []word[corev1.Pod] {
	return []word[corev1.Pod]{
		{name: "node-selector", value: "KEY=VALUE,...", does: "spec.nodeSelector.", read: nodeSelector},
		{
			name: "node-affinity", value: "CONDITION,...",
			does: "A required term; several are alternatives. `metadata.name=N` names a node.", many: true,
			clear: func(p *corev1.Pod) { nodeAffinity(p).RequiredDuringSchedulingIgnoredDuringExecution = nil },
			read:  requiredNodes,
		},
		{
			name: "prefer-node", value: "WEIGHT*CONDITION,...", does: "A preferred term.", many: true,
			clear: func(p *corev1.Pod) { nodeAffinity(p).PreferredDuringSchedulingIgnoredDuringExecution = nil },
			read:  preferredNodes,
		},
	}
}

// affinityWords are the words by which pods choose each other's company.
func affinityWords() []word[corev1.Pod] {
	const term = "SELECTOR@TOPOLOGY[@OPTION...]"
	return []word[corev1.Pod]{
		{
			name: "affinity", value: term,
			does: "Must be with such pods. Options: `ns=a|b` names namespaces, `ns-labels=CONDITION,...` selects them, " +
				"`match-label-keys=a|b` and `mismatch-label-keys=a|b` take conditions from the pod's own labels.",
			many: true, clear: func(p *corev1.Pod) {
				podAffinity(p).RequiredDuringSchedulingIgnoredDuringExecution = nil
			}, read: func(v string) (func(*corev1.Pod), error) {
				t, err := affinityTerm(v)
				return func(p *corev1.Pod) { add(&podAffinity(p).RequiredDuringSchedulingIgnoredDuringExecution, t) }, err
			},
		},
		{name: "anti-affinity", value: term, does: "Must not be with such pods.", many: true, clear: func(p *corev1.Pod) {
			antiAffinity(p).RequiredDuringSchedulingIgnoredDuringExecution = nil
		}, read: func(v string) (func(*corev1.Pod), error) {
			t, err := affinityTerm(v)
			return func(p *corev1.Pod) { add(&antiAffinity(p).RequiredDuringSchedulingIgnoredDuringExecution, t) }, err
		}},
		{name: "prefer-affinity", value: "WEIGHT*" +
			term, does: "Would like to be with such pods.", many: true, clear: func(p *corev1.Pod) {
			podAffinity(p).PreferredDuringSchedulingIgnoredDuringExecution = nil
		}, read: func(v string) (func(*corev1.Pod), error) {
			t, err := weightedTerm(v)
			return func(p *corev1.Pod) { add(&podAffinity(p).PreferredDuringSchedulingIgnoredDuringExecution, t) }, err
		}},
		{name: "prefer-anti-affinity", value: "WEIGHT*" +
			term, does: "Would like not to be with such pods.", many: true, clear: func(p *corev1.Pod) {
			antiAffinity(p).PreferredDuringSchedulingIgnoredDuringExecution = nil
		}, read: func(v string) (func(*corev1.Pod), error) {
			t, err := weightedTerm(v)
			return func(p *corev1.Pod) { add(&antiAffinity(p).PreferredDuringSchedulingIgnoredDuringExecution, t) }, err
		}},
		{
			name: "spread", value: term,
			does: "A topology spread constraint, DoNotSchedule with maxSkew 1 unless it says so. Options: `max-skew=N`, " +
				"`ScheduleAnyway`, `min-domains=N`, `node-affinity=Honor` or `=Ignore`, `node-taints=` likewise, " +
				"`match-label-keys=a|b`.",
			many: true, clear: func(p *corev1.Pod) {
				p.Spec.TopologySpreadConstraints = nil
			}, read: func(v string) (func(*corev1.Pod), error) {
				c, err := spreadConstraint(v)
				return func(p *corev1.Pod) { add(&p.Spec.TopologySpreadConstraints, c) }, err
			},
		},
	}
}

// add appends what was read; an empty word reads nothing.
func add[T corev1.PodAffinityTerm | corev1.WeightedPodAffinityTerm | corev1.TopologySpreadConstraint](to *[]T, one *T) {
	if one != nil {
		*to = append(*to, *one)
	}
}

func affinityOf(p *corev1.Pod) *corev1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	return p.Spec.Affinity
}

func nodeAffinity(p *corev1.Pod) *corev1.NodeAffinity {
	a := affinityOf(p)
	if a.NodeAffinity == nil {
		a.NodeAffinity = &corev1.NodeAffinity{}
	}
	return a.NodeAffinity
}

func podAffinity(p *corev1.Pod) *corev1.PodAffinity {
	a := affinityOf(p)
	if a.PodAffinity == nil {
		a.PodAffinity = &corev1.PodAffinity{}
	}
	return a.PodAffinity
}

func antiAffinity(p *corev1.Pod) *corev1.PodAntiAffinity {
	a := affinityOf(p)
	if a.PodAntiAffinity == nil {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{}
	}
	return a.PodAntiAffinity
}

func nodeSelector(v string) (func(*corev1.Pod), error) {
	labels := map[string]string{}
	for part := range parts(v, ",") {
		key, value, has := strings.Cut(part, "=")
		if !has || key == "" {
			return nil, phrase.Errorf("%q is no label (want key=value)", part)
		}
		labels[longLabel(key)] = value
	}
	return func(p *corev1.Pod) { p.Spec.NodeSelector = labels }, nil
}

func requiredNodes(v string) (func(*corev1.Pod), error) {
	term, err := nodeTerm(v)
	return func(p *corev1.Pod) {
		a := nodeAffinity(p)
		if v == "" {
			return
		}
		if a.RequiredDuringSchedulingIgnoredDuringExecution == nil {
			a.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{}
		}
		terms := &a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		*terms = append(*terms, term)
	}, err
}

func preferredNodes(v string) (func(*corev1.Pod), error) {
	if v == "" {
		return func(*corev1.Pod) {}, nil
	}
	weight, rest, err := weighted(v)
	if err != nil {
		return nil, err
	}
	term, err := nodeTerm(rest)
	return func(p *corev1.Pod) {
		terms := &nodeAffinity(p).PreferredDuringSchedulingIgnoredDuringExecution
		*terms = append(*terms, corev1.PreferredSchedulingTerm{Weight: weight, Preference: term})
	}, err
}

// weighted splits WEIGHT*REST.
func weighted(v string) (int32, string, error) {
	number, rest, has := strings.Cut(v, "*")
	n, err := integer(number)
	if !has || err != nil {
		return 0, "", phrase.Errorf("%q has no weight (want 10*...)", v)
	}
	return int32(n), rest, nil
}

// affinityTerm reads SELECTOR@TOPOLOGY@OPTION...; nothing for "".
func affinityTerm(v string) (*corev1.PodAffinityTerm, error) {
	if v == "" {
		return nil, nil
	}
	selector, topology, options, err := companions(v)
	if err != nil {
		return nil, err
	}
	term := &corev1.PodAffinityTerm{LabelSelector: selector, TopologyKey: topology}
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "ns":
			term.Namespaces = list(value)
		case "ns-labels":
			if term.NamespaceSelector, err = labelSelector(value); err != nil {
				return nil, err
			}
		case "match-label-keys":
			term.MatchLabelKeys = list(value)
		case "mismatch-label-keys":
			term.MismatchLabelKeys = list(value)
		default:
			return nil, unknownOption(key, []string{"ns", "ns-labels", "match-label-keys", "mismatch-label-keys"})
		}
	}
	return term, nil
}

func weightedTerm(v string) (*corev1.WeightedPodAffinityTerm, error) {
	if v == "" {
		return nil, nil
	}
	weight, rest, err := weighted(v)
	if err != nil {
		return nil, err
	}
	term, err := affinityTerm(rest)
	if err != nil || term == nil {
		return nil, err
	}
	return &corev1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: *term}, nil
}

func spreadConstraint(v string) (*corev1.TopologySpreadConstraint, error) {
	if v == "" {
		return nil, nil
	}
	selector, topology, options, err := companions(v)
	if err != nil {
		return nil, err
	}
	c := &corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: topology, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selector,
	}
	for _, option := range options {
		if err := spreadOption(c, option); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func spreadOption(c *corev1.TopologySpreadConstraint, option string) error {
	key, value, _ := strings.Cut(option, "=")
	switch key {
	case "ScheduleAnyway", "DoNotSchedule":
		c.WhenUnsatisfiable = corev1.UnsatisfiableConstraintAction(key)
	case "max-skew", "min-domains":
		n, err := integer(value)
		if err != nil || n < 1 {
			return phrase.Errorf("%s: %q is no number above 0", key, value)
		}
		if key == "max-skew" {
			c.MaxSkew = int32(n)
		} else {
			c.MinDomains = ptr.To(int32(n))
		}
	case "node-affinity", "node-taints":
		policy := corev1.NodeInclusionPolicy(value)
		if policy != corev1.NodeInclusionPolicyHonor && policy != corev1.NodeInclusionPolicyIgnore {
			return phrase.Errorf("%s: %q is no policy (want Honor or Ignore)", key, value)
		}
		if key == "node-affinity" {
			c.NodeAffinityPolicy = &policy
		} else {
			c.NodeTaintsPolicy = &policy
		}
	case "match-label-keys":
		c.MatchLabelKeys = list(value)
	default:
		return unknownOption(key, []string{
			"ScheduleAnyway", "DoNotSchedule", "max-skew", "min-domains", "node-affinity", "node-taints",
			"match-label-keys",
		})
	}
	return nil
}

func unknownOption(key string, known []string) error {
	return phrase.Errorf("unknown option %q%s", key, spelling.Hint(key, known))
}

// companions reads the part that affinity and spreading have in common.
func companions(v string) (selector *metav1.LabelSelector, topology string, options []string, err error) {
	pieces := strings.Split(v, "@")
	if len(pieces) < 2 || pieces[1] == "" {
		return nil, "", nil, phrase.Errorf("%q names no topology (want app=web@zone or app=web@kubernetes.io/hostname)", v)
	}
	selector, err = labelSelector(pieces[0])
	return selector, longLabel(pieces[1]), pieces[2:], err
}
