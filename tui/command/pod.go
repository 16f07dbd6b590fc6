package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

// PodNamed is the key of the one pod that a person means by a key or a name.
func PodNamed(pods []string, text string) (string, error) {
	if slices.Contains(pods, text) {
		return text, nil
	}
	var found []string
	for _, key := range pods {
		if key[strings.LastIndex(key, "/")+1:] == text {
			found = append(found, key)
		}
	}
	switch len(found) {
	case 0:
		return "", unknownPodError(text)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("there are several pods %q: %s", text, strings.Join(found, ", "))
}

// podMeant is the pod that is named, or else the one the cursor's cycle is about.
func podMeant(c Call) (string, error) {
	if len(c.Args) > 0 {
		return PodNamed(c.Session.Names().Pods, c.Args[0])
	}
	f := c.Session.Frame()
	if cycle := f.About(); cycle != nil {
		return PodOf(f, cycle.Entity.Key(), &panel.Group{}), nil
	}
	return "", fmt.Errorf("which pod? (no cycle has run that would be about one)")
}

// podOrNode is the node that a word names, or else the key of the pod.
func podOrNode(c Call, word string) (name string, isNode bool, err error) {
	names := c.Session.Names()
	if slices.Contains(names.Nodes, word) {
		return word, true, nil
	}
	pod, err := PodNamed(names.Pods, word)
	if _, unknown := errors.AsType[unknownPodError](err); unknown {
		err = fmt.Errorf("there is no node and no pod %q here", word)
	}
	return pod, false, err
}

// PodOf is the pod that is meant by a key: of a pod group the member that is looked at, or else the first that waits.
func PodOf(f *session.Frame, key string, g *panel.Group) string {
	if c := f.About(); c != nil && c.Group != nil && c.Entity.Key() == key {
		if one := g.Frame(f).About(); one != c {
			return one.Entity.Key()
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

func plural(n int, one, many string) string { return widget.Count(n, one, many) }

// unknownPodError is a name that no pod has.
type unknownPodError string

// Error says so.
func (e unknownPodError) Error() string { return fmt.Sprintf("there is no pod %q here", string(e)) }
