package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
)

// Difference is one thing on which the two schedulers do not agree.
type Difference struct {
	Wave, Step string
	What       string // "host", "condition", "event" or "victim"
	Pod        string
	Theirs     string
	Ours       string
	Chance     string // why kube-scheduler might as well have done what ours did; "" when it might not
}

// String is the difference on three lines.
func (d Difference) String() string {
	s := fmt.Sprintf(
		"%s, %s: %s of %s\n  kube-scheduler: %s\n  schedstep:      %s", d.Wave, d.Step, d.What, d.Pod, d.Theirs, d.Ours,
	)
	if d.Chance != "" {
		s += "\n  chance: " + d.Chance
	}
	return s
}

// Tally counts what was compared, and what of it was equal. What follows from a decision of chance is not counted.
type Tally struct {
	Steps   int // times both came to an end
	Hosts   Count
	Texts   Count // conditions and events
	Victims Count
	Chance  int // decisions that kube-scheduler leaves to chance and took otherwise
}

// of is the count of one kind of answer.
func (t *Tally) of(what string) *Count {
	switch what {
	case "host":
		return &t.Hosts
	case "victim":
		return &t.Victims
	}
	return &t.Texts
}

// Count is how many of a number of answers were equal.
type Count struct{ Equal, Of int }

func (c *Count) add(equal bool) {
	c.Of++
	if equal {
		c.Equal++
	}
}

func (t *Tally) add(o Tally) {
	t.Steps += o.Steps
	t.Chance += o.Chance
	for _, pair := range [][2]*Count{{&t.Hosts, &o.Hosts}, {&t.Texts, &o.Texts}, {&t.Victims, &o.Victims}} {
		pair[0].Equal += pair[1].Equal
		pair[0].Of += pair[1].Of
	}
}

// comparison lays two outcomes side by side. Only what is new since before is counted, so that nothing counts twice;
// all is compared.
type comparison struct {
	before, theirs, ours Outcome
	tally                Tally
	differences          []Difference
}

func compare(before, theirs, ours Outcome) *comparison {
	c := &comparison{before: before, theirs: theirs, ours: ours}
	c.tally.Steps = 1
	c.all("host", before.Hosts, theirs.Hosts, ours.Hosts, host)
	c.all("condition", before.Messages, theirs.Messages, ours.Messages, or("none"))
	c.all("event", before.Notes, theirs.Notes, ours.Notes, or("none"))
	c.all("victim", before.Victims, theirs.Victims, ours.Victims, or("stays"))
	return c
}

// all compares one kind of answer for every pod that either side speaks of.
func (c *comparison) all(what string, before, theirs, ours map[string]string, word func(string, bool) string) {
	pods := maps.Clone(theirs)
	maps.Copy(pods, ours)
	for _, pod := range slices.Sorted(maps.Keys(pods)) {
		their, has := theirs[pod]
		our, have := ours[pod]
		t, o := word(their, has), word(our, have)
		old, had := before[pod]
		if t != o {
			c.differences = append(c.differences, Difference{What: what, Pod: pod, Theirs: t, Ours: o})
		}
		if pending := what == "host" && their == "" && our == ""; !pending && (t != o || has != had || their != old) {
			c.tally.of(what).add(t == o)
		}
	}
}

func host(node string, there bool) string {
	switch {
	case !there:
		return "gone"
	case node == "":
		return "none"
	}
	return node
}

func or(none string) func(string, bool) string {
	return func(text string, there bool) string {
		if !there {
			return none
		}
		return text
	}
}

// byChance finds the differences that come of a choice kube-scheduler leaves to chance, and marks them. It is true when
// they all do, or there are none. It is called once.
func (c *comparison) byChance(cycles map[string][]*trace.Try) bool {
	excused := map[string]string{} // pods about which chance decided
	for _, d := range c.differences {
		if why := c.chance(d, cycles[d.Pod]); why != "" {
			excused[d.Pod] = why
			c.tally.Chance++
			for _, side := range []Outcome{c.theirs, c.ours} {
				for _, victim := range side.victimsOf(cycles[d.Pod][0].Entity.UID) {
					excused[victim] = why
				}
			}
		}
	}
	all := true
	for i := range c.differences {
		d := &c.differences[i]
		if d.Chance = excused[d.Pod]; d.Chance != "" {
			c.tally.of(d.What).Of--
		}
		all = all && d.Chance != ""
	}
	return all
}

// chance explains why a pod may have gone where kube-scheduler put it.
func (c *comparison) chance(d Difference, cycles []*trace.Try) string {
	if d.What != "host" {
		return ""
	}
	for _, cycle := range cycles {
		if p := cycle.Preemption; p != nil && p.Node == d.Ours && c.stranded(d, p) {
			return "its victims were gone before kube-scheduler told them to go a second time, so that no event woke it"
		}
		if p := cycle.Preemption; p != nil && p.Node == d.Ours {
			return c.preempted(d, cycle)
		}
		named := slices.ContainsFunc(cycle.PreFilters, func(f trace.PreFiltered) bool { return f.Nodes != nil })
		if s := cycle.Selected; named && s != nil && slices.Contains(s.Tied, d.Theirs) {
			return "the nodes a PreFilter plugin names are visited in the order of a map, and both have the highest total"
		}
	}
	return ""
}

// stranded reports whether kube-scheduler made room for the pod on the same node by the same victims, and left it
// there, waiting for an eviction that is over.
func (c *comparison) stranded(d Difference, p *trace.Preemption) bool {
	for victim, note := range c.ours.Victims {
		if c.theirs.Victims[victim] != note {
			return false
		}
	}
	waits := "preemption: found a potential placement for pod on node " + p.Node + ","
	return d.Theirs == "none" && strings.Contains(c.theirs.Messages[d.Pod], waits)
}

// preempted reports whether the pod made room where another candidate was as good, by the same victims as ours names
// for that candidate.
func (c *comparison) preempted(d Difference, cycle *trace.Try) string {
	p, victims := cycle.Preemption, c.theirs.victimsOf(cycle.Entity.UID)
	for i := range p.Candidates[:p.Tied] {
		candidate := &p.Candidates[i]
		if p.Nodes[candidate.Node] == d.Theirs && slices.Equal(slices.Sorted(slices.Values(candidate.Victims)), victims) {
			return fmt.Sprintf("%d candidates are equal by every criterion, and kube-scheduler takes the first of a map", p.Tied)
		}
	}
	return ""
}
