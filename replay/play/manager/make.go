package manager

import (
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
)

// madeUID begins the UID of every pod that a controller here made.
const madeUID = "made-"

// like is a new pod as another one was made: without node, status and what is its own. What webhooks added is kept.
func like(p *corev1.Pod) *corev1.Pod {
	fresh := &corev1.Pod{TypeMeta: p.TypeMeta, ObjectMeta: metav1.ObjectMeta{
		Namespace: p.Namespace, Name: p.Name, GenerateName: p.GenerateName, Labels: maps.Clone(p.Labels),
		Annotations: maps.Clone(p.Annotations), OwnerReferences: p.OwnerReferences, Finalizers: p.Finalizers,
	}}
	fresh.Spec = *p.Spec.DeepCopy()
	fresh.Spec.NodeName, fresh.Spec.EphemeralContainers = "", nil
	fresh.Status.Phase = corev1.PodPending
	return fresh
}

// of is a new pod of a template, as the API server admits it. Where its class names no priority that is known here, it
// has that of a sibling (which may be nil).
func of(
	template *corev1.PodTemplateSpec, ref metav1.OwnerReference, namespace, name string, sibling *corev1.Pod,
	by *play.Client,
) *corev1.Pod {
	spec := template.DeepCopy()
	p := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: string(cluster.KindPod)},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: spec.Labels, Annotations: spec.Annotations,
			Finalizers: spec.Finalizers, OwnerReferences: []metav1.OwnerReference{ref},
		},
		Spec: spec.Spec,
	}
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	if sibling != nil && sibling.Spec.PriorityClassName == p.Spec.PriorityClassName && p.Spec.Priority == nil {
		p.Spec.Priority, p.Spec.PreemptionPolicy = sibling.Spec.Priority, sibling.Spec.PreemptionPolicy
	}
	objects := []importer.Object{{Object: p}}
	if class, is := by.State().Find(cluster.KindPriorityClass, p.Spec.PriorityClassName); is {
		objects = append(objects, importer.Object{Object: class.DeepCopyObject()})
	}
	admission.Admit(objects, admission.Rules{})
	p.Status.Phase = corev1.PodPending
	return p
}

// name is a name that a controller gives a pod: five letters behind the name of the controller. They are made up: a
// hash of the controller and of how many pods it has made before, so that they are the same in every run of a plan.
func (m *Manager) name(id, prefix string, by *play.Client, namespace string) string {
	for {
		made, _ := m.named.get(id)
		n, _ := made.(int64)
		m.named.set(id, n+1)
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(id + strconv.FormatInt(n+1, 10))) // a hash takes everything
		name := prefix + "-" + rand.SafeEncodeString(fmt.Sprintf("%05d", sum.Sum64()%100_000))
		if _, taken := by.State().Pod(namespace + "/" + name); !taken {
			return name
		}
	}
}

// create adds a pod; false where a quota does not let it be made.
func (m *Manager) create(controller string, p *corev1.Pod, by *play.Client) bool {
	if why := m.OverQuota(p, by.Now()); why != nil {
		m.deny(controller, p, *why, by)
		return false
	}
	m.denied.delete(ownerOf(p))
	m.made++
	p.UID = types.UID(madeUID + strconv.FormatInt(m.made, 10))
	p.CreationTimestamp = metav1.Time{Time: by.Now()}
	by.Note(controller, "creates", "Pod "+cluster.Key(p))
	by.Write(cluster.Add, p)
	m.charge(cluster.Add, p)
	return true
}

// refTo is how a pod names its controller.
func refTo(o cluster.Object, version string, kind cluster.Kind) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: version, Kind: string(kind), Name: o.GetName(), UID: o.GetUID(),
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}
}

// siblingOf is the newest pod of a controller that a new one is made like: a live one, else the last that is gone.
func (m *Manager) siblingOf(id string, by *play.Client) *corev1.Pod {
	var newest *corev1.Pod
	for _, p := range m.podsOf(id, by.State()) {
		if newest == nil || newest.CreationTimestamp.Before(&p.CreationTimestamp) {
			newest = p
		}
	}
	if last, is := m.last.get(id); is && newest == nil {
		newest, _ = last.(*corev1.Pod)
	}
	return newest
}

// claimsOf makes the ResourceClaims that a new pod wants of templates, as the controller of ResourceClaims does
// (pkg/controller/resourceclaim, 1.37). What a template wants is known from the claims that were made of it.
func (m *Manager) claimsOf(p *corev1.Pod, by *play.Client) {
	if len(p.Spec.ResourceClaims) == 0 || len(p.Status.ResourceClaimStatuses) > 0 || p.DeletionTimestamp != nil {
		return
	}
	var statuses []corev1.PodResourceClaimStatus
	for _, use := range p.Spec.ResourceClaims {
		if use.ResourceClaimTemplateName == nil {
			continue
		}
		known, is := m.claims.get(p.Namespace + "/" + *use.ResourceClaimTemplateName)
		spec, typed := known.(*resourcev1.ResourceClaimSpec)
		if !is || !typed {
			continue
		}
		name := p.Name + "-" + use.Name
		claim := &resourcev1.ResourceClaim{
			TypeMeta: metav1.TypeMeta{
				APIVersion: resourcev1.SchemeGroupVersion.String(), Kind: string(cluster.KindResourceClaim),
			},
			ObjectMeta: metav1.ObjectMeta{
				Namespace: p.Namespace, Name: name, OwnerReferences: []metav1.OwnerReference{refTo(p, "v1", cluster.KindPod)},
			},
			Spec: *spec.DeepCopy(),
		}
		if _, exists := by.State().Objects().ResourceClaims.Find(cluster.Key(claim)); !exists {
			by.Note("resourceclaim", "creates", "ResourceClaim "+cluster.Key(claim))
			by.Write(cluster.Add, claim)
		}
		statuses = append(statuses, corev1.PodResourceClaimStatus{Name: use.Name, ResourceClaimName: &name})
	}
	if len(statuses) > 0 {
		by.UpdatePod(cluster.Key(p), func(p *corev1.Pod) { p.Status.ResourceClaimStatuses = statuses })
	}
}
