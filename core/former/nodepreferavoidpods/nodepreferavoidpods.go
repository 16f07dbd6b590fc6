// Package nodepreferavoidpods is kube-scheduler's NodePreferAvoidPods plugin (1.19; gone since 1.25): an annotation of
// a node names controllers whose pods should rather go elsewhere. It filters nothing; its weight of 10000 outweighs all
// other scores.
package nodepreferavoidpods

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

const pluginName = "NodePreferAvoidPods"

// Plugin reads the annotation.
type Plugin struct{}

var _ framework.ScorePlugin = (*Plugin)(nil)

// New makes the plugin; it has no arguments.
func New() *Plugin { return &Plugin{} }

// Name is NodePreferAvoidPods.
func (p *Plugin) Name() string { return pluginName }

// PreScore finds the pod's controller; only a ReplicationController and a ReplicaSet can be avoided.
func (p *Plugin) PreScore(pod *cluster.Pod, _ *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	owner := metav1.GetControllerOfNoCopy(pod.API)
	if owner != nil && owner.Kind != "ReplicationController" && owner.Kind != "ReplicaSet" {
		owner = nil
	}
	return framework.Scoring{Scorer: &scorer{owner}}
}

type scorer struct{ owner *metav1.OwnerReference }

var _ framework.Reasoner = (*scorer)(nil)

// Score is 0 where the controller is to be avoided, and 100 elsewhere, also where the annotation cannot be read.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		raw[i] = framework.MaxNodeScore
		if s.avoided(node) {
			raw[i] = 0
		}
	}
	return trace.Verdict{}
}

func (s *scorer) avoided(node *cluster.Node) bool {
	text, has := node.API.Annotations[corev1.PreferAvoidPodsAnnotationKey]
	if s.owner == nil || !has || text == "" {
		return false
	}
	var avoid corev1.AvoidPods
	if err := json.Unmarshal([]byte(text), &avoid); err != nil {
		return false
	}
	for i := range avoid.PreferAvoidPods {
		c := avoid.PreferAvoidPods[i].PodSignature.PodController
		if c != nil && c.Kind == s.owner.Kind && c.UID == s.owner.UID {
			return true
		}
	}
	return false
}

// Normalize leaves the scores alone.
func (s *scorer) Normalize([]*cluster.Node, []int64) trace.Verdict { return trace.Verdict{} }

// Why reports whether the node's annotation names the controller.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	have := "no"
	if s.avoided(node) {
		have = "yes"
	}
	return []trace.Evidence{{What: "the node wants to avoid pods of the controller", Have: trace.Text(have)}}
}
