package prose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
)

// Extent is how much is told of the nodes that reject a pod.
type Extent struct {
	All     bool // every one of them
	Nearest int  // else so many; less than 0: as many as elsewhere
}

// Usual is the extent where nobody asks for another.
var Usual = Extent{Nearest: -1}

// Pod is an explanation in lines. A pod that has a node leads with why it has that one, before what ruled the others
// out; one that waits leads with what it waits for.
func Pod(e session.Explanation, extent Extent) []Line {
	var t told
	t.add(0, Verdict, textPodIs, e.Pod, Place(e.Place, e.Now))
	if e.Cycle != nil {
		t.reserved(&e)
		t.nominated(&e)
		t.reported(&e)
	}
	for i, next := range Wakes(e.Place, e.Now) {
		if i == 0 {
			t.add(0, Heading, textNext)
		}
		t.add(1, Note, "%s", next)
	}
	if e.Cycle != nil {
		t.tried(&e, extent)
	}
	t.history(&e)
	return t
}

// Tried is what one try of a pod found out about the nodes, in lines.
func Tried(e session.Explanation, extent Extent) []Line {
	var t told
	t.tried(&e, extent)
	return t
}

func (t *told) tried(e *session.Explanation, extent Extent) {
	t.beforeAnyNode(e.Cycle)
	t.contest(e.Cycle)
	t.objections(e)
	t.nearest(e, extent)
	t.extenders(e.Cycle)
	t.changes(e)
}

// reported is what kube-scheduler says, and how much it looked at for that.
func (t *told) reported(e *session.Explanation) {
	if e.Asked {
		t.add(0, Note, textNotTried)
	}
	if e.Says != "" {
		says := textSays
		if e.Asked {
			says = textWouldSay
		}
		t.add(0, Verdict, says, e.Says)
	}
	t.member(e)
	if ended := e.Cycle.Ended; ended != nil {
		t.add(0, Note, textHow, strconv.FormatInt(e.Cycle.Number, 10), strconv.Itoa(e.Cycle.Attempt),
			strconv.Itoa(ended.Evaluated), strconv.Itoa(e.Cycle.Nodes), strconv.Itoa(ended.Feasible))
	}
}

// Says is the message of an event that kube-scheduler records.
func Says(message string) string { return fmt.Sprintf(textSays, message) }

// beforeAnyNode is what rejected the pod before a node was looked at.
func (t *told) beforeAnyNode(c *trace.Try) {
	for _, f := range c.PreFilters {
		if f.Verdict.Code.Rejects() || f.Verdict.Code == trace.Error {
			t.add(0, Heading, textBefore, f.Plugin, f.Verdict.String())
			t.evidence(1, f.Verdict, nil)
		}
	}
}

func (t *told) evidence(level int, v trace.Verdict, users []trace.Use) {
	for _, e := range v.Evidence {
		t.add(level, Evidence, "%s", Compared(e, users))
	}
}

// objections are the nodes that reject the pod, by all their reasons.
func (t *told) objections(e *session.Explanation) {
	if len(e.Groups) == 0 {
		return
	}
	title := textObjections
	if e.Cycle.Selected != nil {
		title = textRuledOut
	}
	t.add(0, Heading, "%s", title)
	for _, g := range e.Groups[:min(len(e.Groups), mostGroups)] {
		t.add(1, Verdict, textObjection, count(len(g.Nodes), textNode, textNodes), strings.Join(g.Reasons, "; "))
		t.add(2, Note, "%s", names(g.Nodes))
	}
	if more := len(e.Groups) - mostGroups; more > 0 {
		t.add(1, Note, textMoreObjections, strconv.Itoa(more))
	}
}

// nearest are the nodes that almost fit, with every comparison.
func (t *told) nearest(e *session.Explanation, extent Extent) {
	limit, title := extent.Nearest, textNearest
	if limit < 0 {
		limit = mostNearest
	}
	if extent.All {
		limit, title = len(e.Nearest), textEveryNode
	}
	shown := e.Nearest[:min(len(e.Nearest), limit)]
	if len(shown) == 0 {
		return
	}
	t.add(0, Heading, "%s", title)
	for i := range shown {
		t.add(1, Verdict, "%s", shown[i].Node)
		t.rejections(2, shown[i].Failures)
	}
}

// rejections are the answers of plugins that reject a node, each with its evidence.
func (t *told) rejections(level int, broken []session.Broken) {
	for i := range broken {
		b := &broken[i]
		t.add(level, Verdict, textAnswer, b.Plugin, b.Verdict.Message())
		t.evidence(level+1, b.Verdict, b.Advice.Users)
	}
}

// extenders is what extenders were asked, and what came of it.
func (t *told) extenders(c *trace.Try) {
	for i := range c.Extended {
		if i == 0 {
			t.add(0, Heading, textExtenders)
		}
		t.add(1, Note, "%s", c.Extended[i].String())
	}
}

// changes are what alone would make some nodes fit.
func (t *told) changes(e *session.Explanation) {
	if len(e.Changes) == 0 {
		return
	}
	t.add(0, Heading, textAnyOne)
	for _, c := range e.Changes[:min(len(e.Changes), mostChanges)] {
		t.add(1, Change, textWhere, Changed(c.Change), names(c.Nodes))
	}
}

func (t *told) history(e *session.Explanation) {
	if len(e.History) == 0 {
		return
	}
	t.add(0, Heading, textHistory)
	for _, event := range e.History {
		t.add(1, Note, "%s", Event(event))
	}
}

// Event is one thing that happened to a pod.
func Event(e session.Event) string {
	where := fmt.Sprintf(textStep, e.Step)
	if e.Cycle > 0 {
		where = fmt.Sprintf(textCycle, e.Cycle)
	}
	return fmt.Sprintf(textEvent, e.At.UTC().Format("15:04:05.000"), where, e.Text)
}
