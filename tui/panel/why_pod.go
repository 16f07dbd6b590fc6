package panel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// pod explains where a pod is and what it waits for, and what the cycle made of it if the frame is about it.
func (w *telling) pod(key string) {
	found := false
	for i := range places {
		rows, _ := places[i].pick(&w.frame.Queue)
		for order := range rows {
			row := &rows[order]
			isMember := slices.ContainsFunc(row.Members, func(m session.QueueRow) bool { return m.Pod == key })
			if isMember {
				w.say(themes.Text, key+" waits with its group, "+entityKey(row.Pod)+".")
			}
			if row.Pod == key || isMember {
				w.waits(i, order, row)
				found = true
			}
		}
	}
	isCycles := w.cycle != nil && w.cycle.Entity.Key() == key
	if w.cycle != nil && !isCycles {
		_, isCycles = w.cycle.Try(key)
	}
	if isCycles {
		w.podsCycle(key)
	}
	if !found && !isCycles {
		w.say(themes.Text, key+" is in no queue now: it has a node, or is gone, or is not among those listed.")
	}
}

// podsCycle tells of the cycle that is about a pod, or about its group.
func (w *telling) podsCycle(key string) {
	g := w.cycle.Group
	if g == nil || w.cycle.Entity.Key() == key {
		w.wholeCycle()
		return
	}
	at := slices.IndexFunc(g.Placements, func(p trace.Placement) bool { return p.Name == g.Chosen().Name })
	w.memberOf(g, Selection{Subject: OfMember, Pod: key, Placement: at})
}

// waits says why a pod is in its queue, and what will take it out.
func (w *telling) waits(in, order int, row *session.QueueRow) {
	w.line(
		widget.Span{Text: fmt.Sprintf("%c %s", places[in].sign(w.signs), places[in].name), Paint: places[in].paint.Strong()},
		widget.Span{
			Text:  fmt.Sprintf(": priority %d, %s, here for %s.", row.Priority, attempts(row.Attempts), w.since(row)),
			Paint: themes.Text,
		},
	)
	w.waitingMembers(row)
	switch in {
	case inActive:
		w.turn(order)
	case inBackoff:
		w.backsOff(row)
	case inUnschedulable:
		w.say(themes.Text, rejectedBy(row)+
			" It is tried again when an event comes that may help one of them, and else after five minutes.")
	case inGated:
		w.say(themes.Text, fmt.Sprintf("%s holds it back: %s", row.Gate, orNothing(row.GateText)))
	case inFlight:
		w.flies(row)
	case inIncomplete:
		w.say(themes.Text, "It names a PodGroup that is not there; it is tried with its group once that comes.")
	}
	if row.Node != "" && in != inFlight {
		w.say(themes.Text, "Room was made for it on "+row.Node+", its nominated node, which is tried first.")
	}
}

func attempts(n int) string {
	if n == 0 {
		return "not tried yet"
	}
	return many(n, "attempt") + " so far"
}

func (w *telling) since(row *session.QueueRow) string {
	if row.Since.IsZero() {
		return "no time"
	}
	return span(w.frame.Now.Sub(row.Since))
}

// turn says whose turn it is.
func (w *telling) turn(order int) {
	if order == 0 {
		w.say(themes.Text, "It is next: no pod waits with a higher priority, or with the same for longer.")
		return
	}
	before := w.frame.Queue.Active[order-1]
	own := w.frame.Queue.Active[order]
	why := "has the same priority and came at the same moment"
	switch {
	case before.Priority > own.Priority:
		why = fmt.Sprintf("has the higher priority %d", before.Priority)
	case before.Since.Before(own.Since):
		why = "has the same priority and waits longer"
	}
	w.say(themes.Text, fmt.Sprintf("%s before it; the last of them, %s, %s.", many(order, "pod"), before.Pod, why))
}

func (w *telling) backsOff(row *session.QueueRow) {
	ends := "It sits out a pause, the longer the more attempts failed."
	if !row.Until.IsZero() {
		ends = fmt.Sprintf("Its pause ends in %s, at %s.", span(max(0, row.Until.Sub(w.frame.Now))), clock(row.Until))
	}
	w.say(themes.Text, joined(" ", ends, rejectedBy(row)))
}

func (w *telling) flies(row *session.QueueRow) {
	if row.Node == "" {
		w.say(themes.Text, "Its cycle is going on.")
		return
	}
	w.say(themes.Text, "It is on its way to "+row.Node+".")
}

// rejectedBy says who rejected a pod last.
func rejectedBy(row *session.QueueRow) string {
	if len(row.Plugins) == 0 {
		return "No plugin rejected it: its last attempt ended in an error."
	}
	return "Rejected by " + strings.Join(row.Plugins, ", ") + "."
}

func orNothing(text string) string {
	if text == "" {
		return "it gives no reason"
	}
	return text
}
