package sweep

import (
	"cmp"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// RecordedNodes are the first nodes, by UID, of the pods that a script adds without one.
func RecordedNodes(script source.Script) map[string]string {
	nodes, pending := map[string]string{}, map[string]bool{}
	for _, t := range script {
		p, is := t.Event.Object.(*corev1.Pod)
		if !is {
			continue
		}
		uid := cluster.UID(p)
		switch {
		case p.Spec.NodeName == "" && t.Event.Action == cluster.Add:
			pending[uid] = true
		case p.Spec.NodeName != "" && pending[uid] && nodes[uid] == "":
			nodes[uid] = p.Spec.NodeName
		}
	}
	return nodes
}

// Unbound is a script in which the pods wait for a node that RecordedNodes are of: what bound them is taken out, and
// what else happened to them stays, their end too. served chooses the scheduler names of the pods it is about.
func Unbound(script source.Script, recorded map[string]string, served func(schedulerName string) bool) source.Script {
	out := slices.Clone(script)
	for i, t := range out {
		p, is := t.Event.Object.(*corev1.Pod)
		if !is || p.Spec.NodeName == "" || recorded[cluster.UID(p)] == "" || !served(p.Spec.SchedulerName) {
			continue
		}
		waits := *p
		waits.Spec.NodeName = ""
		if waits.Status.Phase == corev1.PodRunning {
			waits.Status.Phase = corev1.PodPending
		}
		waits.Status.Conditions = slices.DeleteFunc(slices.Clone(p.Status.Conditions), func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodScheduled
		})
		out[i].Event.Object = &waits
	}
	return out
}

// Reorder is a script in which the pods without a node arrive in another order, at the moments at which pods arrive in
// it. Pods about which it has more events than that they are added stay where they are. size is how large a pod is.
func Reorder(script source.Script, order string, seed uint64, size func(*corev1.Pod) int64) (source.Script, error) {
	mentioned := map[string]int{}
	for _, t := range script {
		if p, is := t.Event.Object.(*corev1.Pod); is {
			mentioned[cluster.UID(p)]++
		}
	}
	var at []int
	for i, t := range script {
		p, is := t.Event.Object.(*corev1.Pod)
		if is && t.Event.Action == cluster.Add && p.Spec.NodeName == "" && mentioned[cluster.UID(p)] == 1 {
			at = append(at, i)
		}
	}
	pods := make([]*corev1.Pod, len(at))
	for i, k := range at {
		pods[i] = script[k].Event.Object.(*corev1.Pod)
	}
	switch order {
	case reversed:
		slices.Reverse(pods)
	case shuffled:
		chance := rand.New(rand.NewPCG(seed, 0x0dde))
		chance.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	case largeFirst, smallFirst:
		sign := 1
		if order == largeFirst {
			sign = -1
		}
		sized := make(map[*corev1.Pod]int64, len(pods)) // each is measured once, and compared often
		for _, p := range pods {
			sized[p] = size(p)
		}
		slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return sign * cmp.Compare(sized[a], sized[b]) })
	default:
		return nil, phrase.Errorf("there is no order %s", order)
	}
	out := slices.Clone(script)
	for i, k := range at {
		out[k].Event.Object = pods[i]
	}
	return out, nil
}
