package compare

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
)

// group has kube-scheduler try every member of a pod group as ours did: in the placements and the order of ours, each
// with those before it in their place. It compares every try. What the group makes of them is not compared here, but in
// package groups; kube-scheduler gets it as it is.
func (p *Pair) group(cycle *trace.Cycle, effects []core.Effect) error {
	linked, is := p.theirs.(*oracle.Oracle)
	if !is {
		return fmt.Errorf("step %d: pod groups are compared with the kube-scheduler of this process alone", p.step)
	}
	p.tally.Groups++
	linked.BeginGroup()
	tries := map[string]oracle.Tried{}
	if g := cycle.Group; g != nil {
		for i := range g.Placements {
			here, err := p.placement(linked, g, &g.Placements[i])
			if err != nil {
				return err
			}
			if &g.Placements[i] == g.Chosen() {
				tries = here
			}
		}
		for _, m := range g.Members {
			if err := p.settle(linked, m.Key(), tries); err != nil {
				return err
			}
		}
		p.elsewhere = len(g.PostFilter) > 0 // it tried the group again, without its victims
	}
	p.send(effects)
	for _, e := range effects {
		n, ok := e.(core.Nominate)
		if !ok {
			continue
		}
		pod, known := p.ours.State().Pod(n.Pod.Key) // the effect's own may be on a node
		if !known {
			continue
		}
		if err := p.nominate(pod.API, effects); err != nil {
			return err
		}
	}
	return p.follow()
}

// placement tries the members in one placement, and takes them off their nodes again.
func (p *Pair) placement(
	theirs *oracle.Oracle, g *trace.Group, in *trace.Placement,
) (map[string]oracle.Tried, error) {
	tries := map[string]oracle.Tried{}
	var there []string
	nodes := p.within(g.Topology, in.Name)
	for i := range in.Members {
		m := in.Members[i]
		if m.State == trace.NotTried {
			continue
		}
		pod, known := p.ours.State().Pod(m.Entity.Key())
		if !known {
			return nil, fmt.Errorf("step %d: pod %s: tried and not there", p.step, m.Entity.Key())
		}
		answer, err := theirs.Member(pod.API, nodes)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", p.step, err)
		}
		p.tally.Members++
		about := member(m, answer.Decision.StartIndex)
		if p.Tamper.Cycle != nil {
			p.Tamper.Cycle(about)
		}
		c := Cycle{
			Theirs: answer, Ours: about, Filters: p.theirs.Plugins(pod.API.Spec.SchedulerName, "Filter"), Within: nodes,
		}
		if about.Ended != nil {
			c.Message = about.Ended.Message
		}
		for _, d := range c.Compare(p.tally) {
			d.Step = p.step
			p.differences = append(p.differences, d)
		}
		if m.State != trace.FoundNode {
			continue
		}
		tries[pod.Key] = theirs.Tried()
		if err := p.theirs.Assume(pod.API, m.Found.Node); err != nil {
			return nil, fmt.Errorf("step %d: %w", p.step, err)
		}
		there = append(there, pod.Key)
	}
	for _, key := range slices.Backward(there) {
		if err := p.theirs.Forget(key); err != nil {
			return nil, fmt.Errorf("step %d: %w", p.step, err)
		}
	}
	return tries, nil
}

// within is the nodes of a placement; nil when it is all of them.
func (p *Pair) within(topology, domain string) []string {
	if topology == "" {
		return nil
	}
	nodes := []string{}
	for _, n := range p.ours.State().Snapshot().Nodes {
		if value, has := n.API.Labels[topology]; has && value == domain {
			nodes = append(nodes, n.Name)
		}
	}
	return nodes
}

// member is the try of a member with the end that it would have alone. A try does not record where its search began; if
// that is not where theirs did, the next cycle shows it.
func member(m *trace.Try, start int) *trace.Try {
	about := *m
	found := &m.Found
	about.Ended = &trace.Ended{
		Outcome: trace.NotSchedulable, Node: found.Node, Message: found.Message, Evaluated: found.Evaluated,
		Feasible: found.Feasible, StartIndex: start, Plugins: found.Plugins, Pending: found.Pending,
	}
	if m.State == trace.FoundNode {
		about.Ended.Outcome = trace.Scheduled
	}
	return &about
}

// settle has kube-scheduler assume a member where ours did for good.
func (p *Pair) settle(theirs *oracle.Oracle, key string, tries map[string]oracle.Tried) error {
	placed, assumed := p.ours.State().Assumed(key)
	if !assumed {
		return nil
	}
	pod, known := p.ours.State().Pod(key)
	tried, found := tries[key]
	if !known || !found {
		return fmt.Errorf("step %d: pod %s: assumed and not tried", p.step, key)
	}
	theirs.Resume(tried)
	if err := p.theirs.Assume(pod.API, placed.NodeName); err != nil {
		return fmt.Errorf("step %d: %w", p.step, err)
	}
	return nil
}
