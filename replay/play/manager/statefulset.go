package manager

import (
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// ordered is one sync of a StatefulSet.
type ordered struct {
	*Manager
	by       *play.Client
	of       *appsv1.StatefulSet
	id       string
	replicas []*corev1.Pod // by ordinal from the first on; nil where there is none
	more     []*corev1.Pod // beyond the last ordinal, the highest first
	revision string        // of the template
	rolls    bool          // the template is another one than at the start
	first    int
}

// syncStatefulSet goes on as far as is possible now: pods are made, in order unless the set is Parallel, then those
// beyond the last ordinal are deleted, then those of a former template, the highest ordinal first
// (pkg/controller/statefulset, 1.37).
func (m *Manager) syncStatefulSet(key string, by *play.Client) {
	set, is := found[*appsv1.StatefulSet](m, by.State(), cluster.KindStatefulSet, key)
	if !is || set.DeletionTimestamp != nil {
		return
	}
	s := &ordered{Manager: m, by: by, of: set, id: idOf(cluster.KindStatefulSet, key)}
	s.gather(key)
	if !s.fill() || !s.shrink() {
		return
	}
	if s.of.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType {
		s.roll()
	}
}

func (s *ordered) gather(key string) {
	if o := s.of.Spec.Ordinals; o != nil {
		s.first = int(o.Start)
	}
	s.replicas = make([]*corev1.Pod, ptr.Deref(s.of.Spec.Replicas, 1))
	for _, p := range s.podsOf(s.id, s.by.State()) {
		n, is := ordinalOf(s.of.Name, p.Name)
		if !is {
			continue
		}
		if at := n - s.first; at >= 0 && at < len(s.replicas) {
			s.replicas[at] = p
			continue
		}
		s.more = append(s.more, p)
	}
	slices.SortFunc(s.more, func(a, b *corev1.Pod) int {
		x, _ := ordinalOf(s.of.Name, a.Name)
		y, _ := ordinalOf(s.of.Name, b.Name)
		return y - x
	})
	begun, is := s.begun.get(idOf(cluster.KindStatefulSet, key))
	was, typed := begun.(*corev1.PodTemplateSpec)
	s.rolls = is && typed && !equality.Semantic.DeepEqual(*was, s.of.Spec.Template)
	s.revision = s.of.Name + "-" + templateHash(&s.of.Spec.Template)
}

func ordinalOf(set, pod string) (int, bool) {
	rest, is := strings.CutPrefix(pod, set+"-")
	n, err := strconv.Atoi(rest)
	return n, is && err == nil
}

// inOrder reports whether one pod waits for the one before it.
func (s *ordered) inOrder() bool {
	return s.of.Spec.PodManagementPolicy != appsv1.ParallelPodManagement
}

func (s *ordered) isUp(p *corev1.Pod) bool {
	return p != nil && p.DeletionTimestamp == nil && isAvailable(p, s.of.Spec.MinReadySeconds, s.by.Now())
}

// fill makes the pods that are missing; false when the set goes no further by now.
func (s *ordered) fill() bool {
	for i, p := range s.replicas {
		switch {
		case p == nil:
			s.createAt(s.first + i)
			if s.inOrder() {
				return false
			}
		case !s.isUp(p) && s.inOrder():
			s.later(p)
			return false
		}
	}
	return true
}

// later has the set looked at again when a pod that is Ready becomes available. One that is being deleted never does:
// its end is an event.
func (s *ordered) later(p *corev1.Pod) {
	if at := owner.ReadySince(p); request.IsReady(p) && !at.IsZero() && p.DeletionTimestamp == nil {
		s.enqueue(s.by, s.id, at.Add(time.Duration(s.of.Spec.MinReadySeconds)*time.Second).Sub(s.by.Now())+syncDelay)
	}
}

// createAt makes the pod of an ordinal and the claims that it mounts. Its template is that of the set, or that which
// the pod had before, below the partition of a rollout.
func (s *ordered) createAt(ordinal int) {
	name := s.of.Name + "-" + strconv.Itoa(ordinal)
	before, was := s.last.get(s.id + "\x00" + s.of.Namespace + "/" + name)
	last, typed := before.(*corev1.Pod)
	if was && typed && (!s.rolls || ordinal < s.first+s.partition()) {
		s.create("statefulset", like(last), s.by)
		return
	}
	sibling := s.siblingOf(s.id, s.by)
	p := of(&s.of.Spec.Template, refTo(s.of, appsv1.SchemeGroupVersion.String(), cluster.KindStatefulSet),
		s.of.Namespace, name, sibling, s.by)
	p.Labels[appsv1.StatefulSetPodNameLabel], p.Labels[appsv1.PodIndexLabel] = name, strconv.Itoa(ordinal)
	p.Labels[appsv1.ControllerRevisionHashLabelKey] = s.revision
	p.Spec.Hostname, p.Spec.Subdomain = name, s.of.Spec.ServiceName
	for i := range s.of.Spec.VolumeClaimTemplates {
		s.mount(p, &s.of.Spec.VolumeClaimTemplates[i])
	}
	s.create("statefulset", p, s.by)
}

// mount gives a pod its claim; one that is there already is taken again.
func (s *ordered) mount(p *corev1.Pod, template *corev1.PersistentVolumeClaim) {
	claim := template.DeepCopy()
	claim.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: string(cluster.KindVolumeClaim)}
	claim.Namespace, claim.Name = p.Namespace, template.Name+"-"+p.Name
	claim.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
	if _, exists := s.by.State().Objects().VolumeClaims.Find(cluster.Key(claim)); !exists {
		s.by.Note("statefulset", "creates", "PersistentVolumeClaim "+cluster.Key(claim))
		s.by.Write(cluster.Add, claim)
	}
	p.Spec.Volumes = slices.DeleteFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == template.Name })
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: template.Name, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
	}})
}

// shrink deletes what is beyond the last ordinal; false when the set waits for one of them.
func (s *ordered) shrink() bool {
	for _, p := range s.more {
		if p.DeletionTimestamp == nil {
			s.delete("statefulset", p, s.by)
		}
		if s.inOrder() {
			return false
		}
	}
	return true
}

// partition is the number of pods, from the first on, that keep their former template.
func (s *ordered) partition() int {
	if r := s.of.Spec.UpdateStrategy.RollingUpdate; r != nil {
		return int(ptr.Deref(r.Partition, 0))
	}
	return 0
}

// roll deletes pods of a former template, as many as may be missing at once.
func (s *ordered) roll() {
	if !s.rolls {
		return
	}
	may := 1
	if r := s.of.Spec.UpdateStrategy.RollingUpdate; r != nil && r.MaxUnavailable != nil {
		n, err := intstr.GetScaledValueFromIntOrPercent(r.MaxUnavailable, len(s.replicas), true)
		if err == nil {
			may = max(n, 1)
		}
	}
	for _, p := range s.replicas {
		if !s.isUp(p) {
			may--
		}
	}
	for at, p := range slices.Backward(s.replicas) {
		if p == nil || at < s.partition() || p.Labels[appsv1.ControllerRevisionHashLabelKey] == s.revision ||
			p.DeletionTimestamp != nil {
			continue
		}
		down := !s.isUp(p) // in a Parallel set those go first and count for nothing
		if may <= 0 && !down {
			continue
		}
		s.delete("statefulset", p, s.by)
		if !down {
			may--
		}
	}
}
