//go:build !before_1_35

package fwk

import "k8s.io/kube-scheduler/framework"

//nolint:revive // one comment for all: the plugins, as in kube-scheduler.
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
const MaxNodeScore = framework.MaxNodeScore //nolint:staticcheck // its new name is not in 1.35 and 1.36
