package importer

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// Sort puts objects into the order in which they arrive at a scheduler, whatever the order of the files: kind by kind
// (namespaces, classes, nodes, storage, services and owners, groups), within a kind by namespace and name; then the
// pods that have a node; then the pods without one, by creation time, namespace and name. Pods that were never created
// stay in the order in which they are written, and come before the others.
func Sort(objects []Object) {
	keys := make([]arrival, len(objects))
	for i, o := range objects {
		keys[i] = arrivalOf(o)
	}
	slices.SortStableFunc(keys, arrival.compare)
	for i := range keys {
		objects[i] = keys[i].object
	}
}

// ranks is the place of a kind in the order of cluster.KindRows. What has no place comes before the pods, and pods
// without a node come after those with one.
var (
	ranks             = ranksOf(cluster.KindRows())
	rankOfOthers      = ranks[string(cluster.KindPod)] - 1
	rankOfWaitingPods = ranks[string(cluster.KindPod)] + 1
)

func ranksOf(rows []*cluster.KindRow) map[string]int {
	m := make(map[string]int, len(rows))
	for i, row := range rows {
		m[string(row.Kind)] = 2 * i
	}
	return m
}

// arrival is what the order is made of.
type arrival struct {
	object          Object
	rank            int
	created         int64 // seconds; 0 for all but pods to place
	namespace, name string
}

func arrivalOf(o Object) arrival {
	object, is := o.Object.(cluster.Object)
	if !is {
		return arrival{object: o, rank: rankOfOthers}
	}
	a := arrival{object: o, rank: rankOfOthers, namespace: object.GetNamespace(), name: object.GetName()}
	if rank, known := ranks[object.GetObjectKind().GroupVersionKind().Kind]; known {
		a.rank = rank
	}
	if pod, is := object.(*corev1.Pod); is && pod.Spec.NodeName == "" {
		a.rank = rankOfWaitingPods
		if !pod.CreationTimestamp.IsZero() {
			a.created = pod.CreationTimestamp.Unix()
		}
	}
	return a
}

func (a arrival) compare(b arrival) int {
	if order := cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.created, b.created)); order != 0 {
		return order
	}
	if a.rank == rankOfWaitingPods && a.created == 0 {
		return 0 // manifests that were never applied: they would be in the order in which they are written
	}
	return cmp.Or(
		cmp.Compare(a.namespace, b.namespace),
		cmp.Compare(a.name, b.name),
	)
}
