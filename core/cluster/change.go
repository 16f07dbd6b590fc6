package cluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Resource is what an event is about, in kube-scheduler's division: pods are divided by their relation to the queue
// (framework.EventResource, 1.37).
type Resource string

// The resources of kube-scheduler 1.37's events.
const (
	PodResource                Resource = "Pod" // any of the next three
	AssignedPod                Resource = "AssignedPod"
	UnscheduledPod             Resource = "UnscheduledPod"
	TargetPod                  Resource = "TargetPod" // the very pod that the queue may requeue
	NodeResource               Resource = "Node"
	VolumeResource             Resource = "PersistentVolume"
	VolumeClaimResource        Resource = "PersistentVolumeClaim"
	CSINodeResource            Resource = "storage.k8s.io/CSINode"
	CSIDriverResource          Resource = "storage.k8s.io/CSIDriver"
	VolumeAttachmentResource   Resource = "storage.k8s.io/VolumeAttachment"
	CSIStorageCapacityResource Resource = "storage.k8s.io/CSIStorageCapacity"
	StorageClassResource       Resource = "storage.k8s.io/StorageClass"
	ResourceClaimResource      Resource = "resource.k8s.io/ResourceClaim"
	ResourceSliceResource      Resource = "resource.k8s.io/ResourceSlice"
	DeviceClassResource        Resource = "resource.k8s.io/DeviceClass"
	PodGroupResource           Resource = "scheduling.k8s.io/PodGroup"
	AnyResource                Resource = "*"
)

// ActionType is a set of kinds of change, one bit each.
type ActionType uint32

// The changes that kube-scheduler 1.37 distinguishes, in its order.
const (
	Added ActionType = 1 << iota
	Deleted
	UpdateNodeAllocatable
	UpdateNodeLabel
	UpdateNodeTaint
	UpdateNodeCondition
	UpdateNodeAnnotation
	UpdateNodeDeclaredFeature
	UpdateNodePreemptionPolicy
	UpdatePodLabel
	UpdatePodScaleDown
	UpdatePodScaleUp
	UpdatePodToleration
	UpdatePodSchedulingGatesEliminated
	UpdatePodGeneratedResourceClaim

	AnyAction ActionType = 1<<iota - 1
	Updated              = AnyAction &^ (Added | Deleted)
)

// ClusterEvent is a change as the queue sees it: what changed, and how.
type ClusterEvent struct {
	Resource Resource
	Action   ActionType
	Name     string // replaces the label, for events that no object causes
}

// The events that no object of the cluster causes. They wake every parked entity.
var (
	EventForceActivate        = ClusterEvent{Resource: AnyResource, Action: AnyAction, Name: "ForceActivate"}
	EventUnschedulableTimeout = ClusterEvent{Resource: AnyResource, Action: AnyAction, Name: "UnschedulableTimeout"}
)

// IsWildcard reports whether the event wakes all pods.
func (e ClusterEvent) IsWildcard() bool { return e.Resource == AnyResource && e.Action == AnyAction }

// Label is the event's name in kube-scheduler's logs and metrics, such as "NodeAdd" or "NodeUpdateNodeLabel".
func (e ClusterEvent) Label() string {
	if e.Name != "" {
		return e.Name
	}
	return string(e.Resource) + e.Action.String()
}

// Each has the changes of which the event is made, each of which has a label: all updates are one change. There is none
// for an event that wakes all pods.
func (e ClusterEvent) Each() []ClusterEvent {
	if e.Resource == AnyResource {
		return nil
	}
	var each []ClusterEvent
	left := e.Action
	if left&Updated == Updated {
		each, left = append(each, ClusterEvent{Resource: e.Resource, Action: Updated}), left&^Updated
	}
	for action := Added; action <= left; action <<= 1 {
		if left&action != 0 {
			each = append(each, ClusterEvent{Resource: e.Resource, Action: action})
		}
	}
	return each
}

// Matches reports whether an incoming event is what e is registered for: the same or more specific.
func (e ClusterEvent) Matches(incoming ClusterEvent) bool {
	if e.IsWildcard() {
		return true
	}
	resource := e.Resource == AnyResource || e.Resource == incoming.Resource ||
		e.Resource == PodResource &&
			(incoming.Resource == AssignedPod || incoming.Resource == UnscheduledPod || incoming.Resource == TargetPod)
	return resource && e.Action&incoming.Action != 0 && incoming.Action <= e.Action
}

var actionTypeNames = map[ActionType]string{
	Added: "Add", Deleted: "Delete", UpdateNodeAllocatable: "UpdateNodeAllocatable", UpdateNodeLabel: "UpdateNodeLabel",
	UpdateNodeTaint: "UpdateNodeTaint", UpdateNodeCondition: "UpdateNodeCondition",
	UpdateNodeAnnotation:      "UpdateNodeAnnotation",
	UpdateNodeDeclaredFeature: "UpdateNodeDeclaredFeature", UpdateNodePreemptionPolicy: "UpdateNodePreemptionPolicy",
	UpdatePodLabel: "UpdatePodLabel", UpdatePodScaleDown: "UpdatePodScaleDown", UpdatePodScaleUp: "UpdatePodScaleUp",
	UpdatePodToleration: "UpdatePodToleration", UpdatePodSchedulingGatesEliminated: "UpdatePodSchedulingGatesEliminated",
	UpdatePodGeneratedResourceClaim: "UpdatePodGeneratedResourceClaim", AnyAction: "All", Updated: "Update",
}

// String is kube-scheduler's name of a single change, of all updates, or of all changes; "" for other sets.
func (a ActionType) String() string { return actionTypeNames[a] }

// Change is what an Event did to the State: the objects before and after, parsed, and the events for the queue.
type Change struct {
	Kind   Kind
	Action Action // as it turned out: an Add of a known object is an Update

	OldPod, NewPod   *Pod
	OldNode, NewNode *Node  // a hint gets them without their pods: those are on the node of the State
	Old, New         Object // set for every kind

	WasAssumed bool        // the pod was assumed on a node before the event
	Ignored    phrase.Text // why nothing happened; "" when something did
	Odd        phrase.Text // what no API server sends, and what is made of it; "" for what one may send

	unseen ActionType // of a node: Reading.Unseen
	first  bool       // of a node: Reading.OneNodeEvent
}

// Events are the queue's events for the change of a node or another object, in kube-scheduler's order. Those of a pod
// depend on its relation to the pod that may wake, see PodEvents.
func (c *Change) Events() []ClusterEvent {
	switch {
	case c.Ignored != "":
		return nil
	case c.Kind == KindNode && c.Action == Update:
		return c.nodeEvents(c.OldNode.API, c.NewNode.API)
	}
	if c.Kind.IsCustom() {
		o := c.New
		if o == nil {
			o = c.Old
		}
		return []ClusterEvent{{Resource: customResource(o), Action: actionTypeOf[c.Action]}}
	}
	row := RowOf(c.Kind)
	if row == nil || row.wakes == "" {
		return nil
	}
	return []ClusterEvent{{Resource: row.wakes, Action: actionTypeOf[c.Action]}}
}

var actionTypeOf = [...]ActionType{Add: Added, Update: Updated, Delete: Deleted}

// PodEvents are the queue's events for an update of a pod, most specific first. as is the relation of the updated pod
// to the pod that may wake (PodSchedulingPropertiesChange, 1.37).
func PodEvents(old, new *Pod, as Resource) []ClusterEvent {
	if new.NodeName != "" {
		as = AssignedPod
	}
	var events []ClusterEvent
	add := func(a ActionType) {
		if a&old.reading.Unseen == 0 {
			events = append(events, ClusterEvent{Resource: as, Action: a})
		}
	}
	if !equality.Semantic.DeepEqual(new.API.Labels, old.API.Labels) {
		add(UpdatePodLabel)
	}
	oldRequests, newRequests := old.reading.Requests.list(old.API, nil), new.reading.Requests.list(new.API, nil)
	if someSmaller(newRequests, oldRequests) {
		add(UpdatePodScaleDown)
	}
	if someSmaller(oldRequests, newRequests) {
		add(UpdatePodScaleUp)
	}
	if len(new.API.Spec.SchedulingGates) == 0 && len(old.API.Spec.SchedulingGates) > 0 {
		add(UpdatePodSchedulingGatesEliminated)
	}
	if len(new.API.Spec.Tolerations) != len(old.API.Spec.Tolerations) {
		add(UpdatePodToleration)
	}
	if !resourceclaim.PodStatusEqual(new.API.Status.ResourceClaimStatuses, old.API.Status.ResourceClaimStatuses) ||
		!resourceclaim.PodExtendedStatusEqual(
			new.API.Status.ExtendedResourceClaimStatus, old.API.Status.ExtendedResourceClaimStatus,
		) {
		add(UpdatePodGeneratedResourceClaim)
	}
	if len(events) == 0 {
		events = append(events, ClusterEvent{Resource: as, Action: Updated})
	}
	return events
}

// someSmaller reports whether a requests less than b of any resource that b requests.
func someSmaller(a, b corev1.ResourceList) bool {
	for name, q := range b {
		smaller, ok := a[name]
		if !ok || smaller.MilliValue() < q.MilliValue() {
			return true
		}
	}
	return false
}

// nodeEvents is what an update of a node means to the queue (NodeSchedulingPropertiesChange, 1.37).
func (c *Change) nodeEvents(old, new *corev1.Node) []ClusterEvent {
	var events []ClusterEvent
	add := func(changed bool, a ActionType) {
		if changed && a&c.unseen == 0 {
			events = append(events, ClusterEvent{Resource: NodeResource, Action: a})
		}
	}
	same := equality.Semantic.DeepEqual
	add(old.Spec.Unschedulable && !new.Spec.Unschedulable, UpdateNodeTaint)
	add(!same(old.Status.Allocatable, new.Status.Allocatable), UpdateNodeAllocatable)
	add(!same(old.Labels, new.Labels), UpdateNodeLabel)
	add(!same(old.Spec.Taints, new.Spec.Taints), UpdateNodeTaint)
	add(!same(conditions(old), conditions(new)), UpdateNodeCondition)
	add(!same(old.Annotations, new.Annotations), UpdateNodeAnnotation)
	add(!same(old.Spec.PodPreemptionPolicy, new.Spec.PodPreemptionPolicy), UpdateNodePreemptionPolicy)
	add(!slices.Equal(old.Status.DeclaredFeatures, new.Status.DeclaredFeatures), UpdateNodeDeclaredFeature)
	if c.first {
		return events[:min(1, len(events))]
	}
	return events
}

func conditions(n *corev1.Node) map[corev1.NodeConditionType]corev1.ConditionStatus {
	m := make(map[corev1.NodeConditionType]corev1.ConditionStatus, len(n.Status.Conditions))
	for i := range n.Status.Conditions {
		m[n.Status.Conditions[i].Type] = n.Status.Conditions[i].Status
	}
	return m
}
