//go:build before_1_35

package fwk

import "k8s.io/kubernetes/pkg/scheduler/framework"

// The plugins, as in kube-scheduler.
type (
	Plugin           = framework.Plugin
	PreEnqueuePlugin = framework.PreEnqueuePlugin
	PreFilterPlugin  = framework.PreFilterPlugin
	PreFilterResult  = framework.PreFilterResult
	FilterPlugin     = framework.FilterPlugin
	ScorePlugin      = framework.ScorePlugin
	NodePluginScores = framework.NodePluginScores
	PluginScore      = framework.PluginScore
)

// MaxNodeScore is kube-scheduler's.
const MaxNodeScore = framework.MaxNodeScore
