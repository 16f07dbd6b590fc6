package compare

import (
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// cause is why a decision here is probably another than the one recorded; "" when nothing known explains it.
func (r *Records) cause(said Said, ended *trace.Ended) (Verdict, phrase.Text) {
	if said.What == Host {
		return r.causeOfHost(said, ended)
	}
	if said.By != "" && !strings.Contains(said.By, "scheduler") {
		return Explained, phrase.Textf("another scheduler: %s said it", said.By)
	}
	theirs, is := parseFit(said.Text)
	if !is {
		return Explained, "what their scheduler says is no verdict about nodes: binding, a plugin or the API server failed"
	}
	if ended.Outcome == trace.Scheduled || ended.Outcome == trace.Waiting {
		return r.causeOfFit(said, &theirs)
	}
	ours, is := parseFit(ended.Message)
	if !is {
		return Different, ""
	}
	switch {
	case theirs.head == ours.head:
		return Explained, "the nodes reject it for the same reasons; what is said of preemption differs"
	case theirs.isSameAs(&ours):
		return Explained, r.release("the same nodes for the same reasons, in the words of another release")
	}
	return r.causeOfReasons(said, &theirs, &ours)
}

// causeOfFit explains why a pod fits here that did not fit there.
func (r *Records) causeOfFit(said Said, theirs *fit) (Verdict, phrase.Text) {
	room, gone := false, []string{}
	for _, reason := range sortedReasons(theirs) {
		switch {
		case strings.HasPrefix(reason, resourceMeaning), reason == podsMeaning, reason == portsMeaning, reason == diskMeaning,
			reason == podAffineMeaning, reason == spreadMeaning:
			room = true
		default:
			gone = append(gone, reason)
		}
	}
	switch {
	case room && r.Emptier != "":
		return Explained, phrase.Textf("nodes are emptier here than they were: %s", r.Emptier)
	case r.changedSince(said.At) != "":
		return Explained, phrase.Textf("the cluster changed after it was said: %s", r.changedSince(said.At))
	case room:
		return Explained, "nodes are emptier here than they were: pods left after it was said, or are not in the input"
	case len(gone) > 0:
		return Explained, phrase.Textf("what rejected it then is no more: %s", strings.Join(gone, ", "))
	}
	return Different, ""
}

// causeOfReasons explains why the nodes reject a pod for other reasons than they did.
func (r *Records) causeOfReasons(said Said, theirs, ours *fit) (Verdict, phrase.Text) {
	var more, fewer []string
	for _, reason := range sortedReasons(ours) {
		if ours.reasons[reason] > theirs.reasons[reason] || !has(theirs, reason) {
			more = append(more, reason)
		}
	}
	for _, reason := range sortedReasons(theirs) {
		if theirs.reasons[reason] > ours.reasons[reason] || !has(ours, reason) {
			fewer = append(fewer, reason)
		}
	}
	isRoom := func(reason string) bool { return strings.HasPrefix(reason, resourceMeaning) || reason == podsMeaning }
	isNode := func(reason string) bool {
		return reason == taintMeaning || reason == cordonMeaning || reason == labelMeaning
	}
	changed := r.changedSince(said.At)
	switch {
	case theirs.nodes >= 0 && ours.nodes >= 0 && theirs.nodes != ours.nodes:
		return Explained, phrase.Textf("the cluster had %s then, and the input has %d",
			phrase.Count(theirs.nodes, "node", "nodes"), ours.nodes)
	case changed != "":
		return Explained, phrase.Textf("the cluster changed after it was said: %s", changed)
	case slices.ContainsFunc(fewer, isRoom) && r.Emptier != "":
		return Explained, phrase.Textf("nodes are emptier here than they were: %s", r.Emptier)
	case slices.ContainsFunc(more, isNode):
		return Explained, phrase.Textf("nodes changed after it was said: %s", strings.Join(more, ", "))
	case slices.ContainsFunc(more, isRoom):
		return Explained, phrase.Textf("pods came after it was said: %s", strings.Join(more, ", "))
	case slices.ContainsFunc(fewer, isRoom):
		return Explained, "pods left after it was said, or are not in the input"
	case r.Release != "" && r.Ours != "" && r.Release != r.Ours:
		return Explained, r.release("another release's rule")
	}
	return Different, ""
}

// causeOfHost explains why a pod is put on another node than history put it on, in a replay of what happened.
func (r *Records) causeOfHost(said Said, ended *trace.Ended) (Verdict, phrase.Text) {
	if !r.nodes[said.Text] {
		return Explained, phrase.Textf("the input does not describe %s", said.Text)
	}
	if ended.Node == "" && r.Emptier == "" {
		return Different, ""
	}
	if r.Emptier != "" {
		return Explained, phrase.Textf("nodes are emptier here than they were: %s", r.Emptier)
	}
	if said.By != "" && !strings.Contains(said.By, "scheduler") {
		return Explained, phrase.Textf("another scheduler: %s chose it", said.By)
	}
	return Different, ""
}

// changedSince counts what came to the cluster after a moment; "" when nothing did, or the moment is not known.
func (r *Records) changedSince(at time.Time) phrase.Text {
	if at.IsZero() || r.follows {
		return ""
	}
	var parts []phrase.Text
	for _, came := range []struct {
		one, many string
		times     []time.Time
	}{
		{"pod placed", "pods placed", r.placed},
		{"node added", "nodes added", r.came},
		{"taint added", "taints added", r.taints},
	} {
		n := 0
		for _, t := range came.times {
			if t.After(at) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, phrase.Count(n, came.one, came.many))
		}
	}
	return phrase.JoinTexts(", ", parts...)
}

// release is a sentence about another release, with that.
func (r *Records) release(said phrase.Text) phrase.Text {
	if r.Release == "" || r.Release == r.Ours {
		return said
	}
	return phrase.Textf("%s (the nodes are of %s)", said, r.Release)
}

func has(f *fit, reason string) bool {
	_, there := f.reasons[reason]
	return there
}

// sortedReasons are the reasons of a message in the order of the alphabet.
func sortedReasons(f *fit) []string {
	var list []string
	for reason := range f.reasons {
		list = append(list, reason)
	}
	slices.Sort(list)
	return list
}
