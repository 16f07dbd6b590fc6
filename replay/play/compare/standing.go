package compare

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Standing tries a pod that has a node on that node again, as if it were placed now: on a copy of the scheduler, in
// which the pod waits. false for a pod that no scheduler here places: one of another scheduler, one that a kubelet made
// from a file, one that is over, and one on a node that is not known.
//
// Which node it would choose is not compared: the others came and went since the pod was placed.
func (r *Records) Standing(s *core.Scheduler, pod string) (Decision, bool) {
	p, there := s.State().Pod(pod)
	if r == nil || !there || p.NodeName == "" || cluster.Finished(p.API) || p.API.DeletionTimestamp != nil {
		return Decision{}, false
	}
	_, ours := s.Profile(p.API.Spec.SchedulerName)
	_, known := s.State().Snapshot().Node(p.NodeName)
	if !ours || !known || p.API.Annotations[corev1.MirrorPodAnnotationKey] != "" {
		return Decision{}, false
	}
	d := Decision{Pod: pod, What: Host, Theirs: p.NodeName}
	if c := scheduledCondition(p.API); c != nil {
		d.At = c.LastTransitionTime.Time
	}
	facts, err := ifItWaited(s, p).Examine(pod)
	if err != nil {
		d.Verdict, d.Why = Different, phrase.OfError(err)
		return d, true
	}
	c, _ := trace.Fold(facts)
	try, tried := c.Try(pod)
	if !tried {
		return Decision{}, false
	}
	r.standing(&d, try)
	return d, true
}

// ifItWaited is a copy of a scheduler in which a pod that has a node has none yet.
func ifItWaited(s *core.Scheduler, p *cluster.Pod) *core.Scheduler {
	f := s.Fork()
	waits := *p.API
	waits.Spec.NodeName, waits.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	f.Apply(cluster.Event{Action: cluster.Delete, Object: p.API})
	f.Apply(cluster.Event{Action: cluster.Add, Object: &waits})
	return f
}

// standing records the answer about the pod's node.
func (r *Records) standing(d *Decision, t *trace.Try) {
	d.Verdict, d.Ours = Different, "nothing"
	if t.Ended != nil && (t.Matrix == nil || t.PreFilterRejected()) {
		d.Ours = phrase.Verbatim(t.Ended.Message)
		return
	}
	if t.Matrix == nil {
		return
	}
	node := slices.Index(t.Matrix.Nodes, d.Theirs)
	if node < 0 {
		d.Ours, d.Why = "the node is not known", ""
		return
	}
	failures := t.Matrix.OnNode(node)
	if len(failures) == 0 {
		d.Verdict, d.Ours = Agreed, phrase.Verbatim(d.Theirs)
		return
	}
	first := failures[0]
	plugin, reason := t.Matrix.Plugins[first.Plugin], first.Verdict.Message()
	d.Ours = phrase.Textf("%s would not take it: %s: %s", d.Theirs, plugin, reason)
	d.Why = since(meaningOf(reason))
	if d.Why != "" {
		d.Verdict = Explained
	}
}

// since is what has probably happened since a pod was placed on a node that would reject it now; "" when nothing is
// known to do that.
func since(meaning string) phrase.Text {
	switch meaning {
	case taintMeaning:
		return "a taint that came later"
	case cordonMeaning:
		return "the node was cordoned later"
	case labelMeaning:
		return "labels of the node changed later, or the pod was put there by something else than a scheduler"
	case podAffineMeaning, spreadMeaning, portsMeaning, diskMeaning, podsMeaning:
		return "a pod that came later, or went"
	}
	if strings.HasPrefix(meaning, resourceMeaning) {
		return "a pod that came later, or the node has become smaller"
	}
	return ""
}
