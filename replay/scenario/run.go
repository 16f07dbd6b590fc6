package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/importer"
)

// run is a scenario under way: a scheduler, the world around it, and what was printed.
type run struct {
	moment
	behind []moment
	facts  []trace.Fact // of the last command that did something
	last   *trace.Cycle // nil before the first
	out    strings.Builder
}

// moment is everything that a fork keeps.
type moment struct {
	scheduler *core.Scheduler
	world     replay.World
	coming    []replay.Timed            // what the world will send, by time; replaced, never written
	objects   map[string]cluster.Object // as the API server has them, by kind and key
	deciding  []importer.Object         // those that admission reads
	births    map[string]int            // how many objects of a name there were
	version   int
	holds     hold
	bindings  []core.Bind  // asked for and held, in order
	evictions []core.Evict // likewise

	recorded replay.Script // what the commands did, without what the world answered; appended to by copying
	pause    time.Duration // added to the time of what is recorded, so that cycles stay where they were
}

// newRun is a run before the first command.
func newRun(c *config.Config) *run {
	return &run{moment: moment{
		scheduler: core.New(core.Options{
			Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: begin, Detail: trace.Full,
		}),
		world: replay.NewSimulated(), objects: map[string]cluster.Object{}, births: map[string]int{},
	}}
}

func (r *run) print(line string) {
	r.out.WriteString(line)
	r.out.WriteString("\n")
}

// key is what a user means by the name of a pod.
func key(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return corev1.NamespaceDefault + "/" + name
}

func identity(api, key string) string { return api + " " + key }

// numberedNames is name, or name0 to nameN-1 with as many zeros as make them sort.
func numberedNames(name string, count int) []string {
	if count == 0 {
		return []string{name}
	}
	names := make([]string, count)
	width := len(strconv.Itoa(count - 1))
	for i := range names {
		names[i] = fmt.Sprintf("%s%0*d", name, width, i)
	}
	return names
}

// add makes objects and delivers them.
func (r *run) add(k *kind, namespace, name string, count int, change edit) error {
	for _, name := range numberedNames(name, count) {
		o := k.fresh(namespace, name)
		id := identity(k.api, cluster.Key(o))
		if _, exists := r.objects[id]; exists {
			return fmt.Errorf("%s %s exists already (want update %s %s)", k.name, cluster.Key(o), k.name, cluster.Key(o))
		}
		change.early(o)
		o, err := r.admit(o, k.api)
		if err != nil {
			return err
		}
		settle(o, r.scheduler.Now())
		change.late(o)
		r.deliver(cluster.Event{Action: cluster.Add, Object: o})
	}
	return nil
}

// admit does what an API server does to a new object.
func (r *run) admit(o cluster.Object, api string) (cluster.Object, error) {
	o.GetObjectKind().SetGroupVersionKind(o.GetObjectKind().GroupVersionKind().GroupVersion().WithKind(api))
	_, wrong := importer.Admit(append(slices.Clone(r.deciding), importer.Object{Object: o}))
	for _, p := range wrong {
		if p.Severity == importer.Refused {
			return nil, errors.New(p.Error())
		}
	}
	if decides(api) {
		r.deciding = append(slices.Clip(r.deciding), importer.Object{Object: o.DeepCopyObject()})
	}
	r.christen(o)
	return o, nil
}

// decides says whether admission of other objects reads a kind.
func decides(api string) bool {
	switch api {
	case "PriorityClass", "RuntimeClass", "LimitRange", "StorageClass":
		return true
	}
	return false
}

// christen gives a new object a UID and a time of birth. The second of a name has another UID than the first.
func (r *run) christen(o cluster.Object) {
	id := identity(fmt.Sprintf("%T", o), cluster.Key(o))
	r.births[id]++
	if o.GetUID() == "" {
		uid := cluster.Key(o)
		if n := r.births[id]; n > 1 {
			uid += "#" + strconv.Itoa(n)
		}
		o.SetUID(types.UID(uid))
	}
	if o.GetCreationTimestamp().Time.IsZero() {
		o.SetCreationTimestamp(metav1.Time{Time: r.scheduler.Now()})
	}
}

// settle makes a pod that has a node run there.
func settle(o cluster.Object, now time.Time) {
	p, is := o.(*corev1.Pod)
	if !is || p.Spec.NodeName == "" || p.Status.Phase != corev1.PodPending {
		return
	}
	p.Status.Phase = corev1.PodRunning
	p.Status.StartTime = &metav1.Time{Time: now}
}

func (r *run) update(k *kind, namespace, name string, count int, change edit) error {
	for _, name := range numberedNames(name, count) {
		old, err := r.find(k, namespace, name)
		if err != nil {
			return err
		}
		o, _ := old.DeepCopyObject().(cluster.Object)
		change.early(o)
		settle(o, r.scheduler.Now())
		change.late(o)
		r.deliver(cluster.Event{Action: cluster.Update, Object: o})
	}
	return nil
}

func (r *run) remove(k *kind, namespace, name string, count int) error {
	for _, name := range numberedNames(name, count) {
		old, err := r.find(k, namespace, name)
		if err != nil {
			return err
		}
		r.deliver(cluster.Event{Action: cluster.Delete, Object: old})
	}
	return nil
}

func (r *run) find(k *kind, namespace, name string) (cluster.Object, error) {
	o, ok := r.objects[identity(k.api, strings.TrimPrefix(namespace+"/"+name, "/"))]
	if !ok {
		return nil, fmt.Errorf("there is no %s %s", k.name, strings.TrimPrefix(namespace+"/"+name, "/"))
	}
	return o, nil
}

// deliver is an event that a command causes.
func (r *run) deliver(e cluster.Event) {
	if e.Action != cluster.Delete {
		r.version++
		e.Object.SetResourceVersion(strconv.Itoa(r.version))
	}
	r.record(e)
	r.apply(e, author)
}

// apply tells the scheduler, then carries out what it asks for.
func (r *run) apply(e cluster.Event, who source) {
	api, _ := cluster.KindOf(e.Object)
	id := identity(string(api), cluster.Key(e.Object))
	if e.Action == cluster.Delete {
		delete(r.objects, id)
	} else {
		r.objects[id] = e.Object
	}
	effects, facts := r.scheduler.Apply(e)
	if who == author || len(facts) > 1 {
		r.happened(facts)
	}
	r.carryOut(effects)
	r.expectEchoes(r.world.See(e, r.scheduler.State(), r.scheduler.Now()))
	r.receive()
}

// source is who caused an event.
type source bool

const (
	author source = true  // a command
	world  source = false // what the scheduler had asked for; printed when more comes of it
)

// record keeps an event for a replay without these commands.
func (r *run) record(e cluster.Event) {
	at := r.scheduler.Now().Add(r.pause)
	if n := len(r.recorded); n > 0 && at.Before(r.recorded[n-1].At) {
		at = r.recorded[n-1].At
	}
	r.recorded = append(r.recorded, replay.Timed{At: at, Event: e})
}

// carryOut does what effects ask for; what comes of it arrives by receive.
func (r *run) carryOut(effects []core.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case core.Bind:
			if r.holds == bindings {
				r.bindings = append(slices.Clip(r.bindings), e)
				continue
			}
		case core.Evict:
			if r.holds == evictions {
				r.evictions = append(slices.Clip(r.evictions), e)
				continue
			}
		}
		r.ask(e)
	}
}

func (r *run) ask(e core.Effect) {
	echoes, facts := r.world.Do(e, r.scheduler.State(), r.scheduler.Now())
	r.happened(facts)
	r.expectEchoes(echoes)
}

// expectEchoes puts what the world sends in line.
func (r *run) expectEchoes(echoes []replay.Timed) {
	r.coming = slices.Concat(r.coming, echoes)
	slices.SortStableFunc(r.coming, func(a, b replay.Timed) int { return a.At.Compare(b.At) })
}

// receive delivers what the world has sent by now.
func (r *run) receive() {
	for len(r.coming) > 0 && !r.coming[0].At.After(r.scheduler.Now()) {
		next := r.coming[0]
		r.coming = r.coming[1:]
		r.apply(next.Event, world)
	}
}

// happened prints facts and keeps them.
func (r *run) happened(facts []trace.Fact) {
	r.facts = append(r.facts, facts...)
	if c, is := trace.Fold(facts); is {
		r.last = c
		r.printCycle(facts)
		return
	}
	r.printEvent(facts)
}

// fork keeps the present moment; the run goes on in a copy.
func (r *run) fork() {
	r.recorded = slices.Clip(r.recorded)
	r.behind = append(r.behind, r.moment)
	r.scheduler, r.world = r.scheduler.Fork(), r.world.Fork()
	r.objects, r.births = maps.Clone(r.objects), maps.Clone(r.births)
}

func (r *run) back() error {
	if len(r.behind) == 0 {
		return errors.New("there was no fork to go back to")
	}
	r.moment = r.behind[len(r.behind)-1]
	r.behind = r.behind[:len(r.behind)-1]
	return nil
}
