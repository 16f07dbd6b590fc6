package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/source/extender"
)

// Pair is both schedulers in one cluster. Ours leads: its queue decides which pod is next, and where it places a pod
// the other has to place it too. Call Close when done.
type Pair struct {
	Tamper Tamper

	theirs KubeScheduler
	ours   *core.Scheduler
	tally  *Tally

	step        int
	elsewhere   bool // the search goes on at a node that only ours knows
	differences []Difference
}

// Tamper changes our answers before they are compared, which a test of the
// comparison needs. The zero value changes nothing.
type Tamper struct {
	Cycle func(*trace.Try)
	Hint  func(plugin string, queue bool) bool
	Gate  func(plugin string, v trace.Verdict) trace.Verdict
}

// KubeScheduler is what the comparison needs of the other side: an oracle.Oracle in this process, or the program of
// another release (package wire).
type KubeScheduler interface {
	oracle.Scheduler
	Close()
}

// linked is a kube-scheduler of this process: an oracle.Oracle, or one with more around it. It is the newest.
type linked interface{ StartAt(index int) }

// New is a scheduler of ours in an empty cluster, run by a configuration (nil: the default of the gates' release) whose
// every plugin core judges with; see Judged. It calls the configuration's extenders, as the other side does.
func New(configuration []byte, gates config.Gates, start time.Time) (*core.Scheduler, error) {
	c, err := Load(configuration, gates)
	if err != nil {
		return nil, err
	}
	journal, _ := extender.NewJournal(nil)
	if c, err = extender.Connect(context.Background(), c, journal, extender.AskAndBind); err != nil {
		return nil, err
	}
	return core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Groups: c.Groups,
		Start: start, Detail: trace.Full,
	}), nil
}

// Beside puts kube-scheduler beside a scheduler of ours that the caller runs, from the empty cluster on, both with the
// same configuration and feature gates, ours with detail Full. The caller has to report every step: Delivered, Tried or
// Waited.
func Beside(ours *core.Scheduler, theirs KubeScheduler, tally *Tally) *Pair {
	return &Pair{theirs: theirs, ours: ours, tally: tally}
}

// Close ends kube-scheduler's background activity.
func (p *Pair) Close() { p.theirs.Close() }

// Differences are those found so far.
func (p *Pair) Differences() []Difference { return p.differences }

// Add notes differences that the caller found in the last step.
func (p *Pair) Add(differences ...Difference) {
	for _, d := range differences {
		p.found(d, d.Theirs, d.Ours)
	}
}

// Steps is how many events and cycles there have been.
func (p *Pair) Steps() int { return p.step }

func (p *Pair) found(d Difference, theirs, ours string) {
	if theirs == ours {
		return
	}
	d.Step, d.Theirs, d.Ours = p.step, theirs, ours
	p.differences = append(p.differences, d)
}

// Delivered passes on an event that ours has taken in, and compares what the plugins make of it for every waiting pod.
// Before is a fork of ours's state from before the event, which it takes over. Events of kinds that the default profile
// does not read are passed over.
func (p *Pair) Delivered(e cluster.Event, before *cluster.State, effects []core.Effect, facts []trace.Fact) error {
	switch kind, known := cluster.KindOf(e.Object); {
	case !known, kind == cluster.KindPriorityClass, kind == cluster.KindPodGroup && !oracle.Groups():
		p.send(effects)
		return p.follow() // it may have been the refusal of a binding
	}
	p.step++
	p.tally.Events++
	p.send(effects)
	changes := before.Apply(e)
	var err error
	if e.Action == cluster.Delete {
		err = p.theirs.Remove(e.Object)
	} else {
		err = p.theirs.Put(identified(e.Object))
	}
	if err != nil {
		return fmt.Errorf("step %d, %s: %w", p.step, e, err)
	}
	if err := p.follow(); err != nil {
		return err
	}
	for i := range changes {
		if changes[i].Ignored == "" && p.theirs.Hinting() {
			p.labels(&changes[i], facts)
			p.hints(&changes[i], before)
		}
	}
	return nil
}

// identified is the object with a UID if it is a pod without one, as in manifests:
// kube-scheduler does not take such a pod in.
func identified(o cluster.Object) cluster.Object {
	pod, ok := o.(*corev1.Pod)
	if !ok || pod.UID != "" {
		return o
	}
	pod = pod.DeepCopy()
	pod.UID = types.UID(cluster.UID(pod))
	return pod
}

// errEnds is why nothing after a cycle can be compared: kube-scheduler does not survive it.
var errEnds = errors.New("kube-scheduler ends its own process")

// Tried has kube-scheduler run the cycle that ours has run, and compares.
func (p *Pair) Tried(effects []core.Effect, facts []trace.Fact) error {
	p.step++
	cycle, _ := trace.Fold(facts)
	if cycle.Ended != nil && cycle.Ended.Outcome == trace.SkippedScheduling {
		return nil
	}
	if linked, is := p.theirs.(linked); is && p.elsewhere && cycle.Ended != nil {
		linked.StartAt(cycle.Ended.StartIndex)
		p.elsewhere = false
	}
	p.theirs.At(cycle.Number, cycle.Time)
	if cycle.Entity.Type == "podgroup" {
		return p.group(cycle, effects)
	}
	pod, known := p.ours.State().Pod(cycle.Entity.Key())
	if !known {
		return fmt.Errorf("step %d: pod %s: popped and not there", p.step, cycle.Entity.Key())
	}
	answer, err := p.theirs.Schedule(pod.API)
	if err != nil {
		return fmt.Errorf("step %d: %w", p.step, err)
	}
	if answer.Decision.Ends != "" {
		return fmt.Errorf("step %d: pod %s: %w: %s", p.step, answer.Pod, errEnds, answer.Decision.Ends)
	}
	try := cycle.Latest()
	if p.Tamper.Cycle != nil {
		p.Tamper.Cycle(try)
	}
	c := Cycle{
		Theirs: answer, Ours: try, Filters: p.theirs.Plugins(cycle.Profile, "Filter"), Message: message(effects),
	}
	for _, d := range c.Compare(p.tally) {
		d.Step = p.step
		p.differences = append(p.differences, d)
	}
	if err := p.place(pod.API, facts); err != nil {
		return err
	}
	p.send(effects)
	if err := p.nominate(pod.API, effects); err != nil {
		return err
	}
	return p.follow()
}

// Waited reports that ours has let virtual time pass.
func (p *Pair) Waited(effects []core.Effect) error {
	p.send(effects)
	return p.follow()
}

// send notes which pods are handed to the world to be bound.
func (p *Pair) send(effects []core.Effect) {
	for _, e := range effects {
		if b, ok := e.(core.Bind); ok {
			p.theirs.Bind(b.Pod.Key)
		}
	}
}

// follow has kube-scheduler take back the place of every pod that lost it on
// its way to its node.
func (p *Pair) follow() error {
	for _, key := range p.theirs.Placed() {
		if _, assumed := p.ours.State().Assumed(key); assumed || p.onItsWay(key) {
			continue
		}
		if pod, known := p.ours.State().Pod(key); known && pod.NodeName != "" {
			p.theirs.Bind(key)
			continue
		}
		if err := p.theirs.Forget(key); err != nil {
			return fmt.Errorf("step %d: %w", p.step, err)
		}
	}
	return nil
}

// onItsWay reports that plugins still work for a pod, or hold it back, though it may be gone from the cluster.
func (p *Pair) onItsWay(key string) bool {
	here := func(pod *cluster.Pod) bool { return pod.Key == key }
	return slices.ContainsFunc(p.ours.Waiting(), here) || slices.ContainsFunc(p.ours.InPreBind(), here)
}

// gates are the verdicts of our PreEnqueue plugins on a pod.
func (p *Pair) gates(pod *cluster.Pod, known *cluster.State) map[string]trace.Verdict {
	gates := map[string]trace.Verdict{}
	if profile, ok := p.ours.Profile(pod.API.Spec.SchedulerName); ok {
		for _, plugin := range profile.PreEnqueue {
			gates[plugin.Name()] = plugin.PreEnqueue(pod, known)
			if p.Tamper.Gate != nil {
				gates[plugin.Name()] = p.Tamper.Gate(plugin.Name(), gates[plugin.Name()])
			}
		}
	}
	return gates
}

// message is what the cycle reports about a pod it could not place.
func message(effects []core.Effect) string {
	for _, e := range effects {
		if r, ok := e.(core.Report); ok && r.Type == "Warning" {
			return r.Message
		}
	}
	return ""
}

// place has kube-scheduler assume the pod where ours did, unless the cycle took
// it back.
func (p *Pair) place(pod *corev1.Pod, facts []trace.Fact) error {
	node, was := "", ""
	for _, fact := range facts {
		switch f := fact.(type) {
		case trace.Assumed:
			node, was = f.Node, f.Node
		case trace.Forgotten:
			node = ""
		}
	}
	if by, is := refused(facts); is && was != "" {
		return p.reserve(pod, was, by)
	}
	if node == "" {
		return nil
	}
	if err := p.theirs.Assume(pod, node); err != nil {
		return fmt.Errorf("step %d: %w", p.step, err)
	}
	return nil
}

// nominate has kube-scheduler set nodes aside as ours does after a cycle.
func (p *Pair) nominate(pod *corev1.Pod, effects []core.Effect) error {
	for _, effect := range effects {
		e, ok := effect.(core.Nominate)
		if !ok || e.Pod.Key != cluster.Key(pod) {
			continue
		}
		nominated := identified(pod).(*corev1.Pod).DeepCopy()
		nominated.Status.NominatedNodeName = e.Node
		if err := p.theirs.Put(nominated); err != nil {
			return fmt.Errorf("step %d: %w", p.step, err)
		}
	}
	return nil
}
