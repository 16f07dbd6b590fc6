package history

import (
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// zoneLabels are the labels of a node that the API server copies to a pod when it is bound (PodTopologyLabels, from
// 1.35 on).
var zoneLabels = []string{corev1.LabelTopologyRegion, corev1.LabelTopologyZone}

// binding is what is read of a Binding.
type binding struct {
	Metadata struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Target struct {
		Name string `json:"name"`
	} `json:"target"`
}

// bind makes the version of a pod that is bound, by the rules of kube-apiserver 1.37: the node's name, the labels of
// the Binding and of the node's zone, PodScheduled is True, and the nomination is cleared.
func (r *rebuilding) bind(was *life) {
	w := &r.now
	r.report.Bindings[w.By]++
	var b binding
	if len(w.Sent) == 0 || json.Unmarshal(w.Sent, &b) != nil || b.Target.Name == "" {
		r.lost(noBody)
		return
	}
	pod, is := r.podOf(was)
	if !is {
		r.lost(noBase)
		return
	}
	pod.Spec.NodeName = b.Target.Name
	pod.Status.NominatedNodeName = ""
	pod.Labels = merged(pod.Labels, b.Metadata.Labels)
	pod.Annotations = merged(pod.Annotations, b.Metadata.Annotations)
	if node := r.alive[key{cluster.KindNode, "", b.Target.Name}]; node != nil {
		for _, label := range zoneLabels {
			if value, has := r.object(node).GetLabels()[label]; has {
				pod.Labels = merged(pod.Labels, map[string]string{label: value})
			}
		}
	}
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, w.At)
	r.put(pod, derived(was))
}

// podOf is a copy of a pod that is there.
func (r *rebuilding) podOf(was *life) (*corev1.Pod, bool) {
	if was == nil {
		return nil, false
	}
	pod, is := r.object(was).(*corev1.Pod)
	if !is {
		return nil, false
	}
	pod = pod.DeepCopy()
	pod.ResourceVersion = ""
	return pod, true
}

// derived is the origin of what rules make of an object.
func derived(was *life) Origin {
	if was.guess != "" {
		return Guessed
	}
	return Derived
}

// merged is a map with the entries of another; neither is changed.
func merged(into, from map[string]string) map[string]string {
	if len(from) == 0 {
		return into
	}
	all := make(map[string]string, len(into)+len(from))
	for k, v := range into {
		all[k] = v
	}
	for k, v := range from {
		all[k] = v
	}
	return all
}

// setCondition sets a condition as the API server does: the transition has a new time only when the status changes.
func setCondition(pod *corev1.Pod, c corev1.PodCondition, at time.Time) {
	c.LastTransitionTime = stamped(at)
	pod.Status.Conditions = slices.Clone(pod.Status.Conditions)
	for i := range pod.Status.Conditions {
		if old := &pod.Status.Conditions[i]; old.Type == c.Type {
			if old.Status == c.Status {
				c.LastTransitionTime = old.LastTransitionTime
			}
			c.ObservedGeneration = old.ObservedGeneration
			*old = c
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, c)
}

// evict makes the versions of a pod that is evicted: the condition DisruptionTarget, then the deletion; with a grace of
// 0 the API server writes that and removes the pod in one request. A pod without a node, or one that is over, is gone
// at once.
func (r *rebuilding) evict(was *life) {
	w := &r.now
	pod, is := r.podOf(was)
	if !is {
		r.lost(noBase)
		return
	}
	r.report.Evictions++
	if pod.Spec.NodeName == "" || cluster.Finished(pod) {
		r.gone(pod, derived(was))
		return
	}
	setCondition(pod, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI",
		Message: "Eviction API: evicting",
	}, w.At)
	r.put(pod, derived(was))
	var sent struct {
		How deletion `json:"deleteOptions"`
	}
	_ = json.Unmarshal(w.Sent, &sent)
	ends := terminating(pod, w.At, sent.How.Grace)
	if pod.DeletionTimestamp != nil && !ends.DeletionTimestamp.Before(pod.DeletionTimestamp) {
		return // it ends already, and no earlier by this
	}
	pod = ends
	r.put(pod, derived(was))
	if *pod.DeletionGracePeriodSeconds == 0 && len(pod.Finalizers) == 0 {
		r.gone(pod, derived(was))
	}
}

// terminating is a pod with the time of its end.
func terminating(pod *corev1.Pod, at time.Time, grace *int64) *corev1.Pod {
	pod = pod.DeepCopy()
	if grace == nil {
		grace = pod.Spec.TerminationGracePeriodSeconds
	}
	seconds := int64(30)
	if grace != nil {
		seconds = *grace
	}
	end := metav1.NewTime(at.Truncate(time.Second).Add(time.Duration(min(max(seconds, 0), 1<<31)) * time.Second))
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &end, &seconds
	return pod
}

// deletion is what is read of DeleteOptions.
type deletion struct {
	Grace *int64 `json:"gracePeriodSeconds"`
	Way   string `json:"propagationPolicy"`
}

// delete makes what a deletion leaves: an object that waits for its end, or nothing.
func (r *rebuilding) delete(was *life) {
	w := &r.now
	var how deletion
	_ = json.Unmarshal(w.Sent, &how)
	if w.After != nil {
		r.deleted(w.After, was)
		return
	}
	if was == nil {
		r.lost(noBase)
		return
	}
	r.deletedBy(how, was)
}

// deleted is delete where the object was answered.
func (r *rebuilding) deleted(o cluster.Object, was *life) {
	over := o.GetDeletionTimestamp() == nil ||
		o.GetDeletionGracePeriodSeconds() != nil && *o.GetDeletionGracePeriodSeconds() == 0
	if !over || len(o.GetFinalizers()) > 0 && o.GetDeletionTimestamp() != nil {
		r.put(o, Exact)
		return
	}
	if o.GetDeletionTimestamp() != nil {
		r.put(o, Derived) // the version with a grace of 0, which is written before the object goes
	}
	r.gone(o, Exact)
}

// deletedBy is delete by rule: pods with a node wait for their kubelet, and objects with finalizers for those.
func (r *rebuilding) deletedBy(how deletion, was *life) {
	at := r.now.At
	if pod, is := r.podOf(was); is {
		kubelet := pod.Spec.NodeName != "" && !cluster.Finished(pod)
		if end := terminating(pod, at, how.Grace); kubelet && *end.DeletionGracePeriodSeconds > 0 {
			if pod.DeletionTimestamp == nil {
				r.put(end, derived(was))
			}
			return
		}
		zero := int64(0)
		if pod.DeletionTimestamp == nil {
			pod = terminating(pod, at, &zero)
		}
		pod.DeletionGracePeriodSeconds = &zero
		r.put(pod, derived(was))
	}
	o := r.object(was)
	if len(o.GetFinalizers()) > 0 || how.Way == "Orphan" {
		o = o.DeepCopyObject().(cluster.Object)
		end := stamped(at)
		o.SetDeletionTimestamp(&end)
		r.put(o, derived(was))
		return
	}
	r.gone(o, derived(was))
}

// scale sets the replicas of an owner.
func (r *rebuilding) scale(was *life) {
	w := &r.now
	if was == nil || len(w.Sent) == 0 {
		r.lost(noBase)
		return
	}
	o, err := changed(r.object(was), func(tree map[string]any) { spec(tree)["replicas"] = replicasIn(w.Sent) })
	if err != nil {
		r.lost(notDecoded)
		return
	}
	r.put(o, derived(was))
}

func spec(tree map[string]any) map[string]any {
	inner, is := tree["spec"].(map[string]any)
	if !is {
		inner = map[string]any{}
		tree["spec"] = inner
	}
	return inner
}

// replicasIn are the replicas of a Scale, or of a patch of one; a Scale without the member has 0.
func replicasIn(sent []byte) int64 {
	var scale struct {
		Spec struct {
			Replicas int32 `json:"replicas"`
		} `json:"spec"`
	}
	_ = json.Unmarshal(sent, &scale)
	return int64(scale.Spec.Replicas)
}
