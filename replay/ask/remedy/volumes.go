package remedy

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/session"
)

// volumes are volumes for the claims of the pod that have none.
func (a at) volumes() []Change {
	var all []Change
	a.eachClaim(func(claim *corev1.PersistentVolumeClaim) {
		if claim.Spec.VolumeName == "" {
			all = append(all, volumeFor(cluster.Key(claim)))
		}
	})
	return all
}

// oldKeys give the volumes of the pod's claims the keys of labels that nodes have today, where their node affinity has
// the beta keys that nodes no longer have. It is the one change of that field that an API server takes from any release
// on (pkg/apis/core/validation, validatePvNodeAffinity, 1.37).
func (a at) oldKeys() []Change {
	var all []Change
	a.eachClaim(func(claim *corev1.PersistentVolumeClaim) {
		volume, is := a.state.Objects().Volumes.Find(claim.Spec.VolumeName)
		if !is {
			return
		}
		if patches := session.Renewed(volume); len(patches) > 0 {
			all = append(all, Change{
				Kind: RenewKeys, What: called(volume.Name), Line: "renew-keys " + volume.Name,
				Commands: kubectl(request.Patch(request.Object{Kind: cluster.KindVolume, Name: volume.Name}, patches...)),
				Cost:     costs[RenewKeys], Edit: session.RenewKeys(volume.Name),
			})
		}
	})
	return all
}

// eachClaim calls f with the claims of the pod that are there, in the order of its volumes.
func (a at) eachClaim(f func(*corev1.PersistentVolumeClaim)) {
	for _, v := range a.pod.API.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		key := a.pod.Namespace() + "/" + v.PersistentVolumeClaim.ClaimName
		if claim, ok := a.state.Objects().VolumeClaims.Find(key); ok {
			f(claim)
		}
	}
}
