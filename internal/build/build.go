// Package build makes the nodes, pods and states that tests of plugins begin with, and puts the verdicts they end with
// into text. Only tests import it.
package build

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
)

// State is a cluster to which these objects were added, in this order.
func State(objects ...cluster.Object) *cluster.State {
	s := cluster.NewState()
	for _, o := range objects {
		s.Apply(cluster.Event{Action: cluster.Add, Object: o})
	}
	return s
}

// StateOfOneNode is a cluster with node "n", to which these objects were added.
func StateOfOneNode(objects ...cluster.Object) *cluster.State {
	return State(append([]cluster.Object{Node("n")}, objects...)...)
}

// Node is a node with nothing but a name; each change then adds to it.
func Node(name string, changes ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, change := range changes {
		change(n)
	}
	return n
}

// NodeLabels gives a node labels: key, value, key, value.
func NodeLabels(pairs ...string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels = Labels(pairs...) }
}

// Allocatable gives a node its resources.
func Allocatable(list corev1.ResourceList) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Allocatable = list }
}

// Taints gives a node taints.
func Taints(taints ...corev1.Taint) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Spec.Taints = taints }
}

// Pod is a pod of namespace "default" whose UID is its name; each change then adds to it.
func Pod(name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	for _, change := range changes {
		change(p)
	}
	return p
}

// On binds a pod to a node; "" leaves it unscheduled.
func On(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeName = node }
}

// PodLabels gives a pod labels: key, value, key, value.
func PodLabels(pairs ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels = Labels(pairs...) }
}

// Tolerations gives a pod tolerations.
func Tolerations(tolerations ...corev1.Toleration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Tolerations = tolerations }
}

// Apart gives a pod required anti-affinity.
func Apart(terms ...corev1.PodAffinityTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: terms,
		}}
	}
}

// Containers gives a pod containers.
func Containers(containers ...corev1.Container) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Containers = containers }
}

// Volumes gives a pod volumes v0, v1 and so on.
func Volumes(sources ...corev1.VolumeSource) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, s := range sources {
			name := fmt.Sprint("v", len(p.Spec.Volumes))
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: s})
		}
	}
}

// Claims gives a pod a volume for each PersistentVolumeClaim.
func Claims(names ...string) func(*corev1.Pod) {
	sources := make([]corev1.VolumeSource, len(names))
	for i, name := range names {
		sources[i] = Claim(name)
	}
	return Volumes(sources...)
}

// Claim is the source of a pod's volume that uses a PersistentVolumeClaim.
func Claim(name string) corev1.VolumeSource {
	return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}
}

// Requests is a container with these requests.
func Requests(list corev1.ResourceList) corev1.Container {
	return corev1.Container{Resources: corev1.ResourceRequirements{Requests: list}}
}

// Labels are labels given as key, value, key, value.
func Labels(pairs ...string) map[string]string {
	labels := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		labels[pairs[i]] = pairs[i+1]
	}
	return labels
}

// Change is the change from one version of a pod or node to the next; nil stands for none.
func Change(s *cluster.State, was, is cluster.Object) *cluster.Change {
	c := &cluster.Change{}
	if p, ok := was.(*corev1.Pod); ok {
		c.OldPod = s.ParsePod(p)
	}
	if p, ok := is.(*corev1.Pod); ok {
		c.NewPod = s.ParsePod(p)
	}
	if n, ok := was.(*corev1.Node); ok {
		c.OldNode = cluster.NewNode(n)
	}
	if n, ok := is.(*corev1.Node); ok {
		c.NewNode = cluster.NewNode(n)
	}
	return c
}
