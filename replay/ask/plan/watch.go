package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/request"
)

// see takes from a step what a plan reports.
func (r *run) see(step play.Step) {
	switch o := step.Event.Object.(type) {
	case *corev1.Pod:
		r.seePod(step, o)
	case *policyv1.PodDisruptionBudget:
		key, slack := cluster.Key(o), slackOf(o)
		if lowest, known := r.slack[key]; !known || slack < lowest {
			r.slack[key] = slack
		}
	}
	for _, fact := range step.Facts {
		if said, is := fact.(trace.Recorded); is && said.Reason == "FailedScheduling" {
			r.says[said.Pod] = said.Note
		}
	}
	if step.Kind != play.Tried {
		return
	}
	c, ok := trace.Fold(step.Facts)
	if !ok || c.Group != nil {
		return
	}
	t := c.Latest()
	if t == nil {
		return
	}
	var among []string
	switch e := t.Preemption; {
	case t.Selected != nil && len(t.Selected.Tied) > 1:
		among = slices.Clone(t.Selected.Tied)
	case e != nil && e.Tied > 1: // the pod is bound later, when its victims are gone
		for _, node := range e.Equals {
			among = append(among, e.Nodes[node])
		}
	default:
		return
	}
	r.tied = true
	if p, live := r.state().Pod(t.Entity.Key()); live {
		if b := r.born[idOf(p.API)]; b != nil {
			b.tied, b.among = true, union(b.among, among)
		}
	}
}

// union are names of two lists, sorted, each once.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// mayComeTo are the nodes that the pod may come to by chance, its own among them; nil: it is certain. A pod that is
// nominated by chance may be bound elsewhere, where room comes free before.
func (b *birth) mayComeTo(node string) []string {
	if len(b.among) == 0 || node == "" {
		return slices.Clone(b.among)
	}
	return union(b.among, []string{node})
}

// idOf identifies a pod: by its UID, or by its key where the input has no UID.
func idOf(p *corev1.Pod) string { return cmp.Or(string(p.UID), cluster.Key(p)) }

// atOnce is the time within which either of two controllers may have acted first.
const atOnce = 20 * time.Millisecond

func (r *run) seePod(step play.Step, p *corev1.Pod) {
	switch step.Event.Action {
	case cluster.Add:
		b := &birth{key: cluster.Key(p), at: step.At}
		r.born[idOf(p)] = b
		owner := ownerName(p)
		r.raced = r.raced || r.last.owner != "" && r.last.owner != owner && step.At.Sub(r.last.at) <= atOnce
		r.last = lastBirth{owner, step.At}
		r.births[owner] = append(r.births[owner], b)
	case cluster.Update:
		b := r.born[idOf(p)]
		if b != nil && p.Spec.NodeName != "" {
			if b.node == "" {
				b.bound = step.At
			}
			b.node = p.Spec.NodeName
			b.tied = b.tied || r.tied
		}
		if b != nil && b.ready.IsZero() && b.node != "" && request.IsReady(p) {
			b.ready = step.At
		}
		if key := cluster.Key(p); isPreempted(p) && !slices.Contains(r.gone, key) {
			r.gone = append(r.gone, key)
		}
	}
}

func isPreempted(p *corev1.Pod) bool {
	return p.DeletionTimestamp != nil && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget && c.Reason == corev1.PodReasonPreemptionByScheduler
	})
}

// ownerName names the controller of a pod: "ReplicaSet shop/web-5f"; of a pod on its own the pod.
func ownerName(p *corev1.Pod) string {
	c := metav1.GetControllerOf(p)
	if c == nil {
		return "Pod " + cluster.Key(p)
	}
	return c.Kind + " " + p.Namespace + "/" + c.Name
}

// successor is the pod that came in the place of an evicted one: the oldest of its controller that was made since and
// is no other's successor; of a StatefulSet the one of its name. A pod that is deleted before it ran is passed over.
func (r *run) successor(p *corev1.Pod, since int64) *birth {
	named := ordinal(p) >= 0
	for _, b := range r.births[ownerName(p)] {
		if b.taken || b.at.UnixNano() < since || named && b.key != cluster.Key(p) {
			continue
		}
		if _, live := r.state().Pod(b.key); !live {
			continue
		}
		b.taken = true
		return b
	}
	return nil
}

// without are the pods that have no node, by priority and then by key; those of gates are not among them.
func (r *run) without() []Wait {
	var all []Wait
	r.state().EachPod(func(p *cluster.Pod) bool {
		if _, assumed := r.state().Assumed(p.Key); p.NodeName == "" && !assumed && len(p.API.Spec.SchedulingGates) == 0 {
			all = append(all, Wait{Pod: p.Key, Priority: priorityOf(p.API), Message: r.says[p.Key]})
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), strings.Compare(a.Pod, b.Pod))
	})
	return all
}

// denied are the workloads that lack pods because of a quota.
func (r *run) denied() []Denied {
	var all []Denied
	for _, d := range r.manager.Denied(r.state()) {
		all = append(all, Denied{
			Owner: string(d.Kind) + " " + d.Key, Missing: d.Missing, Before: d.Before, Quota: d.Why.Quota,
			Message: d.Why.Message, of: d,
		})
	}
	return all
}

// isNew reports whether it lacks more pods than before the plan.
func (d Denied) isNew() bool { return d.Missing > d.Before }

// Unmade is how many pods fewer there are after a plan, because quotas do not let them be made.
func Unmade(all []Denied) int {
	n := 0
	for _, d := range all {
		n += max(d.Missing-d.Before, 0)
	}
	return n
}

// alsoDenied are those of a run, and those that lack pods in another run alone.
func alsoDenied(all, others []Denied) []Denied {
	for _, o := range others {
		if o.isNew() && !slices.ContainsFunc(all, func(d Denied) bool { return d.Owner == o.Owner && d.isNew() }) {
			all = append(slices.DeleteFunc(slices.Clone(all), func(d Denied) bool { return d.Owner == o.Owner }), o)
		}
	}
	return all
}

// minus are the pods of a list that are not in another one.
func minus(all, others []Wait) []Wait {
	return slices.DeleteFunc(slices.Clone(all), func(w Wait) bool {
		return slices.ContainsFunc(others, func(o Wait) bool { return o.Pod == w.Pod })
	})
}

// budgets are those that a run has touched.
func (r *run) budgets() []Budget {
	var all []Budget
	for name, slack := range r.slack {
		all = append(all, Budget{name, slack})
	}
	slices.SortFunc(all, func(a, b Budget) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// slackOf is healthy minus desired of a budget.
func slackOf(b *policyv1.PodDisruptionBudget) int {
	return int(b.Status.CurrentHealthy - b.Status.DesiredHealthy)
}

// slacks are healthy minus desired of all budgets of a cluster now, by key.
func (r *run) slacks() map[string]int {
	all := map[string]int{}
	r.state().Objects().DisruptionBudgets.Each(func(b *policyv1.PodDisruptionBudget) bool {
		all[cluster.Key(b)] = slackOf(b)
		return true
	})
	return all
}

// broken is the first budget that a run went below, and further than it was before; false where there is none.
func (r *run) broken(before map[string]int) (budget string, is bool) {
	for _, b := range r.budgets() {
		if least, known := before[b.Name]; b.Slack < 0 && (!known || b.Slack < least) {
			return b.Name, true
		}
	}
	return "", false
}

// isUnmanaged reports whether no controller makes a pod again.
func isUnmanaged(p *corev1.Pod) bool { return metav1.GetControllerOf(p) == nil }
