package queue

import (
	"errors"
	"fmt"
	"time"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Keyframe is a Queue as data, from which the same Queue is made again. Pods are numbers of the Packer.
type Keyframe struct {
	Start       time.Time         `json:"start"`
	Turn        uint64            `json:"turn"`
	Moved       bool              `json:"moved,omitempty"`
	Items       []StoredItem      `json:"items,omitempty"`
	Incomplete  []StoredItem      `json:"incomplete,omitempty"`
	Nominations []storedNominated `json:"nominations,omitempty"` // those of a node in the order they were made
}

type storedNominated struct {
	Pod  int    `json:"pod"`
	Node string `json:"node"`
}

// StoredItem is an Item, without what follows from its pod and the rules.
type StoredItem struct {
	Place   place           `json:"place,omitempty"`
	Pod     int             `json:"pod"`             // of a group nothing
	Group   *cluster.Stored `json:"group,omitempty"` // nil for a pod
	Members []StoredItem    `json:"members,omitempty"`

	Attempts      int             `json:"attempts,omitempty"`
	Unschedulable int             `json:"unschedulable,omitempty"`
	Errors        int             `json:"errors,omitempty"`
	Since         time.Time       `json:"since"`
	FirstAttempt  time.Time       `json:"firstAttempt"`
	BackoffUntil  time.Time       `json:"backoffUntil"`
	Flushed       time.Time       `json:"flushed"`
	PoppedFrom    trace.QueueName `json:"poppedFrom,omitempty"`
	Rejectors     []string        `json:"rejectors,omitempty"`
	Pending       []string        `json:"pending,omitempty"`
	Gate          string          `json:"gate,omitempty"`
	GateText      string          `json:"gateText,omitempty"`
	Backoffs      int             `json:"backoffs,omitempty"`
	Arrival       uint64          `json:"arrival"`
}

// Keyframe packs the Queue. While an item is in flight there is none: what happened meanwhile is kept with what it
// was about.
func (q *Queue) Keyframe(p *cluster.Packer) (*Keyframe, error) {
	if q.flights.Len() > 0 || q.cycling != "" || len(q.returned) > 0 {
		return nil, errors.New("a pod is in flight")
	}
	k := &Keyframe{Start: q.start, Turn: q.turn, Moved: q.moved}
	q.home.Scan(func(_ string, s spot) bool {
		item := s.item.Stored(p)
		item.Place = s.place
		k.Items = append(k.Items, item)
		return true
	})
	for _, item := range q.incomplete.Values() {
		k.Incomplete = append(k.Incomplete, item.Stored(p))
	}
	q.nominatedOn.Scan(func(_ string, list []nomination) bool {
		for _, n := range list {
			k.Nominations = append(k.Nominations, storedNominated{p.Pod(n.pod), n.node})
		}
		return true
	})
	return k, nil
}

// Stored packs an item.
func (i *Item) Stored(p *cluster.Packer) StoredItem {
	s := StoredItem{
		Attempts: i.Attempts, Unschedulable: i.UnschedulableCount, Errors: i.ErrorCount, Since: i.Since,
		FirstAttempt: i.FirstAttempt, BackoffUntil: i.BackoffUntil, Flushed: i.Flushed, PoppedFrom: i.PoppedFrom,
		Rejectors: i.Rejectors, Pending: i.Pending, Gate: i.Gate, GateText: i.GateText, Arrival: i.arrival,
		Backoffs: i.backoffs,
	}
	if i.Group == nil {
		s.Pod = p.Pod(i.Pod)
		return s
	}
	group := p.Object(i.Group)
	s.Group = &group
	for _, m := range i.Members {
		s.Members = append(s.Members, m.Stored(p))
	}
	return s
}

// Unpack makes the Queue again that was packed, of the same rules. What does not go together is an error.
func (k *Keyframe) Unpack(rules Rules, u *cluster.Unpacker) (*Queue, error) {
	q := New(rules, k.Start)
	q.turn, q.moved = k.Turn, k.Moved
	for i := range k.Items {
		stored := &k.Items[i]
		item, err := stored.unpack(q.rules, u)
		switch {
		case err != nil:
			return nil, err
		case stored.Place > inParked:
			return nil, fmt.Errorf("there is no queue %d", stored.Place)
		}
		q.put(item, stored.Place)
	}
	for i := range k.Incomplete {
		item, err := k.Incomplete[i].unpack(q.rules, u)
		if err != nil {
			return nil, err
		}
		if item.Group != nil {
			return nil, errors.New("a group is incomplete")
		}
		q.incomplete.Set(cluster.Compound(item.Pod.Group, item.Pod.Key), item)
	}
	for _, n := range k.Nominations {
		pod, err := u.Pod(n.Pod)
		if err != nil {
			return nil, err
		}
		made := nomination{pod, n.Node}
		q.nominations.Set(pod.UID(), made)
		list, _ := q.nominatedOn.Get(n.Node)
		q.nominatedOn.Set(n.Node, append(list, made))
	}
	return q, q.Check()
}

// Unstored is an item that was packed, as it is in flight or handed on: in no queue.
func (q *Queue) Unstored(s *StoredItem, u *cluster.Unpacker) (*Item, error) {
	return s.unpack(q.rules, u)
}

func (s *StoredItem) unpack(d *discipline, u *cluster.Unpacker) (*Item, error) {
	i := &Item{
		Attempts: s.Attempts, UnschedulableCount: s.Unschedulable, ErrorCount: s.Errors, Since: s.Since,
		FirstAttempt: s.FirstAttempt, BackoffUntil: s.BackoffUntil, Flushed: s.Flushed, PoppedFrom: s.PoppedFrom,
		Rejectors: s.Rejectors, Pending: s.Pending, Gate: s.Gate, GateText: s.GateText, arrival: s.Arrival,
		backoffs: s.Backoffs,
	}
	if s.Group == nil {
		pod, err := u.Pod(s.Pod)
		if err != nil {
			return nil, err
		}
		i.describe(pod, d)
		return i, nil
	}
	o, err := s.Group.Unpack()
	if err != nil {
		return nil, err
	}
	group, is := o.(*schedulingv1beta1.PodGroup)
	if !is || len(s.Members) == 0 {
		return nil, errors.New("a group has no members, or is none")
	}
	i.Group = group
	for k := range s.Members {
		m, err := s.Members[k].unpack(d, u)
		if err != nil {
			return nil, err
		}
		if m.Group != nil {
			return nil, errors.New("a group is a member of a group")
		}
		i.Members = append(i.Members, m)
	}
	return i, nil
}
