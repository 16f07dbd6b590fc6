package templates

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// pod is one pod of a workload, with the labels and the owner its controller gives it.
func (w *workload) pod(name string, owner metav1.OwnerReference, more map[string]string) *corev1.Pod {
	template := w.template.DeepCopy()
	labels := template.Labels
	if len(more) > 0 {
		if labels == nil {
			labels = map[string]string{}
		}
		maps.Copy(labels, more)
	}
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: string(cluster.KindPod)},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.namespace, Name: name, Labels: labels, Annotations: template.Annotations,
			Finalizers: template.Finalizers, OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: template.Spec,
	}
}

// owner is how a pod names its workload.
func (w *workload) owner() metav1.OwnerReference {
	kind := w.object.GetObjectKind().GroupVersionKind()
	return metav1.OwnerReference{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: w.name, UID: w.object.GetUID(),
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}
}

// numbered makes so many pods, called after the workload and the next free numbers: shop-1, shop-2. Controllers take
// five random letters.
func (m *maker) numbered(w *workload, count int) []*corev1.Pod {
	if count <= 0 {
		return nil
	}
	owner, more := w.owner(), map[string]string{}
	switch x := w.object.(type) {
	case *appsv1.Deployment:
		set := m.replicaSet(w, x)
		owner.Kind, owner.Name, owner.UID = string(cluster.KindReplicaSet), set.Name, set.UID
		if hash := set.Labels[appsv1.DefaultDeploymentUniqueLabelKey]; hash != "" {
			more[appsv1.DefaultDeploymentUniqueLabelKey] = hash
		}
	case *batchv1.Job:
		return m.ofJob(w, &x.Spec, owner, count)
	case *batchv1.CronJob:
		owner.APIVersion, owner.Kind, owner.Name, owner.UID = batchv1.SchemeGroupVersion.String(), "Job", w.name+"-1", ""
		return m.ofJob(w, &x.Spec.JobTemplate.Spec, owner, count)
	}
	var pods []*corev1.Pod
	for number := 1; len(pods) < count; number++ {
		if pod := w.pod(fmt.Sprintf("%s-%d", w.name, number), owner, more); m.isFree(pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// ofJob makes the pods of one run. Those of an indexed Job are numbered from 0 and carry their index.
func (m *maker) ofJob(w *workload, spec *batchv1.JobSpec, owner metav1.OwnerReference, count int) []*corev1.Pod {
	indexed := ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
	first := 1
	if indexed {
		first = 0
	}
	var pods []*corev1.Pod
	for number := first; len(pods) < count; number++ {
		more := map[string]string{batchv1.JobNameLabel: owner.Name, "job-name": owner.Name}
		if indexed {
			more[batchv1.JobCompletionIndexAnnotation] = strconv.Itoa(number)
		}
		pod := w.pod(fmt.Sprintf("%s-%d", w.name, number), owner, more)
		if indexed {
			metav1.SetMetaDataAnnotation(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, strconv.Itoa(number))
		}
		if m.isFree(pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// isFree reports whether no other object of the kind has the name.
func (m *maker) isFree(object cluster.Object) bool { return !m.names[importer.IdentityOf(object)] }

// replicaSet is the one that owns a Deployment's new pods: the newest of a Deployment that was applied, else one that
// is made here. Spreading by default goes by the selectors of owners.
func (m *maker) replicaSet(w *workload, d *appsv1.Deployment) *appsv1.ReplicaSet {
	if w.applied {
		if newest := m.newestSet(w); newest != nil {
			return newest
		}
	}
	hash := hashOf(w.template)
	of := w.template.DeepCopy()
	metav1.SetMetaDataLabel(&of.ObjectMeta, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	selector := d.Spec.Selector.DeepCopy()
	if selector == nil {
		selector = &metav1.LabelSelector{MatchLabels: maps.Clone(w.template.Labels)}
	}
	set := &appsv1.ReplicaSet{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: string(cluster.KindReplicaSet)},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.namespace, Name: w.name + "-" + hash, Labels: of.Labels,
			OwnerReferences: []metav1.OwnerReference{w.owner()},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To(int32(w.want)), Template: *of, //nolint:gosec // it came from an int32 or a checked flag
			Selector: metav1.AddLabelToSelector(selector, appsv1.DefaultDeploymentUniqueLabelKey, hash),
		},
	}
	if m.isFree(set) {
		m.add(w, set)
	}
	return set
}

// newestSet is the ReplicaSet of a Deployment with the highest revision.
func (m *maker) newestSet(w *workload) *appsv1.ReplicaSet {
	revision := func(set *appsv1.ReplicaSet) int {
		n, _ := strconv.Atoi(set.Annotations["deployment.kubernetes.io/revision"]) // 0 where it is none
		return n
	}
	var newest *appsv1.ReplicaSet
	for _, other := range m.workloads {
		set, is := other.object.(*appsv1.ReplicaSet)
		if !is || other.namespace != w.namespace {
			continue
		}
		owner := metav1.GetControllerOf(set)
		if owner == nil || owner.Kind != w.kind || owner.Name != w.name {
			continue
		}
		if newest == nil || revision(set) > revision(newest) {
			newest = set
		}
	}
	return newest
}

// hashOf stands for a template in names and labels. It is made as the Deployment controller makes its own, of other
// bytes: the two differ.
func hashOf(template *corev1.PodTemplateSpec) string {
	text, err := json.Marshal(template)
	if err != nil {
		panic(fmt.Sprintf("a pod template that was read from JSON cannot be written: %v", err))
	}
	sum := fnv.New32a()
	_, _ = sum.Write(text) // a hash takes everything
	return rand.SafeEncodeString(strconv.FormatUint(uint64(sum.Sum32()), 10))
}

// inOrder makes the missing pods of a StatefulSet and the claims each of them mounts. The controller makes a pod when
// the one before it runs; here all are made.
func (m *maker) inOrder(w *workload) []*corev1.Pod {
	set, is := w.object.(*appsv1.StatefulSet)
	if !is {
		return nil
	}
	first := 0
	if set.Spec.Ordinals != nil {
		first = int(set.Spec.Ordinals.Start)
	}
	var pods []*corev1.Pod
	revision := w.name + "-" + hashOf(w.template)
	for ordinal := first; ordinal < first+w.want; ordinal++ {
		name := fmt.Sprintf("%s-%d", w.name, ordinal)
		pod := w.pod(name, w.owner(), map[string]string{
			appsv1.StatefulSetPodNameLabel: name, appsv1.PodIndexLabel: strconv.Itoa(ordinal),
			appsv1.ControllerRevisionHashLabelKey: revision,
		})
		if !m.isFree(pod) {
			continue
		}
		pod.Spec.Hostname, pod.Spec.Subdomain = name, set.Spec.ServiceName
		for i := range set.Spec.VolumeClaimTemplates {
			m.mount(w, pod, &set.Spec.VolumeClaimTemplates[i])
		}
		pods = append(pods, pod)
	}
	return pods
}

// mount gives a pod a claim of its own in the place of the template's volume of that name. A claim that is there
// already is taken again.
func (m *maker) mount(w *workload, pod *corev1.Pod, template *corev1.PersistentVolumeClaim) {
	claim := template.DeepCopy()
	claim.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: string(cluster.KindVolumeClaim)}
	claim.Namespace, claim.Name = w.namespace, template.Name+"-"+pod.Name
	claim.Status = corev1.PersistentVolumeClaimStatus{}
	if m.isFree(claim) {
		m.add(w, claim)
	}
	pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == template.Name })
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{
		Name: template.Name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
		},
	})
}
