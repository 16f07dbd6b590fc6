package request

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Objects is what an API server has, as a request finds it.
type Objects interface {
	// Find is an object; false when there is none. It is read only.
	Find(Object) (cluster.Object, bool)
	// EachBudget calls f with every disruption budget of a namespace, in the order of names, until it returns false.
	EachBudget(namespace string, f func(*policyv1.PodDisruptionBudget) bool)
}

// Refused is the answer of an API server that does not do what a request wants.
type Refused struct {
	Code    int    // of HTTP: 404, 409, 422, 429, 500
	Message string // of the answer
	Cause   string // what the answer adds to it, such as which budget; ""
}

func (r *Refused) Error() string {
	if r.Cause != "" {
		return r.Message + " " + r.Cause
	}
	return r.Message
}

// Again reports whether the same request may succeed later: kubectl drain sends an eviction again after an answer 429.
func (r *Refused) Again() bool { return r.Code == tooMany }

const (
	notFound = 404
	invalid  = 422
	timedOut = 408
	tooMany  = 429
	internal = 500
)

// Do is what the API server (1.37) makes of a request: the events that come of it at once, in their order, or a
// *Refused. The objects of the events are new ones. A deletion with grace is an update: the kubelet ends the pod.
func (r Request) Do(on Objects, now time.Time) ([]cluster.Event, error) {
	if r.do == nothing {
		return nil, phrase.Errorf("a remark is no request: %s", r.remark)
	}
	found, ok := on.Find(r.On)
	if !ok {
		return nil, &Refused{Code: notFound, Message: fmt.Sprintf("%s %q not found", strings.ToLower(string(r.On.Kind)),
			r.On.Name)}
	}
	switch r.do {
	case evict:
		return r.evicted(on, found, now)
	case remove:
		return deleted(found, now), nil
	case remake:
		return r.remade(found)
	case await:
		return r.awaited(found)
	}
	changed, err := r.changed(found)
	if err != nil {
		return nil, err
	}
	if refused := r.refused(found, changed); refused != nil {
		return nil, refused
	}
	renew(changed, r.do)
	return []cluster.Event{{Action: cluster.Update, Object: changed}}, nil
}

// IsAllowed reports whether an API server takes the request about an object as it is.
func (r Request) IsAllowed(on cluster.Object) bool {
	changed, err := r.changed(on)
	if err != nil {
		return false
	}
	return r.refused(on, changed) == nil
}

// refused is why an API server does not take an object as the request leaves it; nil: it does.
func (r Request) refused(before, after cluster.Object) *Refused {
	if r.do == resize {
		return allowedResize(before, after)
	}
	return allowed(before, after)
}

// renew is what every write does to an object; the generation counts changes of the spec.
func renew(o cluster.Object, do verb) {
	o.SetResourceVersion(o.GetResourceVersion() + "+")
	if do != label && do != unlabel && do != annotate {
		o.SetGeneration(o.GetGeneration() + 1)
	}
}

// changed is a copy of the object as the request leaves it.
func (r Request) changed(found cluster.Object) (cluster.Object, error) {
	if r.do == patch || r.do == resize {
		return Patched(found, r.operations)
	}
	o, is := found.DeepCopyObject().(cluster.Object)
	if !is {
		return nil, phrase.Errorf("%T is no object of the API", found)
	}
	switch r.do {
	case label, unlabel:
		labels := maps.Clone(o.GetLabels())
		if labels == nil {
			labels = map[string]string{}
		}
		if labels[r.key] = r.value; r.do == unlabel {
			delete(labels, r.key)
		}
		o.SetLabels(labels)
		return o, nil
	case annotate:
		annotations := maps.Clone(o.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[r.key] = r.value
		o.SetAnnotations(annotations)
		return o, nil
	case scale:
		return o, r.scaled(o)
	}
	node, is := o.(*corev1.Node)
	if !is {
		return nil, phrase.Errorf("%s is no node", r.On.Key())
	}
	switch r.do {
	case cordon, uncordon:
		node.Spec.Unschedulable = r.do == cordon
	case untaint:
		before := len(node.Spec.Taints)
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool {
			return r.key == t.Key || r.key == t.Key+":"+string(t.Effect) || r.key == cluster.TaintText(&t)
		})
		if len(node.Spec.Taints) == before {
			return nil, &Refused{Code: notFound, Message: fmt.Sprintf("taint %q not found", r.key)}
		}
	}
	return o, nil
}

func (r Request) scaled(o cluster.Object) error {
	n := r.replicas
	switch w := o.(type) {
	case *appsv1.Deployment:
		w.Spec.Replicas = &n
	case *appsv1.ReplicaSet:
		w.Spec.Replicas = &n
	case *appsv1.StatefulSet:
		w.Spec.Replicas = &n
	case *corev1.ReplicationController:
		w.Spec.Replicas = &n
	default:
		return &Refused{Code: notFound, Message: "the server could not find the requested resource"}
	}
	return nil
}

// Patched is a copy of an object after the operations of a JSON patch, or a *Refused.
func Patched[T cluster.Object](found T, operations []Operation) (T, error) {
	var none T
	before, err := json.Marshal(found)
	if err != nil {
		return none, phrase.Errorf("%s: %w", cluster.Key(found), err)
	}
	list, err := jsonpatch.DecodePatch([]byte(text(operations)))
	if err != nil {
		return none, phrase.Errorf("patch of %s: %w", cluster.Key(found), err)
	}
	after, err := list.Apply(before)
	if err != nil {
		return none, &Refused{
			Code: invalid, Message: "the server rejected our request due to an error in our request", Cause: err.Error(),
		}
	}
	o, is := found.DeepCopyObject().(T)
	if !is {
		return none, phrase.Errorf("%T is no object of the API", found)
	}
	empty(o)
	if err := json.Unmarshal(after, o); err != nil {
		return none, &Refused{Code: invalid, Message: err.Error()}
	}
	return o, nil
}

// remade deletes a pod and creates it again: kubectl replace --force waits for neither grace nor finalizers.
func (r Request) remade(found cluster.Object) ([]cluster.Event, error) {
	pod, is := found.(*corev1.Pod)
	if !is {
		return nil, phrase.Errorf("%s is no pod", r.On.Key())
	}
	fresh, err := Patched(pod, r.operations)
	if err != nil {
		return nil, err
	}
	fresh.UID = types.UID(cluster.UID(pod) + "-again")
	fresh.ResourceVersion, fresh.DeletionTimestamp, fresh.DeletionGracePeriodSeconds = "", nil, nil
	fresh.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return []cluster.Event{{Action: cluster.Delete, Object: pod}, {Action: cluster.Add, Object: fresh}}, nil
}

// deleted are the events of a deletion. A pod with a node has its grace period, which its kubelet ends; one without is
// gone at once, as is every other object.
func deleted(found cluster.Object, now time.Time) []cluster.Event {
	pod, is := found.(*corev1.Pod)
	grace := defaultGrace
	if is && pod.Spec.TerminationGracePeriodSeconds != nil {
		grace = *pod.Spec.TerminationGracePeriodSeconds
	}
	if !is || grace == 0 || pod.Spec.NodeName == "" || cluster.Finished(pod) {
		return []cluster.Event{{Action: cluster.Delete, Object: found}}
	}
	if pod.DeletionTimestamp != nil {
		return nil
	}
	going := pod.DeepCopy()
	going.DeletionTimestamp = &metav1.Time{Time: now.Add(time.Duration(grace) * time.Second)}
	going.DeletionGracePeriodSeconds = &grace
	renew(going, remove)
	return []cluster.Event{{Action: cluster.Update, Object: going}}
}
