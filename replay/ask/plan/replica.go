package plan

import (
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
)

// ownVolumes are the claims that a StatefulSet makes for each pod of its own: those of its first replicas are not
// another's.
type ownVolumes struct {
	set       string // its name
	next      int    // the ordinal of the pod that it would make next
	templates map[string]*corev1.PersistentVolumeClaim
}

// ownVolumesOf are those of a pod, by its volumes; without templates where no StatefulSet made it. An input without the
// set has its claims: what they want is what the set's others want.
func (r *run) ownVolumesOf(p *corev1.Pod) ownVolumes {
	all := ownVolumes{templates: map[string]*corev1.PersistentVolumeClaim{}}
	c := metav1.GetControllerOf(p)
	if c == nil || c.Kind != string(cluster.KindStatefulSet) {
		return all
	}
	objects := r.state().Objects()
	all.set = c.Name
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		if v.PersistentVolumeClaim == nil {
			continue
		}
		name, is := strings.CutSuffix(v.PersistentVolumeClaim.ClaimName, "-"+p.Name)
		if made, there := objects.VolumeClaims.Find(p.Namespace + "/" + v.PersistentVolumeClaim.ClaimName); is && there {
			t := &corev1.PersistentVolumeClaim{TypeMeta: made.TypeMeta, Spec: *made.Spec.DeepCopy()}
			t.Name, t.Namespace, t.Spec.VolumeName = name, p.Namespace, ""
			t.Status.Phase = corev1.ClaimPending
			all.templates[v.Name] = t
		}
	}
	r.state().EachPodIn(p.Namespace, func(other *cluster.Pod) bool {
		if of := metav1.GetControllerOf(other.API); of != nil && of.UID == c.UID {
			all.next = max(all.next, ordinal(other.API)+1)
		}
		return true
	})
	if set, is := objects.StatefulSets.Find(p.Namespace + "/" + c.Name); is {
		all.next = max(all.next, wantedOrdinals(set))
	}
	return all
}

// wantedOrdinals is the first ordinal that a StatefulSet has no pod for.
func wantedOrdinals(set *appsv1.StatefulSet) int {
	return int(ptr.Deref(set.Spec.Ordinals, appsv1.StatefulSetOrdinals{}).Start + ptr.Deref(set.Spec.Replicas, 1))
}

// give has a pod mount the claims of the n-th replica more. It returns those that are not there yet.
func (o *ownVolumes) give(p *corev1.Pod, n int, objects *cluster.Objects) (claims []cluster.Object) {
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		template, is := o.templates[v.Name]
		if !is {
			continue
		}
		claim := template.DeepCopy()
		claim.Name += "-" + o.set + "-" + strconv.Itoa(o.next+n)
		v.PersistentVolumeClaim.ClaimName = claim.Name
		if _, there := objects.VolumeClaims.Find(cluster.Key(claim)); !there {
			claims = append(claims, claim)
		}
	}
	return claims
}

// isClaimed reports whether a volume is one of the cluster's, by a claim.
func isClaimed(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil || v.Ephemeral != nil }
