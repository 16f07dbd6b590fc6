package cmd

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/internal/words"
)

// choice is which pods the user means.
type choice struct {
	namespace string // "": all
	labels    labels.Selector
	named     bool // by the user; else the namespace is that of the context, or there is none
}

// isAll says whether no pod is left out.
func (c choice) isAll() bool { return c.namespace == "" && c.labels.Empty() }

func (c choice) means(p *cluster.Pod) bool {
	return (c.namespace == "" || p.Namespace() == c.namespace) && c.labels.Matches(labels.Set(p.API.Labels))
}

// String is the choice as the end of a sentence that begins with pods.
func (c choice) String() string {
	var words []string
	if c.namespace != "" {
		words = append(words, "of namespace "+clean(c.namespace))
	}
	if !c.labels.Empty() {
		words = append(words, "with labels "+clean(c.labels.String()))
	}
	return strings.Join(words, " ")
}

// end is which pods a run leaves without a node.
type end struct {
	choice
	pods    int            // that are meant, with and without a node
	waiting map[string]int // pods that are meant and have no node, by the queue they are in
	others  int            // pods without a node that are not meant
	foreign int            // pods without a node that other schedulers are to place
	strange int            // of these, how many are meant
	none    bool           // there was no pod at all, whoever is meant
}

// end looks at every pod of the cluster. A pod that is over, or is being deleted, needs no node any more.
func (c choice) end(s *core.Scheduler) end {
	e := end{choice: c, waiting: map[string]int{}, none: s.State().PodCount() == 0 && s.Cycles() == 0}
	s.State().EachPod(func(p *cluster.Pod) bool {
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

// unplaced is how many pods make the exit code 3: those that the user chose, or all when they chose none.
func (e end) unplaced() int {
	if e.named {
		return e.chosen() + e.strange
	}
	return e.chosen() + e.others + e.foreign
}

// chosen is how many pods that are meant have no node.
func (e end) chosen() int {
	n := 0
	for _, pods := range e.waiting {
		n += pods
	}
	return n
}

// summary is the end of a run in one line.
func (e end) summary(s *core.Scheduler) string {
	parts := []string{
		words.Count(int(s.Cycles()), "cycle") + ", " + words.Count(len(s.State().Snapshot().Nodes), "node") + ", " +
			words.Count(s.State().PodCount(), "pod"),
	}
	switch {
	case e.none:
		parts = append(parts, "there was no pod to place")
	case e.chosen() > 0:
		parts = append(parts, e.unmet())
	case e.isAll():
		if e.foreign == 0 {
			parts = append(parts, "every pod is placed")
		}
	case e.pods == 0:
		parts = append(parts, "there is no pod "+e.String())
	case e.strange == 0:
		parts = append(parts, "no pod "+e.String()+" waits")
	}
	return strings.Join(append(parts, e.notShown()...), "; ")
}

// unmet counts the pods that are meant and have no node, by where they wait.
func (e end) unmet() string {
	var where []string
	for _, in := range []struct{ queue, name string }{
		{queue.ActiveQ, "in activeQ"},
		{queue.BackoffQ, "in backoffQ"},
		{queue.Unschedulable, "unschedulable"},
		{queue.Gated, "gated"},
		{queue.Incomplete, "without their PodGroup"},
	} {
		if n := e.waiting[in.queue]; n > 0 {
			where = append(where, fmt.Sprintf("%d %s", n, in.name))
		}
	}
	whose := ""
	if !e.isAll() {
		whose = " of the " + words.Count(e.pods, "pod") + " " + e.String()
	}
	return fmt.Sprintf("%d%s not placed (%s)", e.chosen(), whose, strings.Join(where, ", "))
}

// notShown says which pods without a node the user has not seen.
func (e end) notShown() []string {
	var parts []string
	has := func(n int) string {
		if n == 1 {
			return "has"
		}
		return "have"
	}
	switch {
	case e.others == 0:
	case e.labels.Empty():
		parts = append(parts, words.Count(e.others, "pod")+" of other namespaces "+has(e.others)+" no node (-A shows them)")
	default:
		parts = append(parts, words.Count(e.others, "other pod")+" "+has(e.others)+" no node (-A without -l shows them)")
	}
	if e.foreign > 0 {
		parts = append(parts, words.Count(e.foreign, "pod")+" of other schedulers "+has(e.foreign)+" no node (left alone)")
	}
	return parts
}
