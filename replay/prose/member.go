package prose

import (
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
)

// member is what a gang that did not get its nodes means for one of its pods: whether the pod fits, and who is missing.
func (t *told) member(e *session.Explanation) {
	g := e.Group
	if g == nil || g.Selected != nil || g.MinCount < 2 || g.Missing() == 0 {
		return
	}
	if e.Cycle.State == trace.FoundNode {
		t.add(0, Verdict, textFitsItself, e.Cycle.Found.Node)
	}
	t.add(0, Verdict, textGang, strconv.Itoa(g.MinCount), strconv.Itoa(g.Scheduled+g.Found()))
	chosen := g.Chosen()
	if chosen == nil {
		return
	}
	var untried []string
	for _, m := range chosen.Members {
		switch key := m.Entity.Key(); m.State {
		case trace.NotTried:
			untried = append(untried, key)
		case trace.FoundNone, trace.Failed:
			t.add(1, Evidence, textNoNodeFor, key, m.Found.Message)
		}
	}
	if len(untried) > 0 {
		t.add(1, Evidence, textUntried, names(untried))
	}
	if absent := g.MinCount - g.Scheduled - len(g.Members); absent > 0 {
		t.add(1, Evidence, "%s", count(absent, textAbsent, textAbsents))
	}
}

// nominated is for whom room was made: the node, and who has to leave it.
func (t *told) nominated(e *session.Explanation) {
	if e.Node != "" {
		return
	}
	node, victims := "", []string(nil)
	if p := e.Cycle.Preemption; p != nil {
		node, victims = p.Node, p.Victims
	}
	if e.Group != nil && e.Group.Preempted != nil {
		for _, to := range e.Group.Preempted.Nodes {
			if to.Pod == e.Pod {
				node, victims = to.Node, e.Group.Preempted.Victims
			}
		}
	}
	if node != "" && node == e.Place.Row.Node {
		t.add(0, Verdict, textRoomMade, node, strings.Join(victims, ", "))
	}
}
