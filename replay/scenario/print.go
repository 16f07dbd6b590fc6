package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

const indent = "  "

// printEvent prints what an event or time brought: the event itself, and below it what it led to.
func (r *run) printEvent(facts []trace.Fact) {
	for _, f := range facts {
		switch f := f.(type) {
		case trace.Observed, trace.ClockMoved:
			r.print(f.String())
		case trace.Recorded:
			r.print(indent + f.String())
		default:
			if matters(f) {
				r.print(indent + f.String())
			}
		}
	}
}

// printCycle prints a cycle in a few lines: what was popped, the plugin that rejected each node first, what the rest
// came to.
func (r *run) printCycle(facts []trace.Fact) {
	whose := map[string]bool{}
	for _, f := range facts {
		switch f := f.(type) {
		case trace.Popped:
			whose[f.Entity.Key()] = true
			r.print(f.String())
		case trace.Gathered:
			for _, m := range f.Members {
				whose[m.Key()] = true
			}
			r.print(indent + f.String())
		case trace.Recorded: // what it came to is in the message at the end
			if !whose[f.Pod] || f.Reason != "Scheduled" && f.Reason != "FailedScheduling" {
				r.print(indent + f.String())
			}
		case trace.Filtered:
			r.printFilter(f.Matrix)
		case trace.Scored:
			r.printTotals(f.Scores)
		default:
			if matters(f) {
				r.print(indent + f.String())
			}
		}
	}
}

// matters reports whether a fact of a cycle holds something that the lines around it do not.
func matters(f trace.Fact) bool {
	switch f := f.(type) {
	case trace.Moved:
		return f.To != queue.InFlight
	case trace.PreFiltered:
		return !f.Verdict.OK() && f.Verdict.Code != trace.Skip || f.Nodes != nil
	case trace.PreScored:
		return !f.Verdict.OK() && f.Verdict.Code != trace.Skip
	case trace.PostFiltered: // the message at the end holds it
		return f.Verdict.Code == trace.Error
	case trace.Preempted:
		return f.Node != ""
	case trace.Ran:
		return !f.Verdict.OK() && f.Verdict.Code != trace.Skip || f.Undo || f.Point == trace.PhasePermit
	case trace.Assumed:
		return false
	case trace.Feasible:
		return f.Verdict.Code == trace.Unschedulable
	case trace.PlacementBegan:
		return f.Name != ""
	case trace.PlacementEnded:
		return f.Name != ""
	case trace.PlacementSelected:
		return f.Name != ""
	case trace.Generated:
		return !f.Verdict.OK()
	case trace.MemberEnded: // a node it found is printed before
		return f.Code != trace.Success
	}
	return true
}

// printFilter prints the first failure of every node kube-scheduler looked at; nodes in a row with the same text share
// a line.
func (r *run) printFilter(m *trace.Matrix) {
	if len(m.Visited) == 0 {
		return
	}
	if len(m.Visited) < len(m.Nodes) {
		r.print(indent + m.String())
	}
	var group []string
	said := ""
	flush := func() {
		if len(group) > 0 {
			r.print(indent + inShort(group) + ": " + said)
		}
		group = nil
	}
	var fits []string
	for i, name := range m.Nodes {
		if m.Feasible(i) {
			fits = append(fits, name)
		}
		text := firstFailure(m, i)
		if text != said {
			flush()
		}
		if said = text; text != "" {
			group = append(group, name)
		}
	}
	flush()
	if len(fits) > 1 {
		r.print(indent + "fits: " + inShort(fits))
	}
}

// firstFailure is what rejected a node first; "" for a node that fits or was not looked at.
func firstFailure(m *trace.Matrix, node int) string {
	first := m.First[node]
	if first < 0 {
		return ""
	}
	v, _ := m.Verdict(node, int(first))
	return m.Plugins[first] + " " + v.String()
}

// few is how many names are listed in full.
const few = 6

func inShort(names []string) string {
	if len(names) <= few {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s ... %s (%d nodes)", names[0], names[len(names)-1], len(names))
}

func (r *run) printTotals(s *trace.Scores) {
	if len(s.Index) > few {
		r.print(indent + s.String())
		return
	}
	var totals []string
	for k, i := range s.Index {
		totals = append(totals, fmt.Sprintf("%s %d", s.Nodes[i], s.Totals[k]))
	}
	r.print(indent + "totals: " + strings.Join(totals, ", "))
}

func (r *run) printFacts() {
	if len(r.facts) == 0 {
		r.print("nothing happened")
	}
	for _, f := range r.facts {
		r.print(f.String())
	}
}

var errNoCycle = phrase.Errorf("there was no cycle yet (want schedule or run before it)")

func (r *run) printJSON() error {
	if r.last == nil {
		return errNoCycle
	}
	line, err := trace.Encode(r.last.Document())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return err
	}
	r.print(b.String())
	return nil
}

func (r *run) printQueue() {
	all := r.player.Schedulers()
	for _, s := range all {
		if len(all) > 1 {
			r.print("scheduler " + s.Name())
		}
		r.printQueueOf(s)
	}
}

func (r *run) printQueueOf(s *core.Scheduler) {
	q := s.Queue()
	before := r.out.Len()
	for item := range q.Active() {
		r.print("activeQ: " + item.Key() + attempts(item) + members(item))
	}
	for item := range q.Backoff() {
		r.print("backoffQ: " + item.Key() + attempts(item) + members(item) + ", until " +
			item.BackoffUntil.UTC().Format(time.TimeOnly))
	}
	for item := range q.Unschedulable() {
		r.print("unschedulable: " + item.Key() + attempts(item) + members(item) + rejected(item) + pending(item))
	}
	for item := range q.Gated() {
		r.print("gated: " + item.Key() + attempts(item) + members(item) + " by " + item.Gate + ": " + item.GateText)
	}
	for _, item := range q.Lone() {
		r.print("incomplete: " + item.Key() + attempts(item) + ", without PodGroup " + item.Pod.Group)
	}
	for item := range q.InFlight() {
		r.print("in flight: " + item.Key() + attempts(item))
	}
	for _, name := range s.State().Snapshot().Names {
		for _, p := range q.Nominated(name) {
			r.print("nominated: " + p.Key + " on " + name)
		}
	}
	if r.out.Len() == before {
		r.print("nobody waits")
	}
}

func attempts(item *queue.Item) string {
	switch item.Attempts {
	case 0:
		return ""
	case 1:
		return ", 1 attempt"
	}
	return fmt.Sprintf(", %d attempts", item.Attempts)
}

// members are the pods of a group.
func members(item *queue.Item) string {
	if item.Group == nil {
		return ""
	}
	var names []string
	for _, m := range item.Members {
		names = append(names, m.Pod.Key)
	}
	return " (" + inShortOf(names, "pods") + ")"
}

// rejected names the plugins that rejected an item; up to 1.19 an item waits after an error too, and none did.
func rejected(item *queue.Item) string {
	if item.Group == nil && len(item.Rejectors) == 0 {
		return ""
	}
	return ", rejected by " + strings.Join(item.Rejectors, ", ")
}

func pending(item *queue.Item) string {
	if len(item.Pending) == 0 {
		return ""
	}
	return ", pending at " + strings.Join(item.Pending, ", ")
}
