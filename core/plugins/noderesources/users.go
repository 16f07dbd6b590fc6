package noderesources

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// User is a pod that holds some of a resource on its node.
type User struct {
	Pod    *cluster.Pod
	Amount trace.Value // in the unit of the resource
}

// Users lists the pods on the node that hold any of the resource, the largest first, equals by key. "pods" is held by
// every pod, one each.
func Users(node *cluster.Node, name corev1.ResourceName) []User {
	r := resource{name: name, kind: kindOf(name)}
	var users []User
	for _, pod := range node.Pods {
		switch amount := r.of(&pod.Requests); {
		case name == corev1.ResourcePods:
			users = append(users, User{Pod: pod, Amount: trace.Count(1)})
		case amount > 0:
			users = append(users, User{Pod: pod, Amount: r.value(amount)})
		}
	}
	slices.SortFunc(users, func(a, b User) int {
		x, _ := a.Amount.Number()
		y, _ := b.Amount.Number()
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Pod.Key, b.Pod.Key))
	})
	return users
}

// most is how many users WithUsers names for a resource.
const most = 3

// WithUsers is Fit's evidence against the node with the three largest users of each lacking resource in By. It costs a
// walk over the node's pods, which Filter cannot afford on thousands of nodes.
func WithUsers(node *cluster.Node, evidence []trace.Evidence) []trace.Evidence {
	named := slices.Clone(evidence)
	for i := range named {
		users := Users(node, corev1.ResourceName(named[i].What))
		users = users[:min(most, len(users))]
		named[i].By = make([]string, len(users))
		for k := range users {
			named[i].By[k] = users[k].Pod.Key
		}
	}
	return named
}
