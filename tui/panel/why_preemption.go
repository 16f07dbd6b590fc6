package panel

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// hasPreemption says whether the frame still has the preemption a selection is about.
func (w *telling) hasPreemption(s Selection) bool {
	if w.try == nil || w.try.Preemption == nil {
		return false
	}
	nodes := w.try.Preemption.Nodes
	return s.NodeIndex >= 0 && s.NodeIndex < len(nodes) && nodes[s.NodeIndex] == s.Node
}

// preemption explains what a preemption found out about one node.
func (w *telling) preemption(node int) {
	p := w.try.Preemption
	name := p.Nodes[node]
	if at := slices.IndexFunc(p.Candidates, func(c trace.PreemptionCandidate) bool {
		return int(c.Node) == node
	}); at >= 0 {
		w.candidate(at)
		return
	}
	if at := slices.IndexFunc(p.Refused, func(r trace.PreemptionRefusal) bool { return int(r.Node) == node }); at >= 0 {
		w.refused(&p.Refused[at])
		return
	}
	if slices.Contains(p.Untried, int32(node)) {
		w.signed(w.signs.NotSampled, themes.NotSampled, fmt.Sprintf(
			"%s was not tried: %s enough, once one of them harms no disruption budget. The search began at place %d of the %s where evictions could help; the seed chose it.",
			name, isOrAre(p.Wanted), p.Offset+1, many(p.Potential, "node")))
		return
	}
	w.signed(w.signs.FailUnresolvable, themes.FailUnresolvable, name+
		" was not tried: who leaves it makes no difference there.")
	if plugin, v, ok := rejectedFor(w.try, node); ok {
		w.rejection(node, slices.Index(w.try.Matrix.Plugins, plugin), v)
		return
	}
	for _, pre := range w.try.PreFilters {
		if pre.Verdict.Code.Rejects() || pre.Nodes != nil && !slices.Contains(pre.Nodes, name) {
			w.say(themes.Text, "PreFilter of "+joined(": ", pre.Plugin+" leaves it out", pre.Verdict.Message())+".")
		}
	}
}

// refused explains a node that would not take the pod even without everybody less important.
func (w *telling) refused(r *trace.PreemptionRefusal) {
	name := w.try.Preemption.Nodes[r.Node]
	sign, paint := verdictSign(r.Verdict, w.signs)
	if r.Plugin == "" {
		w.line(widget.Span{Text: sign + " ", Paint: paint}, widget.Span{
			Text:  fmt.Sprintf("%s is no candidate: %s (%s).", name, r.Verdict.Message(), r.Verdict.Code),
			Paint: themes.Text,
		})
		if r.Verdict.Code != trace.Error {
			w.say(themes.Muted, fmt.Sprintf("No pod there has a lower priority than %d.", w.try.Entity.Priority))
		}
		return
	}
	w.line(widget.Span{Text: sign + " ", Paint: paint}, widget.Span{Text: name +
		" is no candidate: even if every less important pod left, it would be rejected.", Paint: themes.Text})
	w.line(widget.Span{Text: r.Plugin, Paint: themes.Text.Strong()}, widget.Span{
		Text: fmt.Sprintf(": %s (%s)", r.Verdict.Message(), r.Verdict.Code), Paint: themes.Text,
	})
	w.evidence(r.Verdict.Evidence, nil)
}

// candidate explains a node that could take the pod: who would leave, who may stay, and its rank.
func (w *telling) candidate(at int) {
	p := w.try.Preemption
	c := &p.Candidates[at]
	if at == 0 {
		w.line(
			widget.Span{Text: string(w.signs.Pass) + " ", Paint: themes.Pass},
			widget.Span{Text: p.Nodes[c.Node], Paint: themes.Text.Strong()},
			widget.Span{
				Text:  fmt.Sprintf(" is nominated for %s. %s", w.try.Entity.Key(), decidedWords(p)),
				Paint: themes.Text,
			},
		)
	} else {
		w.say(themes.Text, fmt.Sprintf("%s is candidate %d of %d.", p.Nodes[c.Node], at+1, len(p.Candidates)))
		w.behind(c, &p.Candidates[at-1])
	}
	w.say(themes.Text, "Would have to leave:")
	for i, pod := range c.Victims {
		w.victim(pod, i, c)
	}
	if len(c.Reprieved) > 0 {
		w.say(themes.Text, "Less important too, but may stay, as the pod fits beside them: "+podNames(c.Reprieved)+".")
	}
	w.say(themes.Muted, fmt.Sprintf("Ranked by: %s, highest priority %d, sum of priorities %d, %s, the most important since %s.",
		many(c.Violations(), "budget violation"), c.Highest, c.Sum, many(len(c.Victims), "victim"),
		keyWords(c, trace.ByEarliestStart)))
	if at == 0 {
		w.say(
			themes.Muted,
			"kube-scheduler asks them to go and keeps the node for the pod, which is tried again when they are gone.",
		)
	}
}

// behind says which criterion put a candidate behind another.
func (w *telling) behind(c, better *trace.PreemptionCandidate) {
	name := w.try.Preemption.Nodes[better.Node]
	if c.Behind == trace.ByNodeOrder {
		w.say(themes.Text, "No criterion tells it from "+name+", which is the first in node order.")
		return
	}
	w.line(
		widget.Span{Text: "Behind " + name + " by the " + c.Behind.String() + ": ", Paint: themes.Text},
		widget.Span{
			Text: fmt.Sprintf("%s against %s", keyWords(c, c.Behind), keyWords(better, c.Behind)), Paint: themes.Warn,
		},
		widget.Span{Text: ".", Paint: themes.Text},
	)
}

func (w *telling) victim(pod string, i int, c *trace.PreemptionCandidate) {
	text := widget.Paragraph{{Text: fmt.Sprintf("  %c %s", w.signs.Bullet, pod), Paint: themes.Text}}
	if i < len(c.Leaving) {
		v := &c.Leaving[i]
		started := ", not started yet"
		if !v.Start.IsZero() {
			started = fmt.Sprintf(", started %s ago", span(max(w.try.Time.Sub(v.Start), 0)))
		}
		text = append(text, widget.Span{Text: fmt.Sprintf(": priority %d%s", v.Priority, started), Paint: themes.Muted})
		if v.Budget != "" {
			text = append(text, widget.Span{
				Text: "; the disruption budget " + v.Budget + " does not allow it", Paint: themes.Warn,
			})
		}
	}
	w.text = append(w.text, text)
}
