package history

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
)

// create makes an object of a request: defaults and admission are ours.
func (r *rebuilding) create() {
	w := &r.now
	if len(w.Sent) == 0 {
		r.lost(noBody)
		return
	}
	o, err := importer.Decode(w.Sent, false)
	if err != nil {
		r.lost(notDecoded)
		return
	}
	o.SetName(w.Name)
	o.SetNamespace(w.Namespace)
	if o.GetUID() == "" {
		o.SetUID(types.UID(w.ID))
	}
	o.SetCreationTimestamp(stamped(w.At))
	o = r.admitted(fresh(o))
	if o == nil {
		r.lost(notDecoded)
		return
	}
	r.guess(o, trace.AsSent)
}

// fresh is an object that is created, with the status that the API server gives it, whatever was sent: PrepareForCreate
// of the kinds in pkg/registry, 1.37. A Node keeps what its kubelet sent.
func fresh(o cluster.Object) cluster.Object {
	switch o := o.(type) {
	case *corev1.Pod:
		o.Status = corev1.PodStatus{}
	case *corev1.PersistentVolume:
		o.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending}
	case *corev1.PersistentVolumeClaim:
		o.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
	case *resourcev1.ResourceClaim:
		o.Status = resourcev1.ResourceClaimStatus{}
	case *policyv1.PodDisruptionBudget:
		o.Status = policyv1.PodDisruptionBudgetStatus{}
	case *storagev1.VolumeAttachment:
		o.Status = storagev1.VolumeAttachmentStatus{}
	}
	return o
}

// admitted is a new object as our own admission leaves it; nil when it is refused.
func (r *rebuilding) admitted(o cluster.Object) cluster.Object {
	uid := o.GetUID()
	o.SetUID("") // it is new
	var all []importer.Object
	for _, k := range slices.SortedFunc(maps.Keys(r.helpers), compareKeys) {
		all = append(all, importer.Object{Object: r.helpers[k].DeepCopyObject()})
	}
	all, _ = admission.Admit(append(all, importer.Object{Object: o}), admission.Rules{})
	for _, a := range all {
		if a.Object == o {
			o.SetUID(uid)
			if pod, is := o.(*corev1.Pod); is {
				pending(pod, r.now)
			}
			return o
		}
	}
	return nil
}

// pending is the status that the API server gives a new pod.
func pending(pod *corev1.Pod, w Write) {
	pod.Status.Phase = corev1.PodPending
	if len(pod.Spec.SchedulingGates) > 0 {
		setCondition(pod, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated,
			Message: "Scheduling is blocked due to non-empty scheduling gates",
		}, w.At)
	}
}

func compareKeys(a, b key) int {
	return strings.Compare(string(a.kind)+"/"+a.namespace+"/"+a.name, string(b.kind)+"/"+b.namespace+"/"+b.name)
}

// update makes an object of the one that was sent: without a subresource the status stays, with one only that part
// changes.
func (r *rebuilding) update(was *life) {
	w := &r.now
	var sent map[string]any
	if len(w.Sent) == 0 || json.Unmarshal(w.Sent, &sent) != nil {
		r.lost(noBody)
		return
	}
	if was == nil {
		o, err := importer.Decode(w.Sent, false)
		if err != nil {
			r.lost(notDecoded)
			return
		}
		r.guess(o, trace.AsSent)
		return
	}
	o, err := changed(r.object(was), func(tree map[string]any) {
		switch w.Sub {
		case "status":
			tree["status"] = sent["status"]
		case "":
			for member, value := range sent {
				if member != "status" && member != "metadata" {
					tree[member] = value
				}
			}
			adopt(tree, sent)
		default:
			tree["spec"] = sent["spec"]
		}
	})
	if err != nil {
		r.lost(notDecoded)
		return
	}
	r.guess(o, trace.AsSent)
}

// adopt takes the metadata that a request may change.
func adopt(tree, sent map[string]any) {
	from, is := sent["metadata"].(map[string]any)
	into, there := tree["metadata"].(map[string]any)
	if !is || !there {
		return
	}
	for _, member := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
		if value, has := from[member]; has {
			into[member] = value
		} else {
			delete(into, member)
		}
	}
}

// changed is an object with a change to its JSON.
func changed(o cluster.Object, change func(map[string]any)) (cluster.Object, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	change(tree)
	if raw, err = json.Marshal(tree); err != nil {
		return nil, err
	}
	return decoded(raw)
}

// decoded is an object whose JSON was put together here.
func decoded(raw []byte) (cluster.Object, error) {
	o, err := importer.Decode(raw, true)
	if err == nil {
		o.SetResourceVersion("")
	}
	return o, err
}

// patch applies the patch of a request. Its type is in no field of the log: an array is a JSON patch, an object is a
// strategic merge patch, because only built-in kinds are read; of server-side apply the members are merged, and what
// the applier has dropped stays.
func (r *rebuilding) patch(was *life) {
	w := &r.now
	switch {
	case len(w.Sent) == 0:
		r.lost(noBody)
		return
	case was == nil:
		r.lost(noBase)
		return
	}
	base, err := json.Marshal(r.object(was))
	if err == nil {
		base, err = patched(base, w.Sent, w.Row)
	}
	var o cluster.Object
	if err == nil {
		o, err = decoded(base)
	}
	if err != nil || keyOf(o) != w.key() {
		r.lost(notApplied)
		return
	}
	r.guess(o, trace.Patched)
}

var errPatch = phrase.Errorf("the patch does not apply")

// deleteCollection ends what a collection held: the objects of the answer, or those that match the selectors.
func (r *rebuilding) deleteCollection() {
	w := &r.now
	var how deletion
	_ = json.Unmarshal(w.Sent, &how)
	var c Collection
	if w.Chosen != nil {
		c = *w.Chosen
	}
	if len(c.List) > 0 {
		for _, o := range c.List {
			r.oneOf(keyOf(o), o, how)
		}
		return
	}
	chosen, err := labels.Parse(c.Labels)
	byField, err2 := fields.ParseSelector(c.Fields)
	if err != nil || err2 != nil {
		r.lost(notDecoded)
		return
	}
	for _, k := range slices.SortedFunc(maps.Keys(r.alive), compareKeys) {
		if k.kind != w.Row.Kind || w.Namespace != "" && k.namespace != w.Namespace {
			continue
		}
		o := r.object(r.alive[k])
		if chosen.Matches(labels.Set(o.GetLabels())) && byField.Matches(fieldsOf(o)) {
			r.report.Collected++
			r.oneOf(k, o, how)
		}
	}
}

// oneOf deletes one object of a collection.
func (r *rebuilding) oneOf(k key, o cluster.Object, how deletion) {
	was := r.alive[k]
	if was == nil {
		was = &life{object: o, uid: o.GetUID()}
	}
	r.deletedBy(how, was)
}

// fieldsOf are the fields by which collections are selected.
func fieldsOf(o cluster.Object) fields.Set {
	set := fields.Set{"metadata.name": o.GetName(), "metadata.namespace": o.GetNamespace()}
	if pod, is := o.(*corev1.Pod); is {
		set["spec.nodeName"], set["status.phase"] = pod.Spec.NodeName, string(pod.Status.Phase)
		set["spec.schedulerName"] = pod.Spec.SchedulerName
	}
	return set
}
