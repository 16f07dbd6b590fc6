// Package asleep is the question which unschedulable pods a cycle would place now, since when, and which plugin did not
// have them tried again. It wakes none of them.
package asleep

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "asleep", LooksBack: true, Data: true, Find: find,
		Does: "list unschedulable pods that would fit now, and the plugins whose hints did not wake them",
		Help: "Runs a cycle for every unschedulable pod, and lists those that would be placed now: since when, what happened " +
			"then, and which plugin did not have them tried again. They sleep until 5 minutes are over.",
		Command: ask.Piped, Page: ask.OnNoPage,
		Examples: []string{"asleep"},
	}
}

// Answer is the pods that sleep, in the order in which they were parked.
type Answer struct {
	Found []Sleeper `json:"found"`
	Asked int       `json:"asked"` // how many pods were tried
}

// Sleeper is a pod that waits to be woken, though a cycle would place it now.
type Sleeper struct {
	Pod    string    `json:"pod"`
	Parked time.Time `json:"parked"`
	Node   string    `json:"node"` // that a cycle would choose now
	// when a cycle would have placed it for the first time, of those after which all would
	Since time.Time `json:"since"`
	// that made it so; 0: it was so when the pod was parked, or the step lies too far back
	Step  int       `json:"step,omitempty"`
	Event string    `json:"event,omitempty"` // of that step, in words; "" none
	Hints []Slept   `json:"hints,omitempty"` // why each plugin that rejected it let it sleep then
	Until time.Time `json:"until"`           // when it is tried again anyway
}

// Slept is a plugin that did not have a pod tried again.
type Slept struct {
	Plugin string `json:"plugin"`
	Asked  bool   `json:"asked"` // its hint ran for the event and returned QueueSkip; else it registered no such event
}

// stepsBack is how many steps are run again, at most, to find since when a pod would fit.
const stepsBack = 300

// find tries every unschedulable pod. Pods of a pod group are not tried.
func find(c ask.Call) (ask.Answer, error) {
	var a Answer
	scheduler := c.At.Player().Scheduler()
	for item := range scheduler.Queue().Unschedulable() {
		if item.Group != nil || c.Context.Err() != nil {
			continue
		}
		if a.Asked++; c.Progress != nil {
			c.Progress(a.Asked)
		}
		node := wouldChoose(scheduler, item.Pod.Key)
		if node == "" {
			continue
		}
		sleeper := Sleeper{
			Pod: item.Pod.Key, Parked: item.Since, Since: c.At.Now(), Node: node,
			Until: item.Since.Add(scheduler.Queue().Patience()),
		}
		sleeper.sinceWhen(c.At)
		a.Found = append(a.Found, sleeper)
	}
	return a, nil
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
func (s *Sleeper) sinceWhen(at *session.At) {
	again := at.Rerun(max(parkedAt(at, s.Pod), at.Steps()-stepsBack), trace.Reasoned)
	fitted := wouldChoose(again.Player().Scheduler(), s.Pod) != ""
	s.Since = again.Player().Scheduler().Now()
	for {
		n, step, more := again.Next()
		if !more {
			return
		}
		p := again.Player()
		fits := wouldChoose(p.Scheduler(), s.Pod) != ""
		if fits && !fitted {
			s.Step, s.Since = n, p.Scheduler().Now()
			s.Event, s.Hints = eventOf(step), slept(p, s.Pod, step)
		}
		fitted = fits
	}
}

// parkedAt is the step in which a pod became unschedulable last.
func parkedAt(at *session.At, pod string) int {
	step := 0
	at.EachNote(func(n int, fact trace.Fact) {
		if moved, is := fact.(trace.Moved); is && moved.Entity.Key() == pod && moved.To == queue.Unschedulable {
			step = n
		}
	})
	return step
}

// eventOf is what happened in a step, in words.
func eventOf(step play.Step) string {
	for _, f := range step.Facts {
		if o, is := f.(trace.Observed); is {
			return o.String()
		}
	}
	return ""
}

// slept is, for each plugin that rejected a pod, why a step did not wake the pod.
func slept(p *play.Player, pod string, step play.Step) []Slept {
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

// Title is what the page is called.
func (a Answer) Title(lang words.Language) string {
	return lang.Of("Pods that sleep though they would fit")
}

// Next wakes one of them.
func (a Answer) Next() []string {
	var lines []string
	for i := range a.Found {
		lines = append(lines, "wake "+a.Found[i].Pod)
	}
	return lines
}
