// Package nodename is kube-scheduler's NodeName plugin (1.37): a pod whose spec names a node runs there or nowhere.
// It does not care whether that node exists or has room.
package nodename

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
)

// pluginName is kube-scheduler's name of the plugin.
const pluginName = "NodeName"

// reason is the plugin's reason for every node but the one the pod names.
const (
	reason     = "node(s) didn't match the requested node name"
	reasonHost = "node(s) didn't match the requested hostname" // 1.19 and earlier
)

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// ReasonNamesHostname has the word hostname in the reason (1.19 and earlier, node_name.go, ErrReason).
	ReasonNamesHostname bool
}

// Plugin keeps a pod to the node its spec names.
type Plugin struct{ reasons []string }

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
)

// New makes the plugin; it has no arguments.
func New(ways Ways) *Plugin {
	if ways.ReasonNamesHostname {
		return &Plugin{reasons: []string{reasonHost}}
	}
	return &Plugin{reasons: []string{reason}}
}

// Name is NodeName.
func (p *Plugin) Name() string { return pluginName }

// PreFilter narrows the nodes to the one in spec.nodeName. It never skips.
func (p *Plugin) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) framework.Study {
	study := framework.Study{Check: &check{node: pod.NodeName, reasons: p.reasons}}
	if pod.NodeName != "" {
		study.Nodes = []string{pod.NodeName}
	}
	return study
}

// Hints wait for any new node.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{{Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}}}
}
