package manager

import (
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
)

// How long the controller of Jobs waits (pkg/controller/job, 1.37): for more events before it looks, and for a pod in
// the place of one that failed.
const (
	jobDelay     = time.Second
	firstBackoff = 10 * time.Second
	mostBackoff  = 10 * time.Minute
)

// count keeps how many pods of a Job have failed. A pod that is deleted counts at once, or with podReplacementPolicy
// Failed (the default where there is a podFailurePolicy) when it has ended; one that a rule ignores does not count.
func (m *Manager) count(action cluster.Action, id string, p *corev1.Pod) {
	kind, key := split(id)
	kept, is := m.workloads.get(id)
	job, typed := kept.(*batchv1.Job)
	if kind != owner.KindJob || !is || !typed || m.counted.has(string(p.UID)) {
		return
	}
	ended := action == cluster.Delete || p.Status.Phase == corev1.PodFailed
	done := p.Status.Phase == corev1.PodSucceeded
	going := p.DeletionTimestamp != nil && !waitsForEnd(job)
	if !ended && !done && !going {
		return
	}
	m.counted.set(string(p.UID), true)
	m.noteEnd(id, job, p, done)
	if !done && isIgnored(job, p) {
		return
	}
	after := job.DeepCopy()
	if done {
		after.Status.Succeeded++
	} else {
		after.Status.Failed++
	}
	m.workloads.set(idOf(kind, key), after)
}

// failures are those of a Job since a pod of it succeeded.
type failures struct {
	count int32
	last  time.Time // when the last pod ended
}

// noteEnd keeps how many pods of a Job have failed in a row, and when. Failures that the input has count, as in a
// controller that saw them.
func (m *Manager) noteEnd(id string, job *batchv1.Job, p *corev1.Pod, done bool) {
	if done {
		m.failed.set(id, failures{})
		return
	}
	f := failures{count: job.Status.Failed}
	if known, is := m.failed.get(id); is {
		f, _ = known.(failures)
	}
	m.failed.set(id, failures{f.count + 1, endOf(p)})
}

// endOf is when a pod ended, as the controller of Jobs sees it (getFinishedTime, pkg/controller/job, 1.37): when its
// last container did, it was no longer Ready, or its deletion began.
func endOf(p *corev1.Pod) time.Time {
	var at time.Time
	for i := range p.Status.ContainerStatuses {
		t := p.Status.ContainerStatuses[i].State.Terminated
		if t == nil {
			at = time.Time{}
			break
		}
		if t.FinishedAt.After(at) {
			at = t.FinishedAt.Time
		}
	}
	for _, c := range p.Status.Conditions {
		if at.IsZero() && c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse {
			at = c.LastTransitionTime.Time
		}
	}
	switch {
	case !at.IsZero():
		return at
	case p.DeletionTimestamp != nil:
		return p.DeletionTimestamp.Add(-time.Duration(ptr.Deref(p.DeletionGracePeriodSeconds, 0)) * time.Second)
	}
	return p.CreationTimestamp.Time
}

func waitsForEnd(job *batchv1.Job) bool {
	policy := job.Spec.PodReplacementPolicy
	if policy == nil {
		return job.Spec.PodFailurePolicy != nil
	}
	return *policy == batchv1.Failed
}

// isIgnored reports whether a rule of the failure policy ignores a pod that was disrupted.
func isIgnored(job *batchv1.Job, p *corev1.Pod) bool {
	if job.Spec.PodFailurePolicy == nil {
		return false
	}
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		for _, want := range rule.OnPodConditions {
			for _, has := range p.Status.Conditions {
				if has.Type == want.Type && has.Status == want.Status {
					return rule.Action == batchv1.PodFailurePolicyActionIgnore
				}
			}
		}
	}
	return false
}

// syncJob makes pods until the Job has its parallelism, some time after failures; too many of them end the Job.
func (m *Manager) syncJob(key string, by *play.Client) {
	job, is := found[*batchv1.Job](m, by.State(), owner.KindJob, key)
	if !is || ptr.Deref(job.Spec.Suspend, false) || isOver(job) {
		return
	}
	id := idOf(owner.KindJob, key)
	all := m.podsOf(id, by.State())
	has := active(all)
	if job.Status.Failed > ptr.Deref(job.Spec.BackoffLimit, 6) {
		m.endJob(job, has, by)
		return
	}
	busy := len(has)
	if waitsForEnd(job) {
		busy = len(all)
	}
	want := wantedOf(job)
	if busy >= want {
		return
	}
	if wait := m.backoffOf(id, by.Now()); wait > 0 {
		m.enqueue(by, id, wait)
		return
	}
	m.startPods(job, id, has, want-busy, by)
}

// wantedOf is how many pods of a Job are to run at the same time: no more than completions are missing.
func wantedOf(job *batchv1.Job) int {
	want := int(ptr.Deref(job.Spec.Parallelism, 1))
	if c := job.Spec.Completions; c != nil {
		want = min(want, max(int(*c-job.Status.Succeeded), 0))
	}
	return want
}

// startPods makes pods of a Job; those of an indexed one take the indexes that no pod has.
func (m *Manager) startPods(job *batchv1.Job, id string, has []*corev1.Pod, count int, by *play.Client) {
	taken := map[string]bool{}
	for _, p := range has {
		taken[p.Annotations[batchv1.JobCompletionIndexAnnotation]] = true
	}
	sibling := m.siblingOf(id, by)
	indexed := ptr.Deref(job.Spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
	for number := 0; count > 0; number++ {
		index := strconv.Itoa(number)
		if indexed && taken[index] {
			continue
		}
		var p *corev1.Pod
		if sibling != nil {
			p = like(sibling)
		} else {
			p = of(&job.Spec.Template, refTo(job, batchv1.SchemeGroupVersion.String(), owner.KindJob), job.Namespace, "",
				nil, by)
			p.Labels[batchv1.JobNameLabel] = job.Name
		}
		p.Name = m.name(id, job.Name, by, job.Namespace)
		if indexed {
			p.Labels[batchv1.JobCompletionIndexAnnotation] = index
			metav1.SetMetaDataAnnotation(&p.ObjectMeta, batchv1.JobCompletionIndexAnnotation, index)
		}
		if !m.create("job", p, by) {
			return
		}
		count--
	}
}

// backoffOf is how much longer a Job makes no pod: 10 s after its first failure, and twice as long after each other.
func (m *Manager) backoffOf(id string, now time.Time) time.Duration {
	known, _ := m.failed.get(id)
	f, is := known.(failures)
	if !is || f.count == 0 {
		return 0
	}
	wait := firstBackoff
	for range min(f.count-1, 10) {
		wait = min(2*wait, mostBackoff)
	}
	return f.last.Add(wait).Sub(now)
}

func isOver(job *batchv1.Job) bool {
	for i := range job.Status.Conditions {
		c := &job.Status.Conditions[i]
		if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
			return true
		}
	}
	return false
}

// endJob ends a Job of which too many pods have failed, and its pods.
func (m *Manager) endJob(job *batchv1.Job, pods []*corev1.Pod, by *play.Client) {
	over := job.DeepCopy()
	over.Status.Conditions = append(over.Status.Conditions, batchv1.JobCondition{
		Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded,
	})
	m.workloads.set(idOf(owner.KindJob, cluster.Key(job)), over)
	by.Note("job", "ends, because its backoffLimit is exceeded,", "Job "+cluster.Key(job))
	for _, p := range pods {
		m.delete("job", p, by)
	}
}
