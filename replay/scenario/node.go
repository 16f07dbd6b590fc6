package scenario

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/internal/phrase"
)

// freshNode is a node before its words: roomy, and labelled with its name as a kubelet does.
func freshNode(n *corev1.Node) {
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	n.Labels = map[string]string{corev1.LabelHostname: n.Name}
}

func nodeWords() []word[corev1.Node] {
	return []word[corev1.Node]{
		allocatable("cpu", "Allocatable; 4 unless it says so."),
		allocatable("memory", "Allocatable; 8Gi unless it says so."),
		allocatable("pods", "Allocatable; 110 unless it says so."),
		allocatable("storage", "Allocatable ephemeral-storage."),
		{name: "zone", value: "NAME", does: "The label topology.kubernetes.io/zone.", read: nodeLabel("zone")},
		{name: "region", value: "NAME", does: "The label topology.kubernetes.io/region.", read: nodeLabel("region")},
		{name: "labels", value: "KEY=VALUE,...", does: "Sets labels; `KEY-` drops one.", read: nodeLabels},
		{
			name: "taint", value: "KEY[=VALUE]:EFFECT", does: "A taint; `taint=` leaves none.", many: true,
			clear: func(n *corev1.Node) { n.Spec.Taints = nil }, read: nodeTaint,
		},
		{name: "unschedulable", does: "Cordoned; `unschedulable=false` ends it.", read: cordon},
		{
			name: "image", value: "NAME=SIZE", does: "An image that is there; `image=` leaves none.", many: true,
			clear: func(n *corev1.Node) { n.Status.Images = nil }, read: nodeImage,
		},
		{
			name: "feature", value: "NAME", does: "A feature that its kubelet declares; `feature=` leaves none.", many: true,
			clear: func(n *corev1.Node) {
				n.Status.DeclaredFeatures = nil
			}, read: func(v string) (func(*corev1.Node), error) {
				return func(n *corev1.Node) {
					if v != "" {
						n.Status.DeclaredFeatures = append(n.Status.DeclaredFeatures, v)
					}
				}, nil
			},
		},
	}
}

// otherCapacity makes a capacity of any word that can only be a resource.
func otherCapacity(key string) (word[corev1.Node], bool) {
	_, known := resourceNamed(key)
	return allocatable(key, ""), known
}

func allocatable(key, does string) word[corev1.Node] {
	name, _ := resourceNamed(key)
	return word[corev1.Node]{name: key, value: "QUANTITY", does: does, read: func(v string) (func(*corev1.Node), error) {
		if v == "" {
			return func(n *corev1.Node) { delete(n.Status.Allocatable, name) }, nil
		}
		q, err := quantity(v)
		return func(n *corev1.Node) { put(&n.Status.Allocatable, name, q) }, err
	}}
}

func nodeLabel(key string) func(string) (func(*corev1.Node), error) {
	return func(v string) (func(*corev1.Node), error) {
		all := []labelChange{{longLabel(key), &v}}
		return func(n *corev1.Node) { applyLabels(n, all) }, nil
	}
}

func nodeLabels(v string) (func(*corev1.Node), error) {
	all, err := labelChanges(v, longLabel)
	return func(n *corev1.Node) { applyLabels(n, all) }, err
}

func nodeTaint(v string) (func(*corev1.Node), error) {
	if v == "" {
		return func(*corev1.Node) {}, nil
	}
	t, err := taint(v)
	return func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, t) }, err
}

func cordon(v string) (func(*corev1.Node), error) {
	yes, err := truth(v)
	return func(n *corev1.Node) { n.Spec.Unschedulable = yes }, err
}

func nodeImage(v string) (func(*corev1.Node), error) {
	if v == "" {
		return func(*corev1.Node) {}, nil
	}
	at := strings.LastIndex(v, "=")
	if at < 1 {
		return nil, phrase.Errorf("%q has no size (want nginx:1.27=200Mi)", v)
	}
	size, err := quantity(v[at+1:])
	image := corev1.ContainerImage{Names: []string{v[:at]}, SizeBytes: size.Value()}
	return func(n *corev1.Node) { n.Status.Images = append(n.Status.Images, image) }, err
}
