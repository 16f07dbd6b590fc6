package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	helpers "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// tooLarge compares each resource with the node that has most of it, then all together with every node.
func (o *objects) tooLarge() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		wanted := helpers.PodRequests(p, helpers.PodResourcesOptions{})
		names := slices.Sorted(maps.Keys(wanted))
		alone := len(found)
		for _, name := range names {
			want, most := wanted[name], corev1.ResourceList{}[name]
			for _, n := range o.nodes {
				if has := n.Status.Allocatable[name]; has.Cmp(most) > 0 {
					most = has
				}
			}
			if want.Cmp(most) > 0 {
				found = append(found, about(p, phrase.Textf("requests %s of %s, and no node has more than %s", want.String(),
					name, most.String())))
			}
		}
		if len(found) == alone && len(names) > 1 && !slices.ContainsFunc(o.nodes, func(n *corev1.Node) bool {
			return holds(n.Status.Allocatable, wanted)
		}) {
			found = append(found, about(p, phrase.Textf("requests %s, and no node has all of that", written(wanted, names))))
		}
	}
	return found
}

// holds reports whether an empty node of that size has all that is wanted.
func holds(has, wanted corev1.ResourceList) bool {
	for name, want := range wanted {
		if have := has[name]; want.Cmp(have) > 0 {
			return false
		}
	}
	return true
}

// written is what is wanted, in the order of names.
func written(wanted corev1.ResourceList, names []corev1.ResourceName) string {
	parts := make([]string, len(names))
	for i, name := range names {
		want := wanted[name]
		parts[i] = want.String() + " " + string(name)
	}
	return strings.Join(parts, ", ")
}

// bars is the first taint that keeps a pod off a node, as text; "" when none does. A cordon is the taint that stands
// for it, as the NodeUnschedulable plugin takes it. Tolerations that compare are not taken for what they are while
// their feature gate is off; here they tolerate, because that is the milder finding.
func bars(p *corev1.Pod, n *corev1.Node) string {
	repels := func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}
	taint, barred := corev1helpers.FindMatchingUntoleratedTaint(
		logr.Discard(), n.Spec.Taints, p.Spec.Tolerations, repels, true,
	)
	if barred {
		return cluster.TaintText(&taint)
	}
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	if n.Spec.Unschedulable && !corev1helpers.TolerationsTolerateTaint(
		logr.Discard(), p.Spec.Tolerations, &cordon, true,
	) {
		return cluster.TaintText(&cordon)
	}
	return ""
}

// tainted looks at the nodes that the pod's selectors allow. A pod for which there is none is another rule's.
func (o *objects) tainted() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		required := nodeaffinity.GetRequiredNodeAffinity(p)
		var taints []string
		allowed, free := 0, false
		for _, n := range o.nodes {
			if fits, err := required.Match(n); !fits || err != nil {
				continue
			}
			allowed++
			taint := bars(p, n)
			if taint == "" {
				free = true
				break
			}
			if !slices.Contains(taints, taint) {
				taints = append(taints, taint)
			}
		}
		if free || allowed == 0 {
			continue
		}
		slices.Sort(taints)
		says := phrase.Textf("does not tolerate a taint of any node that it may choose: %s", phrase.Names(taints))
		if t := near(p, taints); t != "" {
			says = phrase.Textf(
				"does not tolerate a taint of any node that it may choose: %s; what it tolerates is %s", phrase.Names(taints), t,
			)
		}
		found = append(found, about(p, says))
	}
	return found
}

// platform begins the keys that every pod tolerates for a time, because admission writes it so.
const platform = "node.kubernetes.io/"

// near names the toleration that was probably meant for one of these taints: the key is the same, and value or effect
// is not; "": there is none.
func near(p *corev1.Pod, taints []string) string {
	for i := range p.Spec.Tolerations {
		t := &p.Spec.Tolerations[i]
		if t.Key == "" || strings.HasPrefix(t.Key, platform) {
			continue
		}
		for _, taint := range taints {
			if key, _, _ := strings.Cut(strings.SplitN(taint, ":", 2)[0], "="); key == t.Key {
				return tolerated(t)
			}
		}
	}
	return ""
}

// tolerated is a toleration as the taint that it means.
func tolerated(t *corev1.Toleration) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	if t.Effect != "" {
		text += ":" + string(t.Effect)
	}
	return text
}
