package play

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
)

// podDone frees what a pod used that does not run any more, as the controller of ResourceClaims does: claims made for
// it are deleted, and others are no longer reserved for it. A claim that loses its last user gives its devices back.
func (c *controllers) podDone(p *corev1.Pod) {
	c.known.ResourceClaims.EachIn(p.Namespace, func(claim *resourcev1.ResourceClaim) bool {
		if owner := metav1.GetControllerOf(claim); owner != nil && owner.UID == p.UID && owner.Name == p.Name {
			c.events = append(c.events, source.Timed{At: c.now, Event: cluster.Event{Action: cluster.Delete, Object: claim}})
			return true
		}
		left := c.users(claim)
		if len(left) == len(claim.Status.ReservedFor) {
			return true
		}
		free := claim.DeepCopy()
		free.Status.ReservedFor = left
		if len(left) == 0 {
			free.Status.Allocation, free.Status.Devices = nil, nil
			free.Finalizers = slices.DeleteFunc(free.Finalizers, func(f string) bool { return f == resourcev1.Finalizer })
		}
		c.send(0, cluster.Update, free)
		return true
	})
}

// users are those a claim is reserved for, without pods that are gone or do not run any more.
func (c *controllers) users(claim *resourcev1.ResourceClaim) []resourcev1.ResourceClaimConsumerReference {
	var left []resourcev1.ResourceClaimConsumerReference
	for _, r := range claim.Status.ReservedFor {
		if r.APIGroup != "" || r.Resource != "pods" {
			left = append(left, r)
			continue
		}
		p, exists := c.state.Pod(claim.Namespace + "/" + r.Name)
		if exists && p.API.UID == r.UID && !isDone(p.API) {
			left = append(left, r)
		}
	}
	return left
}

// isDone reports whether a pod no longer runs, or never will.
func isDone(p *corev1.Pod) bool {
	return cluster.Finished(p) || p.DeletionTimestamp != nil && p.Spec.NodeName == ""
}
