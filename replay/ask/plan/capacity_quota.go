package plan

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/request"
)

// mostRaises is how many times quotas are raised at most, each time for what refuses next.
const mostRaises = 16

// raises are what quotas of a namespace have to allow, by their names.
type raises map[string]corev1.ResourceList

// add has a quota that refused a pod allow so many of its kind. false where no amount mends it.
func (a raises) add(why *request.OverQuota, pods int) bool {
	if a[why.Quota] == nil {
		a[why.Quota] = corev1.ResourceList{}
	}
	maps.Copy(a[why.Quota], why.For(pods))
	return len(why.Raise) > 0
}

// requests are those that raise the quotas, by name.
func (a raises) requests(namespace string) []request.Request {
	var all []request.Request
	for _, name := range slices.Sorted(maps.Keys(a)) {
		on := request.Object{Kind: request.KindQuota, Namespace: namespace, Name: name}
		all = append(all, request.Patch(on, request.Raised(a[name])...))
	}
	return all
}

// liftQuotas finds how many more pods fit where the quotas of their namespace are raised, and by how much they have to
// be: that is run.
func (f *Fleet) liftQuotas(ctx context.Context, model *corev1.Pod, out *Capacity, count func()) {
	free, _ := f.addRaising(ctx, model, out.Greatest+lifted, count)
	more := free.placed - out.Greatest
	if more <= 0 || ctx.Err() != nil {
		return
	}
	with, before := f.addRaising(ctx, model, free.placed, count)
	if with.placed < free.placed || ctx.Err() != nil {
		return
	}
	l := Lift{More: more}
	var names []string
	for i := range before {
		names = append(names, before[i].On.Name)
		l.Kubectl = append(l.Kubectl, before[i].Kubectl())
	}
	l.What = "quota " + strings.Join(names, ", ")
	out.Lifts = append(out.Lifts, l)
}

// addRaising adds pods as add does. Each quota that does not let one be made is raised for all that are still to come,
// and they are added once more.
func (f *Fleet) addRaising(
	ctx context.Context, model *corev1.Pod, most int, count func(),
) (with added, before []request.Request) {
	raised := raises{}
	for range mostRaises {
		before = raised.requests(model.Namespace)
		with = f.add(ctx, model, most, 0, before...)
		count()
		if with.denied == nil || ctx.Err() != nil || !raised.add(with.denied, most-with.placed) {
			break
		}
	}
	return with, before
}

// raise finds the quotas that do not let the replicas be made that are wanted, and has them raised first.
func (w *wanted) raise(ctx context.Context, f *Fleet) error {
	if !slices.ContainsFunc(f.Workloads, func(o cluster.Object) bool {
		q, is := o.(*corev1.ResourceQuota)
		return is && q.Namespace == w.more.On.Namespace
	}) {
		return nil
	}
	raised := raises{}
	for range mostRaises {
		w.before = raised.requests(w.more.On.Namespace)
		r := f.readied(ctx, 1, 0)
		if _, err := w.grow(r); err != nil {
			return err
		}
		d, is := r.refusal()
		if !is || ctx.Err() != nil || !raised.add(&d.of.Why, d.Missing) {
			break
		}
		w.quotas = append(w.quotas, d.Message)
	}
	return ctx.Err()
}

// refusal is the first workload that lacks more pods for a quota than before the plan; false where none does.
func (r *run) refusal() (d Denied, is bool) {
	all := r.denied()
	if i := slices.IndexFunc(all, Denied.isNew); i >= 0 {
		return all[i], true
	}
	return Denied{}, false
}
