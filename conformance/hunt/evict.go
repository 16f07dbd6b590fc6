package hunt

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// recent is for how long after an attempt its evictions may begin.
const recent = 10 * time.Second

// room is a node that was nominated for a pod.
type room struct {
	node     string
	priority int32
}

// attempt is one to place a pod.
type attempt struct {
	pod      string
	uid      types.UID
	priority int32
	at       time.Duration
}

// began notes an attempt for a pod as the process knows it: the cluster may have another of its name by now.
func (r *run) began(pod *corev1.Pod) {
	r.roomsMu.Lock()
	defer r.roomsMu.Unlock()
	r.tried = slices.DeleteFunc(r.tried, func(a attempt) bool { return r.since()-a.at > recent })
	r.tried = append(r.tried, attempt{pod: keyOf(pod), uid: pod.UID, priority: priority(pod), at: r.since()})
}

// EvictsAtOnce notes that the process evicts within the attempt, before a node is nominated for its pod.
func (a *API) EvictsAtOnce() { a.p.atOnce = true }

// tries reports whether the process evicts at once, and what it tries to place is more important than a victim.
func (r *run) tries(victim *corev1.Pod) bool {
	r.roomsMu.Lock()
	defer r.roomsMu.Unlock()
	return r.lead.atOnce && len(r.tried) > 0 && r.tried[len(r.tried)-1].priority > priority(victim)
}

// orphaned reports that a more important pod was tried just now and is gone since: the evictions for it go on.
func (r *run) orphaned(victim *corev1.Pod) bool {
	r.roomsMu.Lock()
	defer r.roomsMu.Unlock()
	for _, a := range r.tried {
		now, there := r.server.pod(a.pod)
		if a.priority > priority(victim) && r.since()-a.at < recent && (!there || now.UID != a.uid) {
			return true
		}
	}
	return false
}

// observe looks at a call before it is carried out.
func (r *run) observe(c Call) {
	pod, there := r.server.pod(c.Pod)
	if !there {
		return
	}
	if c.Verb == "patch" {
		patched := pod.DeepCopy()
		if err := c.Patch(patched); err == nil && patched.Status.NominatedNodeName != "" && pod.Spec.NodeName == "" {
			r.rooms = append(r.rooms, room{patched.Status.NominatedNodeName, priority(pod)})
		}
	}
	if c.Verb == "delete" && pod.Spec.NodeName != "" {
		r.due(pod)
	}
}

// due: some pod that the node of a victim was nominated for is more important.
// What has begun for a pod that is gone by now goes on.
func (r *run) due(victim *corev1.Pod) {
	rooms := slices.Clone(r.rooms)
	for key, node := range r.view().Nominated { // the eviction may come before the status
		if pod, there := r.server.pod(key); there {
			rooms = append(rooms, room{node, priority(pod)})
		}
	}
	gains := slices.DeleteFunc(rooms, func(m room) bool {
		return m.node != victim.Spec.NodeName || m.priority <= priority(victim)
	})
	if len(gains) == 0 && !r.tries(victim) && !r.orphaned(victim) {
		r.found(Finding{Invariant: Due, About: keyOf(victim), Text: fmt.Sprintf(
			"evicted from %s with priority %d, where no pod of a higher one has its room", victim.Spec.NodeName,
			priority(victim),
		)})
	}
}

func priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}
