package host

import (
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/queue"
)

// Less is the plugin's order.
func (a adapter) Less(x, y *queue.Item) bool { return a.less(x, y) }

// less calls the plugin's order of the queue. It is called outside of any home: an order that changes is none.
func (g *guest) less(a, b *queue.Item) bool { return g.sorts.Less(queued(a), queued(b)) }

// queued is an item of the queue as plugins know it.
func queued(item *queue.Item) fwk.QueuedEntityInfo {
	params := schedulerframework.QueueingParams{
		Timestamp: item.Since, Attempts: item.Attempts, BackoffExpiration: item.BackoffUntil,
		UnschedulableCount: item.UnschedulableCount, ConsecutiveErrorsCount: item.ErrorCount,
		UnschedulablePlugins: sets.New(item.Rejectors...), PendingPlugins: sets.New(item.Pending...),
		GatingPlugin: item.Gate,
	}
	if first := item.FirstAttempt; !first.IsZero() {
		params.InitialAttemptTimestamp = &first
	}
	if item.Group != nil {
		return queuedGroup(item, params)
	}
	return &schedulerframework.QueuedPodInfo{PodInfo: podInfo(identified(item.Pod.API)), QueueingParams: params}
}

// queuedGroup is a group that waits, with the pods of it that do.
func queuedGroup(item *queue.Item, params schedulerframework.QueueingParams) fwk.QueuedEntityInfo {
	group := item.Group
	key := fwk.PodGroupKey(group.Namespace, group.Name)
	info := &schedulerframework.PodGroupInfo{
		Namespace: group.Namespace, Name: group.Name, Type: fwk.PodGroupKeyType, PodGroup: group,
	}
	pods := map[fwk.EntityKey][]*schedulerframework.QueuedPodInfo{}
	for _, m := range item.Members {
		if member, is := queued(m).(*schedulerframework.QueuedPodInfo); is {
			info.UnscheduledPods = append(info.UnscheduledPods, member.Pod)
			pods[key] = append(pods[key], member)
		}
	}
	return &schedulerframework.QueuedPodGroupInfo{PodGroupInfo: info, QueueingParams: params, QueuedPodInfos: pods}
}
