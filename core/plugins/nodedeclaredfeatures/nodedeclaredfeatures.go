// Package nodedeclaredfeatures is kube-scheduler's NodeDeclaredFeatures plugin (1.37): a pod that needs a feature of
// the kubelet runs where the kubelet declares it. Which features a pod needs is the staging library's knowledge.
package nodedeclaredfeatures

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-helpers/nodedeclaredfeatures"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// Name is kube-scheduler's name of the plugin.
const Name = "NodeDeclaredFeatures"

// Reason is the plugin's reason for a node that lacks a feature.
const Reason = "node(s) didn't match Pod's required features"

// Plugin brings pods to the features they need.
type Plugin struct{ version *version.Version }

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
)

// New makes the plugin for pods as kube-scheduler 1.37 reads them; it has no arguments.
func New() *Plugin { return &Plugin{version: version.MajorMinor(1, 37)} }

// Name is NodeDeclaredFeatures.
func (p *Plugin) Name() string { return Name }

// PreFilter finds out what the pod needs, and skips pods that need nothing.
func (p *Plugin) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) framework.Study {
	needs, err := p.needs(pod)
	switch {
	case err != nil:
		return framework.Study{Verdict: broken(err)}
	case needs.IsEmpty():
		return framework.Study{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	return framework.Study{Check: &check{needs: needs}}
}

func (p *Plugin) needs(pod *cluster.Pod) (nodedeclaredfeatures.FeatureSet, error) {
	info := nodedeclaredfeatures.PodInfo{Spec: &pod.API.Spec}
	return nodedeclaredfeatures.DefaultFramework.InferForPodScheduling(&info, p.version)
}

func broken(err error) trace.Verdict {
	return trace.Verdict{Code: trace.Error, Reasons: []string{err.Error()}}
}

// check rejects nodes that do not declare all that the pod needs.
type check struct {
	needs nodedeclaredfeatures.FeatureSet
	room  trace.Room
}

// Filter compares the sets. Features that this version does not know count for nothing.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	declared := node.API.Status.DeclaredFeatures
	match, err := nodedeclaredfeatures.DefaultFramework.MatchNodeFeatureSet(
		c.needs, nodedeclaredfeatures.DefaultFramework.TryMap(declared),
	)
	switch {
	case err != nil:
		return broken(err)
	case match.IsMatch:
		return trace.Verdict{}
	}
	have := "none declared"
	if len(declared) > 0 {
		have = strings.Join(declared, ", ")
	}
	evidence := append(c.room.Evidence(1), trace.Evidence{
		What: "features of the kubelet", Want: trace.Text(strings.Join(match.UnsatisfiedRequirements, ", ")),
		Have: trace.Text(have),
	})
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: reasons[:], Evidence: evidence}
}

var reasons = [...]string{Reason}

// Hints wait for a node that declares other features, and for the pod to need other ones.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{Event: cluster.ClusterEvent{
			Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeDeclaredFeature,
		}, Helps: declaresOthers},
		{Event: cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.Updated}, Helps: p.needsOthers},
	}
}

func declaresOthers(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	old, now := change.OldNode, change.NewNode
	return old == nil || !slices.Equal(old.API.Status.DeclaredFeatures, now.API.Status.DeclaredFeatures), nil
}

func (p *Plugin) needsOthers(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	before, err := p.needs(change.OldPod)
	if err != nil {
		return true, err
	}
	after, err := p.needs(change.NewPod)
	if err != nil {
		return true, err
	}
	return !after.Equal(before), nil
}
