// Package generate draws random but lifelike clusters: objects an API server would have stored, pending pods, and the
// changes that happen while they wait. It knows what Kubernetes objects look like and nothing of how a scheduler places
// them.
package generate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
)

// Case is one drawn cluster.
type Case struct {
	weights Weights
	// Objects are the cluster before anything pending is tried, nodes in
	// creation order, running pods last.
	Objects []runtime.Object
	// Pending pods are not among Objects. They are in the order of creation.
	Pending []*corev1.Pod
	// Churn happens afterwards, in this order.
	Churn []Change
}

// Change is an object before and after: Before is nil for an addition, After
// for a deletion. The objects it refers to exist at its place in Churn.
type Change struct {
	Before, After runtime.Object
}

// Cases draws clusters whose feature weights are drawn too, so that every
// seed has its own mixture. It shrinks towards the empty mixture.
func Cases() *rapid.Generator[Case] {
	return rapid.Custom(func(t *rapid.T) Case { return clusterOf(t, drawWeights(t)) })
}

// WithWeights draws clusters of one mixture.
func WithWeights(weights Weights) *rapid.Generator[Case] {
	return rapid.Custom(func(t *rapid.T) Case { return clusterOf(t, weights) })
}

// FromSeed is the cluster of a seed, the same in every run.
func FromSeed(seed int) Case { return Cases().Example(seed) }

// clusterOf draws one cluster of the given mixture.
func clusterOf(t *rapid.T, weights Weights) Case {
	w := &world{dice: dice{t: t, weights: weights}}
	w.namespaces()
	w.storageClasses()
	w.drawNodes()
	w.devices()
	w.workloads()
	w.volumes()
	w.runningPods()
	c := Case{weights: weights}
	for range 1 + w.below(10) {
		c.Pending = append(c.Pending, w.pendingPod())
	}
	w.attachments()
	w.budgets()
	w.nominate(c.Pending)
	c.Objects = w.objects()
	c.Churn = w.churn(c.Pending)
	return c
}

// world is the cluster while it is drawn.
type world struct {
	dice
	serial int
	// others holds every object that is no node, pod, volume or claim.
	others  []runtime.Object
	spaces  []string
	nodes   []*corev1.Node
	running []*corev1.Pod
	storage
	hardware
}

func (w *world) add(object runtime.Object) { w.others = append(w.others, object) }

// name is unique in the case and sorts in the order of drawing.
func (w *world) name(prefix string) string {
	w.serial++
	return fmt.Sprintf("%s-%03d", prefix, w.serial)
}

// objects lists the cluster: what pods refer to first, running pods last.
func (w *world) objects() []runtime.Object {
	var list []runtime.Object
	list = append(list, w.others...)
	for _, pv := range w.pvs {
		list = append(list, stored(pv))
	}
	for _, pvc := range w.pvcs {
		list = append(list, stored(pvc))
	}
	for _, claim := range w.claims {
		list = append(list, stored(claim))
	}
	for _, node := range w.nodes {
		list = append(list, node)
	}
	for _, pod := range w.running {
		list = append(list, pod)
	}
	return list
}
