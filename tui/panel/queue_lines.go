package panel

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// place is one of the queues.
type place struct {
	name  string
	rule  string // which pods are in it, and in which order
	paint themes.Paint
	sign  func(*themes.Glyphs) rune
	pick  func(*session.Queue) (rows []session.QueueRow, count int)
}

// places are the queues, in the order an entity goes through them when all goes well, and then the others.
var places = [...]place{
	{
		"active", "highest priority first, then who waits longest", themes.QueueActive,
		func(g *themes.Glyphs) rune { return g.Bullet },
		func(q *session.Queue) ([]session.QueueRow, int) { return q.Active, q.Counts.Active },
	},
	{
		"backoff", "sits out a pause after a failed attempt", themes.QueueBackoff,
		func(g *themes.Glyphs) rune { return g.Waiting },
		func(q *session.Queue) ([]session.QueueRow, int) { return q.Backoff, q.Counts.Backoff },
	},
	{
		"unschedulable", "waits for an event that may help", themes.QueueUnschedulable,
		func(g *themes.Glyphs) rune { return g.Fail },
		func(q *session.Queue) ([]session.QueueRow, int) { return q.Unschedulable, q.Counts.Unschedulable },
	},
	{
		"gated", "not tried until the gate opens", themes.QueueGated,
		func(g *themes.Glyphs) rune { return g.FailUnresolvable },
		func(q *session.Queue) ([]session.QueueRow, int) { return q.Gated, q.Counts.Gated },
	},
	{
		"in flight", "being tried or bound", themes.QueueInFlight,
		func(g *themes.Glyphs) rune { return g.Arrow },
		func(q *session.Queue) ([]session.QueueRow, int) { return q.InFlight, q.Counts.InFlight },
	},
	{
		"without group", "its PodGroup is not there", themes.QueueGated,
		func(g *themes.Glyphs) rune { return g.FailUnresolvable },
		func(q *session.Queue) ([]session.QueueRow, int) { return q.Incomplete, q.Counts.Incomplete },
	},
}

// The places by their index.
const (
	inActive = iota
	inBackoff
	inUnschedulable
	inGated
	inFlight
	inIncomplete // shown only when a pod is in it
)

// queueLine is a heading, a pod, or (an empty pod) how many more there are.
type queueLine struct {
	place   int
	heading bool
	count   int // of the heading's queue; of those not listed, in a line without a pod
	order   int // place in the queue, from 1
	row     session.QueueRow
	member  bool // of the group above it
}

// queueLines are all lines of a Queue as a widget.Lines.
type queueLines struct {
	frame *session.Frame
	all   []queueLine
	names int // width of the longest name
}

func (l *queueLines) fill(f *session.Frame, filter string) {
	l.frame, l.all, l.names = f, l.all[:0], 4
	for i := range places {
		rows, count := places[i].pick(&f.Queue)
		if count == 0 && !exists(f, i) {
			continue
		}
		l.all = append(l.all, queueLine{place: i, heading: true, count: count})
		for k, row := range rows {
			if view.Matches(row.Pod, filter) {
				l.add(queueLine{place: i, order: k + 1, row: row})
			}
			for _, member := range row.Members {
				if view.Matches(member.Pod, filter) {
					l.add(queueLine{place: i, order: k + 1, row: member, member: true})
				}
			}
		}
		if more := count - len(rows); more > 0 && filter == "" {
			l.all = append(l.all, queueLine{place: i, heading: true, count: more, order: -1})
		}
	}
}

func (l *queueLines) add(line queueLine) {
	l.names = max(l.names, widget.Width(line.name(l.frame.Language)))
	l.all = append(l.all, line)
}

// name is what a line calls its pod or group.
func (l *queueLine) name(lang words.Language) string {
	if l.member {
		return "  " + view.PodName(lang, l.row.Pod)
	}
	return view.PodName(lang, l.row.Pod)
}

func (l *queueLines) lineOf(pod string) int {
	return slices.IndexFunc(l.all, func(line queueLine) bool { return !line.heading && line.row.Pod == pod })
}

// Len is the number of lines.
func (l *queueLines) Len() int { return len(l.all) }

// IsHeading reports whether a line holds no pod.
func (l *queueLines) IsHeading(line int) bool { return l.all[line].heading }

// DrawLine draws one line.
func (l *queueLines) DrawLine(line int, r widget.Region) {
	at := &l.all[line]
	in := &places[at.place]
	switch {
	case at.order < 0:
		r.Text(1, 0, themes.Muted, l.frame.Language.Say("and %d more", at.count))
		return
	case at.heading:
		name, rule := l.frame.Language.Of(in.name), l.frame.Language.Of(in.rule)
		if at.place == inActive {
			name = l.frame.Language.Of(view.ActiveName(l.frame))
			if l.frame.Queue.InLine {
				rule = l.frame.Language.Of("who came first is tried first")
			}
		}
		paint := in.paint.Strong()
		if at.count == 0 {
			paint = themes.Muted
		}
		x := r.Text(0, 0, paint, fmt.Sprintf("%c %s %d", in.sign(r.Glyphs()), name, at.count))
		if r.Width() >= rulesFrom {
			r.Text(x+2, 0, themes.Muted, rule)
		}
		return
	}
	l.drawPod(at, r)
}

// rulesFrom is the width from which headings explain their queue.
const rulesFrom = 60

// usualReason is the usual width of the reason why a pod is in its queue.
const usualReason = 12

// queuePart is one column of a pod's line, besides its name.
type queuePart struct {
	width int
	from  int // the width of the line from which there is room for it
	align widget.Align
	text  string
	paint themes.Paint
}

// drawPod draws a pod: its name, and as much else as there is room for. The reason why it is in its queue goes last.
func (l *queueLines) drawPod(at *queueLine, r widget.Region) {
	reason, paint := l.reason(at, r.Glyphs())
	least := min(l.names, 24) + 1 + usualReason
	parts := [...]queuePart{
		{width: 6, from: least + 7, text: fmt.Sprintf("p%d", at.row.Priority), paint: themes.Muted, align: widget.Right},
		{width: 7, from: least + 15, text: l.frame.Language.Say("tried %d", at.row.Attempts), paint: themes.Muted},
	}
	room := r.Width()
	taken := 0
	for _, part := range parts {
		if room >= part.from {
			taken += part.width + 1
		}
	}
	name := min(l.names, max(room-taken-min(widget.Width(reason), usualReason)-1, room/2))
	r.FitName(0, 0, min(name, room), themes.Text, at.name(l.frame.Language), widget.Left)
	x := name + 1
	for _, part := range parts {
		if room >= part.from {
			r.Fit(x, 0, part.width, part.paint, part.text, part.align)
			x += part.width + 1
		}
	}
	if rest := room - x; rest > 0 {
		r.Fit(x, 0, rest, paint, reason, widget.Left)
	}
}

// reason is the note about a pod that its queue makes useful.
func (l *queueLines) reason(at *queueLine, g *themes.Glyphs) (string, themes.Paint) {
	row := &at.row
	if at.member && at.place == inFlight {
		return "", themes.Muted
	}
	if at.member {
		return view.Joined(" ", view.ShortAll(row.Plugins), nominated(row, g)), themes.Muted
	}
	switch at.place {
	case inActive:
		return view.Joined(
			" ", l.frame.Language.Say("waits %s", prose.Span(l.frame.Now.Sub(row.Since))), nominated(row, g),
		), themes.Muted
	case inBackoff:
		if row.Until.IsZero() {
			return string(g.Waiting), themes.QueueBackoff
		}
		return string(g.Waiting) + " " + prose.Span(max(0, row.Until.Sub(l.frame.Now))), themes.QueueBackoff
	case inUnschedulable:
		return view.Joined(" ", view.ShortAll(row.Plugins), nominated(row, g)), themes.QueueUnschedulable
	case inGated:
		if absent := row.Absent(); len(row.Members) > 0 && absent > 0 {
			return l.frame.Language.Say("%d of %d pods", row.MinCount-absent, row.MinCount), themes.QueueGated
		}
		return row.Gate, themes.QueueGated
	case inIncomplete:
		return l.frame.Language.Of("no PodGroup"), themes.QueueGated
	}
	if row.Node != "" {
		return string(g.Arrow) + " " + row.Node, themes.QueueInFlight
	}
	return l.frame.Language.Of("being tried"), themes.QueueInFlight
}

// nominated is where preemption made room for a pod.
func nominated(row *session.QueueRow, g *themes.Glyphs) string {
	if row.Node == "" {
		return ""
	}
	return string(g.Arrow) + " " + row.Node
}

// exists reports whether a queue without pods is shown: it is one that the release has.
func exists(f *session.Frame, place int) bool {
	switch place {
	case inIncomplete:
		return false
	case inGated:
		return f.Queue.Gates
	case inUnschedulable:
		return !f.Queue.InLine
	}
	return true
}
