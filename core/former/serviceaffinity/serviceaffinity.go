// Package serviceaffinity is kube-scheduler's ServiceAffinity plugin (1.19; gone since 1.23). As a filter it keeps the
// pods of a Service on nodes that have the same values of some labels; as a score it spreads them over the values of
// others.
package serviceaffinity

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

const (
	pluginName = "ServiceAffinity"
	reason     = "node(s) didn't match service affinity"
)

// Args are the keys of node labels: those that a Service's pods have in common, and those that they are spread over.
type Args struct {
	AffinityLabels               []string `json:"affinityLabels,omitempty"`
	AntiAffinityLabelsPreference []string `json:"antiAffinityLabelsPreference,omitempty"`
}

// Plugin holds the pods of a Service together and apart.
type Plugin struct{ args Args }

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.ScorePlugin  = (*Plugin)(nil)
)

// New makes the plugin.
func New(args Args) *Plugin { return &Plugin{args} }

// Name is ServiceAffinity.
func (p *Plugin) Name() string { return pluginName }

// services are those of the pod; without a selector a Service has no pods.
func services(pod *cluster.Pod, snapshot *cluster.Snapshot) []*corev1.Service {
	return snapshot.Objects().ServicesOf(pod.Namespace(), pod.API.Labels)
}
