package host

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// Extenders are those of the configuration, in the order in which the cycle asks them.
func (h *handle) Extenders() []fwk.Extender {
	all := make([]fwk.Extender, len(h.extenders))
	for k := range h.extenders {
		all[k] = extender{h, &h.extenders[k]}
	}
	return all
}

// extender is an extender as plugins ask it. Its answers come over the line of the cycle, so that the journal has them:
// within a cycle the same question gets the same answer, whoever asks.
type extender struct {
	h  *handle
	of *framework.Extender
}

var _ fwk.Extender = extender{}

// Name is what facts and messages call it.
func (x extender) Name() string { return x.of.Name }

// IsInterested reports whether it is asked about a pod.
func (x extender) IsInterested(pod *corev1.Pod) bool { return x.of.Interested(&cluster.Pod{API: pod}) }

// IsFilter reports whether it filters nodes.
func (x extender) IsFilter() bool { return x.of.Filters }

// IsPrioritizer reports whether it scores nodes.
func (x extender) IsPrioritizer() bool { return x.of.Prioritizes }

// IsBinder reports whether it binds pods.
func (x extender) IsBinder() bool { return x.of.Binds }

// SupportsPreemption reports whether it wants to see the victims of a preemption.
func (x extender) SupportsPreemption() bool { return x.of.Preempts }

// IsIgnorable reports whether the cycle goes on when it fails.
func (x extender) IsIgnorable() bool { return x.of.Ignorable }

// Filter asks which nodes the pod fits.
func (x extender) Filter(pod *corev1.Pod, nodes []fwk.NodeInfo) (
	left []fwk.NodeInfo, failed, unresolvable extenderv1.FailedNodesMap, err error,
) {
	if !x.of.Filters {
		return nodes, extenderv1.FailedNodesMap{}, extenderv1.FailedNodesMap{}, nil
	}
	answer, err := x.ask(framework.Question{Call: framework.CallFilter}, pod, nodes)
	if err != nil {
		return nil, nil, nil, err
	}
	byName := make(map[string]fwk.NodeInfo, len(nodes))
	for _, n := range nodes {
		byName[n.Node().Name] = n
	}
	for _, name := range answer.Nodes {
		node, known := byName[name]
		if !known {
			return nil, nil, nil, errors.New(x.of.NotAskedAbout(name))
		}
		if answer.Described {
			node = described(name, node, answer.Changed)
		}
		left = append(left, node)
	}
	return left, reasons(answer.Failed), reasons(answer.Unresolvable), nil
}

// described is a node that came back as an object: without pods.
func described(name string, node fwk.NodeInfo, changed []*corev1.Node) fwk.NodeInfo {
	api := node.Node()
	if k := slices.IndexFunc(changed, func(c *corev1.Node) bool { return c.Name == name }); k >= 0 {
		api = changed[k]
	}
	info := schedulerframework.NewNodeInfo()
	info.SetNode(api)
	return info
}

func reasons(list []framework.NodeReason) extenderv1.FailedNodesMap {
	all := make(extenderv1.FailedNodesMap, len(list))
	for _, r := range list {
		all[r.Node] = r.Reason
	}
	return all
}

// Prioritize asks for the scores of nodes.
func (x extender) Prioritize(pod *corev1.Pod, nodes []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64, error) {
	list := extenderv1.HostPriorityList{}
	if !x.of.Prioritizes {
		for _, n := range nodes {
			list = append(list, extenderv1.HostPriority{Host: n.Node().Name})
		}
		return &list, 0, nil
	}
	answer, err := x.ask(framework.Question{Call: framework.CallPrioritize}, pod, nodes)
	if err != nil {
		return nil, 0, err
	}
	for _, s := range answer.Scores {
		list = append(list, extenderv1.HostPriority{Host: s.Node, Score: s.Score})
	}
	return &list, x.of.Weight, nil
}

// ProcessPreemption asks which of the candidates and victims remain.
func (x extender) ProcessPreemption(
	pod *corev1.Pod, victims map[string]*extenderv1.Victims, nodes fwk.NodeInfoLister,
) (map[string]*extenderv1.Victims, error) {
	if !x.of.Preempts {
		return nil, fmt.Errorf("preempt verb is not defined for extender %v but run into ProcessPreemption", x.of.Name)
	}
	q := framework.Question{Call: framework.CallPreempt}
	for _, name := range slices.Sorted(maps.Keys(victims)) {
		q.Victims = append(q.Victims, framework.NodeVictims{Node: name, Violations: victims[name].NumPDBViolations})
		for _, p := range victims[name].Pods {
			at := &q.Victims[len(q.Victims)-1]
			at.Pods = append(at.Pods, &cluster.Pod{API: p, Key: cluster.Key(p)})
		}
	}
	answer, err := x.ask(q, pod, nil)
	if err != nil {
		return nil, err
	}
	left := make(map[string]*extenderv1.Victims, len(answer.Victims))
	for _, given := range answer.Victims {
		node, err := nodes.Get(given.Node)
		if err != nil {
			return nil, err
		}
		all := &extenderv1.Victims{Pods: []*corev1.Pod{}, NumPDBViolations: given.Violations}
		for _, uid := range given.UIDs {
			k := slices.IndexFunc(node.GetPods(), func(p fwk.PodInfo) bool { return string(p.GetPod().UID) == uid })
			if k < 0 {
				return nil, errors.New(x.of.NotOn(given.Node, uid))
			}
			all.Pods = append(all.Pods, node.GetPods()[k].GetPod())
		}
		left[given.Node] = all
	}
	return left, nil
}

// Bind is refused: kube-scheduler has an extender bind the pods that it is interested in before any Bind plugin is
// called, so that a plugin could only bind a pod that is bound, or one that the extender has refused.
func (x extender) Bind(*corev1.Binding) error {
	x.h.lacks("Bind of an extender")
	return fmt.Errorf("schedstep does not answer Bind of %s to a plugin: the cycle calls it itself", x.of.Name)
}

// ask puts a question on the line, for a pod and nodes of the framework.
func (x extender) ask(q framework.Question, pod *corev1.Pod, nodes []fwk.NodeInfo) (framework.Answer, error) {
	answer := heard(x.h.of, "extender", func() *framework.Answer {
		var changed string
		q.Cycle = x.h.of.groups.around.Cycles()
		if q.Pod = x.h.pod(pod); !same(identified(q.Pod.API), pod) {
			changed = "pod " + q.Pod.Key
		}
		for _, n := range nodes {
			node, known := x.h.of.groups.around.State().Node(n.Node().Name)
			if !known || node.API != n.Node() && !equality.Semantic.DeepEqual(node.API, n.Node()) {
				changed = cmp.Or(changed, "node "+n.Node().Name)
				continue
			}
			q.Nodes = append(q.Nodes, node)
		}
		if changed != "" {
			x.h.of.notes.add(x.h.of.guestName(), "", "it asked "+x.of.Name+" about "+changed+
				" with changes of its own: answers are kept by names, so that only a question about what is there can be answered")
			why := "schedstep asks extenders about pods and nodes as they are: " + changed + " was changed"
			return &framework.Answer{Failure: why}
		}
		b := x.h.of.bubble
		b.asking.Store(true)
		given := x.of.Ask(q)
		b.asking.Store(false)
		b.alive()
		return &given
	})
	switch {
	case answer == nil:
		return framework.Answer{}, fmt.Errorf("%s is asked where no call of the plugin is under way", x.of.Name)
	case answer.Failure != "":
		return framework.Answer{}, errors.New(answer.Failure)
	}
	return *answer, nil
}

// same reports whether a pod of the framework is that of the cluster.
func same(there, pod *corev1.Pod) bool {
	return there == pod || equality.Semantic.DeepEqual(there, pod)
}
