// Package nodelabel is kube-scheduler's NodeLabel plugin (1.19; gone since 1.23): nodes have to have some labels and
// must not have others, whatever the values, and are better with some and without others. Nothing in the pod's spec
// matters.
package nodelabel

import (
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

const (
	pluginName = "NodeLabel"
	reason     = "node(s) didn't have the requested labels"
)

// Args are the keys of labels. The first two filter, the others score.
type Args struct {
	PresentLabels           []string `json:"presentLabels,omitempty"`
	AbsentLabels            []string `json:"absentLabels,omitempty"`
	PresentLabelsPreference []string `json:"presentLabelsPreference,omitempty"`
	AbsentLabelsPreference  []string `json:"absentLabelsPreference,omitempty"`
}

// Plugin looks at the labels of nodes.
type Plugin struct{ args Args }

var (
	_ framework.NodeFilterPlugin = (*Plugin)(nil)
	_ framework.NodeScorePlugin  = (*Plugin)(nil)
)

// New makes the plugin. Where it scores, at least one label is preferred.
func New(args Args) *Plugin { return &Plugin{args} }

// Name is NodeLabel.
func (p *Plugin) Name() string { return pluginName }

// Filter wants every label of the one list and none of the other.
func (p *Plugin) Filter(_ *cluster.Pod, node *cluster.Node) trace.Verdict {
	missing, unwanted := lists(node, p.args.PresentLabels, false), lists(node, p.args.AbsentLabels, true)
	if len(missing) == 0 && len(unwanted) == 0 {
		return trace.Verdict{}
	}
	v := trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reason}}
	if len(missing) > 0 {
		v.Evidence = append(v.Evidence, trace.Evidence{
			What: "labels that the node must have", Want: trace.Text(strings.Join(missing, ", ")), Have: trace.Words("none"),
		})
	}
	if len(unwanted) > 0 {
		v.Evidence = append(v.Evidence, trace.Evidence{
			What: "labels that the node must not have", Want: trace.Words("none"),
			Have: trace.Text(strings.Join(unwanted, ", ")),
		})
	}
	return v
}

// lists is those of the keys that the node has, or those that it does not have.
func lists(node *cluster.Node, keys []string, has bool) []string {
	var all []string
	for _, key := range keys {
		if _, there := node.API.Labels[key]; there == has {
			all = append(all, key)
		}
	}
	return all
}

// Score is the share of wishes that the node fulfils, 0 to 100, rounded down.
func (p *Plugin) Score(_ *cluster.Pod, node *cluster.Node) (int64, trace.Verdict) {
	present := lists(node, p.args.PresentLabelsPreference, true)
	absent := lists(node, p.args.AbsentLabelsPreference, false)
	wishes := int64(len(p.args.PresentLabelsPreference) + len(p.args.AbsentLabelsPreference))
	fulfilled := int64(len(present) + len(absent))
	return fulfilled * framework.MaxNodeScore / wishes, trace.Verdict{Evidence: []trace.Evidence{
		{What: "labels as they are preferred", Want: trace.Count(wishes), Have: trace.Count(fulfilled)},
	}}
}
