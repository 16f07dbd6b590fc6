package manager

import (
	"cmp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Denied is a controller whose pods the API server does not let it make, for a quota.
type Denied struct {
	Kind    cluster.Kind
	Key     string // namespace/name
	Missing int    // pods that it wants and has not
	Before  int    // those that it had not at the start
	Why     request.OverQuota
}

// On is the controller.
func (d Denied) On() request.Object {
	namespace, name, _ := strings.Cut(d.Key, "/")
	return request.Object{Kind: d.Kind, Namespace: namespace, Name: name}
}

// Raise is the request that has the quota allow so many pods more of the controller; false where the pods name too
// little for the quota, which no amount mends.
func (d Denied) Raise(pods int) (r request.Request, is bool) {
	on := request.Object{Kind: request.KindQuota, Namespace: d.On().Namespace, Name: d.Why.Quota}
	return request.Patch(on, request.Raised(d.Why.For(pods))...), len(d.Why.Raise) > 0
}

// denial is the last refusal of a controller's pod.
type denial struct {
	since time.Time // of the first one in a row
	why   request.OverQuota
}

// OverQuota is why a quota of its namespace does not let a pod be made at a moment; nil: none is in the way. What a
// quota had used at the start beyond the pods of the input is used still.
func (m *Manager) OverQuota(p *corev1.Pod, now time.Time) *request.OverQuota {
	var refused *request.OverQuota
	m.eachQuota(p.Namespace, func(q *corev1.ResourceQuota) {
		if refused == nil && request.Scoped(q, p) {
			used := m.used(q, now)
			hidden, _ := m.hidden.get(q.Namespace + "/" + q.Name)
			if list, is := hidden.(corev1.ResourceList); is {
				add(used, list)
			}
			refused = request.QuotaRefuses(q, used, p, now)
		}
	})
	return refused
}

// eachQuota calls f with the quotas of a namespace, by name.
func (m *Manager) eachQuota(namespace string, f func(*corev1.ResourceQuota)) {
	m.workloads.under(idOf(request.KindQuota, namespace+"/"), func(_ string, o any) {
		if q, is := o.(*corev1.ResourceQuota); is {
			f(q)
		}
	})
}

// hasQuota reports whether a namespace has a quota.
func (m *Manager) hasQuota(namespace string) (is bool) {
	m.eachQuota(namespace, func(*corev1.ResourceQuota) { is = true })
	return is
}

// charge keeps a pod as long as it is there, if its namespace has a quota.
func (m *Manager) charge(action cluster.Action, p *corev1.Pod) {
	switch {
	case action == cluster.Delete:
		m.charged.delete(cluster.Key(p))
	case m.hasQuota(p.Namespace):
		m.charged.set(cluster.Key(p), p)
	}
}

// used is what the pods of a namespace take of a quota.
func (m *Manager) used(q *corev1.ResourceQuota, now time.Time) corev1.ResourceList {
	used := corev1.ResourceList{}
	m.charged.under(q.Namespace+"/", func(_ string, o any) {
		if p, is := o.(*corev1.Pod); is && request.Scoped(q, p) {
			add(used, request.Charge(p, now))
		}
	})
	return used
}

func add(into, amounts corev1.ResourceList) {
	for name, amount := range amounts {
		sum := into[name].DeepCopy()
		sum.Add(amount)
		into[name] = sum
	}
}

// learnQuotas remembers what quotas have used at the start by what the input does not show.
func (m *Manager) learnQuotas(now time.Time) {
	m.workloads.under(string(request.KindQuota)+"/", func(_ string, o any) {
		q, is := o.(*corev1.ResourceQuota)
		if !is {
			return
		}
		shown, hidden := m.used(q, now), corev1.ResourceList{}
		for name, amount := range q.Status.Used {
			more := amount.DeepCopy()
			if more.Sub(shown[name]); more.Sign() > 0 {
				hidden[name] = more
			}
		}
		m.hidden.set(q.Namespace+"/"+q.Name, hidden)
	})
}

// deny notes that a controller may not make a pod.
func (m *Manager) deny(controller string, p *corev1.Pod, why request.OverQuota, by *play.Client) {
	id := ownerOf(p)
	by.Note(controller, "may not create, for a quota,", "Pod "+cluster.Key(p))
	d := denial{since: by.Now(), why: why}
	if before, is := m.denied.get(id); is {
		if last, typed := before.(denial); typed {
			d.since = last.since
		}
	}
	m.denied.set(id, d)
}

// The delays of a key that fails again and again (DefaultTypedControllerRateLimiter, client-go 0.37): the first, and
// the longest.
const (
	firstRetry   = 5 * time.Millisecond
	longestRetry = 1000 * time.Second
)

// denyAtStart finds the controllers that lack pods at the start because a quota did not let them be made.
func (m *Manager) denyAtStart(by *play.Client) {
	state := by.State()
	try := func(kind cluster.Kind, o cluster.Object, version string, template *corev1.PodTemplateSpec) {
		id, n := idOf(kind, cluster.Key(o)), m.missing(kind, cluster.Key(o), state)
		if n <= 0 || !m.hasQuota(o.GetNamespace()) {
			return
		}
		p := of(template, refTo(o, version, kind), o.GetNamespace(), "", nil, by)
		if sibling := m.siblingOf(id, by); sibling != nil {
			p = like(sibling)
		}
		p.Name = o.GetName() + "-?????"
		if why := m.OverQuota(p, by.Now()); why != nil {
			m.denied.set(id, denial{since: by.Now(), why: *why})
			m.lacked.set(id, n)
		}
	}
	state.Objects().ReplicaSets.Each(func(set *appsv1.ReplicaSet) bool {
		try(cluster.KindReplicaSet, set, appsv1.SchemeGroupVersion.String(), &set.Spec.Template)
		return true
	})
	state.Objects().ReplicationControllers.Each(func(rc *corev1.ReplicationController) bool {
		if rc.Spec.Template != nil {
			try(cluster.KindReplicationController, rc, "v1", rc.Spec.Template)
		}
		return true
	})
	state.Objects().StatefulSets.Each(func(set *appsv1.StatefulSet) bool {
		try(cluster.KindStatefulSet, set, appsv1.SchemeGroupVersion.String(), &set.Spec.Template)
		return true
	})
	m.workloads.under(string(owner.KindJob)+"/", func(_ string, o any) {
		if job, is := o.(*batchv1.Job); is && !isOver(job) && !ptr.Deref(job.Spec.Suspend, false) {
			try(owner.KindJob, job, batchv1.SchemeGroupVersion.String(), &job.Spec.Template)
		}
	})
}

// published is a quota as its controller shows it: what was written is what it allows.
func published(q *corev1.ResourceQuota) *corev1.ResourceQuota {
	q = q.DeepCopy()
	q.Status.Hard = q.Spec.Hard
	return q
}

// freed has the controllers try again that a quota of a namespace was in the way of, each when its next try comes: a
// try before anything has changed would be refused again.
func (m *Manager) freed(namespace string, by *play.Client) {
	var ids []string
	m.denied.under("", func(id string, _ any) {
		if _, key := split(id); strings.HasPrefix(key, namespace+"/") {
			ids = append(ids, id)
		}
	})
	for _, id := range ids {
		last, _ := m.denied.get(id)
		d, is := last.(denial)
		if !is {
			continue
		}
		at, delay := d.since, firstRetry
		for !at.After(by.Now()) {
			at, delay = at.Add(delay), min(2*delay, longestRetry)
		}
		m.enqueue(by, id, at.Sub(by.Now()))
	}
}

// Denied are the controllers that lack pods which a quota does not let them make, by kind and key.
func (m *Manager) Denied(state *cluster.State) []Denied {
	var all []Denied
	m.denied.under("", func(id string, o any) {
		d, is := o.(denial)
		if !is {
			return
		}
		kind, key := split(id)
		if n := m.missing(kind, key, state); n > 0 {
			before, _ := m.lacked.get(id)
			lacked, _ := before.(int)
			all = append(all, Denied{Kind: kind, Key: key, Missing: n, Before: lacked, Why: d.why})
		}
	})
	slices.SortFunc(all, func(a, b Denied) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key)) })
	return all
}

// missing is how many pods a controller wants and has not; of one whose number is not known 1.
func (m *Manager) missing(kind cluster.Kind, key string, state *cluster.State) int {
	has := len(active(m.podsOf(idOf(kind, key), state)))
	switch kind {
	case cluster.KindReplicaSet:
		if set, is := found[*appsv1.ReplicaSet](m, state, kind, key); is {
			return int(ptr.Deref(set.Spec.Replicas, 1)) - has
		}
	case cluster.KindReplicationController:
		if set, is := found[*corev1.ReplicationController](m, state, kind, key); is {
			return int(ptr.Deref(set.Spec.Replicas, 1)) - has
		}
	case cluster.KindStatefulSet:
		if set, is := found[*appsv1.StatefulSet](m, state, kind, key); is {
			return int(ptr.Deref(set.Spec.Replicas, 1)) - has
		}
	case owner.KindJob:
		if job, is := found[*batchv1.Job](m, state, kind, key); is {
			return wantedOf(job) - has
		}
	}
	return 1
}
