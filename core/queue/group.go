package queue

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// together reports whether the pod waits as a member of a group.
func (q *Queue) together(pod *cluster.Pod) bool { return q.rules.Groups && pod.Group != "" }

// homeOf is the key a pod is queued under: its own, or its group's.
func (q *Queue) homeOf(pod *cluster.Pod) string {
	if q.together(pod) {
		return trace.GroupKey(pod.Group)
	}
	return pod.Key
}

// holds reports whether an item is the pod's, or has it as a member.
func (q *Queue) holds(item *Item, pod *cluster.Pod) bool {
	if item.Group == nil {
		return true
	}
	_, is := item.member(pod.Key)
	return is
}

// member is the place of a pod among the members.
func (i *Item) member(key string) (int, bool) {
	at := slices.IndexFunc(i.Members, func(m *Item) bool { return m.Pod.Key == key })
	return at, at >= 0
}

// queued is the item with that key where it waits: an entity, a member of a group, or a pod whose group is not there.
func (q *Queue) queued(key string) (*Item, trace.QueueName, bool) {
	if s, ok := q.home.Get(key); ok {
		return s.item, s.name(), true
	}
	if group, ok := q.memberOf.Get(key); ok {
		s, _ := q.home.Get(group)
		at, _ := s.item.member(key)
		return s.item.Members[at], s.name(), true
	}
	if q.incomplete.Len() == 0 {
		return nil, trace.Outside, false
	}
	for _, item := range q.incomplete.Values() {
		if item.Pod.Key == key {
			return item, Incomplete, true
		}
	}
	return nil, trace.Outside, false
}

// triedBefore is the order of members: by priority, then by attempts, then by the time they came or came back
// (PodGroupMemberPodsOrderingFunc, 1.37). Those that came in one moment go by their arrival, as in activeQ.
func triedBefore(a, b *Item) int {
	return cmp.Or(
		cmp.Compare(b.Pod.Priority, a.Pod.Priority),
		cmp.Compare(b.Attempts, a.Attempts),
		a.Since.Compare(b.Since),
		cmp.Compare(a.arrival, b.arrival),
	)
}

// admit puts a member in its place; the group must not be in a queue.
func (i *Item) admit(m *Item) {
	at, _ := slices.BinarySearchFunc(i.Members, m, triedBefore)
	i.Members = slices.Insert(i.Members, at, m)
}

// strategyOf is how eagerly what was in a place is queued there again.
func strategyOf(p place) strategy {
	switch p {
	case inActive:
		return immediately
	case inBackoff, inFailed:
		return afterBackoff
	}
	return skip
}

// addMember queues a pod with its group, which it makes when it is the first. Without its PodGroup it is incomplete;
// while its group is in a cycle it waits for the end of it (addPodGroupMember, 1.37).
func (q *Queue) addMember(m *Item, from trace.QueueName, event string, at Moment) []trace.Fact {
	key := q.homeOf(m.Pod)
	told := trace.Moved{Entity: m.Entity(), From: from, Event: event, Reason: phrase.Textf("with %s", key)}
	group, known := at.group(m.Pod.Group)
	if !known {
		q.incomplete.Set(cluster.Compound(m.Pod.Group, m.Pod.Key), m)
		told.To, told.Reason = Incomplete, groupMissing(m.Pod)
		return []trace.Fact{told}
	}
	var s spot
	var moved []trace.Fact
	switch waiting, queued := q.take(key); {
	case queued:
		item := waiting.item.copy()
		if i, had := item.member(m.Pod.Key); had {
			item.Members = slices.Delete(item.Members, i, i+1)
		}
		item.admit(m)
		s, moved = q.settle(item, waiting.name(), strategyOf(waiting.place), cause{event: q.rules.Labels.Arrived}, at)
	case q.cycling == key:
		q.returned = append(slices.Clip(q.returned), m)
		return nil
	default:
		item := &Item{Group: group, Members: []*Item{m}, Since: m.Since, FirstAttempt: m.FirstAttempt, arrival: m.arrival}
		s, moved = q.settle(item, trace.Outside, immediately, cause{event: q.rules.Labels.Arrived}, at)
	}
	told.To = s.name()
	return append([]trace.Fact{told}, moved...)
}

// group is a PodGroup that is known.
func (at Moment) group(key string) (*schedulingv1beta1.PodGroup, bool) {
	if at.Known == nil {
		return nil, false
	}
	return at.Known.PodGroup(key)
}

// updateMember takes in another version of a member that is not in flight.
func (q *Queue) updateMember(
	old, updated *cluster.Pod, events []cluster.ClusterEvent, change *cluster.Change, at Moment,
) []trace.Fact {
	lone := cluster.Compound(old.Group, old.Key)
	if item, is := q.incomplete.Get(lone); is {
		item = item.copy()
		item.describe(updated, q.rules)
		q.incomplete.Set(lone, item)
		return q.renominate(old, updated, at.Known)
	}
	group, ok := q.memberOf.Get(old.Key)
	if !ok {
		return q.Add(updated, at)
	}
	s, _ := q.take(group)
	item := s.item.copy()
	i, _ := item.member(old.Key)
	m := item.Members[i].copy()
	m.describe(updated, q.rules)
	m.retellGate(at.Known)
	item.Members[i] = m
	s = q.put(item, s.place)
	facts := q.renominate(old, updated, at.Known)
	if s.place != inParked {
		return facts
	}
	return append(facts, q.rules.Requeue.itself(q, s, ownUpdate{old, updated, events, change}, at)...)
}

// deleteMember drops a pod from its group; the group goes with the last of them.
func (q *Queue) deleteMember(pod *cluster.Pod, reason phrase.Text, at Moment) []trace.Fact {
	if item, was := q.incomplete.Delete(cluster.Compound(pod.Group, pod.Key)); was {
		return []trace.Fact{trace.Moved{Entity: item.Entity(), From: Incomplete, Reason: reason}}
	}
	group, ok := q.memberOf.Get(pod.Key)
	if !ok {
		return nil
	}
	s, _ := q.take(group)
	item := s.item.copy()
	i, _ := item.member(pod.Key)
	facts := []trace.Fact{trace.Moved{Entity: item.Members[i].Entity(), From: s.name(), Reason: reason}}
	item.Members = slices.Delete(item.Members, i, i+1)
	if len(item.Members) == 0 {
		return append(facts, trace.Moved{Entity: item.Entity(), From: s.name(), Reason: "no pod of it is left to place"})
	}
	_, moved := q.settle(item, s.name(), strategyOf(s.place), cause{event: q.rules.Labels.Arrived}, at)
	return append(facts, moved...)
}

// leaveGroup takes a member out of wherever it waits, and leaves the others where they are.
func (q *Queue) leaveGroup(pod *cluster.Pod) (member *Item, from trace.QueueName, ok bool) {
	if !q.together(pod) {
		return nil, trace.Outside, false
	}
	if item, was := q.incomplete.Delete(cluster.Compound(pod.Group, pod.Key)); was {
		return item, Incomplete, true
	}
	group, ok := q.memberOf.Get(pod.Key)
	if !ok {
		return nil, trace.Outside, false
	}
	s, _ := q.take(group)
	item := s.item.copy()
	i, _ := item.member(pod.Key)
	member = item.Members[i]
	if item.Members = slices.Delete(item.Members, i, i+1); len(item.Members) > 0 {
		q.put(item, s.place)
	}
	return member, s.name(), true
}

// AddGroup learns of a PodGroup that is there now: the pods that waited for it are queued together (AddPodGroup, 1.37).
func (q *Queue) AddGroup(group *schedulingv1beta1.PodGroup, at Moment) []trace.Fact {
	if !q.rules.Groups {
		return nil
	}
	q.UpdateGroup(group)
	all := cluster.Compound(cluster.Key(group), "")
	var waiting []*Item
	q.incomplete.Ascend(all, func(key cluster.CompoundKey, item *Item) bool {
		_, is := key.After(all)
		if is {
			waiting = append(waiting, item)
		}
		return is
	})
	slices.SortFunc(waiting, func(a, b *Item) int { return cmp.Compare(a.arrival, b.arrival) })
	var facts []trace.Fact
	for _, m := range waiting {
		q.incomplete.Delete(cluster.Compound(m.Pod.Group, m.Pod.Key))
		facts = append(facts, q.addMember(m, Incomplete, q.rules.Labels.GroupKnown, at)...)
	}
	return facts
}

// UpdateGroup takes in another version of a PodGroup. It moves no item: hints may, when they run for the event.
func (q *Queue) UpdateGroup(group *schedulingv1beta1.PodGroup) {
	if s, queued := q.take(trace.GroupKey(cluster.Key(group))); queued {
		item := s.item.copy()
		item.Group = group
		q.put(item, s.place)
	}
}

// groupMissing is why a pod is incomplete.
func groupMissing(p *cluster.Pod) phrase.Text {
	return phrase.Textf("its PodGroup %s is not there", p.Group)
}

// DeleteGroup learns that a PodGroup is gone: its pods wait for it to come back (DeletePodGroup, 1.37).
func (q *Queue) DeleteGroup(group *schedulingv1beta1.PodGroup) []trace.Fact {
	s, queued := q.take(trace.GroupKey(cluster.Key(group)))
	if !queued {
		return nil
	}
	facts := []trace.Fact{trace.Moved{Entity: s.item.Entity(), From: s.name(), Reason: "its PodGroup was deleted"}}
	for _, m := range s.item.Members {
		q.incomplete.Set(cluster.Compound(m.Pod.Group, m.Pod.Key), m)
		facts = append(facts, trace.Moved{
			Entity: m.Entity(), From: s.name(), To: Incomplete, Event: q.rules.Labels.Changed,
			Reason: groupMissing(m.Pod),
		})
	}
	return facts
}

// popGroup puts the members in flight, each for itself; one that is in flight already is dropped. nil when none is
// left.
func (q *Queue) popGroup(first *Item, from trace.QueueName) (*Item, []trace.Fact) {
	item := first.copy()
	item.Attempts++
	item.PoppedFrom = from
	members := item.Members[:0]
	var facts []trace.Fact
	for _, m := range item.Members {
		if _, twice := q.flightOf.Get(m.Pod.UID()); twice {
			facts = append(facts, trace.Moved{Entity: m.Entity(), From: from, Reason: "it is in flight already"})
			continue
		}
		m = m.copy()
		m.Attempts++
		m.PoppedFrom = from
		q.fly(m)
		members = append(members, m)
	}
	if item.Members = members; len(members) == 0 {
		return nil, append(
			facts, trace.Moved{Entity: item.Entity(), From: from, Reason: "all of its pods are in flight already"},
		)
	}
	q.cycling = item.Key()
	return item, facts
}

// PopGroupOutOfTurn takes a pod's group out as if it were next, wherever it waits; false when it does not, or the pod
// is not with it.
func (q *Queue) PopGroupOutOfTurn(pod *cluster.Pod) (*Item, bool) {
	if group, ok := q.memberOf.Get(pod.Key); !ok || group != q.homeOf(pod) {
		return nil, false
	}
	s, _ := q.take(q.homeOf(pod))
	item, _ := q.popGroup(s.item, s.name())
	return item, item != nil && q.holds(item, pod)
}

// Finish ends the cycle of a group: the members that were parked meanwhile are queued again as one. After Success,
// which means that the group got what it needs, they are tried again at once; after a rejection or an error they back
// off. With members that failed in a cycle that did well the group keeps its place in time, so that room is made for
// them soon (AddAttemptedPodGroupIfNeeded, 1.37).
func (q *Queue) Finish(item *Item, code trace.Code, at Moment) (Parked, []trace.Fact) {
	returned := q.returned
	q.cycling, q.returned = "", nil
	if len(returned) == 0 {
		return Parked{}, nil
	}
	group := item.copy()
	group.Members = nil
	for _, m := range returned {
		group.admit(m)
	}
	keep := false
	switch {
	case code == trace.Success:
		keep = slices.ContainsFunc(returned, func(m *Item) bool { _, tried := item.member(m.Pod.Key); return tried })
		group.ErrorCount, group.UnschedulableCount = 0, 0
	case code.Rejects():
		group.UnschedulableCount++
		group.ErrorCount = 0
	default:
		group.ErrorCount++
	}
	if !keep {
		group.Since, group.arrival = at.Now, q.nextTurn()
	}
	group.Flushed = time.Time{}
	group.BackoffUntil = q.rules.backoffEnd(group)
	strategy := afterBackoff
	if code == trace.Success {
		strategy = immediately
	}
	s, facts := q.settle(group, InFlight, strategy, cause{event: q.rules.Labels.Failed}, at)
	result := Parked{Queue: s.name()}
	if result.Queue == BackoffQ {
		result.Until = s.item.BackoffUntil
	}
	return result, facts
}

// Lone ranges over the pods whose PodGroup is not there, by the keys of the groups and then of the pods.
func (q *Queue) Lone() []*Item { return q.incomplete.Values() }

// checkMembers looks for a member that its group does not have, and for one that waits twice.
func (q *Queue) checkMembers() error {
	n := 0
	var wrong error
	q.home.Scan(func(key string, s spot) bool {
		for _, m := range s.item.Members {
			n++
			if of, _ := q.memberOf.Get(m.Pod.Key); of != key {
				wrong = fmt.Errorf("queue: %s is a member of %s and of %q", m.Pod.Key, key, of)
			}
		}
		return wrong == nil
	})
	if wrong == nil && n != q.memberOf.Len() {
		wrong = fmt.Errorf("queue: groups have %d members and %d are known", n, q.memberOf.Len())
	}
	return wrong
}
