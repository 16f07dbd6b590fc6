package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// instance is the plugins of a home, made by their factories, with all that their Handle gives them. It lives in a
// bubble of its own. All of it is used in the bubble, except for run, repeat and takeActs.
type instance struct {
	bubble  *bubble
	ctx     context.Context
	cancel  context.CancelFunc
	logger  klog.Logger
	objects *objects
	factory informers.SharedInformerFactory
	client  kubernetes.Interface
	config  *rest.Config
	dra     fwk.SharedDRAManager
	csi     fwk.CSIManager
	groups  *groups

	handles map[string]*handle     // by profile
	plugins map[*guest]*plugin     // made by their factories
	states  map[string]*attempt    // by UID of the pod
	binds   map[string]string      // the node of a Binding that was made, by key of the pod
	works   map[workKey]*work      // PreBinds under way
	lister  *lister                // of the cycle
	tries   []*groupAttempt        // of groups, each within the one before it
	making  *making                // of the PodGroupPostFilter under way; nil: there is none
	judging *judging               // of the PostFilter under way; nil: there is none
	waiting map[string]*waitingPod // that were handed out in this call, by UID

	mu      sync.Mutex
	acts    []framework.Act
	victims []victim // that were deleted, and that no answer has
	source  answers  // of what plugins ask of the scheduler
	current *entry
	asked   *guest       // the plugin that is asked
	pod     *cluster.Pod // that it is asked about
	notes   *notes
}

// plugin is one plugin of an instance.
type plugin struct {
	fwk.Plugin
	events []fwk.ClusterEventWithHint
}

// attempt is the state of a pod's attempt, and the states that checks were derived from it.
type attempt struct {
	state   fwk.CycleState
	derived map[int]fwk.CycleState
}

// answers gives what plugins call of their scheduler.
type answers interface {
	hear(what string, from func() any) any
	// inside is like hear, for what calls plugins of the instance again.
	inside(i *instance, from func() any) any
}

// newInstance makes the plugins of a home, before the first entry of its journal.
func newInstance(h *home) (*instance, error) {
	neverStops()
	noErrorWaits()
	i := &instance{
		bubble: newBubble(h.patience, h.heed), handles: map[string]*handle{}, plugins: map[*guest]*plugin{},
		states: map[string]*attempt{}, binds: map[string]string{}, works: map[workKey]*work{}, notes: h.notes,
	}
	start := h.around.Now()
	if h.past != nil {
		first := h.past
		for first.before != nil {
			first = first.before
		}
		start = first.at
	}
	var err error
	o, broke := i.bubble.do(start, func() { err = i.found(h) })
	switch {
	case broke != nil:
		return i, broke
	case o.panicked != "":
		i.bubble.close()
		return i, errors.New("its New panicked: " + o.panicked)
	case err != nil:
		i.bubble.close()
		i.bubble.dead = err.Error()
	case o.took > 0:
		i.notes.add("", "", fmt.Sprintf(
			"making them took %s of their own time; kube-scheduler would start that much later", o.took.Round(time.Millisecond)))
	}
	i.takeActs()
	return i, err
}

// found makes all that the plugins need, and then the plugins.
func (i *instance) found(h *home) error {
	i.logger = logr.Discard()
	i.ctx, i.cancel = context.WithCancel(klog.NewContext(context.Background(), i.logger))
	i.objects = newObjects(i)
	i.config = i.objects.config()
	client, err := kubernetes.NewForConfig(i.config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	i.client = client
	i.factory = informers.NewSharedInformerFactory(client, 0)
	i.objects.claim(i.factory)
	i.source = nothing{}
	i.groups = &groups{of: i, around: h.around}
	if h.base != nil {
		h.base.EachObject(func(kind cluster.Kind, o cluster.Object) bool {
			i.objects.apply(seen{kind: kind, action: cluster.Add, new: o})
			return true
		})
	} else {
		i.objects.open(h.around.Opening())
	}
	if err := i.manage(); err != nil {
		return err
	}
	i.lister = &lister{of: i, groups: i.groups}
	for _, g := range h.guests {
		if i.handles[g.profile] == nil {
			i.handles[g.profile] = &handle{
				of: i, profile: g.profile, filters: h.seats[g.profile], extenders: h.extenders[g.profile],
			}
		}
		made, err := i.create(g)
		if err != nil {
			return fmt.Errorf("its New: %w", err)
		}
		if made == nil {
			return errors.New("its New returned no plugin")
		}
		p := &plugin{Plugin: made}
		if e, is := made.(fwk.EnqueueExtensions); is {
			if p.events, err = e.EventsToRegister(i.ctx); err != nil {
				return fmt.Errorf("its EventsToRegister: %w", err)
			}
			i.objects.wait(p.events)
		}
		i.plugins[g] = p
		i.handles[g.profile].add(g, p)
	}
	i.factory.Start(i.ctx.Done())
	return nil
}

// close ends the instance.
func (i *instance) close() {
	if i.cancel != nil {
		_, _ = i.bubble.do(time.Time{}, i.cancel) // its channels are the bubble's
	}
	i.bubble.close()
}

// run makes a call, and keeps what it received and answered.
func (i *instance) run(e *entry, h *home) error {
	i.source, i.current = recorder{e, h}, e
	defer func() { i.source, i.current = nothing{}, nil }()
	o, err := i.bubble.do(e.at, func() { e.answer = e.call(i) })
	if err != nil {
		e.broke = err.Error()
		h.heed.breaks(e)
		return err
	}
	if o.took > 0 {
		i.lateBy(e.what, o.took)
	}
	if o.panicked != "" {
		return errors.New("it panicked: " + o.panicked)
	}
	return nil
}

// lateBy notes that a call took time of its own. A plugin that sleeps longer is given once, by the first call.
func (i *instance) lateBy(what string, took time.Duration) {
	plugin, point, is := strings.Cut(what, " ")
	if !is {
		return
	}
	if i.notes.about(plugin, point) {
		return
	}
	i.notes.add(plugin, point, fmt.Sprintf(
		"it took %s of its own time; kube-scheduler would be that much later", took.Round(time.Millisecond),
	))
}

// repeat makes a call of the journal once more, with what it received then.
func (i *instance) repeat(e *entry) error {
	if e.broke != "" { // it would break this bubble too
		return i.ends(e.broke)
	}
	i.source = &replayer{of: e}
	defer func() { i.source = nothing{} }()
	var answer any
	o, err := i.bubble.do(e.at, func() { answer = e.call(i) })
	if err != nil {
		return err
	}
	if o.panicked == "" && !sameAnswer(answer, e.answer) {
		plugin, point, _ := strings.Cut(e.what, " ")
		i.notes.add(plugin, point,
			"it answered otherwise when its calls were repeated: its answers may differ from run to run")
	}
	return nil
}

// ends ends the bubble with the words of a call that did not come to an end, which is not made again.
func (i *instance) ends(why string) error {
	i.bubble.close()
	i.bubble.dead = why
	return errors.New(why)
}

// recorder calls, and keeps what it was given.
type recorder struct {
	into *entry
	home *home
}

func (r recorder) hear(_ string, from func() any) any {
	answer := from()
	r.into.heard = append(r.into.heard, answer)
	return answer
}

// replayer repeats what the scheduler answered then.
type replayer struct {
	of *entry
	at int
}

func (r *replayer) hear(_ string, _ func() any) any {
	if r.at >= len(r.of.heard) {
		return nil
	}
	r.at++
	return r.of.heard[r.at-1]
}

// nothing answers between calls.
type nothing struct{}

func (nothing) hear(string, func() any) any { return nil }

// heard queries the scheduler; the result is the zero value when there is no call under way.
func heard[A any](i *instance, what string, from func() A) A {
	i.mu.Lock()
	defer i.mu.Unlock()
	answer, _ := i.source.hear(what, func() any { return from() }).(A)
	return answer
}

// begin makes the state of an attempt.
func (i *instance) begin(uid string, nodes []fwk.NodeInfo) {
	i.lister.show(nodes)
	state := schedulerframework.NewCycleState()
	state.Write(schedulerframework.PodsToActivateKey, schedulerframework.NewPodsToActivate())
	a := &attempt{state: state, derived: map[int]fwk.CycleState{}}
	i.states[uid] = a
	i.join(uid, a, state)
	i.waiting = nil
}

// state is that of a pod's attempt, or one that was derived from it.
func (i *instance) state(uid string, derived int) fwk.CycleState {
	a := i.states[uid]
	if a == nil {
		a = &attempt{state: schedulerframework.NewCycleState(), derived: map[int]fwk.CycleState{}}
		i.states[uid] = a
	}
	if derived == 0 {
		return a.state
	}
	if s := a.derived[derived]; s != nil {
		return s
	}
	return a.state
}

// activateNoted moves the pods to activeQ that plugins noted in the state of an attempt.
func (i *instance) activateNoted(uid string) {
	data, err := i.state(uid, 0).Read(schedulerframework.PodsToActivateKey)
	if err != nil {
		return
	}
	noted, is := data.(*schedulerframework.PodsToActivate)
	if !is {
		return
	}
	noted.Lock()
	pods := noted.Map
	noted.Map = map[string]*corev1.Pod{}
	noted.Unlock()
	i.activate(pods)
}

func (i *instance) activate(pods map[string]*corev1.Pod) {
	if len(pods) == 0 {
		return
	}
	keys := make([]string, 0, len(pods))
	for _, p := range pods {
		keys = append(keys, cluster.Key(p))
	}
	slices.Sort(keys)
	i.act(framework.ActivatePods{Pods: keys})
}

func (i *instance) act(a framework.Act) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.acts = append(i.acts, a)
}

// victim is a pod that a plugin deleted.
type victim struct {
	key    string
	plugin string
	pod    *cluster.Pod // that it was asked about; nil: it was asked nothing
}

// AnyGuest stands for the name of a plugin that acts between two calls, from a timer or on an event.
const AnyGuest = "a hosted plugin"

// delete notes a pod that the running plugin deletes.
func (i *instance) delete(key string) {
	i.victims = append(i.victims, victim{key, cmp.Or(i.guestName(), AnyGuest), i.pod})
}

func (i *instance) takeActs() (acts []framework.Act, deleted []victim) {
	i.mu.Lock()
	defer i.mu.Unlock()
	acts, deleted = i.acts, i.victims
	i.acts, i.victims = nil, nil
	return acts, deleted
}

// see takes in a change of the cluster.
func (i *instance) see(c seen) {
	i.objects.apply(c)
	if pod, is := c.old.(*corev1.Pod); is && c.new == nil {
		delete(i.states, cluster.UID(pod))
	}
}

// guestName is the plugin that is called, or "" between calls.
func (i *instance) guestName() string {
	if i.asked == nil {
		return ""
	}
	return i.asked.name
}
