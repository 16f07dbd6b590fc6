package input

import (
	"cmp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// leftOut lists, in one sentence for each reason, what was understood and left out.
func (in *Input) leftOut() []phrase.Text {
	var reasons []phrase.Text
	counts := map[phrase.Text][]string{}
	for _, l := range in.left {
		if counts[l.Why] == nil {
			reasons = append(reasons, l.Why)
		}
		counts[l.Why] = append(counts[l.Why], importer.LeftOut{What: l.What, Count: l.Count}.String())
	}
	slices.SortFunc(reasons, func(a, b phrase.Text) int { return cmp.Compare(a.String(), b.String()) })
	var out []phrase.Text
	for _, why := range reasons {
		what := strings.Join(counts[why], ", ")
		if why == "" {
			why = "the scheduler reads none of them"
		}
		out = append(out, phrase.Textf("left out: %s (%s)", what, why))
	}
	if controllers := in.controllers(); controllers != "" && !in.hasPods() {
		out = append(out, phrase.Textf("there is no pod in the input, and none is made of %s "+
			"(--from-templates makes those of a running cluster)", controllers))
	}
	return out
}

// controllers counts the objects whose controller would make pods.
func (in *Replay) controllers() phrase.Text {
	sets, replicas := 0, 0
	for _, t := range in.Script {
		switch t.Event.Object.(type) {
		case *appsv1.StatefulSet:
			sets++
		case *appsv1.ReplicaSet, *corev1.ReplicationController:
			replicas++
		}
	}
	var parts []phrase.Text
	if sets > 0 {
		parts = append(parts, phrase.Count(sets, "StatefulSet", "StatefulSets"))
	}
	if replicas > 0 {
		parts = append(parts, phrase.Count(replicas, "ReplicaSet", "ReplicaSets"))
	}
	if len(parts) == 2 {
		return phrase.Textf("%s and %s", parts[0], parts[1])
	}
	return phrase.JoinTexts("", parts...)
}

func (in *Replay) hasPods() bool {
	return slices.ContainsFunc(in.Script, func(t source.Timed) bool {
		_, isPod := t.Event.Object.(*corev1.Pod)
		return isPod
	})
}

// nothing is the error of an input that cannot be played: what was refused in it, or what there was in its place.
func (in *Input) nothing(name phrase.Text) error {
	switch more := len(in.Refused) - 1; {
	case more == 0:
		return phrase.Errorf("%s", in.Refused[0])
	case more > 0:
		return phrase.Errorf("%s; and %s", in.Refused[0],
			phrase.Count(more, "more thing is wrong", "more things are wrong"))
	}
	const none = "%s: nothing in it is of a kind the scheduler reads; %s"
	if left := in.leftOut(); len(left) > 0 {
		return phrase.Errorf(none, name, phrase.JoinTexts("; ", left...))
	}
	if in.spent > 0 {
		return phrase.Errorf(none, name, phrase.Count(
			in.spent, "object decides only how pods are admitted", "objects decide only how pods are admitted",
		))
	}
	if in.Config != nil {
		return phrase.Errorf(none, name, phrase.Text("it holds a scheduler configuration (--config takes it)"))
	}
	return phrase.Errorf("%s: there is nothing in it", name)
}
