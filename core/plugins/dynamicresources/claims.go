package dynamicresources

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// missing is why a pod has to wait for one of its claims. nil: it need not.
type missing struct {
	claim  string // the name in the pod's spec
	reason string // kube-scheduler's words
}

func (m *missing) verdict() trace.Verdict {
	if m == nil {
		return trace.Verdict{}
	}
	return rejected(m.reason, trace.Evidence{
		What: phrase.Textf("claim %s", m.claim), Want: trace.Words("to be there and the pod's to use"),
		Have: trace.Text(m.reason),
	})
}

// claimsOf lists the claims that a pod's spec names, in its order. Those that were left out on purpose are not in it.
func claimsOf(pod *corev1.Pod, known *cluster.Objects) ([]*resourcev1.ResourceClaim, *missing) {
	claims := make([]*resourcev1.ResourceClaim, 0, len(pod.Spec.ResourceClaims)+1)
	for i := range pod.Spec.ResourceClaims {
		use := &pod.Spec.ResourceClaims[i]
		name, generated, err := resourceclaim.Name(pod, use)
		if err != nil {
			return nil, &missing{use.Name, err.Error()}
		}
		if name == nil {
			continue
		}
		key := pod.Namespace + "/" + *name
		claim, ok := known.ResourceClaims.Find(key)
		if !ok {
			return nil, &missing{use.Name, notFound(key)}
		}
		if claim.DeletionTimestamp != nil {
			return nil, &missing{use.Name, fmt.Sprintf("resourceclaim %q is being deleted", claim.Name)}
		}
		if generated {
			if err := resourceclaim.IsForPod(pod, claim, false); err != nil {
				return nil, &missing{use.Name, err.Error()}
			}
		}
		claims = append(claims, claim)
	}
	return claims, nil
}

// notFound is the message of kube-scheduler's cache for a claim it does not have.
func notFound(key string) string { return fmt.Sprintf("could not find ResourceClaim %q", key) }

// isReservedFor reports whether the pod is among those that may use the claim's devices.
func isReservedFor(pod *corev1.Pod, claim *resourcev1.ResourceClaim) bool {
	for i := range claim.Status.ReservedFor {
		if isPod(&claim.Status.ReservedFor[i], pod) {
			return true
		}
	}
	return false
}

// isPod reports whether a consumer is the pod. Pods written by hand have no UID; their names identify them.
func isPod(consumer *resourcev1.ResourceClaimConsumerReference, pod *corev1.Pod) bool {
	return consumer.UID == pod.UID && (pod.UID != "" || consumer.Name == pod.Name)
}

// consumer is the pod as claims name it.
func consumer(pod *corev1.Pod) resourcev1.ResourceClaimConsumerReference {
	return resourcev1.ResourceClaimConsumerReference{
		APIGroup: corev1.GroupName, Resource: "pods", Name: pod.Name, UID: pod.UID,
	}
}

// promisedOf is a claim as it will be when what was promised for it is written; false when nothing is promised.
func promisedOf(known *cluster.Objects, claim *resourcev1.ResourceClaim) (*resourcev1.ResourceClaim, bool) {
	pending, ok := known.ResourceClaims.Assumed(cluster.Key(claim))
	return pending, ok && pending.UID == claim.UID && pending.Status.Allocation != nil
}

// isClaim reports whether an object is a version of the claim.
func isClaim(o cluster.Object, claim *resourcev1.ResourceClaim) bool {
	other, is := o.(*resourcev1.ResourceClaim)
	return is && isSame(other, claim)
}

// isSame reports whether two versions are of one claim.
func isSame(a, b *resourcev1.ResourceClaim) bool {
	return a.UID == b.UID && (a.UID != "" || cluster.Key(a) == cluster.Key(b))
}
