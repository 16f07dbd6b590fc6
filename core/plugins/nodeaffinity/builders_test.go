package nodeaffinity_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/plugins/nodeaffinity"
	"github.com/schedstep/schedstep/internal/build"
)

type labels = map[string]string

func node(name string, l labels) *corev1.Node {
	return build.Node(name, func(n *corev1.Node) { n.Labels = l })
}

func requirement(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func in(key string, values ...string) corev1.NodeSelectorRequirement {
	return requirement(key, corev1.NodeSelectorOpIn, values...)
}

func term(expressions ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: expressions}
}

func named(fields ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchFields: fields}
}

func selector(terms ...corev1.NodeSelectorTerm) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: terms}
}

// pod has a nodeSelector and node affinity; nil is none.
func pod(nodeSelector labels, required *corev1.NodeSelector, preferred ...corev1.PreferredSchedulingTerm) *corev1.Pod {
	p := build.Pod("p")
	p.Spec.NodeSelector = nodeSelector
	if required != nil || preferred != nil {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  required,
			PreferredDuringSchedulingIgnoredDuringExecution: preferred,
		}}
	}
	return p
}

func prefer(weight int32, t corev1.NodeSelectorTerm) corev1.PreferredSchedulingTerm {
	return corev1.PreferredSchedulingTerm{Weight: weight, Preference: t}
}

// plugin adds an affinity to every pod; nil adds none.
func plugin(t testing.TB, added *corev1.NodeAffinity) *nodeaffinity.Plugin {
	t.Helper()
	p, err := nodeaffinity.New(configv1.NodeAffinityArgs{AddedAffinity: added}, nodeaffinity.Ways{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
