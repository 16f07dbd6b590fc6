package play

import (
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
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// World turns the effects of a scheduler back into events.
type World interface {
	// Do carries out one effect. It is called once for each effect of a course of events: a player keeps the outcome,
	// and the world as it is then, and runs the step again from there. Where the outcome is empty, the world is as it
	// was before.
	Do(effect core.Effect, known *cluster.State, now time.Time) Outcome
	// Adapt is an event of the script as it happens in this world, where things may have gone another way than in the
	// script's. The event it is given is read only.
	Adapt(event cluster.Event, known *cluster.State) cluster.Event
	// See is called with every event right after the scheduler took it, each time a step is run again too. Its outcome
	// holds no immediate reply to the scheduler.
	See(event cluster.Event, known *cluster.State, now time.Time) Outcome
	// Fork is an independent copy.
	Fork() World
	// Name is "simulated" or "recorded".
	Name() string
}

// Outcome is the result of an effect, or of an event, in a world.
type Outcome struct {
	Events  []source.Timed // that happen because of it, now or later
	replies []core.Reply   // immediate replies to the scheduler
	Facts   []trace.Fact   // what is noteworthy
	later   bool           // it is not known yet what comes of it
}

func (o *Outcome) empty() bool { return len(o.Events)+len(o.replies)+len(o.Facts) == 0 && !o.later }

// Simulated is a world that lives its own life: the scheduler's effects happen. A bound pod runs at once; an evicted
// pod goes when its grace period is over; claims are bound and volumes made after bindTime and provisionTime, and freed
// when the pods that used them are gone. It does not write conditions to pods, because the condition of a pod changes
// no decision.
type Simulated struct {
	version int64 // the last resourceVersion it gave out
	storage storage
	attends bool                   // kubelets look at what is bound to their nodes
	managed Controllers            // nil: none act but those of volumes and claims
	ahead   map[string]*corev1.Pod // by key: pods as last sent, until the event was delivered
	shared  bool                   // a fork may have the same ahead, which is copied before it is written
}

// NewSimulated is a world in which nothing has happened yet.
func NewSimulated() *Simulated { return &Simulated{} }

// Name is "simulated".
func (w *Simulated) Name() string { return "simulated" }

// Fork is an independent copy.
func (w *Simulated) Fork() World {
	w.shared = true
	c := *w
	if w.managed != nil {
		c.managed = w.managed.Fork()
	}
	return &c
}

// Adapt keeps of an update what this world did to the pod and the script does not know of: an API server never takes a
// pod off its node, or a deletion back. What the script changed besides, and an end of the pod, holds.
func (w *Simulated) Adapt(event cluster.Event, known *cluster.State) cluster.Event {
	told, is := event.Object.(*corev1.Pod)
	if !is || event.Action == cluster.Delete {
		return event
	}
	p, live := known.Pod(cluster.Key(told))
	if !live || p.API.UID != told.UID || !strings.HasPrefix(p.API.ResourceVersion, ownVersion) {
		return event
	}
	api := *told
	api.ResourceVersion = adaptedVersion(told, p.API)
	api.Spec.NodeName = p.API.Spec.NodeName
	if api.DeletionTimestamp == nil {
		api.DeletionTimestamp, api.DeletionGracePeriodSeconds = p.API.DeletionTimestamp, p.API.DeletionGracePeriodSeconds
	}
	if !cluster.Finished(told) {
		keepStatus(&api.Status, &p.API.Status)
	}
	return cluster.Event{Action: event.Action, Object: &api}
}

// adaptedVersion is the resourceVersion of an update that the script has of a pod which this world has written. It is
// another one than the pod has by now, because the scheduler passes over an update with the version that it knows. Only
// an update that the script repeats has the same one.
func adaptedVersion(told, now *corev1.Pod) string {
	if told.ResourceVersion == "" {
		return now.ResourceVersion + "+"
	}
	return ownVersion + "over-" + told.ResourceVersion
}

// Do carries out one effect.
func (w *Simulated) Do(effect core.Effect, known *cluster.State, now time.Time) Outcome {
	switch e := effect.(type) {
	case core.Bind:
		if taken := w.taken(e.Pod.Key, known); taken != "" {
			return Outcome{replies: []core.Reply{core.BindingRefused{Bind: e, Reason: taken}}}
		}
		return Outcome{Events: w.bind(e.Pod.Key, e.Node, known, now)}
	case core.Nominate:
		return Outcome{Events: w.update(e.Pod.Key, known, now, func(p *corev1.Pod) { p.Status.NominatedNodeName = e.Node })}
	case core.Evict:
		if events := w.evict(e, known, now); len(events) > 0 {
			return Outcome{Events: events}
		}
		return Outcome{replies: []core.Reply{core.EvictionDone{Evict: e}}} // the victim is gone already
	case core.Write:
		return Outcome{Events: w.write(e, known, now)}
	}
	return Outcome{}
}

// write is the event of an object being as the scheduler wrote it. An object that is new gets an identity.
// Of a pod only that part of the status is written which the scheduler wants to change.
func (w *Simulated) write(e core.Write, known *cluster.State, now time.Time) []source.Timed {
	if wanted, is := e.Object.(*corev1.Pod); is {
		return w.update(cluster.Key(wanted), known, now, func(p *corev1.Pod) {
			p.Status.ExtendedResourceClaimStatus = wanted.Status.ExtendedResourceClaimStatus
		})
	}
	object := e.Object.DeepCopyObject().(cluster.Object)
	w.version++
	version := ownVersion + strconv.FormatInt(w.version, 10)
	object.SetResourceVersion(version)
	if e.Action == cluster.Add && object.GetUID() == "" {
		object.SetUID(types.UID(version))
	}
	return []source.Timed{{At: now, Event: cluster.Event{Action: e.Action, Object: object}}}
}

// Bind is the event of a pod being bound to a node by a client other than the scheduler.
func (w *Simulated) Bind(key, node string, known *cluster.State, now time.Time) ([]source.Timed, error) {
	p, ok := known.Pod(key)
	if !ok {
		return nil, phrase.Errorf("pod %q: there is no such pod", key)
	}
	if p.NodeName != "" {
		return nil, phrase.Errorf("pod %q: is on node %q already", key, p.NodeName)
	}
	return w.bind(key, node, known, now), nil
}

func (w *Simulated) bind(key, node string, known *cluster.State, now time.Time) []source.Timed {
	return w.update(key, known, now, func(p *corev1.Pod) {
		p.Spec.NodeName = node
		p.Status.NominatedNodeName = ""
		if !w.attends {
			p.Status.Phase = corev1.PodRunning
			p.Status.StartTime = &metav1.Time{Time: now}
		}
		p.Status.Conditions = withCondition(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now},
		})
	})
}

// withCondition is the conditions with one more, in the place of another of its type.
func withCondition(all []corev1.PodCondition, c corev1.PodCondition) []corev1.PodCondition {
	return append(slices.DeleteFunc(slices.Clone(all), func(o corev1.PodCondition) bool { return o.Type == c.Type }), c)
}

func (w *Simulated) evict(e core.Evict, known *cluster.State, now time.Time) []source.Timed {
	grace := int64(30)
	if g := e.Pod.API.Spec.TerminationGracePeriodSeconds; g != nil {
		grace = *g
	}
	going := w.update(e.Pod.Key, known, now, func(p *corev1.Pod) {
		p.Status.Conditions = withCondition(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: e.Reason, Message: e.Message,
			LastTransitionTime: metav1.Time{Time: now},
		})
		p.DeletionTimestamp = &metav1.Time{Time: now.Add(time.Duration(grace) * time.Second)}
		p.DeletionGracePeriodSeconds = &grace
	})
	if len(going) == 0 {
		return nil
	}
	if w.managed != nil && grace > 0 {
		return going
	}
	gone := source.Timed{
		At:    now.Add(time.Duration(grace) * time.Second),
		Event: cluster.Event{Action: cluster.Delete, Object: going[0].Event.Object},
	}
	if grace == 0 {
		return []source.Timed{gone}
	}
	return append(going, gone)
}

// update is the event of a live pod changing; none when the pod is gone. It builds on what was sent before and is still
// to be delivered.
func (w *Simulated) update(key string, known *cluster.State, now time.Time, change func(*corev1.Pod)) []source.Timed {
	p, ok := known.Pod(key)
	if !ok {
		return nil
	}
	api := *p.API
	if sent, is := w.ahead[key]; is && sent.UID == api.UID {
		api = *sent
	}
	change(&api)
	w.version++
	api.ResourceVersion = ownVersion + strconv.FormatInt(w.version, 10)
	w.own()
	w.ahead[key] = &api
	return []source.Timed{{At: now, Event: cluster.Event{Action: cluster.Update, Object: &api}}}
}

// seen forgets what was sent of a pod once it is delivered.
func (w *Simulated) seen(action cluster.Action, p *corev1.Pod) {
	key := cluster.Key(p)
	sent, is := w.ahead[key]
	if !is || action != cluster.Delete && sent.ResourceVersion != p.ResourceVersion {
		return
	}
	w.own()
	delete(w.ahead, key)
}

// own makes what was sent this world's alone, to be written.
func (w *Simulated) own() {
	if w.shared {
		w.ahead, w.shared = maps.Clone(w.ahead), false
	}
	if w.ahead == nil {
		w.ahead = map[string]*corev1.Pod{}
	}
}

// keepStatus puts into a status what a simulated world wrote into it.
func keepStatus(into, ours *corev1.PodStatus) {
	into.NominatedNodeName = ours.NominatedNodeName
	if into.Phase == "" || into.Phase == corev1.PodPending {
		into.Phase = ours.Phase
	}
	if into.StartTime == nil {
		into.StartTime = ours.StartTime
	}
	if into.ExtendedResourceClaimStatus == nil {
		into.ExtendedResourceClaimStatus = ours.ExtendedResourceClaimStatus
	}
	for _, c := range ours.Conditions {
		into.Conditions = withCondition(into.Conditions, c)
	}
}

// ownVersion begins every resourceVersion that a simulated world gives out.
const ownVersion = "simulated-"
