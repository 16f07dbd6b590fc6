package templates

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// madeForClaim is the annotation in which the controller of ResourceClaims keeps the name that the pod's spec has for a
// claim (pkg/controller/resourceclaim, 1.37).
const madeForClaim = "resource.kubernetes.io/pod-claim-name"

// claims makes the ResourceClaims that the pods want of ResourceClaimTemplates and do not have yet, and names them in
// the status of the pods, as the controller of ResourceClaims does. It calls a claim POD-NAME; the controller adds five
// random letters. A template whose claims were made is no object of the result: its work is done.
func (m *maker) claims() {
	from := map[importer.Identity]*resourcev1.ResourceClaimTemplate{}
	for _, o := range m.out.Objects {
		if t, is := o.Object.(*resourcev1.ResourceClaimTemplate); is {
			t.Namespace = namespaceOf(t)
			from[importer.IdentityOf(t)] = t
		}
	}
	if len(from) == 0 {
		return
	}
	used := map[*resourcev1.ResourceClaimTemplate]bool{}
	given := m.out.Objects
	m.out.Objects = nil
	for _, o := range given {
		if pod, is := o.Object.(*corev1.Pod); is && !cluster.Finished(pod) && pod.DeletionTimestamp == nil {
			for i := range pod.Spec.ResourceClaims {
				if t := m.template(pod, &pod.Spec.ResourceClaims[i], from); t != nil {
					used[t] = true
					m.claim(o.Source, pod, pod.Spec.ResourceClaims[i].Name, t)
				}
			}
		}
		m.out.Objects = append(m.out.Objects, o)
	}
	kept := m.out.Objects[:0]
	for _, o := range m.out.Objects {
		if t, is := o.Object.(*resourcev1.ResourceClaimTemplate); !is || !used[t] {
			kept = append(kept, o)
		}
	}
	m.out.Objects = kept
}

// template is the one that a pod wants a claim of; nil: there is none, or the pod's status names the claim already.
func (m *maker) template(
	pod *corev1.Pod, use *corev1.PodResourceClaim, from map[importer.Identity]*resourcev1.ResourceClaimTemplate,
) *resourcev1.ResourceClaimTemplate {
	if use.ResourceClaimTemplateName == nil {
		return nil
	}
	for _, s := range pod.Status.ResourceClaimStatuses {
		if s.Name == use.Name {
			return nil
		}
	}
	var named resourcev1.ResourceClaimTemplate
	named.Namespace, named.Name = namespaceOf(pod), *use.ResourceClaimTemplateName
	named.Kind = string(cluster.KindResourceClaimTemplate)
	return from[importer.IdentityOf(&named)]
}

// claim makes a claim for a pod, unless one of its name is there.
func (m *maker) claim(source string, pod *corev1.Pod, name string, t *resourcev1.ResourceClaimTemplate) {
	labels, annotations := map[string]string{}, map[string]string{madeForClaim: name}
	for key, value := range t.Spec.Labels {
		labels[key] = value
	}
	for key, value := range t.Spec.Annotations {
		annotations[key] = value
	}
	claim := &resourcev1.ResourceClaim{
		TypeMeta: metav1.TypeMeta{
			APIVersion: resourcev1.SchemeGroupVersion.String(), Kind: string(cluster.KindResourceClaim),
		},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespaceOf(pod), Name: pod.Name + "-" + name, Labels: labels, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: string(cluster.KindPod), Name: pod.Name, UID: pod.UID, Controller: ptr.To(true),
				BlockOwnerDeletion: ptr.To(true),
			}},
		},
		Spec: *t.Spec.Spec.DeepCopy(),
	}
	if m.isFree(claim) {
		m.names[importer.IdentityOf(claim)] = true
		m.out.Claims++
		m.out.Objects = append(m.out.Objects, importer.Object{
			Object: claim, Source: source + " (made from ResourceClaimTemplate " + t.Name + ")",
		})
	}
	pod.Status.ResourceClaimStatuses = append(
		pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: name, ResourceClaimName: &claim.Name},
	)
}
