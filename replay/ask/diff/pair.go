package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// pair is two tries of one pod, in the same cluster.
type pair struct {
	a, b   *trace.Try
	as, bs phrase.Text
}

// cause is the first thing by which the tries differ.
func (p *pair) cause() Cause {
	na, nb := goal(p.a), goal(p.b)
	if c, found := p.preFiltered(); found {
		return c
	}
	if c, found := rejects(p.b, p.a, na, p.bs); found {
		return c
	}
	if c, found := rejects(p.a, p.b, nb, p.as); found {
		return c
	}
	if p.a.Selected != nil && p.b.Selected != nil {
		return p.scored(na, nb)
	}
	if c, found := p.failed(); found {
		return c
	}
	return p.postFiltered()
}

// goal is the node that a try chose, or would make room on.
func goal(t *trace.Try) string {
	if t.Ended.Node != "" {
		return t.Ended.Node
	}
	return t.Ended.NominatedNode
}

// leadTheSameWay reports whether both choose the same node, or make room on it by the same victims.
func (p *pair) leadTheSameWay() bool {
	return goal(p.a) == goal(p.b) && slices.Equal(victims(p.a), victims(p.b))
}

func victims(t *trace.Try) []string {
	if t.Preemption == nil {
		return nil
	}
	return t.Preemption.Victims
}

// preFiltered finds a plugin that rejects the pod before any node under one side, or for another reason.
func (p *pair) preFiltered() (Cause, bool) {
	reject := func(t *trace.Try) (plugin, text string) {
		for _, f := range t.PreFilters {
			if f.Verdict.Code.Rejects() {
				return f.Plugin, f.Verdict.Message()
			}
		}
		return "", ""
	}
	pa, ta := reject(p.a)
	pb, tb := reject(p.b)
	switch {
	case pa == pb && ta == tb:
		return Cause{}, false
	case pb == "" || pa == pb:
		return Cause{Kind: Filter, Plugin: pa, Text: p.both(phrase.Textf("%s rejects the pod", pa), ta, tb)}, true
	}
	return Cause{Kind: Filter, Plugin: pb, Text: p.both(phrase.Textf("%s rejects the pod", pb), ta, tb)}, true
}

// both is the two answers, one under each side.
func (p *pair) both(what phrase.Text, a, b string) phrase.Text {
	return p.beside(what, phrase.Verbatim(a), phrase.Verbatim(b))
}

// beside is both for answers that are sentences of ours.
func (p *pair) beside(what, a, b phrase.Text) phrase.Text {
	return phrase.Textf("%s; %s: %s; %s: %s", what, p.as, orNothing(a), p.bs, orNothing(b))
}

// orNothing is a text, or that there is none.
func orNothing(text phrase.Text) phrase.Text {
	if text.IsZero() {
		return "nothing"
	}
	return text
}

// rejects finds the plugin that rejects, in one try, the node of the other one.
func rejects(t, other *trace.Try, node string, side phrase.Text) (Cause, bool) {
	f, is := failure(t, node)
	if _, also := failure(other, node); !is || also {
		return Cause{}, false
	}
	plugin := t.Matrix.Plugins[f.Plugin]
	text := phrase.Textf("%s rejects %s under %s: %s", plugin, node, side, f.Verdict.Message())
	return Cause{Kind: Filter, Plugin: plugin, Text: text}, true
}

// failure is the first of a node.
func failure(t *trace.Try, node string) (trace.Failure, bool) {
	if t.Matrix == nil {
		return trace.Failure{}, false
	}
	at := slices.Index(t.Matrix.Nodes, node)
	if at < 0 {
		return trace.Failure{}, false
	}
	if all := t.Matrix.OnNode(at); len(all) > 0 {
		return all[0], true
	}
	return trace.Failure{}, false
}

// scored finds the plugin that moves the two nodes most against each other.
func (p *pair) scored(na, nb string) Cause {
	gaps := [2]map[string]int64{}
	var plugins []string
	for i, t := range []*trace.Try{p.a, p.b} {
		gap, scored := between(t, na, nb)
		if !scored {
			return Cause{Kind: search, Text: "enough nodes were found before the other one was looked at"}
		}
		gaps[i] = gap
		for j := range t.Scores.Columns {
			if name := t.Scores.Columns[j].Plugin; !slices.Contains(plugins, name) {
				plugins = append(plugins, name)
			}
		}
	}
	most, by := "", int64(0)
	for _, plugin := range plugins {
		if moved := max(gaps[0][plugin]-gaps[1][plugin], gaps[1][plugin]-gaps[0][plugin]); moved > by {
			most, by = plugin, moved
		}
	}
	if most == "" {
		best := max(len(p.a.Selected.Tied), len(p.b.Selected.Tied))
		return Cause{Kind: Tie, Text: phrase.Textf(
			"%d nodes have the same total; %s takes %s (%s), %s takes %s (%s)", best, p.as, na,
			p.a.Selected.TieBreak, p.bs, nb, p.b.Selected.TieBreak,
		)}
	}
	text := phrase.Textf("%s gives %s beside %s %s under %s, and %s under %s", most, na, nb, more(gaps[0][most]), p.as,
		more(gaps[1][most]), p.bs)
	return Cause{Kind: Score, Plugin: most, Text: text}
}

// more is how a score compares with another one, in words.
func more(points int64) phrase.Text {
	switch {
	case points > 0:
		return phrase.Textf("%d more", points)
	case points < 0:
		return phrase.Textf("%d less", -points)
	}
	return "as much"
}

// between is by how much each plugin puts one node before another; false where one of them was not scored.
func between(t *trace.Try, one, other string) (map[string]int64, bool) {
	if t.Scores == nil {
		return nil, false
	}
	i, is := t.Scores.Of(slices.Index(t.Scores.Nodes, one))
	k, also := t.Scores.Of(slices.Index(t.Scores.Nodes, other))
	if !is || !also {
		return nil, false
	}
	gaps := map[string]int64{}
	for n := range t.Scores.Columns {
		if c := &t.Scores.Columns[n]; c.Normalized != nil {
			gaps[c.Plugin] = c.Weighted(i) - c.Weighted(k)
		}
	}
	return gaps, true
}

// failed finds the first node that is rejected by another plugin, or for another reason.
func (p *pair) failed() (Cause, bool) {
	if p.a.Matrix == nil || p.b.Matrix == nil {
		return Cause{}, false
	}
	for _, node := range p.a.Matrix.Nodes {
		fa, isA := failure(p.a, node)
		fb, isB := failure(p.b, node)
		if !isA || !isB {
			continue
		}
		pa, pb := p.a.Matrix.Plugins[fa.Plugin], p.b.Matrix.Plugins[fb.Plugin]
		ta, tb := fa.Verdict.Message(), fb.Verdict.Message()
		switch {
		case pa != pb:
			text := p.both(phrase.Textf("another plugin rejects %s first", node), pa+": "+ta, pb+": "+tb)
			return Cause{Kind: Filter, Plugin: pb, Text: text}, true
		case fa.Verdict.Code == fb.Verdict.Code && ta != tb:
			return Cause{Kind: Words, Plugin: pa, Text: p.both(phrase.Textf("%s rejects %s", pa, node), ta, tb)}, true
		case ta != tb || fa.Verdict.Code != fb.Verdict.Code:
			return Cause{Kind: Filter, Plugin: pa, Text: p.both(
				phrase.Textf("%s rejects %s", pa, node), fmt.Sprintf("%s (%s)", ta, fa.Verdict.Code),
				fmt.Sprintf("%s (%s)", tb, fb.Verdict.Code),
			)}, true
		}
	}
	return Cause{}, false
}

// postFiltered finds the PostFilter plugin with another answer or effect.
func (p *pair) postFiltered() Cause {
	said := func(t *trace.Try, plugin string) string {
		for _, f := range t.PostFilter {
			if f.Plugin == plugin {
				return f.Verdict.Message()
			}
		}
		return ""
	}
	if !p.leadTheSameWay() && (p.a.Preemption != nil || p.b.Preemption != nil) {
		return Cause{
			Kind: Preemption, Plugin: "DefaultPreemption",
			Text: p.beside("other victims", leaving(p.a), leaving(p.b)),
		}
	}
	for _, f := range slices.Concat(p.a.PostFilter, p.b.PostFilter) {
		if a, b := said(p.a, f.Plugin), said(p.b, f.Plugin); a != b {
			return Cause{Kind: Words, Plugin: f.Plugin, Text: p.both(phrase.Verbatim(f.Plugin), a, b)}
		}
	}
	return Cause{Kind: Words, Text: p.both("the message", p.a.Ended.Message, p.b.Ended.Message)}
}

// leaving lists the victims on each node; "" where there are none.
func leaving(t *trace.Try) phrase.Text {
	if len(victims(t)) == 0 {
		return ""
	}
	return phrase.Textf("%s leave %s", strings.Join(victims(t), ", "), t.Preemption.Node)
}
