package plan

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// mostUnlocks is how many unlocks are run and offered.
const mostUnlocks = 3

// unlock runs the smallest changes that may help with what blocks a plan, one at a time, and offers those after which
// it is done.
func (f *Fleet) unlock(ctx context.Context, d Drain, p *Plan, again func(Drain) Plan, count func(*Plan)) {
	r := f.begin(ctx, 1, 0)
	tried := map[string]bool{}
	try := func(keys []key) {
		for _, u := range keys {
			id := u.Flag
			for _, c := range u.Kubectl {
				id += c
			}
			if tried[id] || len(p.Unlocks) >= mostUnlocks || ctx.Err() != nil {
				continue
			}
			tried[id] = true
			with := again(u.drain)
			if count(p); with.Verdict == Done && ctx.Err() == nil {
				p.Unlocks = append(p.Unlocks, u.Unlock)
			}
		}
	}
	for i := range p.Steps {
		if b := p.Steps[i].Refused; b != nil {
			try(f.keys(r, d, b, p.Steps[i].Pod))
		}
	}
	for _, denied := range p.Denied {
		try(raising(d, denied))
	}
}

// raising has the quota allow as many pods of a workload as it had before the plan.
func raising(d Drain, of Denied) []key {
	raise, can := of.of.Raise(of.Missing - of.Before)
	if !can || !of.isNew() {
		return nil
	}
	d.unlocksOff, d.before = true, []request.Request{raise}
	return []key{{Unlock{Kubectl: []string{raise.Kubectl()}}, d}}
}

// key is an unlock that is to be tried.
type key struct {
	Unlock
	drain Drain
}

// keys are what may help with a block.
func (f *Fleet) keys(r *run, d Drain, b *Block, pod string) []key {
	d.unlocksOff = true
	switch b.Code {
	case "unmanaged":
		d.Force = true
		return []key{{Unlock{Flag: "--force"}, d}}
	case "local-storage":
		d.EmptyDir = true
		return []key{{Unlock{Flag: "--delete-emptydir-data"}, d}}
	}
	live, is := r.state().Pod(pod)
	if !is {
		return nil
	}
	var all []key
	if scale, back, can := r.oneMore(live.API); can && b.Code == "budget" {
		with := d
		with.before = []request.Request{scale}
		all = append(all, key{Unlock{Kubectl: []string{scale.Kubectl()}, Undo: []string{back.Kubectl()}}, with})
	}
	for _, budget := range request.BudgetsOf(manager.ObjectsOf(r.p), live.API) {
		on := request.Object{Kind: cluster.KindDisruptionBudget, Namespace: budget.Namespace, Name: budget.Name}
		var changes []request.Request
		if policy := budget.Spec.UnhealthyPodEvictionPolicy; !request.IsReady(live.API) &&
			(policy == nil || *policy != policyv1.AlwaysAllow) {
			changes = append(changes, request.Patch(on, request.Operation{
				Op: "add", Path: "/spec/unhealthyPodEvictionPolicy", Value: policyv1.AlwaysAllow,
			}))
		}
		if eased, can := request.EasingOf(budget); can {
			changes = append(changes, request.Patch(on, request.Operation{
				Op: "replace", Path: "/spec/" + eased.Field, Value: eased.To,
			}))
		}
		for _, q := range changes {
			with := d
			with.before = []request.Request{q}
			all = append(all, key{Unlock{Kubectl: []string{q.Kubectl()}}, with})
		}
	}
	return all
}

// oneMore is a request for one more replica of the workload of a pod, and the one that takes it back.
func (r *run) oneMore(p *corev1.Pod) (more, back request.Request, can bool) { return r.scaleBy(p, 1) }

// scaleBy is a request for more replicas of the workload of a pod, and the one that takes them back.
func (r *run) scaleBy(p *corev1.Pod, by int32) (more, back request.Request, can bool) {
	c := metav1.GetControllerOf(p)
	if c == nil {
		return more, back, false
	}
	on := request.Object{Kind: cluster.Kind(c.Kind), Namespace: p.Namespace, Name: c.Name}
	found, is := manager.ObjectsOf(r.p).Find(on)
	if set, ofSet := found.(*appsv1.ReplicaSet); is && ofSet {
		if d := metav1.GetControllerOf(set); d != nil && d.Kind == string(owner.KindDeployment) {
			on.Kind, on.Name = owner.KindDeployment, d.Name
			found, is = manager.ObjectsOf(r.p).Find(on)
		}
	}
	var n int32
	switch w := found.(type) {
	case *appsv1.Deployment:
		n = ptr.Deref(w.Spec.Replicas, 1)
	case *appsv1.ReplicaSet:
		n = ptr.Deref(w.Spec.Replicas, 1)
	case *appsv1.StatefulSet:
		n = ptr.Deref(w.Spec.Replicas, 1)
	default:
		return more, back, false
	}
	return request.Scale(on, n+by), request.Scale(on, n), is
}
