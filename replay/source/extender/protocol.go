package extender

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// Ask implements framework.Line.
func (s *server) Ask(q framework.Question) framework.Answer {
	var a framework.Answer
	var err error
	switch q.Call {
	case framework.CallFilter:
		a, err = s.filter(&q)
	case framework.CallPrioritize:
		a, err = s.prioritize(&q)
	case framework.CallPreempt:
		a, err = s.preempt(&q)
	case framework.CallBind:
		err = s.bind(&q)
	}
	if err != nil {
		return framework.Answer{Failure: s.wordsOf(q.Call, err)}
	}
	return a
}

func (s *server) filter(q *framework.Question) (framework.Answer, error) {
	var result extenderv1.ExtenderFilterResult
	if err := s.send(s.FilterVerb, s.arguments(q), &result); err != nil {
		return framework.Answer{}, err
	}
	if result.Error != "" {
		return framework.Answer{}, refusal(result.Error)
	}
	a := framework.Answer{Failed: inOrder(result.FailedNodes), Unresolvable: inOrder(result.FailedAndUnresolvableNodes)}
	switch {
	case s.NodeCacheCapable && result.NodeNames != nil:
		a.Nodes = *result.NodeNames
	case result.Nodes != nil:
		a.Described = true
		for i := range result.Nodes.Items {
			a.Nodes = append(a.Nodes, result.Nodes.Items[i].Name)
		}
		a.Changed = changed(q.Nodes, result.Nodes.Items)
	}
	return a, nil
}

// arguments are the nodes of a question, by name or whole, as the extender wants them.
func (s *server) arguments(q *framework.Question) *extenderv1.ExtenderArgs {
	arguments := &extenderv1.ExtenderArgs{Pod: q.Pod.API}
	if s.NodeCacheCapable {
		names := make([]string, len(q.Nodes))
		for i, node := range q.Nodes {
			names[i] = node.Name
		}
		arguments.NodeNames = &names
		return arguments
	}
	arguments.Nodes = &corev1.NodeList{}
	for _, node := range q.Nodes {
		arguments.Nodes.Items = append(arguments.Nodes.Items, *node.API)
	}
	return arguments
}

// changed are the nodes that came back with something else that scores rest on than what was sent, with nothing
// besides.
func changed(sent []*cluster.Node, back []corev1.Node) []*corev1.Node {
	before := make(map[string]*corev1.Node, len(sent))
	for _, node := range sent {
		before[node.Name] = node.API
	}
	var all []*corev1.Node
	for i := range back {
		is := bearing(&back[i])
		if old, known := before[is.Name]; known && !equality.Semantic.DeepEqual(bearing(old), is) {
			all = append(all, is)
		}
	}
	return all
}

// bearing is what of a node a score rests on.
func bearing(n *corev1.Node) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels},
		Spec:       corev1.NodeSpec{Taints: n.Spec.Taints, Unschedulable: n.Spec.Unschedulable},
		Status:     corev1.NodeStatus{Allocatable: n.Status.Allocatable},
	}
}

func (s *server) prioritize(q *framework.Question) (framework.Answer, error) {
	var result extenderv1.HostPriorityList
	if err := s.send(s.PrioritizeVerb, s.arguments(q), &result); err != nil {
		return framework.Answer{}, err
	}
	var a framework.Answer
	for _, p := range result {
		a.Scores = append(a.Scores, framework.NodeScore{Node: p.Host, Score: p.Score})
	}
	return a, nil
}

func (s *server) preempt(q *framework.Question) (framework.Answer, error) {
	arguments := &extenderv1.ExtenderPreemptionArgs{Pod: q.Pod.API}
	if s.NodeCacheCapable {
		arguments.NodeNameToMetaVictims = make(map[string]*extenderv1.MetaVictims, len(q.Victims))
	} else {
		arguments.NodeNameToVictims = make(map[string]*extenderv1.Victims, len(q.Victims))
	}
	for _, v := range q.Victims {
		if s.NodeCacheCapable {
			arguments.NodeNameToMetaVictims[v.Node] = metaVictims(v)
			continue
		}
		whole := &extenderv1.Victims{NumPDBViolations: v.Violations}
		for _, p := range v.Pods {
			whole.Pods = append(whole.Pods, p.API)
		}
		arguments.NodeNameToVictims[v.Node] = whole
	}
	var result extenderv1.ExtenderPreemptionResult
	if err := s.send(s.PreemptVerb, arguments, &result); err != nil {
		return framework.Answer{}, err
	}
	var a framework.Answer
	for node, given := range result.NodeNameToMetaVictims {
		a.Victims = append(a.Victims, uids(node, given))
	}
	slices.SortFunc(a.Victims, func(x, y framework.NodeUIDs) int { return cmp.Compare(x.Node, y.Node) })
	return a, nil
}

func metaVictims(v framework.NodeVictims) *extenderv1.MetaVictims {
	meta := &extenderv1.MetaVictims{Pods: []*extenderv1.MetaPod{}, NumPDBViolations: v.Violations}
	for _, p := range v.Pods {
		meta.Pods = append(meta.Pods, &extenderv1.MetaPod{UID: string(p.API.UID)})
	}
	return meta
}

// uids reads the victims on one node. A null in the place of victims or of a pod, on which kube-scheduler 1.37 crashes,
// stands for none and for a pod without a UID.
func uids(node string, given *extenderv1.MetaVictims) framework.NodeUIDs {
	v := framework.NodeUIDs{Node: node}
	if given == nil {
		return v
	}
	v.Violations = given.NumPDBViolations
	for _, p := range given.Pods {
		if p == nil {
			p = &extenderv1.MetaPod{}
		}
		v.UIDs = append(v.UIDs, p.UID)
	}
	return v
}

func (s *server) bind(q *framework.Question) error {
	if !s.binds {
		return nil
	}
	arguments := &extenderv1.ExtenderBindingArgs{
		PodName: q.Pod.API.Name, PodNamespace: q.Pod.API.Namespace, PodUID: q.Pod.API.UID, Node: q.Node,
	}
	var result extenderv1.ExtenderBindingResult
	if err := s.send(s.BindVerb, arguments, &result); err != nil {
		return err
	}
	if result.Error != "" {
		return refusal(result.Error)
	}
	return nil
}
