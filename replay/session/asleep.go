package session

import (
	"context"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay"
)

// Sleeper is a pod that waits to be woken, though a cycle would place it now.
type Sleeper struct {
	Pod    string
	Parked time.Time
	Node   string    // that a cycle would choose now
	Since  time.Time // when a cycle would have placed it for the first time, of those after which all would
	Step   int       // that made it so; 0: it was so when the pod was parked, or the step lies too far back
	Event  string    // of that step, in words; "" none
	Hints  []Slept   // why each plugin that rejected it let it sleep then
	Until  time.Time // when it is tried again anyway
}

// Slept is a plugin that did not have a pod tried again.
type Slept struct {
	Plugin string
	Asked  bool // its hint ran for the event and returned QueueSkip; else the plugin registered no such event
}

// stepsBack is how many steps are run again, at most, to find since when a pod would fit.
const stepsBack = 300

// Asleep are the unschedulable pods that a cycle would place now, in the order in which they were parked, and how many
// were tried. Pods of a pod group are not tried.
func (s *Session) Asleep(ctx context.Context, progress func(pods int)) (found []Sleeper, asked int) {
	k := s.here()
	scheduler := k.player.Scheduler()
	for item := range scheduler.Queue().Unschedulable() {
		if item.Group != nil || ctx.Err() != nil {
			continue
		}
		if asked++; progress != nil {
			progress(asked)
		}
		node := wouldChoose(scheduler, item.Pod.Key)
		if node == "" {
			continue
		}
		sleeper := Sleeper{
			Pod: item.Pod.Key, Parked: item.Since, Since: k.now(), Node: node,
			Until: item.Since.Add(scheduler.Queue().Patience()),
		}
		s.sinceWhen(&k, &sleeper)
		found = append(found, sleeper)
	}
	return found, asked
}

// wouldChoose is the node that a cycle would place a pod on now; "" none.
func wouldChoose(scheduler *core.Scheduler, pod string) string {
	facts, err := scheduler.Examine(pod)
	if err != nil {
		return ""
	}
	c, _ := trace.Fold(facts)
	t, tried := c.Try(pod)
	if !tried || t.Selected == nil {
		return ""
	}
	return t.Selected.Node
}

// sinceWhen runs the steps again since the pod was parked, and finds the last one before which it would not have been
// placed.
func (s *Session) sinceWhen(k *known, of *Sleeper) {
	first := s.parkedAt(k, of.Pod)
	first = max(first, k.steps-stepsBack, s.line.first())
	p := s.line.playerAt(first, nil, nil)
	p.Keep(trace.Reasoned)
	fitted := wouldChoose(p.Scheduler(), of.Pod) != ""
	of.Since = p.Scheduler().Now()
	for n := first + 1; n <= k.steps; n++ {
		step, more := p.Step()
		if !more {
			break
		}
		if edited, kept := s.line.checkpointAt(n); kept {
			p = edited.Fork()
			p.Keep(trace.Reasoned)
		}
		fits := wouldChoose(p.Scheduler(), of.Pod) != ""
		if fits && !fitted {
			of.Step, of.Since = n, p.Scheduler().Now()
			of.Event, of.Hints = eventOf(step), slept(p, of.Pod, step)
		}
		fitted = fits
	}
}

// parkedAt is the step in which a pod became unschedulable last.
func (s *Session) parkedAt(k *known, pod string) int {
	step := 0
	k.notes(func(n noted) {
		if moved, is := n.fact.(trace.Moved); is && moved.Entity.Key() == pod && moved.To == queue.Unschedulable {
			step = n.step
		}
	})
	return step
}

// eventOf is what happened in a step, in words.
func eventOf(step replay.Step) string {
	for _, f := range step.Facts {
		if o, is := f.(trace.Observed); is {
			return o.String()
		}
	}
	return ""
}

// slept is, for each plugin that rejected a pod, why a step did not wake the pod.
func slept(p *replay.Player, pod string, step replay.Step) []Slept {
	item, _, queued := p.ForPod(pod).Queue().Find(pod)
	if !queued || item.Pod == nil {
		return nil
	}
	var all []Slept
	for _, plugin := range slices.Concat(item.Rejectors, item.Pending) {
		all = append(all, Slept{plugin, slices.ContainsFunc(step.Facts, func(f trace.Fact) bool {
			h, is := f.(trace.Hinted)
			return is && h.Plugin == plugin && h.Entity.Key() == pod
		})})
	}
	return all
}

// Wake has a pod that waits tried at once, whatever the hints of plugins return.
func Wake(key string) Edit { return doing("wake", key) }

func (c *change) wake(key string) error {
	p, err := c.pod(key)
	if err != nil {
		return err
	}
	c.player.ForPod(key).Activate(p)
	c.said = phrase.New("%s is in activeQ", key)
	return nil
}
