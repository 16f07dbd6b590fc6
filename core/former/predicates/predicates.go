// Package predicates has the predicates of kube-scheduler before its framework (1.10 and 1.6) as filters under their
// own names. Where the rule is that of a later plugin, Of puts that plugin's filter under the predicate's name and
// into the predicate's words; the rules that no later plugin has are here. It scores nothing.
package predicates

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Reasons of predicates for nodes (pkg/scheduler/algorithm/predicates/error.go, 1.10).
const (
	reasonPods         = "Insufficient pods"
	reasonSelector     = "node(s) didn't match node selector"
	reasonHost         = "node(s) didn't match the requested hostname"
	reasonPorts        = "node(s) didn't have free ports for the requested pod ports"
	reasonDisk         = "node(s) had no available disk"
	reasonZone         = "node(s) had no available volume zone"
	reasonTaints       = "node(s) had taints that the pod didn't tolerate"
	reasonLabels       = "node(s) didn't have the requested labels"
	reasonService      = "node(s) didn't match service affinity"
	reasonVolumes      = "node(s) exceed max volume count"
	reasonMemory       = "node(s) had memory pressure"
	reasonPressure     = "node(s) had disk pressure"
	reasonNotReady     = "node(s) were not ready"
	reasonOutOfDisk    = "node(s) were out of disk space"
	reasonNetwork      = "node(s) had unavailable network"
	reasonCordoned     = "node(s) were unschedulable"
	reasonAffinity     = "node(s) didn't match pod affinity/anti-affinity"
	reasonNear         = "node(s) didn't match pod affinity rules"
	reasonAway         = "node(s) didn't match pod anti-affinity rules"
	reasonExistingAway = "node(s) didn't satisfy existing pods anti-affinity rules"
)

// names are the names of predicates that were the reasons before they were sentences
// (plugin/pkg/scheduler/algorithm/predicates/error.go, 1.6). "": there was no reason.
var names = map[string]string{
	reasonSelector: "MatchNodeSelector", reasonHost: "HostName", reasonPorts: "PodFitsHostPorts",
	reasonDisk: "NoDiskConflict", reasonZone: "NoVolumeZoneConflict", reasonTaints: "PodToleratesNodeTaints",
	reasonLabels: "CheckNodeLabelPresence", reasonService: "CheckServiceAffinity", reasonVolumes: "MaxVolumeCount",
	reasonMemory: "NodeUnderMemoryPressure", reasonPressure: "NodeUnderDiskPressure",
	reasonAffinity: "MatchInterPodAffinity", reasonNear: "", reasonAway: "", reasonExistingAway: "",
}

// sentences are the reasons of predicates where later plugins have another text.
var sentences = map[string]string{
	"Too many pods":                         reasonPods,
	"node(s) had untolerated taint(s)":      reasonTaints,
	"node(s) didn't match service affinity": reasonService,
}

// Ways are what differs between 1.10 and 1.6. The zero value is 1.10's.
type Ways struct {
	// ReasonIsPredicateName returns the name of the predicate as the reason (1.6, algorithm/predicates/error.go).
	ReasonIsPredicateName bool
	// PortsByNumberOnly compares host ports by their numbers, whatever their protocol and address (1.6,
	// algorithm/predicates/predicates.go, PodFitsHostPorts).
	PortsByNumberOnly bool
	// AffinitySearchesAllNodes looks for the pods of an affinity term on all nodes, also where the topology of the
	// term is the node; a term that cannot be parsed rejects the node, and is no error (1.6, predicates.go,
	// InterPodAffinityMatches).
	AffinitySearchesAllNodes bool
	// MissingVolumeCounts counts a missing claim or volume as a disk of its own, and ignores the volumes that the pod
	// lists after it; a claim without a volume is an error (1.6, predicates.go, filterVolumes).
	MissingVolumeCounts bool
	// UnboundClaimIsError requires each claim to have its volume, whatever binding mode its class has; a volume has
	// one zone (1.6, predicates.go, VolumeZoneChecker).
	UnboundClaimIsError bool
}

// Plugin is one predicate: filters that all run for a node, and all of whose reasons count.
type Plugin struct {
	name  string
	parts []framework.FilterPlugin
	ways  Ways
}

var _ framework.FilterPlugin = (*Plugin)(nil)

// Of is the predicate that wants what all of the filters want.
func Of(name string, ways Ways, filters ...framework.Plugin) *Plugin {
	p := &Plugin{name: name, ways: ways}
	for _, f := range filters {
		filter, is := framework.FilterOf(f)
		if !is {
			panic(fmt.Sprintf("predicates: %s is no filter", f.Name()))
		}
		p.parts = append(p.parts, filter)
	}
	return p
}

// Name is the predicate's.
func (p *Plugin) Name() string { return p.name }

// PreFilter has every part study the pod. It never returns Skip, and gives no node set: predicates run for every node.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	c := &check{ways: p.ways}
	for _, part := range p.parts {
		study := part.PreFilter(pod, snapshot)
		switch {
		case study.Verdict.Code != trace.Success && study.Verdict.Code != trace.Skip:
			c.parts = append(c.parts, framework.Plain{Verdict: study.Verdict})
		case study.Check != nil:
			c.parts = append(c.parts, study.Check)
		}
	}
	return framework.Study{Check: c}
}

// check runs the checks of all parts.
type check struct {
	parts []framework.Check
	ways  Ways
}

var (
	_ framework.Disturbable = (*check)(nil)
	_ framework.Accountant  = (*check)(nil)
	_ framework.Adviser     = (*check)(nil)
	_ framework.Brief       = (*check)(nil)
)

// Filter has the reasons of all parts that reject the node, in their order; preemption can help when it can help all of
// them. A part that breaks ends it.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	var all trace.Verdict
	for _, part := range c.parts {
		v := part.Filter(node)
		switch {
		case v.OK():
			continue
		case !v.Code.Rejects():
			return v
		}
		all.Code = max(all.Code, v.Code)
		all.Reasons = append(all.Reasons, c.said(v.Reasons)...)
		all.Evidence = append(all.Evidence, v.Evidence...)
	}
	return all
}

// said returns reasons as the release words them. Lists are shared, and copied where a word changes.
func (c *check) said(reasons []string) []string {
	said := make([]string, 0, len(reasons))
	for _, reason := range reasons {
		if sentence, other := sentences[reason]; other {
			reason = sentence
		}
		if name, has := names[reason]; has && c.ways.ReasonIsPredicateName {
			reason = name
		}
		if reason != "" {
			said = append(said, reason)
		}
	}
	return said
}

// With is every part with one pod more.
func (c *check) With(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return c.each(func(part framework.Check) framework.Check {
		if d, is := part.(framework.Disturbable); is {
			return d.With(pod, node)
		}
		return part
	})
}

// Without is every part with one pod less.
func (c *check) Without(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return c.each(func(part framework.Check) framework.Check {
		if d, is := part.(framework.Disturbable); is {
			return d.Without(pod, node)
		}
		return part
	})
}

// Brief is every part without evidence.
func (c *check) Brief() framework.Check {
	return c.each(func(part framework.Check) framework.Check {
		if b, is := part.(framework.Brief); is {
			return b.Brief()
		}
		return part
	})
}

func (c *check) each(f func(framework.Check) framework.Check) *check {
	other := &check{ways: c.ways, parts: make([]framework.Check, len(c.parts))}
	for i, part := range c.parts {
		other.parts[i] = f(part)
	}
	return other
}

// Users are the users of all parts that reject the node.
func (c *check) Users(node *cluster.Node, _ trace.Verdict) []trace.Use {
	var users []trace.Use
	for _, part := range c.rejecting(node) {
		if a, is := part.(framework.Accountant); is {
			users = append(users, a.Users(node, part.Filter(node))...)
		}
	}
	return users
}

// Changes are those of the one part that rejects the node: where there are more, no change alone helps.
func (c *check) Changes(node *cluster.Node, _ trace.Verdict) []trace.Change {
	rejecting := c.rejecting(node)
	if len(rejecting) != 1 {
		return nil
	}
	if a, is := rejecting[0].(framework.Adviser); is {
		return a.Changes(node, rejecting[0].Filter(node))
	}
	return nil
}

func (c *check) rejecting(node *cluster.Node) []framework.Check {
	var rejecting []framework.Check
	for _, part := range c.parts {
		if !part.Filter(node).OK() {
			rejecting = append(rejecting, part)
		}
	}
	return rejecting
}
