package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/session"
)

// apply carries out one of the changes: the first, unless a number is given.
func apply(c Call) (Answer, error) {
	number := 1
	if len(c.Args) > 0 {
		if n, err := strconv.Atoi(c.Args[0]); err == nil {
			number, c.Args = n, c.Args[1:]
		}
	}
	pod, err := podMeant(c)
	if err != nil {
		return Answer{}, err
	}
	found, err := remedy.Find(c.Context, c.Session.At(), pod, c.Progress)
	switch {
	case err != nil:
		return Answer{}, err
	case len(found.Remedies) == 0:
		return Answer{Page: Page{
			Title: c.lang().Say("Nothing was done for %s", pod),
			Lines: prose.Plain(prose.Remedies(c.lang(), found)),
		}}, nil
	case number < 1 || number > len(found.Remedies):
		return Answer{}, c.lang().Errorf("apply: %d: there are %d changes for %s (changes lists them)", number,
			len(found.Remedies), pod)
	}
	return edit(c, found.Remedies[number-1].Edit())
}

// podEdits are the what-ifs about one pod.
func podEdits() []Verb {
	return []Verb{
		ofEdit("tolerate", tolerate, ofPod),
		ofEdit("relax", relax, ofPod, ofWish),
		ofEdit("evict", evict, ofPod),
		ofEdit("wake", wake, ofPod),
		{
			Name: "fire", Usage: "EVENT", takes: []kind{ofEvent},
			Does: "what if: an event happens, and every pod that waits for such events is tried at once", Run: fire,
		},
		ofEdit("add-volume", addVolume),
		ofEdit("renew-keys", renewKeys),
		ofEdit("unresize", unresize, ofPod),
		ofEdit("scale", scale),
		{
			Name: "apply", Usage: "[NUMBER] [POD]", takes: []kind{ofNumber, ofPod},
			Does: "what if: carry out one of the changes that the command changes lists", Run: apply,
		},
	}
}

func tolerate(c Call) (Answer, error) {
	if len(c.Args) != 2 {
		return Answer{}, c.lang().Errorf(
			"tolerate: which pod, and which taint? (tolerate web-3 gpu=true:NoSchedule)",
		)
	}
	pod, err := podMeant(c)
	if err != nil {
		return Answer{}, err
	}
	return edit(c, session.Tolerate(pod, c.Args[1]))
}

func relax(c Call) (Answer, error) {
	if len(c.Args) < 2 || len(c.Args) > 3 {
		return Answer{}, c.lang().Errorf(
			"relax: which pod, and without what? (relax web-3 selector disktype; relax web-3 spread)",
		)
	}
	pod, err := podMeant(c)
	if err != nil {
		return Answer{}, err
	}
	name := ""
	if len(c.Args) == 3 {
		name = c.Args[2]
	}
	for _, w := range session.Wishes() {
		if string(w) == c.Args[1] {
			return edit(c, session.Relax(pod, w, name))
		}
	}
	return Answer{}, c.lang().Errorf("relax: there is no wish %q; there are %v", c.Args[1], session.Wishes())
}

func evict(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("evict: which pod?")
	}
	pod, err := podMeant(c)
	if err != nil {
		return Answer{}, err
	}
	return edit(c, session.Evict(pod))
}

func wake(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("wake: which pod?")
	}
	pod, err := podMeant(c)
	if err != nil {
		return Answer{}, err
	}
	return edit(c, session.Wake(pod))
}

// fire wakes the pods whose rejecting plugins are registered for an event.
func fire(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("fire: which event? (%s)", strings.Join(c.Session.At().Wakers(), ", "))
	}
	event := c.Args[0]
	if known := c.Session.At().Wakers(); !slices.Contains(known, event) {
		return Answer{}, unknown(c.lang(), "fire", "event", event, known)
	}
	pods := c.Session.At().Waiting(event)
	if len(pods) == 0 {
		return Answer{Said: c.lang().Say("no unschedulable pod waits for %s", event)}, nil
	}
	return edit(c, session.Fire(pods))
}

func addVolume(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("add-volume: for which claim? (add-volume default/data-0)")
	}
	return edit(c, session.AddVolume(c.Args[0]))
}

func renewKeys(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("renew-keys: of which volume? (renew-keys pv-1)")
	}
	return edit(c, session.RenewKeys(c.Args[0]))
}

func scale(c Call) (Answer, error) {
	if len(c.Args) != 2 {
		return Answer{}, c.lang().Errorf(
			"scale: which workload, and to how many replicas? (scale deploy/default/web 2)")
	}
	return edit(c, session.ScaleTo(c.Args[0], c.Args[1]))
}

func unresize(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("unresize: which pod? (unresize db-0)")
	}
	pod, err := podMeant(c)
	if err != nil {
		return Answer{}, err
	}
	return edit(c, session.Unresize(pod))
}
