package compare

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// labels compares which events a change is to the queue. For pods without a node they depend on the waiting pod; hints
// are compared for those.
func (p *Pair) labels(change *cluster.Change, facts []trace.Fact) {
	if change.Kind == cluster.KindPod {
		last := change.NewPod
		if last == nil {
			last = change.OldPod
		}
		if last.NodeName == "" {
			return
		}
	}
	var theirs, ours []string
	for _, e := range p.theirs.Events(&corev1.Pod{}, their(change)) {
		theirs = append(theirs, presentName(e.Label))
	}
	for _, fact := range facts {
		if f, ok := fact.(trace.Observed); ok && f.Kind == string(change.Kind) {
			ours = append(ours, f.Events...)
		}
	}
	p.found(Difference{What: "events of " + string(change.Kind)}, strings.Join(theirs, " "), strings.Join(ours, " "))
}

// their is a change as the oracle takes it.
func their(change *cluster.Change) oracle.Change {
	var c oracle.Change
	if change.Old != nil {
		c.Before = identified(change.Old)
	}
	if change.New != nil && change.Action != cluster.Delete {
		c.After = identified(change.New)
	}
	return c
}

// hints compares, for every waiting pod, what the hint of every plugin answers to
// a change, as if that plugin alone had rejected the pod.
func (p *Pair) hints(change *cluster.Change, known *cluster.State) {
	theirs := their(change)
	known.EachPod(func(pod *cluster.Pod) bool {
		profile, mine := p.ours.Profile(pod.API.Spec.SchedulerName)
		if _, assumed := known.Assumed(pod.Key); pod.NodeName != "" || assumed || !mine {
			return true
		}
		for _, e := range p.theirs.Events(identified(pod.API).(*corev1.Pod), theirs) {
			p.event(pod, profile, &e, change, known)
		}
		return true
	})
}

// answer is what the hint of one plugin answers to one event.
type answer struct {
	queue bool
	err   string
}

func (a answer) String() string {
	if a.err != "" {
		return "Queue: " + a.err
	}
	if a.queue {
		return "Queue"
	}
	return "Skip"
}

func (p *Pair) event(
	pod *cluster.Pod, profile *framework.Profile, e *oracle.Event, change *cluster.Change, known *cluster.State,
) {
	event, ok := eventNamed(e)
	if !ok {
		p.found(Difference{What: "event", Pod: pod.Key}, e.Label, "unknown")
		return
	}
	ours := map[string]answer{}
	for _, w := range profile.Wakers() {
		for _, hint := range w.Hints() {
			if !hint.Event.Matches(event) {
				continue
			}
			a := ours[w.Name()]
			helps, err := true, error(nil)
			if hint.Helps != nil {
				helps, err = hint.Helps(pod, change, known)
			}
			if err != nil {
				a.err = err.Error()
			}
			a.queue = a.queue || helps || err != nil
			ours[w.Name()] = a
		}
	}
	if !p.older() && queue.ReachesUnlisted(event, oracle.Groups()) {
		for _, name := range unlisted(profile) {
			ours[name] = answer{queue: true}
		}
	}
	about := Difference{What: "hint " + e.Label, Pod: pod.Key}
	for _, hint := range e.Hints {
		about.Plugin = hint.Plugin
		said := notAsked
		if a, asked := ours[hint.Plugin]; asked {
			if p.Tamper.Hint != nil {
				a.queue = p.Tamper.Hint(hint.Plugin, a.queue)
			}
			said = a.String()
		}
		delete(ours, hint.Plugin)
		if said == notAsked && (!canReject(profile, hint.Plugin) || p.older() && !hint.Queue) {
			continue
		}
		p.tally.of(hint.Plugin).hint(hint.Queue)
		p.found(about, answer{hint.Queue, hint.Error}.String(), said)
	}
	for plugin, a := range ours {
		about.Plugin = plugin
		if a.queue || !p.older() {
			p.found(about, notAsked, a.String())
		}
	}
}

// unlisted are the plugins that reject pods and list no events: any event wakes these.
func unlisted(profile *framework.Profile) []string {
	var names []string
	add := func(name string) {
		listed := func(w framework.Waker) bool { return w.Name() == name }
		if !slices.Contains(names, name) && !slices.ContainsFunc(profile.Wakers(), listed) {
			names = append(names, name)
		}
	}
	for _, f := range profile.PreFilter {
		add(f.Name())
	}
	for _, f := range profile.Filter {
		add(f.Name())
	}
	return names
}

const notAsked = "not asked"

// older reports that the other side may be another release than the newest. Its plugins register for more events or for
// fewer, to which they answer Skip: that moves no pod, as if they did not run.
func (p *Pair) older() bool {
	_, linked := p.theirs.(linked)
	return !linked
}

// canReject reports whether a pod can wait because of the plugin.
func canReject(profile *framework.Profile, plugin string) bool {
	named := func(f framework.FilterPlugin) bool { return f.Name() == plugin }
	return slices.ContainsFunc(profile.Filter, named) || slices.ContainsFunc(profile.PreFilter, named)
}

// presentName is what the newest release calls an event: names of older ones are not followed (docs/releases.md).
func presentName(label string) string {
	return strings.Replace(label, "UpdatePodTolerations", "UpdatePodToleration", 1)
}

// eventNamed is our event for one of kube-scheduler. Until 1.36 what happens to a waiting pod itself has another name,
// which ours does not follow either.
func eventNamed(e *oracle.Event) (cluster.ClusterEvent, bool) {
	resource, label := e.Resource, presentName(e.Label)
	if action, own := strings.CutPrefix(label, "UnschedulablePod"); own {
		resource, label = string(cluster.TargetPod), string(cluster.TargetPod)+action
	}
	actions := []cluster.ActionType{cluster.Updated, cluster.AnyAction}
	for a := cluster.Added; a < cluster.AnyAction; a <<= 1 {
		actions = append(actions, a)
	}
	for _, a := range actions {
		event := cluster.ClusterEvent{Resource: cluster.Resource(resource), Action: a}
		if event.Label() == label {
			return event, true
		}
	}
	return cluster.ClusterEvent{}, false
}

const preempting = "waiting for the preemption for this pod to be finished"

// Gated compares the PreEnqueue verdicts for every pod without a node. Known is the state of ours that kube-scheduler
// got last.
func (p *Pair) Gated(known *cluster.State) {
	known.EachPod(func(pod *cluster.Pod) bool {
		if pod.NodeName != "" {
			return true
		}
		ours := p.gates(pod, known)
		for _, theirs := range p.theirs.Gates(pod.API) {
			if ours[theirs.Plugin].Message() == preempting {
				continue // theirs evicts no pod, and so does not wait for it
			}
			p.tally.of(theirs.Plugin).gate(theirs)
			p.found(Difference{What: "PreEnqueue", Plugin: theirs.Plugin, Pod: pod.Key}, text(theirs), textOf(
				ours[theirs.Plugin],
			))
		}
		return true
	})
}
