package host

import (
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// groupAttempt is an attempt of a pod group: the state that is kept through it, and its tries.
type groupAttempt struct {
	state  *schedulerframework.CycleState
	info   *schedulerframework.PodGroupInfo
	nodes  []fwk.NodeInfo // of the snapshot of its cycle
	places map[int]*placeAttempt
	at     *placeAttempt // that is tried; nil: none yet
}

// placeAttempt is the tries on one placement.
type placeAttempt struct {
	placement *fwk.Placement
	state     *schedulerframework.CycleState
	members   map[string]*attempt // by UID
}

// BeginGroup begins an attempt of a group.
func (h *home) BeginGroup(group framework.Group, _ string, snapshot *cluster.Snapshot) {
	info, nodes := h.groupInfo(group), h.infos.all(snapshot)
	_, _ = h.tell("BeginGroup", func(i *instance) any {
		i.lister.show(nodes)
		i.tries = append(i.tries, &groupAttempt{
			state: schedulerframework.NewCycleState(), info: info, nodes: nodes, places: map[int]*placeAttempt{},
		})
		return nil
	})
}

// groupInfo is a group as plugins know it.
func (h *home) groupInfo(group framework.Group) *schedulerframework.PodGroupInfo {
	info := &schedulerframework.PodGroupInfo{
		Namespace: group.API.Namespace, Name: group.API.Name, Type: fwk.PodGroupKeyType, PodGroup: group.API,
	}
	for _, m := range group.Members {
		info.UnscheduledPods = append(info.UnscheduledPods, h.infos.pod(m))
	}
	return info
}

// BeginPlacement begins the tries on a placement.
func (h *home) BeginPlacement(placement framework.Placement) {
	theirs := h.placement(placement)
	_, _ = h.tell("BeginPlacement", func(i *instance) any {
		g := i.group()
		if g == nil {
			return nil
		}
		g.at = &placeAttempt{
			placement: theirs, state: schedulerframework.NewCycleState(), members: map[string]*attempt{},
		}
		g.at.state.SetPodGroupSchedulingCycle(g.state)
		g.places[placement.Number] = g.at
		return nil
	})
}

// placement is a placement as plugins know it.
func (h *home) placement(p framework.Placement) *fwk.Placement {
	return &fwk.Placement{Name: p.Name, Nodes: h.infos.list(p.Nodes)}
}

// ChoosePlacement has members go on with their tries on a placement.
func (h *home) ChoosePlacement(number int) {
	_, _ = h.tell("ChoosePlacement", func(i *instance) any {
		g := i.group()
		if g == nil || g.places[number] == nil {
			return nil
		}
		for uid, a := range g.places[number].members {
			i.states[uid] = a
		}
		return nil
	})
}

// EndGroup ends the attempt of the group that began last.
func (h *home) EndGroup() {
	_, _ = h.tell("EndGroup", func(i *instance) any {
		g := i.group()
		if g == nil {
			return nil
		}
		if i.tries = i.tries[:len(i.tries)-1]; len(i.tries) > 0 {
			return nil
		}
		for _, p := range g.info.UnscheduledPods {
			if a := i.states[string(p.UID)]; a != nil {
				a.leaves()
			}
		}
		return nil
	})
}

// leaves makes the state that of a pod on its own.
func (a *attempt) leaves() {
	if s, is := a.state.(*schedulerframework.CycleState); is {
		s.SetPodGroupSchedulingCycle(nil)
	}
}

// group is the attempt of a group under way; nil: there is none.
func (i *instance) group() *groupAttempt {
	if len(i.tries) == 0 {
		return nil
	}
	return i.tries[len(i.tries)-1]
}

// join makes an attempt that begins one of a member, in a group's attempt.
func (i *instance) join(uid string, a *attempt, state *schedulerframework.CycleState) {
	g := i.group()
	if g == nil || g.at == nil {
		return
	}
	g.at.members[uid] = a
	state.SetPodGroupSchedulingCycle(g.state)
	state.SetPlacementCycleState(g.at.state)
}

// assignment is the node that a member found, as plugins know it.
type assignment struct {
	pod   fwk.PodInfo
	node  string
	state fwk.CycleState
}

// GetPod is the member.
func (a assignment) GetPod() *corev1.Pod { return a.pod.GetPod() }

// GetPodInfo is the member.
func (a assignment) GetPodInfo() fwk.PodInfo { return a.pod }

// GetNodeName is the node.
func (a assignment) GetNodeName() string { return a.node }

// GetCycleState is the state of the member's try.
func (a assignment) GetCycleState() fwk.CycleState { return a.state }
