package hunt

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// judge looks at a scheduler that has come to rest.
func (r *run) judge() {
	r.report.judged++
	v := r.view()
	r.cached(v)
	for _, key := range sortedKeys(v.Nominated) {
		r.released(key, v.Nominated[key])
	}
	for _, o := range r.server.list(pods) {
		if pod := o.(*corev1.Pod); pod.Spec.NodeName == "" {
			r.woken(v, pod)
		}
	}
}

// woken: a pod that waits is in the queue, and one that is set aside would not fit.
func (r *run) woken(v View, pod *corev1.Pod) {
	key := keyOf(pod)
	if !slices.Contains(v.Parked, key) {
		if !slices.Contains(v.Active, key) && !slices.Contains(v.Backoff, key) {
			r.found(Finding{Invariant: Kept, About: key, Text: "it has no node and is in no queue"})
		}
		return
	}
	node, err := r.lead.Fits(key)
	if err != nil {
		r.report.parked++
		return
	}
	r.found(Finding{
		Invariant: Woken, About: key, Reasons: reasons(pod),
		Text: fmt.Sprintf("set aside as unschedulable, and a new attempt would place it on %s", node),
	})
}

// reasons are those of the condition of a pod that was refused: "0/2 nodes are available: 1 Insufficient cpu, ...".
func reasons(pod *corev1.Pod) string {
	var list []string
	for _, c := range pod.Status.Conditions {
		_, said, is := strings.Cut(c.Message, "nodes are available: ")
		if c.Type != corev1.PodScheduled || !is {
			continue
		}
		said, _, _ = strings.Cut(said, ". ")
		for reason := range strings.SplitSeq(said, ", ") {
			_, reason, _ = strings.Cut(strings.TrimSuffix(reason, "."), " ")
			if !slices.Contains(list, reason) {
				list = append(list, reason)
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// released: a node is kept for a pod that waits, and whose status says so.
func (r *run) released(key, node string) {
	pod, there := r.server.pod(key)
	switch {
	case !there:
		r.found(Finding{Invariant: Released, About: key, Text: node + " is kept for a pod that is gone"})
	case pod.Spec.NodeName != "":
		r.found(Finding{Invariant: Released, About: key, Text: node + " is kept for a pod that is on " + pod.Spec.NodeName})
	case pod.Status.NominatedNodeName != node:
		r.found(Finding{Invariant: Released, About: key, Text: fmt.Sprintf(
			"%s is kept for it, and its status names %q", node, pod.Status.NominatedNodeName,
		)})
	}
}

// cached: the cache has what the cluster has.
func (r *run) cached(v View) {
	for _, node := range v.Nodes {
		if _, there := r.server.objects[nodes][node]; !there {
			r.found(Finding{Invariant: Cached, About: node, Text: "a node that is gone"})
		}
	}
	for _, node := range sortedKeys(r.server.objects[nodes]) {
		if !slices.Contains(v.Nodes, node) {
			r.found(Finding{Invariant: Cached, About: node, Text: "the node is missing"})
		}
	}
	for _, key := range v.Assumed {
		r.found(Finding{Invariant: Cached, About: key, Text: "assumed on " + v.Placed[key] + " still"})
	}
	for _, key := range sortedKeys(v.Placed) {
		pod, there := r.server.pod(key)
		if !there || pod.Spec.NodeName != v.Placed[key] {
			r.found(Finding{Invariant: Cached, About: key, Text: "not on " + v.Placed[key]})
		}
	}
	for _, o := range r.server.list(pods) {
		if pod := o.(*corev1.Pod); pod.Spec.NodeName != "" && v.Placed[keyOf(pod)] == "" {
			r.found(Finding{Invariant: Cached, About: keyOf(pod), Text: "missing on " + pod.Spec.NodeName})
		}
	}
}
