package manager

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
)

// beginning is a Deployment as it was at the start, and the ReplicaSet of its template then. Templates are compared
// with it, because what an input leaves out of one of them is no rollout.
type beginning struct {
	template *corev1.PodTemplateSpec
	set      string // key of the ReplicaSet; "" none
}

// revisionOf is the number of a ReplicaSet among those of its Deployment; 0 where it has none.
func revisionOf(set *appsv1.ReplicaSet) int {
	n, _ := strconv.Atoi(set.Annotations["deployment.kubernetes.io/revision"])
	return n
}

// rollout is one sync of a Deployment.
type rollout struct {
	*Manager
	by     *play.Client
	of     *appsv1.Deployment
	want   int
	sets   []*appsv1.ReplicaSet // all of it, the oldest first
	newest *appsv1.ReplicaSet   // that of the template; nil: there is none yet
}

// syncDeployment goes on with a rollout as far as is possible now (pkg/controller/deployment, 1.37).
func (m *Manager) syncDeployment(key string, by *play.Client) {
	d, is := found[*appsv1.Deployment](m, by.State(), owner.KindDeployment, key)
	if !is {
		return
	}
	r := &rollout{Manager: m, by: by, of: d, want: int(ptr.Deref(d.Spec.Replicas, 1))}
	r.gather(key)
	if d.Spec.Paused {
		r.scaleOnly()
		return
	}
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		r.recreate()
		return
	}
	if r.newest == nil {
		r.begin()
		return
	}
	if !r.up() {
		r.down()
	}
}

// gather finds the ReplicaSets.
func (r *rollout) gather(key string) {
	of := idOf(owner.KindDeployment, key)
	seen := map[string]bool{}
	add := func(set *appsv1.ReplicaSet) {
		if k := cluster.Key(set); ownerOf(set) == of && !seen[k] {
			seen[k] = true
			r.sets = append(r.sets, set)
		}
	}
	r.workloads.under(idOf(cluster.KindReplicaSet, r.of.Namespace+"/"), func(_ string, o any) {
		if set, is := o.(*appsv1.ReplicaSet); is {
			add(set)
		}
	})
	r.by.State().Objects().ReplicaSets.EachIn(r.of.Namespace, func(set *appsv1.ReplicaSet) bool {
		add(set)
		return true
	})
	slices.SortStableFunc(r.sets, func(a, b *appsv1.ReplicaSet) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	begun, _ := r.begun.get(key)
	was, is := begun.(beginning)
	for _, set := range r.sets {
		if is && equality.Semantic.DeepEqual(*was.template, r.of.Spec.Template) {
			if cluster.Key(set) == was.set {
				r.newest = set
				return
			}
			continue
		}
		if same(&set.Spec.Template, &r.of.Spec.Template) && !(is && cluster.Key(set) == was.set) {
			r.newest = set
			return
		}
	}
}

// same reports whether a ReplicaSet was made of a template.
func same(a, b *corev1.PodTemplateSpec) bool {
	one := a.DeepCopy()
	delete(one.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	other := b.DeepCopy()
	delete(other.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	return equality.Semantic.DeepEqual(one, other)
}

// parts are how many pods may be there beside those that are wanted, and how many may be missing.
func (r *rollout) parts() (surge, unavailable int) {
	some := intstr.FromString("25%")
	more, less := &some, &some
	if u := r.of.Spec.Strategy.RollingUpdate; u != nil {
		if u.MaxSurge != nil {
			more = u.MaxSurge
		}
		if u.MaxUnavailable != nil {
			less = u.MaxUnavailable
		}
	}
	surge, _ = intstr.GetScaledValueFromIntOrPercent(more, r.want, true)        // the API server checked it
	unavailable, _ = intstr.GetScaledValueFromIntOrPercent(less, r.want, false) // likewise
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return surge, min(unavailable, r.want)
}

func (r *rollout) replicas(sets ...*appsv1.ReplicaSet) (sum int) {
	for _, set := range sets {
		sum += int(ptr.Deref(set.Spec.Replicas, 1))
	}
	return sum
}

func (r *rollout) available(sets ...*appsv1.ReplicaSet) (sum int) {
	for _, set := range sets {
		for _, p := range active(r.podsOf(idOf(cluster.KindReplicaSet, cluster.Key(set)), r.by.State())) {
			if isAvailable(p, r.of.Spec.MinReadySeconds, r.by.Now()) {
				sum++
			}
		}
	}
	return sum
}

// older are the ReplicaSets of former templates that still want pods.
func (r *rollout) older() []*appsv1.ReplicaSet {
	var all []*appsv1.ReplicaSet
	for _, set := range r.sets {
		if set != r.newest && r.replicas(set) > 0 {
			all = append(all, set)
		}
	}
	return all
}

// begin makes the ReplicaSet of a new template, with as many pods as may be there by now.
func (r *rollout) begin() {
	surge, _ := r.parts()
	r.make(max(min(r.want+surge-r.replicas(r.sets...), r.want), 0))
}

func (r *rollout) make(replicas int) {
	hash := templateHash(&r.of.Spec.Template)
	template := r.of.Spec.Template.DeepCopy()
	metav1.SetMetaDataLabel(&template.ObjectMeta, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	revision := 0
	for _, set := range r.sets {
		revision = max(revision, revisionOf(set))
	}
	n := int32(replicas) //nolint:gosec // it came from an int32
	set := &appsv1.ReplicaSet{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: string(cluster.KindReplicaSet)},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: r.of.Namespace, Name: r.of.Name + "-" + hash, Labels: maps.Clone(template.Labels),
			Annotations:       map[string]string{"deployment.kubernetes.io/revision": strconv.Itoa(revision + 1)},
			CreationTimestamp: metav1.Time{Time: r.by.Now()},
			OwnerReferences: []metav1.OwnerReference{
				refTo(r.of, appsv1.SchemeGroupVersion.String(), owner.KindDeployment),
			},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &n, Template: *template, MinReadySeconds: r.of.Spec.MinReadySeconds,
			Selector: metav1.AddLabelToSelector(
				r.of.Spec.Selector.DeepCopy(), appsv1.DefaultDeploymentUniqueLabelKey, hash,
			),
		},
	}
	r.by.Note("deployment", phrase.Textf("creates, for %d pods,", replicas), "ReplicaSet "+cluster.Key(set))
	r.by.Write(cluster.Add, set)
}

// templateHash stands for a template in names and labels. kube-controller-manager hashes other bytes.
func templateHash(template *corev1.PodTemplateSpec) string {
	text, err := json.Marshal(template)
	if err != nil {
		panic(fmt.Sprintf("a pod template cannot be written: %v", err))
	}
	sum := fnv.New32a()
	_, _ = sum.Write(text) // a hash takes everything
	return rand.SafeEncodeString(strconv.FormatUint(uint64(sum.Sum32()), 10))
}

// scale sets how many pods a ReplicaSet wants.
func (r *rollout) scale(set *appsv1.ReplicaSet, to int) {
	n := int32(to) //nolint:gosec // it came from an int32
	scaled := set.DeepCopy()
	scaled.Spec.Replicas = &n
	r.by.Note("deployment", phrase.Textf("scales to %d", to), "ReplicaSet "+cluster.Key(set))
	id := idOf(cluster.KindReplicaSet, cluster.Key(set))
	if r.workloads.has(id) { // the input does not have it: no scheduler reads it
		r.workloads.set(id, scaled)
		r.enqueue(r.by, id, syncDelay)
		r.enqueue(r.by, ownerOf(set), syncDelay)
		return
	}
	r.by.Write(cluster.Update, scaled)
}

// up scales the newest ReplicaSet; false when it is as large as it may be now.
func (r *rollout) up() bool {
	has := r.replicas(r.newest)
	if has > r.want {
		r.scale(r.newest, r.want)
		return true
	}
	surge, _ := r.parts()
	to := has + max(min(r.want+surge-r.replicas(r.sets...), r.want-has), 0)
	if to == has {
		return false
	}
	r.scale(r.newest, to)
	return true
}

// down scales former ReplicaSets: first their pods that are not available, then as many as may be missing.
func (r *rollout) down() {
	old := r.older()
	_, unavailable := r.parts()
	least := r.want - unavailable
	may := r.replicas(r.sets...) - least - (r.replicas(r.newest) - r.available(r.newest))
	if len(old) == 0 || may <= 0 {
		return
	}
	to := map[*appsv1.ReplicaSet]int{}
	for _, set := range old {
		to[set] = r.replicas(set)
		broken := max(min(may, to[set]-r.available(set)), 0)
		to[set] -= broken
		may -= broken
	}
	spare := r.available(r.sets...) - least
	for _, set := range old {
		less := max(min(spare, to[set]), 0)
		to[set] -= less
		spare -= less
	}
	for _, set := range old {
		if to[set] != r.replicas(set) {
			r.scale(set, to[set])
		}
	}
}

// recreate ends all pods of former templates before it makes new ones.
func (r *rollout) recreate() {
	busy := false
	for _, set := range r.sets {
		if set == r.newest {
			continue
		}
		if r.replicas(set) > 0 {
			r.scale(set, 0)
			busy = true
		}
		busy = busy || len(r.podsOf(idOf(cluster.KindReplicaSet, cluster.Key(set)), r.by.State())) > 0
	}
	switch {
	case busy:
	case r.newest == nil:
		r.make(r.want)
	case r.replicas(r.newest) != r.want:
		r.scale(r.newest, r.want)
	}
}

// scaleOnly gives a Deployment that is paused as many pods as it wants, of the templates that it has by now: the one
// ReplicaSet that wants pods, or the newest.
func (r *rollout) scaleOnly() {
	old := r.older()
	switch {
	case r.newest != nil && len(old) == 0:
		if r.replicas(r.newest) != r.want {
			r.scale(r.newest, r.want)
		}
	case len(old) == 1 && (r.newest == nil || r.replicas(r.newest) == 0):
		if r.replicas(old[0]) != r.want {
			r.scale(old[0], r.want)
		}
	}
}
