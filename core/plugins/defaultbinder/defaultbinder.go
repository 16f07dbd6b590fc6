// Package defaultbinder is kube-scheduler's DefaultBinder plugin (1.37): it binds every pod. The binding itself is
// the scheduler's effect; nothing here reaches an API server, and nothing here fails.
package defaultbinder

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// pluginName is kube-scheduler's name of the plugin.
const pluginName = "DefaultBinder"

// Plugin binds a pod that no bind plugin before it has bound.
type Plugin struct{}

var _ framework.BindPlugin = (*Plugin)(nil)

// New makes the plugin; it has no arguments.
func New() *Plugin { return &Plugin{} }

// Name is DefaultBinder.
func (p *Plugin) Name() string { return pluginName }

// Bind answers Success for every pod and node.
func (p *Plugin) Bind(_ *cluster.Pod, _ string) trace.Verdict { return trace.Verdict{} }
