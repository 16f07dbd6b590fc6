package serviceaffinity

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// PreFilter lists the placed pods that have the pod's labels: they stand for the others of its Service. It never skips.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	if len(p.args.AffinityLabels) == 0 {
		return framework.Study{Check: framework.Plain{}}
	}
	c := &check{
		pod: pod, keys: p.args.AffinityLabels, snapshot: snapshot, serves: len(services(pod, snapshot)) > 0,
	}
	for _, node := range snapshot.Nodes {
		for _, placed := range node.Pods {
			if c.resembles(placed) {
				c.pods = append(c.pods, placed)
			}
		}
	}
	return framework.Study{Check: c}
}

// check compares the labels of a node with those of the node of the first pod that is like this one.
type check struct {
	pod      *cluster.Pod
	keys     []string
	snapshot *cluster.Snapshot
	serves   bool           // a Service selects the pod
	pods     []*cluster.Pod // that are like it, in the order of the snapshot; those that came later are last
}

var _ framework.Disturbable = (*check)(nil)

// resembles reports whether another pod has all labels of this one.
func (c *check) resembles(other *cluster.Pod) bool {
	return other.Namespace() == c.pod.Namespace() &&
		labels.SelectorFromSet(c.pod.API.Labels).Matches(labels.Set(other.API.Labels))
}

// Filter wants the values that the pod's nodeSelector has; of the other labels, those of the node of the first such
// pod. A pod that is nominated has no node yet: kube-scheduler looks for it in vain, which is an error.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	want := labels.Set{}
	for _, key := range c.keys {
		if value, has := c.pod.API.Spec.NodeSelector[key]; has {
			want[key] = value
		}
	}
	if first := c.first(node); len(want) < len(c.keys) && c.serves && first != nil {
		there, known := c.snapshot.Node(first.NodeName)
		if !known {
			return trace.Verdict{Code: trace.Error, Reasons: []string{"node not found"}}
		}
		for _, key := range c.keys {
			value, has := there.API.Labels[key]
			if _, said := want[key]; has && !said {
				want[key] = value
			}
		}
	}
	if want.AsSelector().Matches(labels.Set(node.API.Labels)) {
		return trace.Verdict{}
	}
	v := trace.Verdict{Code: trace.Unschedulable, Reasons: []string{reason}}
	for _, key := range c.keys {
		if value, wanted := want[key]; wanted && node.API.Labels[key] != value {
			v.Evidence = append(v.Evidence, trace.Evidence{
				What: phrase.Textf("label %s of the nodes of the pod's Service", key), Want: trace.Text(value),
				Have: trace.Text(node.API.Labels[key]),
			})
		}
	}
	return v
}

// first is the first of the pods that are there; a pod that was taken from the node in question is not.
func (c *check) first(node *cluster.Node) *cluster.Pod {
	for _, placed := range c.pods {
		if placed.NodeName != node.Name || slices.ContainsFunc(node.Pods, func(own *cluster.Pod) bool {
			return own.UID() == placed.UID()
		}) {
			return placed
		}
	}
	return nil
}

// With has a pod more; it comes last.
func (c *check) With(pod *cluster.Pod, _ *cluster.Node) framework.Check {
	if !c.resembles(pod) {
		return c
	}
	with := *c
	with.pods = append(slices.Clip(c.pods), pod)
	return &with
}

// Without has a pod less.
func (c *check) Without(pod *cluster.Pod, _ *cluster.Node) framework.Check {
	at := slices.IndexFunc(c.pods, func(other *cluster.Pod) bool { return other.Key == pod.Key })
	if at < 0 {
		return c
	}
	without := *c
	without.pods = slices.Delete(slices.Clone(c.pods), at, at+1)
	return &without
}
