package host

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// groups is a PodGroupManager of the pods in the State.
type groups struct {
	of     *instance
	around framework.Around
}

// PodGroupStates counts the pods of groups.
func (g *groups) PodGroupStates() fwk.PodGroupStateLister { return groupStates{g} }

// PodGroups has the PodGroups.
func (g *groups) PodGroups() fwk.PodGroupLister { return podGroups{g} }

// CompositePodGroupStates has none.
func (g *groups) CompositePodGroupStates() fwk.CompositePodGroupStateLister { return noComposites{} }

// CompositePodGroups has none.
func (g *groups) CompositePodGroups() fwk.CompositePodGroupLister { return noCompositeGroups{} }

// BuildHierarchySnapshotFromPod is the same: without composite groups there is no hierarchy.
func (g *groups) BuildHierarchySnapshotFromPod(*corev1.Pod) (fwk.PodGroupManager, error) {
	return g, nil
}

// GetRootKeyForGroup is the group itself.
func (g *groups) GetRootKeyForGroup(key fwk.EntityKey) (fwk.EntityKey, bool, error) {
	return key, true, nil
}

type podGroups struct{ of *groups }

// Get is a PodGroup.
func (p podGroups) Get(namespace, name string) (*schedulingv1beta1.PodGroup, error) {
	key := namespace + "/" + name
	group := heard(p.of.of, "group", func() *schedulingv1beta1.PodGroup {
		group, _ := p.of.around.State().PodGroup(key)
		return group
	})
	if group == nil {
		return nil, fmt.Errorf("pod group %q: %w", key, fwk.ErrNotFound)
	}
	return group, nil
}

type groupStates struct{ of *groups }

// Get is the pods of a group.
func (s groupStates) Get(namespace, name string) (fwk.PodGroupState, error) {
	key := namespace + "/" + name
	state := heard(s.of.of, "members", func() *groupState { return membersOf(s.of.around.State(), key) })
	if state == nil {
		return nil, fmt.Errorf("pod group state %q: %w", key, fwk.ErrNotFound)
	}
	return state, nil
}

// groupState is the pods of a group.
type groupState struct{ all, assumed, assigned, unscheduled []*corev1.Pod }

func membersOf(state *cluster.State, key string) *groupState {
	s := &groupState{}
	state.EachPod(func(p *cluster.Pod) bool {
		if p.Group != key {
			return true
		}
		s.all = append(s.all, identified(p.API))
		switch there, assumed := state.Assumed(p.Key); {
		case assumed:
			s.assumed = append(s.assumed, identified(there.API))
		case p.NodeName != "":
			s.assigned = append(s.assigned, identified(p.API))
		default:
			s.unscheduled = append(s.unscheduled, identified(p.API))
		}
		return true
	})
	if len(s.all) == 0 {
		return nil
	}
	return s
}

func uids(pods []*corev1.Pod) sets.Set[types.UID] {
	set := sets.New[types.UID]()
	for _, p := range pods {
		set.Insert(p.UID)
	}
	return set
}

// AllPods are the UIDs of all.
func (s *groupState) AllPods() sets.Set[types.UID] { return uids(s.all) }

// AllPodsCount counts them.
func (s *groupState) AllPodsCount() int { return len(s.all) }

// UnscheduledPods are those without a node, by name.
func (s *groupState) UnscheduledPods() map[string]*corev1.Pod {
	byName := map[string]*corev1.Pod{}
	for _, p := range s.unscheduled {
		byName[p.Name] = p
	}
	return byName
}

// AssumedPods are those on their way to a node.
func (s *groupState) AssumedPods() sets.Set[types.UID] { return uids(s.assumed) }

// AssignedPods are those on a node.
func (s *groupState) AssignedPods() sets.Set[types.UID] { return uids(s.assigned) }

// ScheduledPods are those with a node.
func (s *groupState) ScheduledPods() []*corev1.Pod {
	return append(append([]*corev1.Pod{}, s.assumed...), s.assigned...)
}

// ScheduledPodsCount counts them.
func (s *groupState) ScheduledPodsCount() int { return len(s.assumed) + len(s.assigned) }

type noComposites struct{}

// Get finds none.
func (noComposites) Get(namespace, name string) (fwk.CompositePodGroupState, error) {
	return nil, fmt.Errorf("composite pod group state %q: %w", namespace+"/"+name, fwk.ErrNotFound)
}

type noCompositeGroups struct{}

// Get finds none.
func (noCompositeGroups) Get(namespace, name string) (*schedulingv1alpha3.CompositePodGroup, error) {
	return nil, fmt.Errorf("composite pod group %q: %w", namespace+"/"+name, fwk.ErrNotFound)
}
