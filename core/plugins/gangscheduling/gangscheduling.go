// Package gangscheduling is kube-scheduler's GangScheduling plugin (1.37): the pods of a gang are bound when minCount
// of them have a node, and none before. Which nodes these are is the cycle's business; the plugin counts.
// CompositePodGroup, a group of groups, is not in it.
package gangscheduling

import (
	"fmt"
	"time"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Name is kube-scheduler's name of the plugin.
const Name = "GangScheduling"

// Reasons of the plugin, apart from texts with numbers and names in them (1.37).
const (
	reasonTooFew      = "waiting for minCount pods from a gang to appear in scheduling queue"
	reasonNotTogether = "waiting for minCount pods from a gang to be scheduled"
)

// longestWait is how long a pod of a gang waits at Permit for the others.
const longestWait = 5 * time.Minute

// Plugin counts the pods of gangs.
type Plugin struct {
	find func(known *cluster.State, key string) (*schedulingv1beta1.PodGroup, bool)
}

var (
	_ framework.PreEnqueuePlugin        = Plugin{}
	_ framework.PermitPlugin            = Plugin{}
	_ framework.PlacementFeasiblePlugin = Plugin{}
	_ framework.Waker                   = Plugin{}
)

// New takes the profile's way with groups. Where their pods are pods like others, no PodGroup is ever there for the
// plugin, and it holds back for good every pod that names one.
func New(groups framework.GroupRules) Plugin {
	if groups.Together {
		return Plugin{(*cluster.State).PodGroup}
	}
	return Plugin{func(*cluster.State, string) (*schedulingv1beta1.PodGroup, bool) { return nil, false }}
}

// Name is GangScheduling.
func (Plugin) Name() string { return Name }

// PreEnqueue holds a pod back until its group is there, and until a gang has minCount pods, placed ones included.
func (p Plugin) PreEnqueue(pod *cluster.Pod, known *cluster.State) trace.Verdict {
	if pod.Group == "" {
		return trace.Verdict{}
	}
	group, there := p.find(known, pod.Group)
	if !there {
		name := *pod.API.Spec.SchedulingGroup.PodGroupName
		return trace.Verdict{
			Code:     trace.UnschedulableAndUnresolvable,
			Reasons:  []string{fmt.Sprintf("waiting for pods's pod group %q to appear in scheduling queue", name)},
			Evidence: []trace.Evidence{{What: phrase.Textf("PodGroup %s", pod.Group), Have: trace.Words("not there")}},
		}
	}
	if group.Spec.SchedulingPolicy.Gang == nil {
		return trace.Verdict{}
	}
	all, scheduled := known.Members(pod.Group)
	if all >= cluster.MinCount(group) {
		return trace.Verdict{}
	}
	return trace.Verdict{
		Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reasonTooFew},
		Evidence: []trace.Evidence{quorum(group, all, scheduled)},
	}
}

// quorum is the comparison behind a gang that has to wait.
func quorum(group *schedulingv1beta1.PodGroup, all, scheduled int) trace.Evidence {
	return trace.Evidence{
		Topic: trace.OfGroupMember, What: phrase.Text(cluster.Key(group)), Want: trace.Count(int64(cluster.MinCount(group))),
		Have: trace.Count(int64(all)), Used: trace.Count(int64(scheduled)),
	}
}

// PlacementFeasible compares what a group has, and what it may still get, with what it needs: minCount for a gang, one
// pod for any other.
func (Plugin) PlacementFeasible(group framework.Group, scheduled, remaining int) trace.Verdict {
	need := cluster.MinCount(group.API)
	evidence := []trace.Evidence{{
		Topic: trace.OfGroupMember, What: phrase.Text(group.Key()), Want: trace.Count(int64(need)),
		Have: trace.Count(int64(scheduled + remaining)),
		Used: trace.Count(int64(scheduled)),
	}}
	switch {
	case remaining+scheduled < need:
		return trace.Verdict{
			Code: trace.Unschedulable,
			Reasons: []string{
				fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", need, scheduled, remaining),
			},
			Evidence: evidence,
		}
	case scheduled < need:
		return trace.Verdict{
			Code: trace.Wait,
			Reasons: []string{
				fmt.Sprintf("minCount (%d) is not yet satisfied: %d scheduled, %d remaining", need, scheduled, remaining),
			},
			Evidence: evidence,
		}
	}
	return trace.Verdict{}
}

// Permit lets a pod of a gang wait until minCount of its pods are assumed or bound, and then lets all of them go.
// kube-scheduler also has the pods activated that are not placed; in the cycle that placed this one they are with it,
// and out of every queue, so that nothing comes of it.
func (Plugin) Permit(ask framework.PermitAsk) framework.PermitAnswer {
	if ask.Pod.Group == "" {
		return framework.PermitAnswer{}
	}
	group, there := ask.Known.PodGroup(ask.Pod.Group)
	if !there {
		return framework.PermitAnswer{Verdict: trace.Verdict{Code: trace.Error, Reasons: []string{
			fmt.Sprintf(
				"failed to get podGroup %s: pod group object not found for pod group podgroup/%s", ask.Pod.Group,
				ask.Pod.Group,
			),
		}}}
	}
	if group.Spec.SchedulingPolicy.Gang == nil {
		return framework.PermitAnswer{}
	}
	all, scheduled := ask.Known.Members(ask.Pod.Group)
	if scheduled < cluster.MinCount(group) {
		return framework.PermitAnswer{
			Verdict: trace.Verdict{
				Code: trace.Wait, Reasons: []string{reasonNotTogether}, Evidence: []trace.Evidence{quorum(group, all, scheduled)},
			},
			Timeout: longestWait,
		}
	}
	answer := framework.PermitAnswer{}
	for _, p := range ask.Waiting {
		if p.Group == ask.Pod.Group {
			answer.Allow = append(answer.Allow, p.Key)
		}
	}
	return answer
}

// Hints are the events that help: another pod of the same group comes, the group itself comes, or its minCount goes
// down.
func (Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{Event: cluster.ClusterEvent{Resource: cluster.UnscheduledPod, Action: cluster.Added}, Helps: podAdded},
		{Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Added}, Helps: podAdded},
		{Event: cluster.ClusterEvent{Resource: cluster.PodGroupResource, Action: cluster.Added}, Helps: groupAdded},
		{Event: cluster.ClusterEvent{Resource: cluster.PodGroupResource, Action: cluster.Updated}, Helps: groupUpdated},
	}
}

func podAdded(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	added := change.NewPod
	return pod.Group != "" && added != nil && added.Group == pod.Group, nil
}

func groupAdded(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	return pod.Group != "" && cluster.Key(change.New) == pod.Group, nil
}

func groupUpdated(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	before, is := change.Old.(*schedulingv1beta1.PodGroup)
	after, are := change.New.(*schedulingv1beta1.PodGroup)
	if !is || !are {
		return true, fmt.Errorf("a change of %T to %T is none of a PodGroup", change.Old, change.New)
	}
	if pod.Group == "" || cluster.Key(after) != pod.Group {
		return false, nil
	}
	old, new := before.Spec.SchedulingPolicy.Gang, after.Spec.SchedulingPolicy.Gang
	return old != nil && new != nil && new.MinCount < old.MinCount, nil
}
