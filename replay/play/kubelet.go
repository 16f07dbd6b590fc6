package play

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Attend has kubelets look at pods that are bound to their nodes: a pod runs when it fits beside those that are there,
// and fails when it does not. Without it every bound pod runs at once.
func (w *Simulated) Attend() { w.attends = true }

// taken is why the API server rejects a binding: the pod has a node already, or will have by an event under way; "": it
// does not reject it. It is called only where kubelets are simulated, because one scheduler alone binds no pod twice.
func (w *Simulated) taken(key string, known *cluster.State) string {
	if !w.attends {
		return ""
	}
	p, live := known.Pod(key)
	if !live {
		return ""
	}
	api := p.API
	if sent, is := w.ahead[key]; is && sent.UID == api.UID {
		api = sent
	}
	if api.Spec.NodeName == "" {
		return ""
	}
	return fmt.Sprintf("Operation cannot be fulfilled on pods/binding %q: pod %s is already assigned to node %q",
		api.Name, api.Name, api.Spec.NodeName)
}

// lacking is what a node has too little of for a pod: the first thing that kubelet (1.37, GeneralPredicates) complains
// of.
type lacking struct {
	resource              corev1.ResourceName
	requests, used, there int64
}

// reason is the status.reason of a pod that a kubelet refuses (pkg/kubelet/lifecycle/predicate.go, 1.37).
func (l *lacking) reason() string { return "OutOf" + string(l.resource) }

func (l *lacking) String() string {
	return fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d",
		l.resource, l.requests, l.used, l.there)
}

// kubelet is what the kubelet of its node makes of a pod that was bound to it: the pod runs, or it has failed.
func (w *Simulated) kubelet(e cluster.Event, api *corev1.Pod, known *cluster.State, now time.Time) Outcome {
	waits := api.Status.Phase == corev1.PodPending || api.Status.Phase == ""
	if !w.attends || e.Action == cluster.Delete || api.Spec.NodeName == "" || !waits || api.DeletionTimestamp != nil {
		return Outcome{}
	}
	key := cluster.Key(api)
	pod, live := known.Pod(key)
	if w.managed != nil && !w.managed.Attends(api.Spec.NodeName) {
		return Outcome{}
	}
	node, described := known.Node(api.Spec.NodeName)
	if _, decided := w.ahead[key]; !live || !described || decided {
		return Outcome{}
	}
	there := w.running(node, key, known)
	short := shortOf(pod, node, there)
	if short == nil {
		return Outcome{Events: w.update(key, known, now, func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodRunning
			p.Status.StartTime = &metav1.Time{Time: now}
			if w.managed != nil {
				p.Status.Conditions = withCondition(p.Status.Conditions, corev1.PodCondition{
					Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Time{Time: now},
				})
			}
		})}
	}
	message := "Pod was rejected: " + short.String()
	o := Outcome{Facts: []trace.Fact{
		trace.KubeletRefused{Pod: key, Node: node.Name, Reason: short.reason(), Message: message},
	}}
	if booked := bookedTwice(pod, node, there); booked != nil {
		o.Facts = append(o.Facts, booked)
	}
	o.Events = w.update(key, known, now, func(p *corev1.Pod) {
		p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, short.reason(), message
	})
	return o
}

// running are the pods on a node that its kubelet runs, without one: those that are only assumed are not there, and
// those that it has refused are not there any more.
func (w *Simulated) running(node *cluster.Node, without string, known *cluster.State) []*cluster.Pod {
	var all []*cluster.Pod
	for _, p := range node.Pods {
		live, is := known.Pod(p.Key)
		if !is || p.Key == without || live.API.Spec.NodeName != node.Name {
			continue
		}
		if sent, under := w.ahead[p.Key]; under && cluster.Finished(sent) {
			continue
		}
		all = append(all, live)
	}
	return all
}

// shortOf is the first resource of which a node has too little for a pod beside others, in kubelet's order; nil: none.
func shortOf(pod *cluster.Pod, node *cluster.Node, beside []*cluster.Pod) *lacking {
	if n := int64(len(beside)); n+1 > node.Allocatable.Pods {
		return &lacking{corev1.ResourcePods, 1, n, node.Allocatable.Pods}
	}
	names := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}
	for _, s := range pod.Requests.Scalars {
		names = append(names, s.Name)
	}
	for _, name := range names {
		l := &lacking{name, pod.Requests.Amount(name), 0, node.Allocatable.Amount(name)}
		if l.requests == 0 || cluster.IsExtended(name) && !node.Allocatable.HasScalar(name) {
			continue // an extended resource that the node does not know is another component's affair
		}
		for _, p := range beside {
			l.used += p.Requests.Amount(name)
		}
		if l.requests > l.there-l.used {
			return l
		}
	}
	return nil
}

// bookedTwice is the fact that other schedulers than the refused pod's put pods on the node; nil when none did.
func bookedTwice(refused *cluster.Pod, node *cluster.Node, there []*cluster.Pod) trace.Fact {
	fact := trace.DoubleBooked{Node: node.Name}
	several := false
	for _, p := range append(there, refused) {
		name := p.API.Spec.SchedulerName
		several = several || name != refused.API.Spec.SchedulerName
		fact.Books = append(fact.Books, trace.Booking{Pod: p.Key, Scheduler: name})
	}
	if !several {
		return nil
	}
	return fact
}
