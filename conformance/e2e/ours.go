package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// ours is schedstep in a simulated world that begins with a dump.
type ours struct {
	player *play.Player
	said   *said
	pods   map[string]string       // every pod that was ever there, with the message of its condition when it came
	cycles map[string][]*trace.Try // of each pod, in order
}

// said are the messages and events that the scheduler reports.
type said struct {
	messages map[string]string // last of each pod; "" when it was placed
	notes    map[string]string // first of each pod
	victims  map[string]string
}

// hear keeps the reports among the scheduler's effects.
func (s *said) hear(effects []core.Effect) {
	for _, effect := range effects {
		e, ok := effect.(core.Report)
		if !ok {
			continue
		}
		if e.Condition != "" {
			s.messages[e.Pod.Key] = e.Message
		}
		_, later := s.notes[e.Pod.Key]
		switch {
		case e.Reason == "FailedScheduling" && !later:
			s.notes[e.Pod.Key] = e.Note
		case e.Reason == "Preempted":
			s.victims[e.Pod.Key] = e.Note
		}
	}
}

// newOurs reads a dump as the command line reads it. tamper may change objects, so that a test can show that a
// difference is found.
func newOurs(folder string, configuration []byte, tamper func(cluster.Object)) (*ours, error) {
	c, err := config.Load(configuration, "configuration")
	if err != nil {
		return nil, err
	}
	in, err := input.Read(context.Background(), []string{folder}, input.Options{})
	if err != nil {
		return nil, err
	}
	if len(in.Refused) > 0 {
		return nil, fmt.Errorf(
			"the importer refuses what an API server wrote: %s", strings.Join(phrase.Strings(in.Refused), "; "),
		)
	}
	inKeyOrder(in.Script)
	o := &ours{
		player: in.Play(c, 0, trace.Full), pods: map[string]string{}, cycles: map[string][]*trace.Try{},
		said: &said{messages: map[string]string{}, notes: map[string]string{}, victims: map[string]string{}},
	}
	for _, t := range in.Script {
		if tamper != nil {
			tamper(t.Event.Object)
		}
		o.meet(t.Event)
	}
	return o, nil
}

// inKeyOrder puts the pods without a node, which come last, into the order of their keys: a scheduler that starts when
// all of them are there receives them in that order. The importer gives them in the order of their creation.
func inKeyOrder(script source.Script) {
	first := len(script)
	for first > 0 {
		p, ok := script[first-1].Event.Object.(*corev1.Pod)
		if !ok || p.Spec.NodeName != "" {
			break
		}
		first--
	}
	slices.SortStableFunc(script[first:], func(a, b source.Timed) int {
		return strings.Compare(cluster.Key(a.Event.Object), cluster.Key(b.Event.Object))
	})
}

func (o *ours) meet(e cluster.Event) {
	p, ok := e.Object.(*corev1.Pod)
	if !ok || e.Action == cluster.Delete {
		return
	}
	message := ""
	if c := scheduled(p); c != nil && c.Status == corev1.ConditionFalse {
		message = c.Message
	}
	o.pods[cluster.Key(p)] = message
}

// follow delivers the changes of the cluster, then runs the scheduler until nothing is left to do.
func (o *ours) follow(events []cluster.Event) Outcome {
	o.finish()
	for _, e := range events {
		o.meet(e)
		o.player.Send(source.Timed{At: o.player.Scheduler().Now(), Event: o.live(e)})
		o.finish()
	}
	return o.outcome()
}

// finish runs the scheduler until nothing is left to do.
func (o *ours) finish() {
	for {
		step, ok := o.player.Step()
		if !ok {
			return
		}
		o.keep(step)
	}
}

// live is an event as it would have come if the pod it is about were where our scheduler put it.
func (o *ours) live(e cluster.Event) cluster.Event {
	if p, ok := e.Object.(*corev1.Pod); ok && e.Action != cluster.Add {
		if now, known := o.player.Scheduler().State().Pod(cluster.Key(p)); known && now.NodeName != p.Spec.NodeName {
			there := p.DeepCopy()
			there.Spec.NodeName = now.NodeName
			e.Object = there
		}
	}
	return e
}

func (o *ours) keep(step play.Step) {
	o.said.hear(step.Effects)
	if step.Kind != play.Tried {
		return
	}
	if c, ok := trace.Fold(step.Facts); ok {
		o.cycles[c.Entity.Key()] = append(o.cycles[c.Entity.Key()], c.Latest())
	}
}

// outcome is where schedstep has placed the pods, and its messages for the others.
func (o *ours) outcome() Outcome {
	out := newOutcome()
	for key, message := range o.pods {
		p, there := o.player.Scheduler().State().Pod(key)
		switch {
		case !there:
			continue
		case p.NodeName == "":
			if now, told := o.said.messages[key]; told {
				message = now
			}
			if message != "" {
				out.Messages[key] = message
			}
		}
		out.Hosts[key] = p.NodeName
	}
	for key, note := range o.said.notes {
		out.Notes[key] = note
	}
	for victim, note := range o.said.victims {
		out.Victims[victim] = note
	}
	return out
}

// labels are the names under which kube-scheduler counts these events, before ours gets them. Pods that get or lose
// their node are not among them: the watcher counts them itself.
func (o *ours) labels(events []cluster.Event) []string {
	known := o.player.Scheduler().State().Fork()
	var labels []string
	for _, e := range events {
		changes := known.Apply(e)
		if p, ok := e.Object.(*corev1.Pod); ok {
			if p.Spec.NodeName == "" {
				labels = append(labels, "UnscheduledPod"+e.Action.String())
			}
			continue
		}
		for i := range changes {
			for _, event := range changes[i].Events() {
				labels = append(labels, event.Label())
			}
		}
	}
	return labels
}
