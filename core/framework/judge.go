package framework

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Judge asks a pod's checks about nodes as kube-scheduler does (RunFilterPluginsWithNominatedPods, 1.37). Pods of the
// same or higher priority that are nominated to a node count as if they were on it; when there are such pods and all
// checks pass, they must pass without them too.
type Judge struct {
	Pod    *cluster.Pod
	Checks []Check // one per Profile.Filter; nil: not asked
	// Nominated lists the pods that a node is kept for, in the order they were nominated; the pod itself may be one.
	Nominated func(node string) []*cluster.Pod
}

// Brief is the judge for when nobody will read the evidence. The receiver stays as it is.
func (j Judge) Brief() Judge {
	j.Checks = slices.Clone(j.Checks)
	for i, check := range j.Checks {
		if b, ok := check.(Brief); ok {
			j.Checks[i] = b.Brief()
		}
	}
	return j
}

// First says whether the node fits, and if not, which check rejects it first.
func (j *Judge) First(node *cluster.Node) (trace.Failure, bool) {
	var room [1]trace.Failure
	return only(j.appendFirst(node, room[:0]))
}

// appendFirst is First for a list of failures: nothing is appended when the node fits.
func (j *Judge) appendFirst(node *cluster.Node, failures []trace.Failure) []trace.Failure {
	if with, checks := j.withNominated(node); with != nil {
		if more := appendFirst(with, checks, failures); len(more) > len(failures) {
			return more
		}
	}
	return appendFirst(node, j.Checks, failures)
}

// Alone is First without the pods that are nominated to the node.
func (j *Judge) Alone(node *cluster.Node) (trace.Failure, bool) {
	var room [1]trace.Failure
	return only(appendFirst(node, j.Checks, room[:0]))
}

// only is the one failure there is; true: there is none.
func only(failures []trace.Failure) (trace.Failure, bool) {
	if len(failures) == 0 {
		return trace.Failure{}, true
	}
	return failures[0], false
}

func appendFirst(node *cluster.Node, checks []Check, failures []trace.Failure) []trace.Failure {
	for p, check := range checks {
		if check == nil {
			continue
		}
		if v := check.Filter(node); v.Code != trace.Success {
			return append(failures, trace.Failure{Node: int32(node.Index()), Plugin: int16(p), Verdict: v})
		}
	}
	return failures
}

// Every appends what every check that rejects the node says; the first of these is what First says. Once a check has
// failed with the nominated pods, each later one has to pass with them and without them, as if it were asked alone.
func (j *Judge) Every(node *cluster.Node, failures []trace.Failure) []trace.Failure {
	with, checks := j.withNominated(node)
	if with == nil {
		return every(node, j.Checks, failures)
	}
	before := len(failures)
	if failures = appendFirst(with, checks, failures); len(failures) == before {
		return every(node, j.Checks, failures)
	}
	first := failures[before]
	for p := int(first.Plugin) + 1; p < len(checks); p++ {
		if checks[p] == nil {
			continue
		}
		v := checks[p].Filter(with)
		if v.Code == trace.Success {
			v = j.Checks[p].Filter(node)
		}
		if v.Code != trace.Success {
			failures = append(failures, trace.Failure{Node: first.Node, Plugin: int16(p), Verdict: v})
		}
	}
	return failures
}

func every(node *cluster.Node, checks []Check, failures []trace.Failure) []trace.Failure {
	for p, check := range checks {
		if check == nil {
			continue
		}
		if v := check.Filter(node); v.Code != trace.Success {
			failures = append(failures, trace.Failure{Node: int32(node.Index()), Plugin: int16(p), Verdict: v})
		}
	}
	return failures
}

// withNominated is the node and the checks as they would be with the pods nominated there; nil when there are none
// that the pod has to give way to.
func (j *Judge) withNominated(node *cluster.Node) (*cluster.Node, []Check) {
	var with *cluster.Node
	var checks []Check
	for _, p := range j.Nominated(node.Name) {
		if p.Priority < j.Pod.Priority || p.UID() == j.Pod.UID() {
			continue
		}
		if with == nil {
			with, checks = node, slices.Clone(j.Checks)
		}
		with = with.With(p)
		for i, check := range checks {
			if d, ok := check.(Disturbable); ok {
				checks[i] = d.With(p, with)
			}
		}
	}
	return with, checks
}
