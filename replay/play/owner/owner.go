// Package owner is the table of field owners: what writes a field of an object, so that a change of it lasts or is
// undone, and where a change of what a pod wants is made. It knows objects as they are; it carries nothing out.
package owner

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Writer is what writes a field.
type Writer string

// The writers. A User is a person, or the tool that a person changes objects with.
const (
	User            Writer = ""
	NodeLifecycle   Writer = "the node lifecycle controller"
	CloudController Writer = "the cloud controller"
	autoscaler      Writer = "the cluster autoscaler"
	karpenter       Writer = "karpenter"
	kubelet         Writer = "the kubelet"
	deviceOperator  Writer = "the operator of the devices"
	pool            Writer = "the pool of the node"
	kueue           Writer = "Kueue"
	workload        Writer = "the controller of the workload"
)

// row is one row of a table: a key, or with a * behind it all keys that begin so.
type row struct {
	key    string
	writer Writer
}

// writerIn is the writer of the first row with a key; User when there is none.
func writerIn(table []row, key string) Writer {
	for _, r := range table {
		prefix, isPrefix := strings.CutSuffix(r.key, "*")
		if key == r.key || isPrefix && strings.HasPrefix(key, prefix) {
			return r.writer
		}
	}
	return User
}

// OfTaint is what puts a taint with that key on a node and takes it off again. The node lifecycle controller puts what
// was taken off by hand back within 5 s, by the node's conditions (kube-controller-manager 1.37,
// pkg/controller/nodelifecycle); the others end it by themselves, or are about to end the node. The mark of a cordon
// is a person's.
func OfTaint(key string) Writer {
	return writerIn([]row{
		{corev1.TaintNodeNotReady, NodeLifecycle},
		{corev1.TaintNodeUnreachable, NodeLifecycle},
		{corev1.TaintNodeMemoryPressure, NodeLifecycle},
		{corev1.TaintNodeDiskPressure, NodeLifecycle},
		{corev1.TaintNodePIDPressure, NodeLifecycle},
		{corev1.TaintNodeNetworkUnavailable, NodeLifecycle},
		{corev1.TaintNodeOutOfService, CloudController},
		{"node.cloudprovider.kubernetes.io/*", CloudController},
		{"ToBeDeletedByClusterAutoscaler", autoscaler},
		{"DeletionCandidateOfClusterAutoscaler", autoscaler},
		{"startup-taint.cluster-autoscaler.kubernetes.io/*", autoscaler},
		{"ignore-taint.cluster-autoscaler.kubernetes.io/*", autoscaler},
		{"karpenter.sh/*", karpenter},
	}, key)
}

// ConditionOf is the condition of a node by which the node lifecycle controller puts a taint with that key on it; false
// for other taints.
func ConditionOf(key string) (c corev1.NodeConditionType, is bool) {
	switch key {
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable:
		return corev1.NodeReady, true
	case corev1.TaintNodeMemoryPressure:
		return corev1.NodeMemoryPressure, true
	case corev1.TaintNodeDiskPressure:
		return corev1.NodeDiskPressure, true
	case corev1.TaintNodePIDPressure:
		return corev1.NodePIDPressure, true
	case corev1.TaintNodeNetworkUnavailable:
		return corev1.NodeNetworkUnavailable, true
	}
	return "", false
}

// OfNodeLabel is what writes a label of a node, which a person cannot give it: a name or a place of the machine, or
// hardware that it has. The kubelet and the cloud controller write theirs again; the beta label of a zone overrides the
// other one.
func OfNodeLabel(key string) Writer {
	return writerIn([]row{
		{corev1.LabelHostname, kubelet},
		{corev1.LabelOSStable, kubelet},
		{corev1.LabelArchStable, kubelet},
		{"beta.kubernetes.io/os", kubelet},
		{"beta.kubernetes.io/arch", kubelet},
		{corev1.LabelInstanceTypeStable, CloudController},
		{corev1.LabelInstanceType, CloudController},
		{"nvidia.com/*", deviceOperator},
		{"amd.com/*", deviceOperator},
		{"feature.node.kubernetes.io/*", deviceOperator},
		{"karpenter.sh/*", pool},
		{"eks.amazonaws.com/*", pool},
		{"cloud.google.com/*", pool},
		{"kubernetes.azure.com/*", pool},
	}, key)
}

// OfGate is what put a scheduling gate on a pod and removes it when the pod may start.
func OfGate(name string) Writer {
	return writerIn([]row{{"kueue.x-k8s.io/*", kueue}}, name)
}

// OfBudget is what writes the spec of a disruption budget: the controller that owns it, where one does.
func OfBudget(b *policyv1.PodDisruptionBudget) Writer {
	if c := metav1.GetControllerOf(b); c != nil {
		return Writer("the controller of " + c.Kind + " " + c.Name)
	}
	return User
}

// OfPodLabel is the writer of a label by its key alone: what controllers write on their pods, no template has.
func OfPodLabel(key string) Writer {
	return writerIn([]row{
		{appsv1.DefaultDeploymentUniqueLabelKey, workload},
		{appsv1.ControllerRevisionHashLabelKey, workload},
		{appsv1.StatefulSetPodNameLabel, workload},
		{appsv1.PodIndexLabel, workload},
		{batchv1.JobNameLabel, workload},
		{batchv1.ControllerUidLabel, workload},
		{batchv1.JobCompletionIndexAnnotation, workload},
		{"job-name", workload},
		{"controller-uid", workload},
	}, key)
}

// WrittenTolerations are the tolerations of a template: those of its pod without the two that the API server adds to
// each pod, for five minutes (admission plugin DefaultTolerationSeconds, 1.37).
func WrittenTolerations(all []corev1.Toleration) []corev1.Toleration {
	return slices.DeleteFunc(slices.Clone(all), func(t corev1.Toleration) bool {
		return (t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable) &&
			t.Operator == corev1.TolerationOpExists && t.Effect == corev1.TaintEffectNoExecute &&
			t.TolerationSeconds != nil && *t.TolerationSeconds == 300
	})
}
