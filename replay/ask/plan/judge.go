package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// lasting are the filters whose answer about a pod and a node no plan changes, those of old releases too.
var lasting = []string{
	"NodeName", "NodeUnschedulable", "NodeAffinity", "TaintToleration",
	"HostName", "CheckNodeUnschedulable", "MatchNodeSelector", "PodToleratesNodeTaints",
}

// fitting are the filters that hold the requests of a pod against a node, those of old releases too.
var fitting = []string{"NodeResourcesFit", "PodFitsResources", "GeneralPredicates"}

// judge is what keeps a pod off a node for as long as the plan lasts: what its profile filters by and no plan changes,
// and what the kubelet counts. What the profile does not filter by, a bound does not either.
type judge struct {
	lasting []framework.Check
	wants   []int64 // of each resource, 0 of an extended one that the profile leaves out
}

// judgesOf are the judges of pods. names are the resources that are counted.
func (r *run) judgesOf(pods []*cluster.Pod, names []corev1.ResourceName) []judge {
	all, snapshot := make([]judge, len(pods)), r.state().Snapshot()
	for i, wants := range r.wantsOf(pods, names) {
		all[i] = judge{lasting: r.checksOf(pods[i], snapshot, lasting), wants: wants}
	}
	return all
}

// wantsOf are the amounts that pods want of what is counted: a kubelet refuses a pod for which too little is there of
// all but extended resources, whatever the profile is.
func (r *run) wantsOf(pods []*cluster.Pod, names []corev1.ResourceName) [][]int64 {
	all, snapshot, probes := make([][]int64, len(pods)), r.state().Snapshot(), r.probesOf(names)
	for i, p := range pods {
		fits, requests := r.checksOf(p, snapshot, fitting), p.SpecRequests()
		counts := func(k int) bool {
			return slices.ContainsFunc(fits, func(c framework.Check) bool { return probes.counts(c, k) })
		}
		all[i] = amountsOf(names, &requests, 1)
		for k, want := range all[i] {
			if want > 0 && cluster.IsExtended(names[k]) && !counts(k) {
				all[i][k] = 0
			}
		}
	}
	return all
}

// checksOf are the checks of some filters for a pod, as far as its profile has them.
func (r *run) checksOf(p *cluster.Pod, snapshot *cluster.Snapshot, names []string) []framework.Check {
	profile, is := r.p.Scheduler().Profile(p.API.Spec.SchedulerName)
	if !is {
		return nil
	}
	var all []framework.Check
	for _, f := range profile.Filter {
		if !slices.Contains(names, f.Name()) {
			continue
		}
		if study := f.PreFilter(p, snapshot); study.Check != nil && study.Verdict.OK() {
			all = append(all, study.Check)
		}
	}
	return all
}

// mayTake reports whether a node takes the pod by what never changes in a plan: its taints, its labels, its name.
func (j *judge) mayTake(n *cluster.Node) bool {
	return !slices.ContainsFunc(j.lasting, func(c framework.Check) bool { return !c.Filter(n).OK() })
}

// probes are nodes that no cluster has, by which a check shows what it counts: one with plenty of everything, and for
// each resource one that has nothing of it alone.
type probes struct {
	ample *cluster.Node
	lacks []*cluster.Node
}

// plenty is more of a resource than pods want, in its unit.
const plenty = 1 << 50

func (r *run) probesOf(names []corev1.ResourceName) probes {
	state, all := r.state().Fork(), probes{lacks: make([]*cluster.Node, len(names))}
	add := func(name string, without int) *cluster.Node {
		has := corev1.ResourceList{}
		for k, resourceName := range names {
			if k != without {
				has[resourceName] = *resource.NewQuantity(plenty, resource.DecimalSI)
			}
		}
		state.Apply(cluster.Event{Action: cluster.Add, Object: &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: "probe"}, Status: corev1.NodeStatus{Allocatable: has},
		}})
		n, _ := state.Node(name)
		return n
	}
	const prefix = "probe-of-resources."
	all.ample = add(prefix+"none", -1)
	for k, name := range names {
		all.lacks[k] = add(prefix+string(name), k)
	}
	return all
}

// counts reports whether a check rejects a node for having nothing of a resource.
func (p *probes) counts(c framework.Check, resource int) bool {
	return c.Filter(p.ample).OK() && !c.Filter(p.lacks[resource]).OK()
}

// amountsOf are the amounts of resources in the order of names; pods are counted as what one pod takes.
func amountsOf(names []corev1.ResourceName, of *cluster.Resources, pods int64) []int64 {
	all := make([]int64, len(names))
	for i, name := range names {
		if all[i] = of.Amount(name); name == corev1.ResourcePods {
			all[i] = pods
		}
	}
	return all
}

// freeOf is what a node has left; less than nothing where pods request more than it has.
func freeOf(names []corev1.ResourceName, n *cluster.Node) []int64 {
	free := amountsOf(names, &n.Allocatable, n.Allocatable.Pods)
	for k, used := range amountsOf(names, &n.Requested, int64(len(n.Pods))) {
		free[k] -= used
	}
	return free
}

// namesOf are the resources that pods want: those that every pod has, and each that one of them names.
func namesOf(pods []*cluster.Pod) []corev1.ResourceName {
	names := []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods,
	}
	for _, p := range pods {
		for _, s := range p.Requests.Scalars {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}
