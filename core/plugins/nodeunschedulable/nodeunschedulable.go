// Package nodeunschedulable is kube-scheduler's NodeUnschedulable plugin (1.37): cordoned nodes take no new pods but
// those that tolerate it. It reads spec.unschedulable; the taint that goes with it is TaintToleration's.
package nodeunschedulable

import (
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// pluginName is kube-scheduler's name of the plugin.
const pluginName = "NodeUnschedulable"

// reason is the plugin's reason for a cordoned node.
const reason = "node(s) were unschedulable"

// Plugin keeps pods off cordoned nodes.
type Plugin struct{ framework.SignTolerations }

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
	_ framework.Signer       = (*Plugin)(nil)
)

// New makes the plugin; it has no arguments.
func New() *Plugin { return &Plugin{} }

// Name is NodeUnschedulable.
func (p *Plugin) Name() string { return pluginName }

// PreFilter looks at the pod's tolerations once. It never skips.
func (p *Plugin) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) framework.Study {
	return framework.Study{Check: &check{tolerates: tolerates(pod)}}
}

// tolerates reports whether the pod bears the taint that stands for a cordoned node.
func tolerates(pod *cluster.Pod) bool {
	cordoned := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	return corev1helpers.TolerationsTolerateTaint(logr.Discard(), pod.API.Spec.Tolerations, &cordoned, false)
}
