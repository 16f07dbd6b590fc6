package command

import (
	"errors"
	"slices"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/session"
)

// podMeant is the pod that is named and is there, or else the one the cursor's cycle is about.
func podMeant(c Call) (string, error) { return named(c, c.Session.At().Pod) }

func named(c Call, pod func(text string) (string, error)) (string, error) {
	if len(c.Args) > 0 {
		return pod(c.Args[0])
	}
	f := c.Session.Frame()
	if cycle := f.About(); cycle != nil {
		return podOf(f, cycle.Entity.Key()), nil
	}
	return "", c.lang().Errorf("which pod? (no cycle has run yet)")
}

// podOrNode is the node that a word names, or else the key of the pod, as pod finds it.
func podOrNode(c Call, word string, pod func(text string) (string, error)) (name string, isNode bool, err error) {
	names := c.Session.At().Names()
	if slices.Contains(names.Nodes, word) {
		return word, true, nil
	}
	name, err = pod(word)
	if errors.Is(err, session.ErrNoPod) {
		hint := spelling.HintName(word, slices.Concat(names.Nodes, names.Pods))
		err = c.lang().Errorf("there is no node and no pod %q%s", word, hint)
	}
	return name, false, err
}

// podOf is the pod that is meant by a key: of a pod group the member with which its table opens.
func podOf(f *session.Frame, key string) string {
	one, _ := view.MemberFrame(f)
	return PodOf(f, one, key)
}

// PodOf is the pod that is meant by a key: of a pod group the member that is looked at, about which one is, or else the
// first that waits.
func PodOf(f, one *session.Frame, key string) string {
	if c := f.About(); c != nil && c.Group != nil && c.Entity.Key() == key {
		if member := one.About(); member != c {
			return member.Entity.Key()
		}
	}
	q := &f.Queue
	for _, rows := range [][]session.QueueRow{q.Active, q.Backoff, q.Unschedulable, q.Gated, q.InFlight} {
		for _, row := range rows {
			if row.Pod == key && len(row.Members) > 0 {
				return row.Members[0].Pod
			}
		}
	}
	return key
}
