package live

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// retries reports the faults after which kube-scheduler sends a request again (util.Retriable, 1.37).
func retries(err error) bool {
	return apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) || utilnet.IsConnectionRefused(err)
}

// retriesConflict is retries, for what may be sent again after a change by another client as well.
func retriesConflict(err error) bool { return retries(err) || apierrors.IsConflict(err) }

// bindingOf is the request that binds a pod to a node.
func bindingOf(p *corev1.Pod, node string) Request {
	r := about("create", cluster.KindPod, p, &corev1.Binding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Binding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	})
	r.part, r.retries = "binding", retries
	return r
}

// evictionOf writes into a pod's status why it has to go, and deletes the pod.
func evictionOf(e core.Evict, now time.Time) []Request {
	p := e.Pod.API
	told := statusPatch(p, func(s *corev1.PodStatus) {
		s.Conditions = withPodCondition(s.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: e.Reason, Message: e.Message,
			ObservedGeneration: p.Generation,
		}, now)
	})
	options := metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}}
	if p.UID != "" {
		options.Preconditions = &metav1.Preconditions{UID: &p.UID}
	}
	return append(told, about("delete", cluster.KindPod, p, &options))
}

// nominationOf sets the node that is kept free for a pod.
func nominationOf(e core.Nominate) []Request {
	return statusPatch(e.Pod.API, func(s *corev1.PodStatus) { s.NominatedNodeName = e.Node })
}

// conditionOf writes into the pod's status why it has no node; none when the status has it already.
func conditionOf(e core.Report, now time.Time) []Request {
	if e.Condition == "" {
		return nil
	}
	return statusPatch(e.Pod.API, func(s *corev1.PodStatus) {
		s.Conditions = withPodCondition(s.Conditions, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: e.Condition, Message: e.Message,
			ObservedGeneration: e.Pod.API.Generation,
		}, now)
	})
}

// withPodCondition is conditions with one set. One that is there and equal stays as it is; while its status stays, so
// does the time of its last change.
func withPodCondition(all []corev1.PodCondition, c corev1.PodCondition, now time.Time) []corev1.PodCondition {
	c.LastTransitionTime = metav1.NewTime(now).Rfc3339Copy()
	for i, old := range all {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
			if old.Reason == c.Reason && old.Message == c.Message {
				return all
			}
		}
		all = slices.Clone(all)
		all[i] = c
		return all
	}
	return append(slices.Clip(all), c)
}

// conclusionOf writes into a pod group's status how its first attempt ended.
func conclusionOf(e core.Conclude, now time.Time) ([]Request, error) {
	status := metav1.ConditionFalse
	if e.True {
		status = metav1.ConditionTrue
	}
	after := e.Group.DeepCopy()
	c := metav1.Condition{
		Type: schedulingv1beta1.PodGroupInitiallyScheduled, Status: status, Reason: e.Reason, Message: e.Message,
		ObservedGeneration: e.Group.Generation, LastTransitionTime: metav1.NewTime(now).Rfc3339Copy(),
	}
	meta.SetStatusCondition(&after.Status.Conditions, c)
	changed, err := changeOf(e.Group, after)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	r := about("patch", cluster.KindPodGroup, e.Group, changed.of(e.Group, ""))
	r.part, r.retries = "status", retriesConflict
	return []Request{r}, nil
}

// writeOf is requestsOf for an object of the table of kinds.
func writeOf(e core.Write, known *cluster.State) ([]Request, error) {
	kind, _ := cluster.KindOf(e.Object)
	switch e.Action {
	case cluster.Delete:
		options := metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}}
		if uid := e.Object.GetUID(); uid != "" {
			options.Preconditions = &metav1.Preconditions{UID: &uid}
		}
		return []Request{about("delete", kind, e.Object, &options)}, nil
	case cluster.Add:
		claim, is := e.Object.(*resourcev1.ResourceClaim)
		if !is {
			return nil, phrase.Errorf("this build creates no %s", kind)
		}
		return creationOf(claim)
	}
	before, there := lastSeen(known, e.Object)
	if !there && !changes(e.Object) {
		return nil, phrase.Errorf("this build changes no %s", kind)
	}
	if !there {
		return nil, apierrors.NewNotFound(cluster.RowOf(kind).GroupVersionResource().GroupResource(), e.Object.GetName())
	}
	c, err := changeOf(before, e.Object)
	if err != nil {
		return nil, err
	}
	version := ""
	switch after := e.Object.(type) {
	case *corev1.PersistentVolume, *corev1.PersistentVolumeClaim:
		version = e.Object.GetResourceVersion()
	case *resourcev1.ResourceClaim:
		if after.Status.Allocation == nil {
			version = e.Object.GetResourceVersion() // a deallocation must not miss a new user of the devices
		}
	}
	return patchesOf(kind, before, c, version), nil
}

// patchesOf are the requests that make a change: of the object itself first, then of its status.
func patchesOf(kind cluster.Kind, before cluster.Object, c change, version string) []Request {
	var all []Request
	status := c.split("status")
	if len(c) > 0 {
		all = append(all, about("patch", kind, before, c.of(before, version)))
		version = "" // it is another one by then
	}
	if status == nil {
		return all
	}
	r := about("patch", kind, before, change{"status": status}.of(before, version))
	r.part, r.retries = "status", retries
	return append(all, r)
}

// creationOf makes a claim, and then gives it its status: an API server takes no status at creation.
func creationOf(claim *resourcev1.ResourceClaim) ([]Request, error) {
	bare := claim.DeepCopy()
	bare.ResourceVersion, bare.UID, bare.GenerateName, bare.Status = "", "", "", resourcev1.ResourceClaimStatus{}
	bare.APIVersion, bare.Kind = resourcev1.SchemeGroupVersion.String(), "ResourceClaim"
	r := about("create", cluster.KindResourceClaim, bare, bare)
	r.Name = ""
	c, err := changeOf(bare, &resourcev1.ResourceClaim{
		TypeMeta: bare.TypeMeta, ObjectMeta: bare.ObjectMeta, Spec: bare.Spec, Status: claim.Status,
	})
	if err != nil {
		return nil, err
	}
	return append([]Request{r}, patchesOf(cluster.KindResourceClaim, bare, c, "")...), nil
}

// changes reports whether plugins may change objects of the kind.
func changes(o cluster.Object) bool {
	switch o.(type) {
	case *corev1.PersistentVolume, *corev1.PersistentVolumeClaim, *resourcev1.ResourceClaim, *corev1.Pod:
		return true
	}
	return false
}

// lastSeen is an object as the API server last showed it.
func lastSeen(known *cluster.State, o cluster.Object) (cluster.Object, bool) {
	objects, key := known.Objects(), cluster.Key(o)
	switch o.(type) {
	case *corev1.PersistentVolume:
		return found(objects.Volumes.Find(key))
	case *corev1.PersistentVolumeClaim:
		return found(objects.VolumeClaims.Find(key))
	case *resourcev1.ResourceClaim:
		return found(objects.ResourceClaims.Find(key))
	case *corev1.Pod:
		if p, there := known.Pod(key); there {
			return p.API, true
		}
	}
	return nil, false
}

func found[T cluster.Object](o T, there bool) (cluster.Object, bool) { return o, there }

// sameObjectIsGone reports whether a fault means that the object is gone, or another one has its name by now.
func sameObjectIsGone(err error, uid types.UID) bool {
	return apierrors.IsNotFound(err) || uid != "" && apierrors.IsConflict(err)
}
