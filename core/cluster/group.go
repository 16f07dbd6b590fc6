package cluster

import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/trace"
)

// groupKey is the key of the PodGroup that a pod names; "" when it names none.
func groupKey(p *corev1.Pod) string {
	if g := p.Spec.SchedulingGroup; g != nil && g.PodGroupName != nil {
		return p.Namespace + "/" + *g.PodGroupName
	}
	return ""
}

// GroupPriority is the priority of a group; one without a priority has 0.
func GroupPriority(group *schedulingv1beta1.PodGroup) int32 {
	if group.Spec.Priority != nil {
		return *group.Spec.Priority
	}
	return 0
}

// GroupUID of a group; podgroup/namespace/name when it has none, as in hand-written manifests.
func GroupUID(group *schedulingv1beta1.PodGroup) string {
	if group.UID == "" {
		return trace.GroupKey(Key(group))
	}
	return string(group.UID)
}

// GroupEntity names a group in facts.
func GroupEntity(group *schedulingv1beta1.PodGroup) trace.Entity {
	return trace.Entity{
		Type: trace.KindPodGroup, Namespace: group.Namespace, Name: group.Name, UID: GroupUID(group),
		Priority: GroupPriority(group),
	}
}

// MinCount is how many pods of a group must have a node for any of them to be bound: 1 unless the group is a gang.
func MinCount(group *schedulingv1beta1.PodGroup) int {
	if gang := group.Spec.SchedulingPolicy.Gang; gang != nil {
		return int(gang.MinCount)
	}
	return 1
}

// TopologyKey is the label whose domains a group wants to be in one of; "" when it does not care. The API has room for
// several and allows one.
func TopologyKey(group *schedulingv1beta1.PodGroup) string {
	if c := group.Spec.SchedulingConstraints; c != nil && len(c.Topology) > 0 {
		return c.Topology[0].Key
	}
	return ""
}

// PodGroup is a group as the API server last showed it.
func (s *State) PodGroup(key string) (*schedulingv1beta1.PodGroup, bool) {
	return s.objects.podGroups.Find(key)
}

// EachPodGroup calls f with every group in the order of keys until f returns false.
func (s *State) EachPodGroup(f func(*schedulingv1beta1.PodGroup) bool) { s.objects.podGroups.Each(f) }

// Join counts a pod among the members of its group; a pod without one is passed over. Only pods that kube-scheduler has
// seen count: those on a node, and those that wait for this scheduler (AddPodGroupMember, 1.37).
func (s *State) Join(p *Pod) {
	if p.Group != "" {
		s.members.Set(string(Compound(p.Group, p.Key)), struct{}{})
	}
}

// Leave ends that.
func (s *State) Leave(p *Pod) {
	if p.Group != "" {
		s.members.Delete(string(Compound(p.Group, p.Key)))
	}
}

// Members is how many pods a group has, and how many of them are on a node or assumed there.
func (s *State) Members(group string) (all, scheduled int) {
	s.eachMember(group, func(key string) {
		all++
		if _, there := s.placed(key); there {
			scheduled++
		}
	})
	return all, scheduled
}

// Scheduled lists the pods of a group that are on a node or assumed there, as they are there, in the order of keys.
func (s *State) Scheduled(group string) []*Pod {
	var pods []*Pod
	s.eachMember(group, func(key string) {
		if p, there := s.placed(key); there {
			pods = append(pods, p)
		}
	})
	return pods
}

// placed is a pod as it is on its node.
func (s *State) placed(key string) (*Pod, bool) {
	if a, is := s.assumed.Get(key); is {
		return a.pod, true
	}
	p, known := s.pods.Get(key)
	return p, known && p.NodeName != ""
}

// eachMember calls f with the key of every member in order.
func (s *State) eachMember(group string, f func(key string)) {
	all := Compound(group, "")
	s.members.Ascend(string(all), func(at string, _ struct{}) bool {
		key, is := CompoundKey(at).After(all)
		if is {
			f(key)
		}
		return is
	})
}

// PodGroup is a group as the API server last showed it.
func (v *Snapshot) PodGroup(key string) (*schedulingv1beta1.PodGroup, bool) {
	return v.state.PodGroup(key)
}

// Scheduled lists the pods of a group that are on a node or assumed there, as they are there, in the order of keys.
func (v *Snapshot) Scheduled(group string) []*Pod { return v.state.Scheduled(group) }

// TakeOff takes a pod off its node as if it had never been there, and PutBack undoes it. No event goes with either:
// they serve what-ifs on a fork.
func (s *State) TakeOff(p *Pod) { s.displace(p) }

// PutBack puts a pod back that TakeOff took away.
func (s *State) PutBack(p *Pod) { s.place(p) }
