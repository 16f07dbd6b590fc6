package main

import (
	"slices"

	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

const (
	Name   = "TeamNode"                         // what configurations call the plugin
	Reason = "node(s) belonged to another team" // the reason for a node that it rejects
)

// Args are the args of the plugin in pluginConfig.
type Args struct {
	Label  string   `json:"label"`  // of nodes and pods; its value is the team they belong to
	Guests []string `json:"guests"` // teams whose pods may run on the nodes of every team
	Free   *int64   `json:"free"`   // the score of a node that belongs to no team, 0 to 100; by default 50
}

// TeamNode keeps the nodes of a team for its own pods and guests. A pod prefers a node of its own team to one that
// belongs to no team, and that to one where it is a guest.
type TeamNode struct {
	args Args
	free int64
}

var (
	_ framework.NodeFilterPlugin = (*TeamNode)(nil)
	_ framework.NodeScorePlugin  = (*TeamNode)(nil)
	_ framework.Waker            = (*TeamNode)(nil)
)

// Plugin is the plugin for cmd.WithPlugin and scenario.Parse.
func Plugin() config.Plugin {
	p := config.NewPlugin(Name, New)
	p.Weight = 2
	return p
}

// New makes the plugin, or returns what is wrong with its args.
func New(args Args, at *field.Path) (*TeamNode, field.ErrorList) {
	var errs field.ErrorList
	if args.Label == "" {
		errs = append(errs, field.Required(at.Child("label"), "it names the label whose value is a team"))
	} else {
		errs = append(errs, metav1validation.ValidateLabelName(args.Label, at.Child("label"))...)
	}
	free := int64(50)
	if args.Free != nil {
		free = *args.Free
	}
	if free < 0 || free > framework.MaxNodeScore {
		errs = append(errs, field.Invalid(at.Child("free"), free, "not in valid range [0, 100]"))
	}
	return &TeamNode{args: args, free: free}, errs
}

// Name is TeamNode.
func (t *TeamNode) Name() string { return Name }

// Filter rejects the nodes of other teams. No eviction makes such a node fit, so the verdict is unresolvable.
func (t *TeamNode) Filter(pod *cluster.Pod, node *cluster.Node) trace.Verdict {
	mine, its := t.teams(pod, node)
	if its == "" || its == mine || slices.Contains(t.args.Guests, mine) {
		return trace.Verdict{}
	}
	return trace.Verdict{
		Code: trace.UnschedulableAndUnresolvable, Reasons: []string{Reason}, Evidence: t.evidence(mine, its),
	}
}

// Score is highest for a node of the pod's own team.
func (t *TeamNode) Score(pod *cluster.Pod, node *cluster.Node) (int64, trace.Verdict) {
	mine, its := t.teams(pod, node)
	because := trace.Verdict{Evidence: t.evidence(mine, its)}
	switch its {
	case "":
		return t.free, because
	case mine:
		return framework.MaxNodeScore, because
	}
	return 0, because
}

// Hints wait for a node that the pod could run on, and for another team of the pod itself.
func (t *TeamNode) Hints() []queue.Hint {
	nodes := cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeLabel}
	labels := cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodLabel}
	return []queue.Hint{{Event: nodes, Helps: t.admits}, {Event: labels}}
}

// admits needs nothing of the node but its labels: a node of a Change has no pods.
func (t *TeamNode) admits(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	return t.Filter(pod, change.NewNode).OK(), nil
}

func (t *TeamNode) teams(pod *cluster.Pod, node *cluster.Node) (mine, its string) {
	return pod.API.Labels[t.args.Label], node.API.Labels[t.args.Label]
}

// evidence compares the team of the pod with that of the node.
func (t *TeamNode) evidence(mine, its string) []trace.Evidence {
	return []trace.Evidence{{Topic: trace.OfLabel, What: trace.Wording(t.args.Label), Want: team(mine), Have: team(its)}}
}

func team(name string) trace.Value {
	if name == "" {
		return trace.Absent("no team")
	}
	return trace.Text(name)
}
