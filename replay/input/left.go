package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/importer"
)

// leftOut lists, in one sentence for each reason, what was understood and left out.
func (in *Input) leftOut() []string {
	var reasons []string
	counts := map[string][]string{}
	for _, l := range in.left {
		if counts[l.Why] == nil {
			reasons = append(reasons, l.Why)
		}
		counts[l.Why] = append(counts[l.Why], importer.LeftOut{What: l.What, Count: l.Count}.String())
	}
	slices.Sort(reasons)
	var out []string
	for _, why := range reasons {
		text := "left out: " + strings.Join(counts[why], ", ")
		if why == "" {
			text += " (the scheduler reads none of them)"
		} else {
			text += " (" + why + ")"
		}
		out = append(out, text)
	}
	if controllers := in.controllers(); controllers != "" && !in.hasPods() {
		out = append(out, "there is no pod in the input, and none is made of "+controllers+
			" (--from-templates makes those of a running cluster)")
	}
	return out
}

// controllers counts the objects whose controller would make pods.
func (in *Input) controllers() string {
	sets, replicas := 0, 0
	for _, t := range in.Script {
		switch t.Event.Object.(type) {
		case *appsv1.StatefulSet:
			sets++
		case *appsv1.ReplicaSet, *corev1.ReplicationController:
			replicas++
		}
	}
	var parts []string
	if sets > 0 {
		parts = append(parts, words.CountOf(sets, "StatefulSet", "StatefulSets"))
	}
	if replicas > 0 {
		parts = append(parts, words.CountOf(replicas, "ReplicaSet", "ReplicaSets"))
	}
	return strings.Join(parts, " and ")
}

func (in *Input) hasPods() bool {
	return slices.ContainsFunc(in.Script, func(t replay.Timed) bool {
		_, isPod := t.Event.Object.(*corev1.Pod)
		return isPod
	})
}

// nothing is the error of an input that cannot be played: what was refused in it, or what there was in its place.
func (in *Input) nothing(name string) error {
	switch more := len(in.Refused) - 1; {
	case more == 0:
		return errors.New(in.Refused[0])
	case more > 0:
		return fmt.Errorf("%s; and %s", in.Refused[0], words.CountOf(more, "more thing is wrong", "more things are wrong"))
	}
	none := name + ": nothing in it is of a kind the scheduler reads; "
	if told := in.leftOut(); len(told) > 0 {
		return errors.New(none + strings.Join(told, "; "))
	}
	if in.spent > 0 {
		return errors.New(none + words.CountOf(in.spent, "object decides", "objects decide") + " only how pods are admitted")
	}
	if in.Config != nil {
		return errors.New(none + "it holds a scheduler configuration (--config takes it)")
	}
	return fmt.Errorf("%s: there is nothing in it", name)
}
