package manager

import (
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// New is the controllers of a cluster as it is now. workloads are the Deployments, DaemonSets and Jobs of the input,
// which no scheduler reads; what owns a pod and is not there is assumed to be as its pods are.
func New(timing Timing, workloads []cluster.Object, state *cluster.State) *Manager {
	m := &Manager{timing: timing}
	for _, o := range workloads {
		switch w := o.(type) {
		case *appsv1.Deployment:
			m.workloads.set(idOf(owner.KindDeployment, cluster.Key(w)), w)
		case *appsv1.DaemonSet:
			m.workloads.set(idOf(owner.KindDaemonSet, cluster.Key(w)), w)
		case *batchv1.Job:
			m.workloads.set(idOf(owner.KindJob, cluster.Key(w)), w)
		case *corev1.ResourceQuota:
			m.workloads.set(idOf(request.KindQuota, cluster.Key(w)), w)
		}
	}
	m.selects = selectedBy(state)
	state.Objects().DisruptionBudgets.Each(func(b *policyv1.PodDisruptionBudget) bool {
		m.seeBudget(b)
		return true
	})
	var owners []string
	seen, took := map[string]bool{}, map[string][]time.Duration{}
	state.EachPod(func(p *cluster.Pod) bool {
		m.charge(cluster.Add, p.API)
		m.label(cluster.Add, p.API)
		m.place(cluster.Add, p.API)
		id := ownerOf(p.API)
		if id == "" {
			return true
		}
		m.pods.set(id+"\x00"+p.Key, p.Key)
		if !seen[id] {
			seen[id] = true
			owners = append(owners, id)
		}
		if d, is := tookOf(p.API); is {
			took[id] = append(took[id], d)
		}
		return true
	})
	slices.Sort(owners)
	for _, id := range owners {
		if all := took[id]; len(all) > 0 {
			slices.Sort(all)
			m.took.set(id, all[len(all)/2])
		}
	}
	m.assume(owners, state)
	m.begin(state)
	m.learnClaims(state)
	return m
}

// Begin has the disruption budgets worked out, whose status an input need not have, and the pods stopped that are being
// deleted in it.
func (m *Manager) Begin(by *play.Client) {
	m.learnQuotas(by.Now())
	m.denyAtStart(by)
	by.State().Objects().DisruptionBudgets.Each(func(b *policyv1.PodDisruptionBudget) bool {
		m.enqueue(by, idOf(cluster.KindDisruptionBudget, cluster.Key(b)), syncDelay)
		return true
	})
	by.State().EachPod(func(p *cluster.Pod) bool {
		if p.Terminating() {
			m.attend(cluster.Update, p.API, by)
		}
		return true
	})
}

// mostReady is the longest time until a pod was Ready that is taken from the input: longer ones are of pods that were
// Ready before.
const mostReady = 10 * time.Minute

// tookOf is how long a pod took to get Ready; false where its status does not show it.
func tookOf(p *corev1.Pod) (time.Duration, bool) {
	at := owner.ReadySince(p)
	if at.IsZero() || p.Status.StartTime == nil {
		return 0, false
	}
	d := at.Sub(p.Status.StartTime.Time)
	return d, d >= 0 && d <= mostReady
}

// begin remembers what was current at the start.
func (m *Manager) begin(state *cluster.State) {
	m.workloads.under(string(owner.KindDeployment)+"/", func(_ string, o any) {
		if d, is := o.(*appsv1.Deployment); is {
			m.begun.set(cluster.Key(d), beginning{&d.Spec.Template, m.current(d, state)})
		}
	})
	m.workloads.under(string(owner.KindDaemonSet)+"/", func(id string, o any) {
		if set, is := o.(*appsv1.DaemonSet); is {
			m.begun.set(id, &set.Spec.Template)
		}
	})
	add := func(set *appsv1.StatefulSet) bool {
		m.begun.set(idOf(cluster.KindStatefulSet, cluster.Key(set)), &set.Spec.Template)
		return true
	}
	m.workloads.under(string(cluster.KindStatefulSet)+"/", func(_ string, o any) {
		if set, is := o.(*appsv1.StatefulSet); is {
			add(set)
		}
	})
	state.Objects().StatefulSets.Each(add)
}

// current is the ReplicaSet of a Deployment that was made last, by its revision; then the one that wants most pods.
func (m *Manager) current(d *appsv1.Deployment, state *cluster.State) string {
	of, best := idOf(owner.KindDeployment, cluster.Key(d)), (*appsv1.ReplicaSet)(nil)
	consider := func(set *appsv1.ReplicaSet) bool {
		if ownerOf(set) == of && (best == nil || revisionOf(set) > revisionOf(best)) {
			best = set
		}
		return true
	}
	state.Objects().ReplicaSets.EachIn(d.Namespace, consider)
	m.workloads.under(idOf(cluster.KindReplicaSet, d.Namespace+"/"), func(_ string, o any) {
		if set, is := o.(*appsv1.ReplicaSet); is {
			consider(set)
		}
	})
	if best == nil {
		return ""
	}
	return cluster.Key(best)
}

// assume makes the controllers that own pods and that the input has not: with as many pods as there are, of the
// template that the newest of them shows, and with the defaults of the API.
func (m *Manager) assume(owners []string, state *cluster.State) {
	count, unknown := 0, map[cluster.Kind]int{}
	for _, id := range owners {
		kind, key := split(id)
		pods := active(m.podsOf(id, state))
		if len(pods) == 0 {
			continue
		}
		newest := slices.MaxFunc(pods, func(a, b *corev1.Pod) int {
			return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
		})
		switch kind {
		case cluster.KindReplicaSet:
			if set, is := found[*appsv1.ReplicaSet](m, state, kind, key); is {
				m.assumeDeployment(set, state)
				continue
			}
			set := assumedSet(newest, key, len(pods))
			m.workloads.set(id, set)
			m.assumeDeployment(set, state)
			count++
		case cluster.KindStatefulSet:
			if _, is := found[*appsv1.StatefulSet](m, state, kind, key); !is {
				m.workloads.set(id, assumedStatefulSet(newest, pods))
				count++
			}
		case owner.KindDaemonSet:
			if _, is := m.workloads.get(id); !is {
				m.workloads.set(id, assumedDaemonSet(newest))
				count++
			}
		case owner.KindJob:
			if _, is := m.workloads.get(id); !is {
				m.workloads.set(id, assumedJob(newest, len(pods)))
				count++
			}
		case cluster.KindReplicationController, cluster.KindNode:
		default:
			unknown[kind]++
		}
	}
	if count > 0 {
		m.assumed = append(m.assumed, phrase.Count(count,
			"workload is not in the input: each wants the pods that it has, and rolls by the defaults of the API",
			"workloads are not in the input: each wants the pods that it has, and rolls by the defaults of the API"))
	}
	var kinds []string
	for kind := range unknown {
		kinds = append(kinds, string(kind))
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		m.assumed = append(m.assumed, phrase.Textf("pods of a %s are made again under their names when they are gone", kind))
	}
}

// bare is the template that a pod was made of, as far as the pod shows it.
func bare(p *corev1.Pod) corev1.PodTemplateSpec {
	fresh := like(p)
	for key := range fresh.Labels {
		if owner.OfPodLabel(key) != owner.User {
			delete(fresh.Labels, key)
		}
	}
	fresh.Spec.Hostname, fresh.Spec.Subdomain = "", ""
	fresh.Spec.Tolerations = owner.WrittenTolerations(fresh.Spec.Tolerations)
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: fresh.Labels, Annotations: fresh.Annotations}, Spec: fresh.Spec,
	}
}

// assumedMeta is the name of the controller of a pod.
func assumedMeta(p *corev1.Pod) metav1.ObjectMeta {
	c := metav1.GetControllerOf(p)
	return metav1.ObjectMeta{Namespace: p.Namespace, Name: c.Name, UID: c.UID}
}

func assumedSet(p *corev1.Pod, key string, pods int) *appsv1.ReplicaSet {
	n := int32(pods) //nolint:gosec // a cluster has fewer pods
	template := bare(p)
	set := &appsv1.ReplicaSet{ObjectMeta: assumedMeta(p), Spec: appsv1.ReplicaSetSpec{Replicas: &n, Template: template}}
	hash := p.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	metav1.SetMetaDataLabel(&set.Spec.Template.ObjectMeta, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: set.Spec.Template.Labels}
	if name, is := strings.CutSuffix(set.Name, "-"+hash); is && hash != "" {
		yes := true
		set.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: appsv1.SchemeGroupVersion.String(), Kind: string(owner.KindDeployment), Name: name,
			UID: types.UID("assumed-" + key), Controller: &yes,
		}}
	}
	return set
}

// assumeDeployment makes the Deployment of a ReplicaSet where the input has none.
func (m *Manager) assumeDeployment(set *appsv1.ReplicaSet, state *cluster.State) {
	id := ownerOf(set)
	kind, _ := split(id)
	if kind != owner.KindDeployment || m.workloads.has(id) {
		return
	}
	want := int32(0)
	add := func(s *appsv1.ReplicaSet) bool {
		if ownerOf(s) == id && s.Spec.Replicas != nil {
			want += *s.Spec.Replicas
		}
		return true
	}
	state.Objects().ReplicaSets.EachIn(set.Namespace, add)
	m.workloads.under(idOf(cluster.KindReplicaSet, set.Namespace+"/"), func(_ string, o any) {
		if s, is := o.(*appsv1.ReplicaSet); is {
			add(s)
		}
	})
	c := metav1.GetControllerOf(set)
	template := *set.Spec.Template.DeepCopy()
	delete(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	m.workloads.set(id, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: set.Namespace, Name: c.Name, UID: c.UID},
		Spec: appsv1.DeploymentSpec{
			Replicas: &want, Template: template, Selector: &metav1.LabelSelector{MatchLabels: template.Labels},
		},
	})
}

func assumedStatefulSet(newest *corev1.Pod, pods []*corev1.Pod) *appsv1.StatefulSet {
	meta := assumedMeta(newest)
	n := int32(0)
	for _, p := range pods {
		if o, is := ordinalOf(meta.Name, p.Name); is {
			n = max(n, int32(o)+1) //nolint:gosec // a cluster has fewer pods
		}
	}
	template := bare(newest)
	return &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
		Replicas: &n, Template: template, Selector: &metav1.LabelSelector{MatchLabels: template.Labels},
	}}
}

func assumedDaemonSet(p *corev1.Pod) *appsv1.DaemonSet {
	template := bare(p)
	if a := template.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil // the controller's pin
	}
	return &appsv1.DaemonSet{ObjectMeta: assumedMeta(p), Spec: appsv1.DaemonSetSpec{
		Template: template, Selector: &metav1.LabelSelector{MatchLabels: template.Labels},
	}}
}

func assumedJob(p *corev1.Pod, pods int) *batchv1.Job {
	n := int32(pods) //nolint:gosec // a cluster has fewer pods
	job := &batchv1.Job{ObjectMeta: assumedMeta(p), Spec: batchv1.JobSpec{Parallelism: &n, Template: bare(p)}}
	if index, is := p.Annotations[batchv1.JobCompletionIndexAnnotation]; is {
		if _, err := strconv.Atoi(index); err == nil {
			mode := batchv1.IndexedCompletion
			job.Spec.CompletionMode = &mode
		}
	}
	return job
}

// learnClaims remembers what the claims want that were made of templates.
func (m *Manager) learnClaims(state *cluster.State) {
	state.Objects().ResourceClaims.Each(func(c *resourcev1.ResourceClaim) bool {
		o := metav1.GetControllerOf(c)
		if o == nil || o.Kind != string(cluster.KindPod) {
			return true
		}
		p, is := state.Pod(c.Namespace + "/" + o.Name)
		if !is {
			return true
		}
		for _, s := range p.API.Status.ResourceClaimStatuses {
			if s.ResourceClaimName == nil || *s.ResourceClaimName != c.Name {
				continue
			}
			for _, use := range p.API.Spec.ResourceClaims {
				if use.Name == s.Name && use.ResourceClaimTemplateName != nil {
					m.claims.set(c.Namespace+"/"+*use.ResourceClaimTemplateName, c.Spec.DeepCopy())
				}
			}
		}
		return true
	})
}
