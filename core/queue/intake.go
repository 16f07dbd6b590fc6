package queue

import (
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Add takes in a pod that has no node. One that is queued under the same key is replaced.
func (q *Queue) Add(pod *cluster.Pod, at Moment) []trace.Fact {
	var facts []trace.Fact
	if !q.rules.GatedArrivalNotNominated {
		facts = q.Nominate(pod, pod.Nominated, at.Known)
	}
	if q.together(pod) {
		member := &Item{Since: at.Now, arrival: q.nextTurn()}
		member.describe(pod, q.rules)
		return append(facts, q.addMember(member, trace.Outside, q.rules.Labels.Arrived, at)...)
	}
	from := trace.Outside
	if s, had := q.take(pod.Key); had {
		from = s.name()
	}
	item := &Item{Since: at.Now, arrival: q.nextTurn()}
	item.describe(pod, q.rules)
	s, moved := q.settle(item, from, immediately, cause{event: q.rules.Labels.Arrived}, at)
	facts = append(facts, moved...)
	if q.rules.GatedArrivalNotNominated && s.place == inActive {
		facts = append(facts, q.Nominate(pod, pod.Nominated, at.Known)...)
	}
	return facts
}

// Update takes in another version of a pod that has no node. What is in activeQ or backoffQ is replaced in its
// place; what is parked may be woken by its own update; for what is in flight the update is kept until it is parked.
// A pod the queue does not hold is added. The change is kept as well and must not be written any more.
func (q *Queue) Update(old, updated *cluster.Pod, change *cluster.Change, at Moment) []trace.Fact {
	events := cluster.PodEvents(old, updated, cluster.TargetPod)
	if _, flying := q.flightOf.Get(updated.UID()); flying {
		for _, e := range events {
			q.missed.Set(q.nextTurn(), happening{e, change})
		}
		return nil
	}
	if q.together(old) {
		return q.updateMember(old, updated, events, change, at)
	}
	s, ok := q.take(old.Key)
	if !ok {
		return q.Add(updated, at)
	}
	item := s.item.copy()
	item.describe(updated, q.rules)
	item.retellGate(at.Known)
	s = q.put(item, s.place)
	facts := q.renominate(old, updated, at.Known)
	if q.rules.FIFOOnly && s.place != inActive {
		_, moved := q.resettle(s, decision{strategy: immediately}, cause{event: ownUpdateEvent.Label()}, at)
		return append(facts, moved...)
	}
	if q.rules.ChangeSkipsBackoff {
		return append(facts, q.atOnce(s, old, updated, at)...)
	}
	if s.place != inParked {
		return facts
	}
	return append(facts, q.rules.Requeue.itself(q, s, ownUpdate{old, updated, events, change}, at)...)
}

// atOnce moves a pod that changed to activeQ.
func (q *Queue) atOnce(s spot, old, updated *cluster.Pod, at Moment) []trace.Fact {
	parked := s.place == inParked
	if s.place == inActive || parked && !more(old.API, updated.API) {
		return nil
	}
	q.take(s.item.Key())
	item := s.item.copy()
	if parked && q.rules.ChangeResetsBackoff {
		item.backoffs, item.BackoffUntil = 0, time.Time{}
	}
	_, facts := q.settle(item, s.name(), immediately, cause{event: ownUpdateEvent.Label()}, at)
	return facts
}

// more reports whether more than the status of a pod is another one (isPodUpdated, 1.19).
func more(old, updated *corev1.Pod) bool {
	without := func(pod corev1.Pod) *corev1.Pod {
		pod.ResourceVersion, pod.Generation, pod.Status = "", 0, corev1.PodStatus{}
		return &pod
	}
	return !reflect.DeepEqual(without(*old), without(*updated))
}

// itself runs the hints for an update of the parked pod itself, event by event, until one of them moves the pod.
func (b ByHints) itself(q *Queue, s spot, own ownUpdate, at Moment) []trace.Fact {
	var facts []trace.Fact
	for _, e := range own.events {
		d, hinted := b.judge(s.item, happening{e, own.change}, at)
		facts = append(facts, hinted...)
		if d.strategy == skip {
			continue
		}
		var moved []trace.Fact
		s, moved = q.resettle(s, d, cause{event: e.Label(), plugin: d.plugin}, at)
		facts = append(facts, moved...)
		if s.place != inParked {
			break
		}
	}
	return facts
}

// resettle takes an item out of its queue and puts it where the decision wants it.
func (q *Queue) resettle(s spot, d decision, why cause, at Moment) (spot, []trace.Fact) {
	q.take(s.item.Key())
	return q.settle(s.item.copy(), s.name(), d.strategy, why, at)
}

// Delete drops a pod and its nomination, because the pod is gone or has a node now. The reason goes into the fact. A
// pod that is in flight stays in flight until it is parked or done.
func (q *Queue) Delete(pod *cluster.Pod, reason phrase.Text, at Moment) []trace.Fact {
	facts := q.ClearNomination(pod)
	if q.together(pod) {
		return append(facts, q.deleteMember(pod, reason, at)...)
	}
	s, ok := q.take(pod.Key)
	if !ok {
		return facts
	}
	return append(facts, trace.Moved{Entity: s.item.Entity(), From: s.name(), Reason: reason})
}
