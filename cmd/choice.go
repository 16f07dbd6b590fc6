package cmd

import (
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
)

// choice is the pods that a command is about: those of a namespace, and those that a label selector selects.
type choice struct {
	namespace string // "": all
	labels    labels.Selector
	named     bool // by the user; else the namespace is that of the context, or there is none
}

// isAll reports whether no pod is left out.
func (c choice) isAll() bool { return c.namespace == "" && c.labels.Empty() }

func (c choice) means(p *cluster.Pod) bool {
	return (c.namespace == "" || p.Namespace() == c.namespace) && c.labels.Matches(labels.Set(p.API.Labels))
}

// say describes the choice as a part of a sentence: in English it follows the noun "pods".
func (c choice) say(l words.Language) string {
	switch {
	case c.namespace == "":
		return l.Say("with labels %s", clean(c.labels.String()))
	case c.labels.Empty():
		return l.Say("of namespace %s", clean(c.namespace))
	}
	return l.Say("of namespace %s with labels %s", clean(c.namespace), clean(c.labels.String()))
}

// end counts the pods without a node at the end of a run.
type end struct {
	choice
	pods    int                     // of the choice, with and without a node
	waiting map[trace.QueueName]int // pods of the choice without a node, by queue
	others  int                     // pods without a node outside the choice
	foreign int                     // pods without a node that other schedulers are to place
	strange int                     // how many of these are in the choice
	none    bool                    // the cluster has no pod at all
}

// end counts the pods of the cluster. A pod that has finished, or is being deleted, needs no node any more.
func (c choice) end(player *play.Player) end {
	s := player.Scheduler()
	e := end{choice: c, waiting: map[trace.QueueName]int{}, none: s.State().PodCount() == 0 && s.Cycles() == 0}
	s.State().EachPod(func(p *cluster.Pod) bool {
		s := player.For(p.API.Spec.SchedulerName)
		_, ours := s.Profile(p.API.Spec.SchedulerName)
		_, assumed := s.State().Assumed(p.Key)
		over := cluster.Finished(p.API) || p.API.DeletionTimestamp != nil
		means, waits := c.means(p), p.NodeName == "" && !assumed && !over
		if means {
			e.pods++
		}
		switch {
		case !waits:
		case !ours:
			e.foreign++
			if means {
				e.strange++
			}
		case !means:
			e.others++
		default:
			_, where, _ := s.Queue().Find(p.Key)
			e.waiting[where]++
		}
		return true
	})
	return e
}

// unplaced is how many pods lead to exit code 3: those of the choice, or all when the user chose none.
func (e end) unplaced() int {
	if e.named {
		return e.chosen() + e.strange
	}
	return e.chosen() + e.others + e.foreign
}

// chosen is how many pods of the choice have no node.
func (e end) chosen() int {
	n := 0
	for _, pods := range e.waiting {
		n += pods
	}
	return n
}

// summary is the end of a run in one line.
func (e end) summary(s *core.Scheduler, l words.Language) string {
	parts := []string{strings.Join([]string{
		l.Count(int(s.Cycles()), "cycle"), l.Count(len(s.State().Snapshot().Nodes), "node"),
		l.Count(s.State().PodCount(), "pod"),
	}, l.Of(textAlso))}
	switch {
	case e.none:
		parts = append(parts, l.Of("there was no pod to place"))
	case e.chosen() > 0:
		parts = append(parts, e.unmet(l))
	case e.isAll():
		if e.foreign == 0 {
			parts = append(parts, l.Of("every pod is placed"))
		}
	case e.pods == 0:
		parts = append(parts, l.Say("there is no pod %s", e.say(l)))
	case e.strange == 0:
		parts = append(parts, l.Say("no pod %s waits", e.say(l)))
	}
	return strings.Join(append(parts, e.notShown(l)...), l.Of(textThen))
}

// What stands between the parts of a list, and between the parts of a sentence.
const (
	textAlso = ", "
	textThen = "; "
)

// unmet counts the pods of the choice without a node, by queue.
func (e end) unmet(l words.Language) string {
	var where []string
	for _, in := range []struct {
		queue trace.QueueName
		say   func(n int) string
	}{
		{queue.ActiveQ, func(n int) string { return l.Say("%d in activeQ", n) }},
		{queue.BackoffQ, func(n int) string { return l.Say("%d in backoffQ", n) }},
		{queue.Unschedulable, func(n int) string { return l.Say("%d unschedulable", n) }},
		{queue.Gated, func(n int) string { return l.Say("%d gated", n) }},
		{queue.Incomplete, func(n int) string { return l.Say("%d without their PodGroup", n) }},
	} {
		if n := e.waiting[in.queue]; n > 0 {
			where = append(where, in.say(n))
		}
	}
	queues := strings.Join(where, l.Of(textAlso))
	if e.isAll() {
		return l.Say("%d not placed (%s)", e.chosen(), queues)
	}
	return l.Say("%d of the %s %s not placed (%s)", e.chosen(), l.Count(e.pods, "pod"), e.say(l), queues)
}

// notShown lists the pods without a node that were not printed.
func (e end) notShown(l words.Language) []string {
	var parts []string
	switch {
	case e.others == 0:
	case e.labels.Empty():
		parts = append(parts, l.Sentence(e.others, "%d pod of other namespaces has no node (-A shows them)",
			"%d pods of other namespaces have no node (-A shows them)"))
	default:
		parts = append(parts, l.Sentence(e.others, "%d other pod has no node (-A without -l shows them)",
			"%d other pods have no node (-A without -l shows them)"))
	}
	if e.foreign > 0 {
		parts = append(parts, l.Sentence(e.foreign, "%d pod of other schedulers has no node (left alone)",
			"%d pods of other schedulers have no node (left alone)"))
	}
	return parts
}
