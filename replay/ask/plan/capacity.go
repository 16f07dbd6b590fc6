package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Capacity is how many more pods of a workload fit. Its JSON is stable.
type Capacity struct {
	Goal     string   `json:"goal"`
	Verdict  Verdict  `json:"verdict"` // Done where as many as are wanted fit
	Pod      string   `json:"pod"`     // whose like was added
	Placed   int      `json:"placed"`
	Least    int      `json:"placedAtLeast"` // with other draws among equal nodes
	Greatest int      `json:"placedAtMost"`
	Most     int      `json:"mostByRoom"` // the sum of what has room on each node alone
	Wanted   int      `json:"wanted,omitempty"`
	On       []OnNode `json:"on"`
	Message  string   `json:"message,omitempty"` // about the first that is not placed, or not made
	Quota    string   `json:"quota,omitempty"`   // that does not let the next one be made
	Evicts   []string `json:"preempted,omitempty"`
	Lifts    []Lift   `json:"without,omitempty"`
	Unseen   int      `json:"notLookedAt,omitempty"` // constraints that were not lifted, because it was stopped
	Runs     int      `json:"runs"`

	course *course.Course
}

// OnNode is how many pods came to a node.
type OnNode struct {
	Node string `json:"node"`
	Pods int    `json:"pods"`
}

// Lift is a constraint, and how many more pods fit when it alone is lifted everywhere.
type Lift struct {
	What    string   `json:"what"`
	More    int      `json:"more"`
	Kubectl []string `json:"kubectl,omitempty"` // that lifts it, as it was run; none where pods have to be others
}

// mostReplicas is how many replicas are added where no number is wanted.
const mostReplicas = 10_000

// lifted is how many more replicas are tried with a constraint lifted.
const lifted = 50

// Capacity adds replicas of a workload one at a time, as kube-scheduler places them, until one is not placed, has
// another pod evicted, or may not be made for a quota. workload is a name, namespace/name or KIND/name, or the name of
// a pod. wanted 0 means as many as fit.
func (f *Fleet) Capacity(ctx context.Context, workload string, wanted int, progress func(runs int)) (Capacity, error) {
	model, err := f.model(workload)
	if err != nil {
		return Capacity{}, err
	}
	out := Capacity{
		Goal: "capacity " + workload, Pod: cluster.Key(model), Wanted: wanted, Verdict: Done, Most: f.room(model),
		On: []OnNode{},
	}
	most := mostReplicas
	if wanted > 0 {
		most = wanted
	}
	count := func() {
		if out.Runs++; progress != nil {
			progress(out.Runs)
		}
	}
	r := f.add(ctx, model, most, 0)
	if ctx.Err() != nil {
		return Capacity{}, ctx.Err() // what fits by the time it was stopped is no answer
	}
	count()
	out.Placed, out.Message, out.Evicts, out.course = r.placed, r.message, r.evicts, r.course
	for node, n := range r.on {
		out.On = append(out.On, OnNode{node, n})
	}
	slices.SortFunc(out.On, func(a, b OnNode) int {
		return cmp.Or(cmp.Compare(b.Pods, a.Pods), cmp.Compare(a.Node, b.Node))
	})
	out.Least, out.Greatest = out.Placed, out.Placed
	draws(trialsOf(out.Placed), func() bool { return r.tied }, func(seed uint64) (isNew, goOn bool) {
		other := f.add(ctx, model, most, seed)
		if ctx.Err() != nil {
			return false, false
		}
		count()
		isNew = other.placed < out.Least || other.placed > out.Greatest
		out.Least, out.Greatest = min(out.Least, other.placed), max(out.Greatest, other.placed)
		return isNew, true
	})
	if out.Least < wanted {
		out.Verdict = Pending
	}
	if r.message == "" && len(r.evicts) == 0 {
		return out, nil
	}
	if r.denied != nil {
		out.Quota = r.denied.Quota
		f.liftQuotas(ctx, model, &out, count)
	} else {
		f.lifts(ctx, model, &out, count)
	}
	return out, ctx.Err()
}

// lifts lifts each constraint of a model alone. More than the best draw had without it is what it holds back.
func (f *Fleet) lifts(ctx context.Context, model *corev1.Pod, out *Capacity, count func()) {
	all := constraints(model)
	for i, l := range all {
		free := model.DeepCopy()
		l.lift(&free.Spec)
		with := f.add(ctx, free, out.Greatest+lifted, 0)
		if ctx.Err() != nil {
			out.Unseen = len(all) - i
			break
		}
		count()
		if with.placed > out.Greatest {
			out.Lifts = append(out.Lifts, Lift{What: l.what, More: with.placed - out.Greatest})
		}
	}
	slices.SortStableFunc(out.Lifts, func(a, b Lift) int { return cmp.Compare(b.More, a.More) })
}

// untilEvicted is longer than kube-scheduler takes to have a pod evicted for one that it does not place.
const untilEvicted = time.Second

// untilBound is longer than the controllers of volumes take to bind a claim that need not wait for its pod.
const untilBound = time.Second

// model is a pod of a workload as its controller would make one more.
func (f *Fleet) model(workload string) (*corev1.Pod, error) {
	named, err := f.named(workload)
	if err != nil {
		return nil, err
	}
	var found *corev1.Pod
	for _, p := range named {
		if found == nil || found.CreationTimestamp.Before(&p.API.CreationTimestamp) {
			found = p.API
		}
	}
	fresh := found.DeepCopy()
	fresh.ResourceVersion, fresh.DeletionTimestamp, fresh.DeletionGracePeriodSeconds = "", nil, nil
	fresh.Spec.NodeName, fresh.Spec.SchedulingGates = "", nil
	fresh.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return fresh, nil
}

// added is the result of adding replicas.
type added struct {
	placed  int
	on      map[string]int
	message string
	evicts  []string
	tied    bool // equal nodes were chosen among
	course  *course.Course
	denied  *request.OverQuota // why the next one is not made
}

// add adds pods like a model, one at a time, until one is not placed. seed is what the scheduler leaves to chance;
// before are requests that are carried out first.
func (f *Fleet) add(
	ctx context.Context, model *corev1.Pod, most int, seed uint64, before ...request.Request,
) added {
	r := f.begin(ctx, 0, seed)
	out := added{on: map[string]int{}}
	for _, q := range before {
		if err := r.send(q); err != nil {
			out.message = err.Error()
			return out
		}
	}
	volumes := r.ownVolumesOf(model)
	for n := range most {
		if ctx.Err() != nil {
			break
		}
		p := model.DeepCopy()
		p.Name = fmt.Sprintf("%s-more-%d", model.Name, n+1)
		p.UID = types.UID("more-" + p.Name)
		p.OwnerReferences = nil // its controller would not stand still
		p.CreationTimestamp = metav1.Time{Time: r.now()}
		if out.denied = r.manager.OverQuota(p, r.now()); out.denied != nil {
			out.message = out.denied.Message
			break
		}
		if claims := volumes.give(p, n, r.state().Objects()); len(claims) > 0 {
			r.add(claims...)
			r.until(r.now().Add(untilBound))
		}
		r.add(p)
		node := r.place(cluster.Key(p))
		if out.evicts = r.gone; node == "" || len(r.gone) > 0 {
			out.message = r.says[cluster.Key(p)]
			break
		}
		out.placed++
		out.on[node]++
		r.until(r.now())
	}
	out.tied, out.course = r.tied, r.taken()
	return out
}

// place goes on until a pod has a node, which is returned, or kube-scheduler has reported that it gets none and has had
// pods evicted for it.
func (r *run) place(key string) (node string) {
	for r.says[key] == "" {
		live, is := r.state().Pod(key)
		if _, assumed := r.state().Assumed(key); !is || live.NodeName != "" || assumed {
			break
		}
		step, ok := r.p.Step()
		if !ok {
			break
		}
		r.see(step)
	}
	if r.says[key] != "" {
		r.until(r.now().Add(untilEvicted))
	}
	if assumed, has := r.state().Assumed(key); has {
		return assumed.NodeName
	}
	if live, is := r.state().Pod(key); is {
		return live.NodeName
	}
	return ""
}

// room is how many pods like a model have room on all nodes by their resources alone.
func (f *Fleet) room(model *corev1.Pod) int {
	state := f.Player.Scheduler().State().Fork()
	probe := model.DeepCopy()
	probe.Name, probe.UID = probe.Name+"-room", "room"
	state.Apply(cluster.Event{Action: cluster.Add, Object: probe})
	pod, is := state.Pod(cluster.Key(probe))
	if !is {
		return 0
	}
	sum := 0
	for _, n := range state.Snapshot().Nodes {
		if n.API == nil || n.API.Spec.Unschedulable {
			continue
		}
		least := n.Allocatable.Pods - int64(len(n.Pods))
		fit := func(has, used, wants int64) {
			if wants > 0 {
				least = min(least, (has-used)/wants)
			}
		}
		fit(n.Allocatable.MilliCPU, n.Requested.MilliCPU, pod.Requests.MilliCPU)
		fit(n.Allocatable.Memory, n.Requested.Memory, pod.Requests.Memory)
		fit(n.Allocatable.EphemeralStorage, n.Requested.EphemeralStorage, pod.Requests.EphemeralStorage)
		for _, s := range pod.Requests.Scalars {
			fit(n.Allocatable.Scalar(s.Name), n.Requested.Scalar(s.Name), s.Value)
		}
		sum += int(max(least, 0))
	}
	return sum
}

// constraint is something that a pod wants of a node, and how it is lifted.
type constraint struct {
	what string
	lift func(*corev1.PodSpec)
}

// constraints are those of a pod.
func constraints(p *corev1.Pod) []constraint {
	var all []constraint
	names := map[corev1.ResourceName]bool{}
	for i := range p.Spec.Containers {
		for name := range p.Spec.Containers[i].Resources.Requests {
			names[name] = true
		}
	}
	sorted := make([]corev1.ResourceName, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		all = append(all, constraint{string(name), func(s *corev1.PodSpec) {
			for i := range s.Containers {
				delete(s.Containers[i].Resources.Requests, name)
			}
		}})
	}
	s := &p.Spec
	add := func(is bool, what string, lift func(*corev1.PodSpec)) {
		if is {
			all = append(all, constraint{what, lift})
		}
	}
	a := s.Affinity
	add(len(s.TopologySpreadConstraints) > 0, "topologySpreadConstraints", func(s *corev1.PodSpec) {
		s.TopologySpreadConstraints = nil
	})
	add(a != nil && a.PodAntiAffinity != nil, "podAntiAffinity", func(s *corev1.PodSpec) {
		s.Affinity.PodAntiAffinity = nil
	})
	add(a != nil && a.PodAffinity != nil, "podAffinity", func(s *corev1.PodSpec) { s.Affinity.PodAffinity = nil })
	add(a != nil && a.NodeAffinity != nil, "nodeAffinity", func(s *corev1.PodSpec) { s.Affinity.NodeAffinity = nil })
	add(len(s.NodeSelector) > 0, "nodeSelector", func(s *corev1.PodSpec) { s.NodeSelector = nil })
	add(slices.ContainsFunc(s.Volumes, isClaimed), "volumes", func(s *corev1.PodSpec) {
		s.Volumes = slices.DeleteFunc(s.Volumes, isClaimed)
	})
	add(len(s.ResourceClaims) > 0, "resourceClaims", func(s *corev1.PodSpec) {
		s.ResourceClaims = nil
		for i := range s.Containers {
			s.Containers[i].Resources.Claims = nil
		}
	})
	add(true, "taints", func(s *corev1.PodSpec) {
		s.Tolerations = append(s.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
	})
	return append(all, constraint{"hostPorts", func(s *corev1.PodSpec) {
		for i := range s.Containers {
			s.Containers[i].Ports = nil
		}
		s.HostNetwork = false
	}})
}
