package history

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// life is an object that is there, as it is now.
type life struct {
	object   cluster.Object // nil: it is packed
	packed   Ref            // where the vault has it
	uid      types.UID
	revision uint64      // 0: not known
	guess    trace.Guess // what of it is assumed; "": nothing
	unknown  bool        // its uid is not the cluster's, which no entry showed when it was created
}

// rebuilding is one call of Stream or OfStore.
type rebuilding struct {
	alive   map[key]*life
	helpers map[key]cluster.Object // what admission reads: classes, ranges
	vault   *Vault                 // of the writes; nil: they are not packed
	give    func(Version)
	report  Report
	now     Write       // the one that is being turned into versions
	because trace.Guess // what is assumed of what put is given next; "": what was assumed of the version before
}

// Stream makes versions of writes and gives them in order, one by one; it sorts the writes, and uses them up. Bodies of
// the writes are in a vault, which may be nil. later are the objects of a dump that was taken during or after the log:
// those that the log does not change were there from its beginning, the others serve where the log has no body.
func Stream(
	writes []*Write, marks []Mark, later []cluster.Object, vault *Vault, give func(Version),
) Report {
	r := &rebuilding{alive: map[key]*life{}, helpers: map[key]cluster.Object{}, vault: vault, give: give}
	r.report.begin(writes)
	r.report.Unnamed = name(writes)
	r.report.Holed, r.report.Timed = order(writes, marks)
	r.report.Skew = level(writes)
	r.report.end(writes, marks)
	r.start(writes, later)
	for i := range writes {
		r.now = *writes[i]
		r.now.After = r.body(writes[i])
		r.apply()
		writes[i] = nil // what is left of them goes as the versions come
	}
	return r.report
}

// body is the object that was answered to a write; nil: the log does not have it.
func (r *rebuilding) body(w *Write) cluster.Object {
	if w.Packed != 0 {
		return r.vault.Get(w.Packed)
	}
	return w.After
}

// apply turns the current write into versions.
func (r *rebuilding) apply() {
	w := &r.now
	was := r.alive[w.key()]
	if w.Before != 0 && was != nil && was.revision != 0 && was.revision != w.Before {
		r.report.gap(w.Row.Kind, w.At, missedWrite)
	}
	switch {
	case w.Verb == DeleteCollection:
		r.deleteCollection()
	case w.Verb == Delete && w.Sub == "":
		r.delete(was)
	case w.Sub == "binding":
		r.bind(was)
	case w.Sub == "eviction":
		r.evict(was)
	case w.Sub == "scale":
		r.scale(was)
	case w.After != nil:
		r.put(w.After, Exact)
	case w.Verb == Create || w.Verb == Patch && w.Created && was == nil:
		r.create()
	case w.Verb == Update:
		r.update(was)
	default:
		r.patch(was)
	}
}

// put makes an object the newest version of itself.
func (r *rebuilding) put(o cluster.Object, origin Origin) {
	k := keyOf(o)
	was := r.alive[k]
	created := r.now.Verb == Create && r.now.Sub == ""
	unknown := created && origin == Guessed && r.now.ID != "" && string(o.GetUID()) == r.now.ID
	guess := r.because
	r.because = ""
	if origin != Guessed {
		guess = ""
	} else if guess == "" && was != nil {
		guess = was.guess
	}
	action := cluster.Update
	if was == nil {
		action = cluster.Add
	} else if was.unknown && !created {
		o, unknown = identified(o, was.uid), true
	} else if was.uid != o.GetUID() && o.GetUID() != "" && was.uid != "" {
		r.emit(cluster.Delete, r.object(was), Derived)
		action = cluster.Add
	}
	revision := r.now.Revision
	if r.now.placed {
		revision = 0
	}
	if n, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64); err == nil && origin == Exact {
		if action == cluster.Update && was.revision == n {
			return // the write changed nothing
		}
		revision = n
	}
	r.alive[k] = r.living(o)
	r.alive[k].revision, r.alive[k].guess, r.alive[k].unknown = revision, guess, unknown
	if helps(o) {
		r.helpers[k] = o
	}
	r.emit(action, marked(o, guess), origin)
}

// living is an object that is there from now on. A pod that has a node may run for long, and is left packed.
func (r *rebuilding) living(o cluster.Object) *life {
	l := &life{object: o, uid: o.GetUID()}
	if pod, is := o.(*corev1.Pod); is && o == r.now.After && pod.Spec.NodeName != "" {
		if l.packed = r.now.Packed; l.packed != 0 {
			l.object = nil
		}
	}
	return l
}

// object is what is there.
func (r *rebuilding) object(l *life) cluster.Object {
	if l.object == nil {
		return r.vault.Get(l.packed)
	}
	return l.object
}

// guess makes an object, of which something is assumed, the newest version of itself.
func (r *rebuilding) guess(o cluster.Object, why trace.Guess) {
	r.because = why
	r.put(o, Guessed)
}

// marked is an object with the mark of a guess. It shares everything but its annotations.
func marked(o cluster.Object, why trace.Guess) cluster.Object {
	if why == "" {
		return o
	}
	copied := reflect.New(reflect.TypeOf(o).Elem())
	copied.Elem().Set(reflect.ValueOf(o).Elem())
	m := copied.Interface().(cluster.Object)
	m.SetAnnotations(merged(o.GetAnnotations(), map[string]string{cluster.GuessMark: string(why)}))
	return m
}

// lost counts a write that made no version. What was there stays, and is a guess from now on.
func (r *rebuilding) lost(why string) {
	w := &r.now
	r.report.gap(w.Row.Kind, w.At, why)
	was := r.alive[w.key()]
	if was == nil || was.guess == trace.UnknownWrite {
		return
	}
	was.guess = trace.UnknownWrite
	object := r.object(was)
	if _, read := cluster.KindOf(object); read {
		r.give(Version{At: w.At, Revision: w.Revision, Event: cluster.Event{
			Action: cluster.Update, Object: marked(object, was.guess),
		}})
	}
}

// identified is an object with a uid.
func identified(o cluster.Object, uid types.UID) cluster.Object {
	if o.GetUID() == uid {
		return o
	}
	o = o.DeepCopyObject().(cluster.Object)
	o.SetUID(uid)
	return o
}

// gone ends an object.
func (r *rebuilding) gone(o cluster.Object, origin Origin) {
	k := keyOf(o)
	delete(r.alive, k)
	delete(r.helpers, k)
	r.emit(cluster.Delete, o, origin)
}

// emit adds a version of a kind that schedulers read.
func (r *rebuilding) emit(action cluster.Action, o cluster.Object, origin Origin) {
	kind, read := cluster.KindOf(o)
	if !read {
		return
	}
	r.report.version(kind, origin)
	v := Version{At: r.now.At, Revision: r.now.Revision, Event: cluster.Event{Action: action, Object: o}}
	if o == r.now.After {
		v.Packed = r.now.Packed
	}
	r.give(v)
}

// start puts in what was there before the first write: what a dump shows to be older, and the first mention of the
// others with the write undone as far as it is known how.
func (r *rebuilding) start(writes []*Write, later []cluster.Object) {
	if len(writes) == 0 {
		return
	}
	r.now = Write{At: writes[0].At.Add(-time.Nanosecond), Request: NoRequest}
	first, body := mentions(writes)
	found := map[key]bool{}
	var begin []importer.Object
	origins, why := map[key]Origin{}, map[key]trace.Guess{}
	add := func(o cluster.Object, guess trace.Guess) {
		k := keyOf(o)
		found[k], why[k], origins[k] = true, guess, Exact
		if guess != "" {
			origins[k] = Guessed
		}
		begin = append(begin, importer.Object{Object: o})
	}
	for _, o := range later {
		r.fromDump(o, writes, first, add)
	}
	for _, k := range slices.SortedFunc(maps.Keys(first), func(a, b key) int { return first[a] - first[b] }) {
		w := writes[first[k]]
		if found[k] || w.Verb == Create || w.Created {
			continue
		}
		o := r.undone(w)
		if i, has := body[k]; o == nil && has {
			o = beforeBinding(r.undone(writes[i]), w)
		}
		if o != nil {
			add(o, trace.FirstMention)
			r.report.Mentioned++
			continue
		}
		r.report.OnlyNamed++
	}
	importer.Sort(begin)
	for _, o := range begin {
		object := o.Object.(cluster.Object)
		r.because = why[keyOf(object)]
		r.put(object, origins[keyOf(object)])
	}
	for _, l := range r.alive {
		if n, err := strconv.ParseUint(r.object(l).GetResourceVersion(), 10, 64); err == nil && l.guess == "" {
			l.revision = n
		}
	}
}

// mentions are the first write of each object, and the first one with a body while the object was not made anew.
func mentions(writes []*Write) (first, body map[key]int) {
	first, body = map[key]int{}, map[key]int{}
	made := map[key]bool{}
	for i := range writes {
		w := writes[i]
		if w.Verb == DeleteCollection || w.Name == "" {
			continue
		}
		k := w.key()
		if _, seen := first[k]; !seen {
			first[k] = i
		}
		made[k] = made[k] || w.Created || w.Verb == Create && w.Sub == ""
		if _, seen := body[k]; !seen && !made[k] && w.Shows() && w.Sub != "scale" {
			body[k] = i
		}
	}
	return first, body
}

// fromDump takes an object of a dump that was there when the log began.
func (r *rebuilding) fromDump(
	o cluster.Object, writes []*Write, first map[key]int, add func(cluster.Object, trace.Guess),
) {
	i, written := first[keyOf(o)]
	n, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	switch {
	case !written && o.GetCreationTimestamp().After(writes[len(writes)-1].At):
		r.report.After++
	case !written, err == nil && writes[0].Revision != 0 && n < writes[0].Revision:
		add(o, "")
		r.report.Unchanged++
	case writes[i].Verb == Create || writes[i].Created || writes[i].Shows():
	default:
		add(beforeBinding(o, writes[i]), trace.RolledBack)
		r.report.RolledBack++
	}
}

// beforeBinding is a pod of a dump without the node that the log gives it later.
func beforeBinding(o cluster.Object, w *Write) cluster.Object {
	pod, is := o.(*corev1.Pod)
	if !is || w.Sub != "binding" {
		return o
	}
	pod = pod.DeepCopy()
	pod.Spec.NodeName, pod.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	return pod
}

// undone is an object before its first write in the log; nil when the log does not show it.
func (r *rebuilding) undone(w *Write) cluster.Object {
	if !w.Shows() || w.Sub == "scale" {
		return nil
	}
	o := r.body(w).DeepCopyObject().(cluster.Object)
	if w.Before != 0 {
		o.SetResourceVersion(strconv.FormatUint(w.Before, 10))
	}
	if w.Verb == Delete {
		o.SetDeletionTimestamp(nil)
		o.SetDeletionGracePeriodSeconds(nil)
	}
	return o
}

// helps reports whether admission reads an object when it completes others.
func helps(o cluster.Object) bool {
	switch cluster.Kind(o.GetObjectKind().GroupVersionKind().Kind) {
	case cluster.KindPriorityClass, cluster.KindStorageClass, "LimitRange", "RuntimeClass":
		return true
	}
	return false
}

// stamped is a moment as objects carry it.
func stamped(at time.Time) metav1.Time { return metav1.NewTime(at.Truncate(time.Second)) }
