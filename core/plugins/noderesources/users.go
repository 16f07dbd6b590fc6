package noderesources

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// mostUsers is how many pods are named for each resource that is short.
const mostUsers = 3

// Users lists for each resource that is short the three pods on the node that hold most of it; equals by key. "pods"
// is held by every pod, one each.
func (c *check) Users(node *cluster.Node, rejection trace.Verdict) []trace.Use {
	uses := make([]trace.Use, 0, mostUsers*len(rejection.Evidence))
	for i := range rejection.Evidence {
		from := len(uses)
		name := corev1.ResourceName(rejection.Evidence[i].What)
		r := resource{name: name, kind: kindOf(name)}
		for _, pod := range node.Pods {
			amount := trace.Count(1)
			if name != corev1.ResourcePods {
				n := r.of(&pod.Requests)
				if n <= 0 {
					continue
				}
				amount = r.value(n)
			}
			uses = append(uses[:from], largest(uses[from:], trace.Use{What: string(name), Pod: pod.Key, Amount: amount})...)
		}
	}
	return uses
}

// largest is the list with one more use at its place, and without the last when they get too many.
func largest(list []trace.Use, use trace.Use) []trace.Use {
	at, _ := slices.BinarySearchFunc(list, use, func(a, b trace.Use) int {
		x, _ := a.Amount.Number()
		y, _ := b.Amount.Number()
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Pod, b.Pod))
	})
	list = slices.Insert(list, at, use)
	return list[:min(len(list), mostUsers)]
}

// Changes are to request less, where what is free would do for less, and to free as much as is short, where the node
// is large enough. A resource of which nothing is free is none that requesting less helps with.
func (c *check) Changes(_ *cluster.Node, rejection trace.Verdict) []trace.Change {
	less, free := trace.Change{Kind: trace.RequestLess}, trace.Change{Kind: trace.FreeOnNode}
	for i := range rejection.Evidence {
		e := &rejection.Evidence[i]
		short, lacking := e.Short()
		if !lacking {
			continue
		}
		want, _ := e.Want.Number()
		if have, _ := e.Have.Number(); have > 0 && e.Name() != string(corev1.ResourcePods) {
			less.Parts = append(less.Parts, trace.ChangePart{What: e.Name(), By: short, To: e.Have})
		}
		if capacity, _ := e.Capacity.Number(); want <= capacity {
			free.Parts = append(free.Parts, trace.ChangePart{What: e.Name(), By: short, To: e.Want})
		}
	}
	var changes []trace.Change
	for _, change := range []trace.Change{less, free} {
		if len(change.Parts) > 0 && len(change.Parts) == len(rejection.Evidence) {
			changes = append(changes, change)
		}
	}
	return changes
}
