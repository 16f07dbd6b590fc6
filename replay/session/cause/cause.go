// Package cause finds, in the facts of a pod that waits, the one sentence that an expert would begin with: what is
// behind the reasons that kube-scheduler reports. A cause has a kind and values. Where no rule is sure, there is none:
// it guesses nothing, runs nothing, and offers no change.
package cause

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Cause is one thing that is behind a pod's waiting. Its JSON is stable: members are added, and none changes its
// meaning. A member that means nothing for a kind is left out.
type Cause struct {
	Kind      Kind          `json:"kind"`                // which rule found it
	Says      phrase.Phrase `json:"says"`                // one sentence in English, without a full stop
	Pod       string        `json:"pod,omitempty"`       // another pod that it is about, namespace/name
	Before    int           `json:"before,omitempty"`    // pods that are tried before it and take the room
	Nodes     []string      `json:"nodes,omitempty"`     // that it is about
	Topology  string        `json:"topology,omitempty"`  // label of nodes whose values are the domains
	Domain    string        `json:"domain,omitempty"`    // value of that label
	Taint     string        `json:"taint,omitempty"`     // that the pod does not tolerate, KEY[=VALUE]:EFFECT
	Condition string        `json:"condition,omitempty"` // type of the node's condition
	Reason    string        `json:"reason,omitempty"`    // of that condition
	Message   string        `json:"message,omitempty"`   // of that condition, or of what holds a gate
	Claim     string        `json:"claim,omitempty"`     // name of a PersistentVolumeClaim
	Class     string        `json:"class,omitempty"`     // name of a StorageClass
	Driver    string        `json:"driver,omitempty"`    // name of a CSI driver
	Resource  string        `json:"resource,omitempty"`  // name of a resource
	Wants     string        `json:"wants,omitempty"`     // amount of it
	Has       string        `json:"has,omitempty"`       // amount of it that there is
	Label     string        `json:"label,omitempty"`     // of nodes, KEY=VALUE
	Gate      string        `json:"gate,omitempty"`      // name of a scheduling gate
	Holder    string        `json:"holder,omitempty"`    // what removes the gate, KIND NAMESPACE/NAME
}

// Kind is which rule found a cause.
type Kind string

// The kinds.
const (
	noNodes       Kind = "NoNodes"       // the cluster has no node
	gateHeld      Kind = "GateHeld"      // what removes the gate says why it does not
	claimNoClass  Kind = "ClaimNoClass"  // a claim without class where no class is the default
	noCapacity    Kind = "NoCapacity"    // no CSIStorageCapacity of a class whose driver publishes capacities
	noDriver      Kind = "NoDriver"      // the CSINode of the pod's node does not list the driver of its volumes
	spreadTrap    Kind = "SpreadTrap"    // the domain with the fewest pods counts, and the pod may not use its nodes
	nodeCondition Kind = "NodeCondition" // nodes would take the pod but for the taint of a condition
	resizeWaits   Kind = "ResizeWaits"   // a pod counts with what it is to have, and its resize is deferred
	tooLarge      Kind = "TooLarge"      // no node has as much as the pod requests
	noLabel       Kind = "NoLabel"       // no node has a label that the node selector requires
	roomTaken     Kind = "RoomTaken"     // pods that are tried before it take the room that there is
)

// Given is what the causes are found in.
type Given struct {
	State *cluster.State
	Pod   *cluster.Pod
	// Try is what a cycle made of the pod, with all details; nil: none could be made.
	Try   *trace.Try
	Queue trace.QueueName
	// Holders are objects of other programs that hold the gates of pods.
	Holders []Holder
}

// Holder is an object of another program that holds the gate of a pod, or a workload, until something is so.
type Holder struct {
	Kind, Namespace, Name string
	Pods                  []string // keys of the pods that it is about
	Of                    string   // the workload whose pods it is about, KIND NAMESPACE/NAME; "": it is about Pods
	Gate                  string   // name of the gate
	Message               string   // why it does not remove it
}

// Of finds the causes, the one nearest to what an expert would name first.
func Of(g Given) []Cause {
	if g.Pod == nil {
		return nil
	}
	if g.Pod.NodeName != "" {
		return g.drivers()
	}
	if g.Queue == queue.Gated {
		return g.gates()
	}
	if g.Try == nil {
		return nil
	}
	if g.Try.Nodes == 0 && len(g.State.Snapshot().Nodes) == 0 {
		return []Cause{{Kind: noNodes, Says: phrase.New("the cluster has no node")}}
	}
	all := g.claims()
	m := g.Try.Matrix
	if m == nil {
		return all
	}
	if m.FeasibleCount() > 0 {
		return all
	}
	for _, rule := range []func(*trace.Matrix) []Cause{
		g.capacities, g.traps, g.conditions, g.resizes, g.larger, g.labels,
	} {
		all = append(all, rule(m)...)
	}
	return all
}

// RoomTaken is the cause of a pod whose room pods take that are tried before it; none without such pods.
func RoomTaken(pods []string) []Cause {
	switch n := len(pods); n {
	case 0:
		return nil
	case 1:
		says := phrase.New("the room is there, and %s, which is tried before it, takes it", pods[0])
		return []Cause{{Kind: roomTaken, Pod: pods[0], Before: 1, Says: says}}
	default:
		return []Cause{{Kind: roomTaken, Before: n, Says: phrase.New("the room is there, and %d pods before it take it", n)}}
	}
}

// gates are the holders of the pod's gates, each with its own words.
func (g *Given) gates() []Cause {
	var all []Cause
	for _, gate := range g.Pod.API.Spec.SchedulingGates {
		for _, h := range g.Holders {
			if h.Gate != gate.Name || h.Message == "" || !slices.Contains(h.Pods, g.Pod.Key) {
				continue
			}
			holder := h.Kind + " " + h.Namespace + "/" + h.Name
			all = append(all, Cause{
				Kind: gateHeld, Gate: gate.Name, Holder: holder, Message: h.Message,
				Says: phrase.New("%s holds its gate %s: %s", holder, gate.Name, h.Message),
			})
		}
	}
	return all
}

// mostNamed is how many nodes a sentence names.
const mostNamed = 3

// listed are some names of a list as a phrase.
func listed(names []string) phrase.Phrase {
	if more := len(names) - mostNamed; more > 0 {
		return phrase.New("%s and %d more", strings.Join(names[:mostNamed], ", "), more)
	}
	return phrase.New("%s", strings.Join(names, ", "))
}

// failure is the rejection of a node by a plugin; nil where it does not reject it.
func failure(m *trace.Matrix, node int, plugin string) *trace.Failure {
	of := m.OnNode(node)
	for i := range of {
		if m.Plugins[of[i].Plugin] == plugin {
			return &of[i]
		}
	}
	return nil
}

// shortOf are the resources that a node lacks, when nothing else rejects the pod there.
func shortOf(m *trace.Matrix, node int) []trace.Evidence {
	of := m.OnNode(node)
	if len(of) != 1 || m.Plugins[of[0].Plugin] != "NodeResourcesFit" {
		return nil
	}
	return of[0].Verdict.Evidence
}
