// Package workload answers for a whole workload: how many of its pods have a node, what rejects the others, and the
// smallest changes with which all have one. A change is made where it lasts, in the template, and run over all
// replicas: those of a manifest come anew, those of a cluster are rolled by their controllers. Changes of one pod are
// the business of replay/ask/remedy.
package workload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/session"
)

// Workload is one object that pods are made of, and its pods at a moment.
type Workload struct {
	Kind            cluster.Kind
	Namespace, Name string
	Made            bool           // all its pods were made here, of a manifest that no API server has seen
	Want            int            // pods that it wants
	Pods            []Pod          // that are there and not on their way out, in the order in which they are tried
	known           *Known         // what the input has
	born            map[string]int // by key, the pods that were made here of it: their places
}

// Pod is one of them.
type Pod struct {
	Key  string // namespace/name
	Node string // be it only assumed; "": none
}

// Known is what an input has of workloads.
type Known struct {
	Made    []session.Workload // of which pods were made
	Objects []cluster.Object   // Deployments, DaemonSets and Jobs, which no scheduler reads
}

// Words are the short words for the kinds, and the kinds.
func Words() (short []string, kinds []cluster.Kind) { return owner.Words() }

// Parse reads KIND/NAME, KIND/NAMESPACE/NAME or NAMESPACE/KIND/NAME; false where no part is the word of a kind.
func Parse(text string) (kind cluster.Kind, name string, is bool) { return owner.Parse(text) }

// Word is the workload as kubectl names it: "deploy/web".
func (w *Workload) Word() string { return owner.Word(w.Kind) + "/" + w.Key() }

// Key is namespace/name.
func (w *Workload) Key() string { return w.Namespace + "/" + w.Name }

// Fit is how many pods have a node.
func (w *Workload) Fit() int {
	n := 0
	for _, p := range w.Pods {
		if p.Node != "" {
			n++
		}
	}
	return n
}

// Waiting are the pods without a node.
func (w *Workload) Waiting() []string {
	var all []string
	for _, p := range w.Pods {
		if p.Node == "" {
			all = append(all, p.Key)
		}
	}
	return all
}

// where is the state where a session is, and what its input has of workloads.
func where(k *session.At) (*cluster.State, Known, error) {
	var known Known
	known.Made, known.Objects = k.Workloads()
	p, err := k.Trial()
	if err != nil {
		return nil, known, err
	}
	return p.Scheduler().State(), known, nil
}

// At is the workload that a word means where a session is, in a namespace where the word has none ("": in any); false
// where the word names no workload, or a pod has that name.
func At(k *session.At, word, namespace string) (w Workload, is bool, err error) {
	kind, name, named := owner.Parse(word)
	if !named {
		return w, false, nil
	}
	state, known, err := where(k)
	if err != nil {
		return w, false, err
	}
	if namespace != "" && !strings.Contains(name, "/") {
		name = namespace + "/" + name
	}
	w, err = Of(kind, name, state, known)
	if _, pod := state.Pod(word); err != nil && pod {
		return w, false, nil
	}
	return w, err == nil, err
}

// OfPod is the word of the workload that a pod was made of where a session is, the outermost where there are several:
// the Deployment and not its ReplicaSet. "" where none made it.
func OfPod(k *session.At, pod string) string {
	state, known, err := where(k)
	if err != nil {
		return ""
	}
	live, is := state.Pod(pod)
	if !is {
		return ""
	}
	for _, m := range known.Made {
		if slices.Contains(m.Pods, pod) {
			return owner.Word(cluster.Kind(m.Kind)) + "/" + live.Namespace() + "/" + m.Name
		}
	}
	of := ownersOf(live, &known)
	if len(of) == 0 {
		return ""
	}
	outermost := of[len(of)-1]
	return owner.Word(outermost.kind) + "/" + outermost.key
}

// Named are the words of all workloads where a session is, sorted: "deploy/default/web".
func Named(k *session.At) []string {
	state, known, err := where(k)
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	each(state, &known, func(k cluster.Kind, key string) { found[owner.Word(k)+"/"+key] = true })
	return slices.Sorted(maps.Keys(found))
}

// Of is the workload of a name, or of namespace/name, as it is in a state.
func Of(kind cluster.Kind, name string, state *cluster.State, known Known) (Workload, error) {
	found := map[string]bool{}
	each(state, &known, func(k cluster.Kind, key string) {
		if k == kind && (key == name || key[strings.Index(key, "/")+1:] == name) {
			found[key] = true
		}
	})
	var keys []string
	for key := range found {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	switch len(keys) {
	case 0:
		return Workload{}, noWorkload(kind, name, state, &known)
	case 1:
	default:
		return Workload{}, phrase.Errorf("%s %q: there are %d (%s); write %s/NAMESPACE/NAME", string(kind), name, len(keys),
			strings.Join(keys, ", "), owner.Word(kind))
	}
	w := Workload{Kind: kind, known: &known}
	w.Namespace, w.Name, _ = strings.Cut(keys[0], "/")
	w.born = w.made()
	w.count(state)
	return w, nil
}

// noWorkload is the error of a name that means none, with the nearest that does.
func noWorkload(kind cluster.Kind, name string, state *cluster.State, known *Known) error {
	var names []string
	each(state, known, func(k cluster.Kind, key string) {
		if word := owner.Word(k) + "/" + key; !slices.Contains(names, word) {
			names = append(names, word)
		}
	})
	slices.Sort(names)
	asked := owner.Word(kind) + "/" + name
	for _, word := range names { // the same name of another kind
		if word[strings.LastIndex(word, "/")+1:] == name[strings.LastIndex(name, "/")+1:] {
			return phrase.Errorf("there is no %s %q (did you mean %q?)", string(kind), name, word)
		}
	}
	return phrase.Errorf("there is no %s %q%s", string(kind), name, spelling.HintName(asked, names))
}

// each calls f with every workload that the input has, or that a pod shows; with some more than once.
func each(state *cluster.State, known *Known, f func(kind cluster.Kind, key string)) {
	for _, m := range known.Made {
		if len(m.Pods) > 0 {
			namespace, _, _ := strings.Cut(m.Pods[0], "/")
			f(cluster.Kind(m.Kind), namespace+"/"+m.Name)
		}
	}
	for _, o := range known.Objects {
		if kind, is := kindOf(o); is {
			f(kind, cluster.Key(o))
		}
	}
	state.Objects().StatefulSets.Each(func(o *appsv1.StatefulSet) bool {
		f(cluster.KindStatefulSet, cluster.Key(o))
		return true
	})
	state.Objects().ReplicaSets.Each(func(o *appsv1.ReplicaSet) bool {
		f(cluster.KindReplicaSet, cluster.Key(o))
		return true
	})
	state.EachPod(func(p *cluster.Pod) bool {
		for _, at := range ownersOf(p, known) {
			f(at.kind, at.key)
		}
		return true
	})
}

func kindOf(o cluster.Object) (cluster.Kind, bool) {
	switch o.(type) {
	case *appsv1.Deployment:
		return owner.KindDeployment, true
	case *appsv1.DaemonSet:
		return owner.KindDaemonSet, true
	case *batchv1.Job:
		return owner.KindJob, true
	case *batchv1.CronJob:
		return owner.KindCronJob, true
	}
	return "", false
}

// member names a workload that a pod is of.
type member struct {
	kind cluster.Kind
	key  string
}

// ownersOf are the workloads of a pod: its controller, and what that was made by; none of kinds that have no word here.
func ownersOf(p *cluster.Pod, known *Known) []member {
	c := metav1.GetControllerOfNoCopy(p.API)
	if c == nil || c.Kind == string(cluster.KindNode) {
		return nil
	}
	all := []member{{cluster.Kind(c.Kind), p.Namespace() + "/" + c.Name}}
	if on := owner.PlaceOf(p).On; on.Kind != all[0].kind {
		all = append(all, member{on.Kind, on.Key()})
	}
	if all[0].kind == owner.KindJob {
		if name := cronJobOf(all[0].key, known); name != "" {
			all = append(all, member{owner.KindCronJob, p.Namespace() + "/" + name})
		}
	}
	return slices.DeleteFunc(all, func(m member) bool { return owner.Word(m.kind) == "" })
}

// cronJobOf is the CronJob of a Job: by the Job's owner or, where the input does not have the Job, by its name, which
// ends with the minute of its run.
func cronJobOf(job string, known *Known) string {
	for _, o := range known.Objects {
		if j, is := o.(*batchv1.Job); is && cluster.Key(j) == job {
			if c := metav1.GetControllerOf(j); c != nil && c.Kind == string(owner.KindCronJob) {
				return c.Name
			}
			return ""
		}
	}
	name := job[strings.Index(job, "/")+1:]
	at := strings.LastIndex(name, "-")
	if at <= 0 || len(name)-at < 8 || strings.Trim(name[at+1:], "0123456789") != "" {
		return ""
	}
	return name[:at]
}

// has reports whether a pod is one of the workload.
func (w *Workload) has(p *cluster.Pod) bool {
	if _, is := w.born[p.Key]; is {
		return true
	}
	return slices.Contains(ownersOf(p, w.known), member{w.Kind, w.Key()})
}

// made are the pods that were made here of the workload, with their places.
func (w *Workload) made() map[string]int {
	places := map[string]int{}
	for i := range w.known.Made {
		m := &w.known.Made[i]
		if cluster.Kind(m.Kind) != w.Kind || m.Name != w.Name || len(m.Pods) == 0 ||
			!strings.HasPrefix(m.Pods[0], w.Namespace+"/") {
			continue
		}
		for at, key := range m.Pods {
			places[key] = at
		}
		break
	}
	return places
}

// count finds the pods of the workload in a state, and how many it wants.
func (w *Workload) count(state *cluster.State) {
	w.Pods, w.Made = nil, true
	for _, p := range w.live(state) {
		w.Pods = append(w.Pods, Pod{p.Key, session.HostOf(state, p)})
		w.Made = w.Made && p.API.UID == ""
	}
	slices.SortStableFunc(w.Pods, func(a, b Pod) int {
		return cmp.Or(
			cmp.Compare(w.born[a.Key], w.born[b.Key]), cmp.Compare(len(a.Key), len(b.Key)), cmp.Compare(a.Key, b.Key),
		)
	})
	w.Made = w.Made && len(w.Pods) > 0
	w.Want = max(w.wanted(state), len(w.Pods))
}

// live are the pods of the workload that are neither over nor on their way out.
func (w *Workload) live(state *cluster.State) []*cluster.Pod {
	var all []*cluster.Pod
	state.EachPod(func(p *cluster.Pod) bool {
		if w.has(p) && !cluster.Finished(p.API) && p.API.DeletionTimestamp == nil {
			all = append(all, p)
		}
		return true
	})
	return all
}

// wanted is how many pods the object of the workload wants; 0 where it does not show it.
func (w *Workload) wanted(state *cluster.State) int {
	want := func(n *int32) int { return int(ptr.Deref(n, 1)) }
	for _, o := range w.known.Objects {
		if kind, is := kindOf(o); !is || kind != w.Kind || cluster.Key(o) != w.Key() {
			continue
		}
		if d, is := o.(*appsv1.Deployment); is {
			return want(d.Spec.Replicas)
		}
	}
	if w.Kind == owner.KindDeployment {
		return w.wantedBySets(state)
	}
	if set, is := state.Objects().StatefulSets.Find(w.Key()); is && w.Kind == cluster.KindStatefulSet {
		return want(set.Spec.Replicas)
	}
	if set, is := state.Objects().ReplicaSets.Find(w.Key()); is && w.Kind == cluster.KindReplicaSet {
		return want(set.Spec.Replicas)
	}
	return 0
}

// wantedBySets is how many pods the ReplicaSets of a Deployment want that the input does not have.
func (w *Workload) wantedBySets(state *cluster.State) (sum int) {
	state.Objects().ReplicaSets.EachIn(w.Namespace, func(set *appsv1.ReplicaSet) bool {
		if c := metav1.GetControllerOf(set); c != nil && c.Kind == string(owner.KindDeployment) && c.Name == w.Name {
			sum += int(ptr.Deref(set.Spec.Replicas, 0))
		}
		return true
	})
	return sum
}

// String is the workload in words.
func (w *Workload) String() string { return fmt.Sprintf("%s %s", w.Kind, w.Key()) }
