package host

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	theirsort "k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/queuesort"
	"github.com/schedstep/schedstep/core/queue"
)

// drawnItem is a pod or a group of some priority that came at some time.
func drawnItem(chance *rand.Rand, k int) *queue.Item {
	priority := chance.Int32N(3)
	item := &queue.Item{Since: oddStart.Add(time.Duration(chance.IntN(4)) * time.Second)}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", k), Namespace: "default"}}
	pod.Spec.Priority = &priority
	item.Pod = cluster.NewState().ParsePod(pod)
	if chance.IntN(2) == 0 {
		return item
	}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("g", k), Namespace: "default"}}
	group.Spec.Priority = &priority
	return &queue.Item{Group: group, Since: item.Since, Members: []*queue.Item{item}}
}

// unlike counts in how many of 2,000 pairs kube-scheduler's own order, hosted, is not that of ours.
func unlike(sorts fwk.QueueSortPlugin) (pairs, differ int) {
	chance := rand.New(rand.NewPCG(3, 4))
	hosted := adapter{&guest{name: queuesort.Name, sorts: sorts}}
	for range 2000 {
		a, b := drawnItem(chance, 1), drawnItem(chance, 2)
		if queuesort.New().Less(a, b) {
			pairs++
		}
		if hosted.Less(a, b) != queuesort.New().Less(a, b) {
			differ++
		}
	}
	return pairs, differ
}

// lastFirst is an order that is turned round.
type lastFirst struct{ fwk.QueueSortPlugin }

func (l lastFirst) Less(a, b fwk.QueuedEntityInfo) bool { return l.QueueSortPlugin.Less(b, a) }

// TestTheOrderOfTheQueueIsThatOfTheHostedPlugin has pods and groups in pairs. The comparisons with kube-scheduler
// cannot show it: there the pod that ours takes is decided.
func TestTheOrderOfTheQueueIsThatOfTheHostedPlugin(t *testing.T) {
	if pairs, differ := unlike(&theirsort.PrioritySort{}); pairs < 500 || differ > 0 {
		t.Errorf("%d of 2,000 pairs differ, in %d the first goes first", differ, pairs)
	}
	if _, differ := unlike(lastFirst{&theirsort.PrioritySort{}}); differ < 500 {
		t.Errorf("an order that is turned round differs in %d pairs", differ)
	}
}
