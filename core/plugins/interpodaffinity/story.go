package interpodaffinity

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Reasons of the plugin for a node that it rejects.
const (
	reasonAffinity     = "node(s) didn't match pod affinity rules"
	reasonAntiAffinity = "node(s) didn't match pod anti-affinity rules"
	reasonExisting     = "node(s) didn't satisfy existing pods anti-affinity rules"
)

// reasonPaired goes with each of them in 1.19 and earlier.
const reasonPaired = "node(s) didn't match pod affinity/anti-affinity"

// because has the reasons of a rule.
func (c *check) because(rule []string) []string {
	switch {
	case !c.study.paired:
		return rule
	case c.study.predicate && rule[0] == reasonAffinity: // the first that no preemption helps
		return rule
	case c.study.predicate:
		return reasonsPaired[:]
	}
	return []string{reasonPaired, rule[0]}
}

var (
	reasonsPaired       = [...]string{reasonPaired}
	reasonsAffinity     = [...]string{reasonAffinity}
	reasonsAntiAffinity = [...]string{reasonAntiAffinity}
	reasonsExisting     = [...]string{reasonExisting}
)

// notNear is the verdict on a node that affinity rules out: the terms without a pod in its domain, or whose topology
// key it lacks.
func (c *check) notNear(node int) trace.Verdict {
	verdict := trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: c.because(reasonsAffinity[:])}
	if c.brief {
		return verdict
	}
	s := c.study
	evidence := make([]trace.Evidence, 0, len(s.affinity))
	for k := range s.affinity {
		t := &c.tallies[s.near[k]]
		d := t.topology.Of[node]
		switch {
		case d < 0:
			evidence = append(evidence, trace.Evidence{
				What: phrase.Textf("affinity to %s", s.affinity[k].Text), Want: trace.Words("topology label"),
				Have: trace.Words("no such label"),
			})
		case c.count(s.near[k], d) <= 0:
			evidence = append(evidence, trace.Evidence{
				What: phrase.Textf("affinity to %s=%s", s.affinity[k].Text, t.topology.Values[d]),
				Want: trace.Words("at least 1 pod"), Have: trace.Count(0),
			})
		}
	}
	verdict.Evidence = evidence
	return verdict
}

// tooNear is the verdict on a domain that anti-affinity rules out.
func (c *check) tooNear(k, node int) trace.Verdict {
	verdict := trace.Verdict{Code: trace.Unschedulable}
	if c.tallies[k].reason == shuns {
		verdict.Reasons = c.because(reasonsExisting[:])
	} else {
		verdict.Reasons = c.because(reasonsAntiAffinity[:])
	}
	if !c.brief {
		verdict.Evidence = c.inTheWay(k, node)
	}
	return verdict
}

// inTheWay is the evidence of tooNear: the term, how many pods are in the way, and one of them. After changes in the
// domain it names no pod: the first one counted may have gone.
func (c *check) inTheWay(k, node int) []trace.Evidence {
	t := &c.tallies[k]
	d := t.topology.Of[node]
	pod := c.counted(k, d)
	text, value := t.anyTerm, t.topology.Values[d]
	if term := c.termBehind(t, pod); term != nil {
		text = term.Text
	}
	evidence := make([]trace.Evidence, 1)
	e := &evidence[0]
	e.Want, e.Have = trace.Words("no pod"), trace.Count(c.count(k, d))
	if pod != nil {
		e.By = []string{pod.Key}
	}
	if t.reason == shuns {
		e.What = phrase.Textf("anti-affinity of an existing pod to %s=%s", text, value)
	} else {
		e.What = phrase.Textf("anti-affinity to %s=%s", text, value)
	}
	return evidence
}

// counted is a pod that was counted in the domain; nil when it is not known.
func (c *check) counted(k int, d int32) *cluster.Pod {
	t := &c.tallies[k]
	if t.counts == nil || t.counts[d] == 0 {
		return nil
	}
	for i := range c.changes {
		if c.changes[i].tally == k && c.changes[i].domain == d {
			return nil
		}
	}
	w := t.first[d]
	for _, p := range c.study.snapshot.Nodes[w.node].Pods {
		if t.reason == isShunned && p.Labels.ID == w.set || t.reason == shuns && p.Affinity != nil && p.Affinity.ID == w.set {
			return p
		}
	}
	return nil
}

// termBehind is the term by which the pod was counted; without a pod, the pod's own term with that topology key when
// there is only one.
func (c *check) termBehind(t *tally, pod *cluster.Pod) *cluster.AffinityTerm {
	s := c.study
	if t.reason == shuns {
		if pod == nil {
			return nil
		}
		for k := range pod.RequiredAntiAffinity {
			if term := &pod.RequiredAntiAffinity[k]; term.TopologyKey == t.topology.Key &&
				term.Matches(s.pod.Labels, s.namespaceLabels) {
				return term
			}
		}
		return nil
	}
	if len(s.antiAffinity) == 1 {
		return s.antiAffinity[0].AffinityTerm
	}
	var found *cluster.AffinityTerm
	for k := range s.antiAffinity {
		w := &s.antiAffinity[k]
		switch {
		case w.TopologyKey != t.topology.Key:
		case pod != nil && w.matches(pod.Labels):
			return w.AffinityTerm
		case pod == nil && found != nil:
			return nil
		case pod == nil:
			found = w.AffinityTerm
		}
	}
	return found
}
