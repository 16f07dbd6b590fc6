package importer

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Sort puts objects into the order in which they arrive at a scheduler, whatever the order of the files: kind by kind
// (namespaces, classes, nodes, storage, services and owners, groups), within a kind by namespace and name; then the
// pods that have a node; then the pods without one, by creation time, namespace and name.
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

// arrival is what the order is made of.
type arrival struct {
	object          Object
	rank            int
	created         int64 // seconds; 0 for all but pods to place
	namespace, name string
}

func arrivalOf(o Object) arrival {
	object, is := o.Object.(apiObject)
	if !is {
		return arrival{object: o, rank: podRank - 1}
	}
	a := arrival{object: o, rank: podRank - 1, namespace: object.GetNamespace(), name: object.GetName()}
	if row := rowOfKind(object.GetObjectKind().GroupVersionKind().Kind); row != nil {
		a.rank = row.rank
	}
	if pod, is := object.(*corev1.Pod); is && pod.Spec.NodeName == "" {
		a.rank++
		if !pod.CreationTimestamp.IsZero() {
			a.created = pod.CreationTimestamp.Unix()
		}
	}
	return a
}

func (a arrival) compare(b arrival) int {
	return cmp.Or(
		cmp.Compare(a.rank, b.rank),
		cmp.Compare(a.created, b.created),
		cmp.Compare(a.namespace, b.namespace),
		cmp.Compare(a.name, b.name),
	)
}
