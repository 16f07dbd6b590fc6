package workload

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/session"
)

// others are the pods of other workloads that end on another node in one state than in the other. Where a pod is gone
// and its controller has made a new one, the two are one entry under the name of the first: the name of the new pod is
// invented.
func (f *finder) others(there, before *cluster.State) []session.Elsewhere {
	var all []session.Elsewhere
	came := map[string][]*cluster.Pod{} // by controller
	there.EachPod(func(p *cluster.Pod) bool {
		old, was := before.Pod(p.Key)
		switch now := session.HostOf(there, p); {
		case f.of.has(p) || was && f.of.has(old):
		case !was || old.API.UID != p.API.UID:
			came[controllerOf(p)] = append(came[controllerOf(p)], p)
		case now != session.HostOf(before, old):
			all = append(all, session.Elsewhere{Pod: p.Key, There: now, Before: session.HostOf(before, old)})
		}
		return true
	})
	var left []*cluster.Pod
	before.EachPod(func(p *cluster.Pod) bool {
		if now, is := there.Pod(p.Key); !f.of.has(p) && (!is || now.API.UID != p.API.UID) {
			left = append(left, p)
		}
		return true
	})
	all = append(all, replaced(left, came, there, before)...)
	there.EachPod(func(p *cluster.Pod) bool {
		for _, c := range came[controllerOf(p)] {
			if c == p {
				all = append(all, session.Elsewhere{Pod: p.Key, There: session.HostOf(there, p)})
			}
		}
		return true
	})
	return all
}

// replaced are the entries of the pods that are gone. Each of them gets a successor among the new pods of its
// controller, which is taken out of came: one on the same node, if there is one, else the first.
func replaced(left []*cluster.Pod, came map[string][]*cluster.Pod, there, before *cluster.State) []session.Elsewhere {
	successors := make([]*cluster.Pod, len(left))
	for _, anywhere := range []bool{false, true} {
		for i, p := range left {
			by := controllerOf(p)
			if successors[i] != nil || by == "" {
				continue
			}
			for k, c := range came[by] {
				if anywhere || session.HostOf(there, c) == session.HostOf(before, p) {
					successors[i] = c
					came[by] = append(came[by][:k:k], came[by][k+1:]...)
					break
				}
			}
		}
	}
	var all []session.Elsewhere
	for i, p := range left {
		e := session.Elsewhere{Pod: p.Key, Before: session.HostOf(before, p), Gone: successors[i] == nil}
		if !e.Gone {
			e.There, e.Again = session.HostOf(there, successors[i]), e.Before != ""
		}
		if e.Before != "" || e.There != "" {
			all = append(all, e)
		}
	}
	return all
}

// controllerOf names the controller of a pod; "" where it has none.
func controllerOf(p *cluster.Pod) string {
	c := metav1.GetControllerOf(p.API)
	if c == nil {
		return ""
	}
	return p.Namespace() + "/" + c.Kind + "/" + c.Name
}
