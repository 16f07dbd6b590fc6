package compare

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/internal/phrase"
)

// placement is the end of a message about a pod that others are evicted for: on which node, and how many.
var placement = regexp.MustCompile(
	`^(.*found a potential placement for pod on node )(\S+)(, preempting )(\d+)( victims)$`,
)

// evicts judges two messages that differ in nothing but where pods are evicted. Preemption begins to look somewhere by
// chance, ends when it has enough candidates, and takes any of those that are equally good.
func (a answer) evicts(d *Decision) {
	theirs, ours := placement.FindStringSubmatch(core.Note(d.Theirs)), placement.FindStringSubmatch(a.try.Ended.Message)
	p := a.try.Preemption
	if theirs == nil || ours == nil || p == nil || theirs[1] != ours[1] {
		return
	}
	victims, _ := strconv.Atoi(theirs[4])
	for i := range p.Candidates {
		c := &p.Candidates[i]
		switch {
		case p.Nodes[c.Node] != theirs[2] || len(c.Victims) != victims:
			continue
		case i < p.Tied:
			d.Verdict, d.Why = Tied, phrase.Textf("evicting is as good on %d nodes", p.Tied)
		case len(p.Untried) > 0:
			d.beganElsewhere()
		default:
			d.Why = phrase.Textf("evicting on %s is better: %s", p.Node, p.Decided)
		}
		return
	}
	if slices.ContainsFunc(p.Untried, func(n int32) bool { return p.Nodes[n] == theirs[2] }) {
		d.beganElsewhere()
	}
}

func (d *Decision) beganElsewhere() {
	d.Verdict, d.Why = Explained, "preemption looks at some of the nodes, and theirs may have begun elsewhere"
	d.chance = true
}
