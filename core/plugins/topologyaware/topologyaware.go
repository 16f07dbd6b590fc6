// Package topologyaware is kube-scheduler's TopologyPlacementGenerator plugin (1.37): a group that wants to be within
// one domain of a topology is tried domain by domain. It compares no placements: PodGroupPodsCount and NodeResourcesFit
// do.
package topologyaware

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Name is kube-scheduler's name of the plugin.
const Name = "TopologyPlacementGenerator"

// Plugin divides the nodes by a label.
type Plugin struct{}

var _ framework.PlacementGeneratePlugin = Plugin{}

// New needs nothing.
func New() Plugin { return Plugin{} }

// Name is TopologyPlacementGenerator.
func (Plugin) Name() string { return Name }

// Placements has a placement for each value of the group's label, in the order of their first nodes; kube-scheduler's
// order is that of a map. Nodes without the label are in none. A group that has pods on nodes already may go only to
// their domain.
func (Plugin) Placements(group framework.Group, snapshot *cluster.Snapshot) framework.Division {
	key := cluster.TopologyKey(group.API)
	if key == "" {
		return framework.Division{Placements: []framework.Placement{{Nodes: snapshot.Nodes}}}
	}
	required, err := domainOf(key, snapshot.Scheduled(group.Key()), snapshot)
	if err != nil {
		return framework.Division{Verdict: trace.Verdict{
			Code: trace.Error, Reasons: []string{fmt.Sprintf("cannot determine domain for already scheduled pods: %v", err)},
		}}
	}
	var division framework.Division
	places := map[string]int{}
	for _, node := range snapshot.Nodes {
		domain, has := node.Label(key)
		if !has || required != nil && *required != domain {
			continue
		}
		at, known := places[domain]
		if !known {
			at = len(division.Placements)
			places[domain] = at
			division.Placements = append(division.Placements, framework.Placement{Name: domain})
		}
		division.Placements[at].Nodes = append(division.Placements[at].Nodes, node)
	}
	return division
}

// domainOf is the one domain that placed pods are in; nil when there are none.
func domainOf(key string, placed []*cluster.Pod, snapshot *cluster.Snapshot) (*string, error) {
	var domain string
	for _, pod := range placed {
		node, known := snapshot.Node(pod.NodeName)
		if !known {
			return nil, fmt.Errorf("getting node for pod %s: nodeinfo not found for node name %q", pod.Key, pod.NodeName)
		}
		value, has := node.Label(key)
		if !has {
			return nil, fmt.Errorf("no topology domain found for pod %s", pod.Key)
		}
		if domain != "" && domain != value {
			return nil, fmt.Errorf("more than 1 domain found for pod group: %s, %s", domain, value)
		}
		domain = value
	}
	if len(placed) == 0 {
		return nil, nil
	}
	return &domain, nil
}
