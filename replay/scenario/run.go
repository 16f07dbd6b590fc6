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
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
)

// run is a scenario under way: a scheduler, the world around it, and what was printed.
type run struct {
	moment
	behind []moment
	facts  []trace.Fact // of the last command that did something
	last   *trace.Cycle // nil before the first
	out    strings.Builder

	rules    admission.Rules // of the API server
	programs []*rival        // schedulers that are programs, in order
	program  Program         // runs them; nil: it is not allowed
	asked    int             // how often programs were run
}

// moment is everything that a fork keeps.
type moment struct {
	player    *play.Player              // its log is empty: commands deliver the events
	objects   map[string]cluster.Object // as the API server has them, by kind and key
	deciding  []importer.Object         // those that admission reads
	births    map[string]int            // how many objects of a name there were
	version   int
	holds     hold
	made      []string     // the held bindings that the API server made, by effectID; their events are late
	bindings  []core.Bind  // made by a cycle and held, in order
	evictions []core.Evict // likewise

	recorded source.Script // what the commands did, without what the world answered; appended to by copying
	kept     []string      // the effects that were held, as effectID has them; appended to by copying
	seen     *glimpse      // the cluster that programs are going to get; nil: the cluster as it will be then
	news     int           // events that were delivered
	told     []int         // of each program 1 + the news it got last; replaced, never written
	pause    time.Duration // added to the time of what is recorded, so that cycles stay where they were
}

// newRun is a run before the first command.
func newRun(c *config.Config, o *opening, plugins []config.Plugin) (*run, error) {
	world := play.NewSimulated()
	r := &run{rules: admission.RulesOf(c.Gates.On), moment: moment{
		player:  play.NewPlayer(play.NewScheduler(c, begin, 0, trace.Full), world, source.Script{}.Log()),
		objects: map[string]cluster.Object{}, births: map[string]int{},
	}}
	for _, beside := range o.rivals {
		if _, taken := c.Profile(beside.Name); taken {
			return nil, phrase.Errorf("line %d: the first scheduler places the pods of %s already", beside.line, beside.Name)
		}
		if beside.run != "" {
			world.Attend()
			r.programs = append(r.programs, beside)
			continue
		}
		decides, err := beside.Load(plugins)
		if err != nil {
			return nil, phrase.Errorf("line %d: %w", beside.line, err)
		}
		r.player.Join(play.NewScheduler(decides, begin, 0, trace.Full))
	}
	r.told = make([]int, len(r.programs))
	r.player.Hook(play.Hooks{Hold: r.holdBack})
	return r, nil
}

func (r *run) scheduler() *core.Scheduler { return r.player.Scheduler() }

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
			return phrase.Errorf("%s %s exists already (want update %s %s)", k.name, cluster.Key(o), k.name, cluster.Key(o))
		}
		change.early(o)
		o, err := r.admit(o, k.api)
		if err != nil {
			return err
		}
		runOnNode(o, r.scheduler().Now())
		change.late(o)
		r.deliver(cluster.Event{Action: cluster.Add, Object: o})
	}
	return nil
}

// admit does what an API server does to a new object.
func (r *run) admit(o cluster.Object, api string) (cluster.Object, error) {
	if !cluster.Kind(api).IsCustom() {
		o.GetObjectKind().SetGroupVersionKind(o.GetObjectKind().GroupVersionKind().GroupVersion().WithKind(api))
	}
	_, wrong := admission.Admit(append(slices.Clone(r.deciding), importer.Object{Object: o}), r.rules)
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

// decides reports whether admission of other objects reads a kind.
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
		o.SetCreationTimestamp(metav1.Time{Time: r.scheduler().Now()})
	}
}

// runOnNode makes a pod that has a node run there.
func runOnNode(o cluster.Object, now time.Time) {
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
		runOnNode(o, r.scheduler().Now())
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
		return nil, phrase.Errorf("there is no %s %s", k.name, strings.TrimPrefix(namespace+"/"+name, "/"))
	}
	return o, nil
}

// deliver is an event that a command causes.
func (r *run) deliver(e cluster.Event) {
	if e.Action != cluster.Delete {
		r.version++
		e.Object.SetResourceVersion(strconv.Itoa(r.version))
	}
	r.record(source.Timed{Event: e})
	r.took(r.player.Deliver(e), author)
	r.receive()
}

// took prints a step, and keeps the object it was about as the API server has it now.
func (r *run) took(step play.Step, by origin) {
	if o := step.Event.Object; o != nil {
		r.news++
		api, _ := cluster.KindOf(o)
		id := identity(string(api), cluster.Key(o))
		if step.Event.Action == cluster.Delete {
			delete(r.objects, id)
		} else {
			r.objects[id] = o
		}
	}
	if by == author || len(step.Facts) > 1 {
		r.happened(step.Facts)
	}
}

// origin is what caused an event.
type origin bool

const (
	author origin = true  // a command
	world  origin = false // the effect of a scheduler; printed when more comes of it
)

// receive delivers what the world has sent by now.
func (r *run) receive() {
	for {
		step, ok := r.player.Receive()
		if !ok {
			return
		}
		r.took(step, world)
	}
}

// record keeps what happens now for a replay without these commands.
func (r *run) record(t source.Timed) {
	at := r.scheduler().Now().Add(r.pause)
	if n := len(r.recorded); n > 0 && at.Before(r.recorded[n-1].At) {
		at = r.recorded[n-1].At
	}
	t.At = at
	r.recorded = append(r.recorded, t)
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
	r.recorded, r.kept = slices.Clip(r.recorded), slices.Clip(r.kept)
	r.behind = append(r.behind, r.moment)
	r.player = r.player.Branch()
	r.objects, r.births = maps.Clone(r.objects), maps.Clone(r.births)
}

func (r *run) back() error {
	if len(r.behind) == 0 {
		return phrase.Errorf("there was no fork to go back to")
	}
	r.moment = r.behind[len(r.behind)-1]
	r.behind = r.behind[:len(r.behind)-1]
	return nil
}
