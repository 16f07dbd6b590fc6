package compare

import (
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Plugins of others look at what kube-scheduler's own do not: at pods without a node, and at pods that wait at Permit.
// The latter are in the memory of a scheduler alone; no object of the cluster shows them.

// hasGuests reports whether a plugin of others is in a profile.
func hasGuests(profiles []*framework.Profile) bool {
	for _, p := range profiles {
		if len(p.Guests()) > 0 {
			return true
		}
	}
	return false
}

// mattersToGuests reports whether plugins of others may answer otherwise after an event about a pod without a node: it
// comes, goes, or has other labels or annotations.
func (h *Hindsight) mattersToGuests(e cluster.Event, pod *corev1.Pod) bool {
	if !h.guests || e.Action != cluster.Update {
		return h.guests
	}
	known, there := h.now.State().Pod(cluster.Key(pod))
	return !there || !maps.Equal(known.API.Labels, pod.Labels) || !maps.Equal(known.API.Annotations, pod.Annotations)
}

// waits judges the message about a pod that would wait at Permit here. How long it waited there, and what ended that,
// is in no object: a timeout is known by its text, and a rejection is that of a plugin which decided later.
func (a answer) waits(d *Decision) {
	if a.try.Ended.Outcome != trace.Waiting {
		return
	}
	const head = "0/1 nodes are available: 1 "
	for _, ran := range a.try.Ran {
		if ran.Point != trace.PhasePermit || ran.Verdict.Code != trace.Wait {
			continue
		}
		late := fmt.Sprintf("%srejected due to timeout after waiting %v at plugin %v.", head, ran.Timeout, ran.Plugin)
		switch said := core.Note(d.Theirs); {
		case said == core.Note(late):
			d.Verdict, d.Ours = Agreed, phrase.Verbatim(late)
			return
		case strings.HasPrefix(said, head):
			d.Verdict, d.Why = Explained, phrase.Textf(
				"it waits at Permit for %s here, and did there: what ends such a wait is in their scheduler's memory alone",
				ran.Plugin)
		}
	}
}

// followsWaits judges two messages that have the same reasons, where plugins of others have the last word: what they do
// at PostFilter may rest on the pods that wait at Permit for them.
func (a answer) followsWaits(d *Decision) {
	theirs, is := parseFit(core.Note(d.Theirs))
	ours, also := parseFit(a.try.Ended.Message)
	if !a.permits || !is || !also || theirs.head != ours.head {
		return
	}
	d.Verdict, d.Why = Explained, phrase.Textf(
		"the reasons are the same, and what plugins of others do at PostFilter may rest on the pods that wait at Permit: "+
			"these are in their scheduler's memory alone")
}

// permits reports whether a plugin of others may have pods wait, and one may act on that where no node was found.
func permits(p *framework.Profile) bool {
	is := func(plugin framework.Plugin) bool { _, is := plugin.(framework.Guest); return is }
	waits, acts := false, false
	for _, plugin := range p.Permit {
		waits = waits || is(plugin)
	}
	for _, plugin := range p.PostFilter {
		acts = acts || is(plugin)
	}
	return waits && acts
}
