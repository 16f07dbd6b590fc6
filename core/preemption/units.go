package preemption

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
)

// findUnits lists what may be evicted where pods of groups are no pods like others: each pod by the priority of its
// group, or all pods of a group together, wherever they are.
func (r *dryRun) findUnits(node *cluster.Node) bool {
	for _, u := range unitsOf([]*cluster.Node{node}, r.ask.Groups, r.ask.Now) {
		if u.priority < r.ask.Judge.Pod.Priority {
			r.leaving = append(r.leaving, Victim{Pod: u.pods[0], start: u.started, unit: &u})
		}
	}
	return len(r.leaving) > 0
}

// nodeOf is the node of a pod, and whether it is the one being tried. Other nodes stay as they are: only checks that
// count pods learn which pods leave them (SelectVictimsOnNode, 1.37).
func (r *dryRun) nodeOf(p *cluster.Pod) (node *cluster.Node, here bool) {
	tried := r.draft.Node()
	if r.ask.Groups == nil || p.NodeName == tried.Name {
		return tried, true
	}
	if other, known := r.ask.Groups.Node(p.NodeName); known {
		return other, false
	}
	return tried, true
}

// addAll lets every pod back that is evicted with the victim, and updates the checks.
func (r *dryRun) addAll(v *Victim) {
	if v.unit == nil {
		r.draft.Add(v.Pod)
		r.tell(v.Pod, r.draft.Node())
		return
	}
	for _, p := range v.unit.pods {
		node, here := r.nodeOf(p)
		if here {
			r.draft.Add(p)
			node = r.draft.Node()
		}
		r.tell(p, node)
	}
}

// dropAll takes them off the node again; the checks are restored by the caller.
func (r *dryRun) dropAll(v *Victim) {
	if v.unit == nil {
		r.draft.Remove(v.Pod)
		return
	}
	for _, p := range v.unit.pods {
		if _, here := r.nodeOf(p); here {
			r.draft.Remove(p)
		}
	}
}

// mark finds the pods that disruption budgets protect.
func (r *dryRun) mark() {
	if r.ask.Groups == nil {
		r.budgets.mark(r.leaving)
		return
	}
	r.budgets.reset()
	for i := range r.leaving {
		v := &r.leaving[i]
		r.budgets.count(v.unit)
		v.Violates = v.unit.violating > 0
	}
}

// single is every pod that has to go as a victim of its own, those that go together one after the other.
func single(victims []Victim) []Victim {
	if victims[0].unit == nil {
		return slices.Clone(victims)
	}
	var all []Victim
	for _, v := range victims {
		for i, p := range v.unit.pods {
			one := Victim{Pod: p, start: v.start}
			if v.unit.protected != nil {
				one.Budget = v.unit.protected[i]
				one.Violates = one.Budget != nil
			}
			all = append(all, one)
		}
	}
	return all
}
