package framework

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Judge runs a pod's checks on nodes as kube-scheduler does (RunFilterPluginsWithNominatedPods, 1.37). Pods of the same
// or higher priority that are nominated to a node count as if they were on it; when there are such pods and all checks
// pass, they must pass without them too.
type Judge struct {
	Pod    *cluster.Pod
	Checks []Check // one per Profile.Filter; nil: it does not run
	// Nominated lists the pods that a node is kept for, in the order they were nominated; the pod itself may be one.
	Nominated func(node string) []*cluster.Pod
}

// Brief is the judge for when the evidence is not needed. The receiver stays as it is.
func (j Judge) Brief() Judge {
	j.Checks = slices.Clone(j.Checks)
	for i, check := range j.Checks {
		if b, ok := check.(Brief); ok {
			j.Checks[i] = b.Brief()
		}
	}
	return j
}

// Aside is the judge for evaluations that kube-scheduler would not make. The receiver stays as it is.
func (j Judge) Aside() Judge {
	j.Checks = slices.Clone(j.Checks)
	for i, check := range j.Checks {
		if m, ok := check.(Mindful); ok {
			j.Checks[i] = m.Aside()
		}
	}
	return j
}

// First reports whether the node fits, and if not, which check rejects it first.
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

// Fits is First without the reason.
func (j *Judge) Fits(node *cluster.Node) bool {
	if with, checks := j.withNominated(node); with != nil && !allPass(with, checks) {
		return false
	}
	return allPass(node, j.Checks)
}

func allPass(node *cluster.Node, checks []Check) bool {
	for _, check := range checks {
		if check == nil {
			continue
		}
		if v := check.Filter(node); v.Code != trace.Success {
			return false
		}
	}
	return true
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

// manyFailures is when nodes have been rejected so often that room is made for the rest of them at once.
const manyFailures = 256

// RoomForAll is the failures of the nodes that were judged, of so many nodes; once there are many, with room for as
// many of each node that is left.
func RoomForAll(failures []trace.Failure, asked, nodes int) []trace.Failure {
	if n := len(failures); n >= manyFailures && n == cap(failures) {
		return slices.Grow(failures, max(n, asked)*(nodes-asked)/max(1, asked)+1) // one a node, or as many as so far
	}
	return failures
}

// seat is a check that runs, and its place in Profile.Filter.
type seat struct {
	check  Check
	plugin int16
}

// All runs every check on every node. The failures of nodes[i] are failures[starts[i]:starts[i+1]], the first of them
// the one that First returns; starts is one longer than the nodes.
func (j *Judge) All(nodes []*cluster.Node) (failures []trace.Failure, starts []int32) {
	seats := make([]seat, 0, len(j.Checks))
	for p, check := range j.Checks {
		if check != nil {
			seats = append(seats, seat{check, int16(p)})
		}
	}
	starts = make([]int32, len(nodes)+1)
	for i, node := range nodes {
		failures = j.every(node, seats, RoomForAll(failures, i, len(nodes)))
		starts[i+1] = int32(len(failures))
	}
	return failures, starts
}

// every appends the failure of every check that rejects the node. Once a check has failed with the nominated pods, each
// later one has to pass with them and without them, as if it ran alone.
func (j *Judge) every(node *cluster.Node, seats []seat, failures []trace.Failure) []trace.Failure {
	before := len(failures)
	with, checks := j.withNominated(node)
	if with != nil {
		failures = appendFirst(with, checks, failures)
	}
	if len(failures) == before {
		for _, s := range seats {
			if v := s.check.Filter(node); v.Code != trace.Success {
				failures = append(failures, trace.Failure{Node: int32(node.Index()), Plugin: s.plugin, Verdict: v})
			}
		}
		return failures
	}
	first := failures[before]
	for _, s := range seats {
		if s.plugin <= first.Plugin {
			continue
		}
		v := checks[s.plugin].Filter(with)
		if v.Code == trace.Success {
			v = s.check.Filter(node)
		}
		if v.Code != trace.Success {
			failures = append(failures, trace.Failure{Node: first.Node, Plugin: s.plugin, Verdict: v})
		}
	}
	return failures
}

// Found is the node as a check found it that rejects it, with the pods nominated there that count as if they were on
// it; without any where the check has nothing against them, or none counts.
func (j *Judge) Found(node *cluster.Node, plugin int) (*cluster.Node, []*cluster.Pod) {
	with, checks := j.withNominated(node)
	if with == nil || checks[plugin].Filter(with).Code == trace.Success {
		return node, nil
	}
	var counted []*cluster.Pod
	for _, p := range j.Nominated(node.Name) {
		if j.yieldsTo(p) {
			counted = append(counted, p)
		}
	}
	return with, counted
}

// yieldsTo reports whether a nominated pod counts as if it were on its node.
func (j *Judge) yieldsTo(p *cluster.Pod) bool {
	return p.Priority >= j.Pod.Priority && p.UID() != j.Pod.UID()
}

// withNominated is the node and the checks as they would be with the pods nominated there; nil when there are none
// that the pod has to give way to.
func (j *Judge) withNominated(node *cluster.Node) (*cluster.Node, []Check) {
	var with *cluster.Node
	var checks []Check
	for _, p := range j.Nominated(node.Name) {
		if !j.yieldsTo(p) {
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
