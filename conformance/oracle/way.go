//go:build !before_1_37

package oracle

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// Way is what the way of a pod to its node needs, from Permit on. The oracle goes none of it: it has no waits.
type Way struct {
	Framework framework.Framework
	State     fwk.CycleState
	Pod       *corev1.Pod // with its node
}

// WayOf is that of a pod that Assume gave a node; false for any other.
func (o *Oracle) WayOf(key string) (Way, bool) {
	p, placed := o.placed[key]
	if !placed {
		return Way{}, false
	}
	return Way{o.scheduler.Profiles[p.pod.Spec.SchedulerName], p.state, p.pod}, true
}

// Client is what plugins call the API with. It accepts everything, and nothing comes of it.
func (o *Oracle) Client() *fake.Clientset { return o.client }
