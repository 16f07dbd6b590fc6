package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// Names is what there is to be found.
type Names struct {
	Pods  []string // namespace/name, sorted
	Nodes []string // sorted
}

// Names lists the pods and nodes of the cluster at the cursor.
func (s *Session) Names() Names {
	k := s.here()
	state := k.state()
	var n Names
	state.EachPod(func(p *cluster.Pod) bool {
		n.Pods = append(n.Pods, p.Key)
		return true
	})
	n.Nodes = slices.Sorted(slices.Values(state.Snapshot().Names))
	return n
}

// History is what happened to a pod up to the cursor: every move between queues with its cause, every cycle with its
// outcome.
func (s *Session) History(pod string) []Event {
	k := s.here()
	var events []Event
	k.notes(func(n noted) {
		if text, about := toldOf(pod, n.fact); about {
			events = append(events, Event{Step: n.step, Cycle: n.cycle, At: n.at, Text: text})
		}
	})
	return events
}

// toldOf is a fact as the history of a pod tells it; false when it is about another.
func toldOf(pod string, fact trace.Fact) (text string, about bool) {
	switch f := fact.(type) {
	case trace.Moved:
		return f.Way(), f.Entity.Key() == pod
	case trace.Recorded:
		return f.Reason + ": " + f.Note, f.Pod == pod
	case trace.Nominated:
		return f.Where(), f.Pod == pod
	}
	return "", false
}

// Wakers says what would have a waiting pod tried again: the events its rejecting plugins wait for, and time.
func (s *Session) Wakers(pod string) []string {
	k := s.here()
	q := k.player.Scheduler().Queue()
	item, where, queued := k.find(pod)
	if !queued || where == queue.InFlight {
		return nil
	}
	switch where {
	case queue.ActiveQ:
		return []string{"it is in activeQ: the scheduler pops it in its turn"}
	case queue.Incomplete:
		return []string{"it waits for its PodGroup " + item.Pod.Group + " to be added"}
	case queue.BackoffQ:
		if group, _, is := q.Find(queue.GroupKey(item.Pod.Group)); is && item.BackoffUntil.IsZero() {
			return []string{fmt.Sprintf("its group is in backoffQ until %s", group.BackoffUntil.UTC().Format("15:04:05"))}
		}
		return []string{fmt.Sprintf(
			"it is in backoffQ until %s, and is popped earlier when activeQ is empty",
			item.BackoffUntil.UTC().Format("15:04:05"),
		)}
	}
	waits := append(slices.Clone(item.Rejectors), item.Pending...)
	if where == queue.Gated {
		if item.Gate == "" { // another member of its group is held back
			held, _, _ := q.Find(queue.GroupKey(item.Pod.Group))
			item = held.Members[0]
			waits = []string{held.Gate}
		} else {
			waits = []string{item.Gate}
		}
	}
	profile, ok := k.player.Scheduler().Profile(item.Pod.API.Spec.SchedulerName)
	if !ok {
		return nil
	}
	var out []string
	for _, w := range profile.Wakers() {
		if !slices.Contains(waits, w.Name()) {
			continue
		}
		var events []string
		for _, h := range w.Hints() {
			events = append(events, eventText(h.Event))
		}
		out = append(out, w.Name()+" waits for one of: "+strings.Join(events, "; "))
	}
	if where == queue.Unschedulable {
		out = append(out, fmt.Sprintf(
			"or time: it is tried all the same %g minutes after it was parked",
			queue.DefaultUnschedulableTimeout.Minutes(),
		))
	}
	return out
}

// eventText is an event in words, each of its changes named: "a node is added or changes its labels".
func eventText(e cluster.ClusterEvent) string {
	var changes []string
	if e.Action&cluster.Added != 0 {
		changes = append(changes, "is added")
	}
	if e.Action&cluster.Deleted != 0 {
		changes = append(changes, "is deleted")
	}
	if e.Action&cluster.Updated == cluster.Updated {
		return subject(e.Resource) + " " + strings.Join(append(changes, "changes"), " or ")
	}
	for _, c := range changeWords {
		if e.Action&c.action != 0 {
			changes = append(changes, c.words)
		}
	}
	return subject(e.Resource) + " " + strings.Join(changes, " or ")
}

// changeWords says of every single update what the object does.
var changeWords = [...]struct {
	action cluster.ActionType
	words  string
}{
	{cluster.UpdateNodeAllocatable, "changes its allocatable resources"},
	{cluster.UpdateNodeLabel, "changes its labels"},
	{cluster.UpdateNodeTaint, "changes its taints"},
	{cluster.UpdateNodeCondition, "changes a condition"},
	{cluster.UpdateNodeAnnotation, "changes its annotations"},
	{cluster.UpdateNodeDeclaredFeature, "changes its declared features"},
	{cluster.UpdateNodePreemptionPolicy, "changes its preemption policy"},
	{cluster.UpdatePodLabel, "changes its labels"},
	{cluster.UpdatePodScaleDown, "asks for less"},
	{cluster.UpdatePodScaleUp, "asks for more"},
	{cluster.UpdatePodToleration, "changes its tolerations"},
	{cluster.UpdatePodSchedulingGatesEliminated, "loses its last gate"},
	{cluster.UpdatePodGeneratedResourceClaim, "gets its resource claims"},
}

// subject is whom an event is about.
func subject(r cluster.Resource) string {
	switch r {
	case cluster.AssignedPod:
		return "a pod on a node"
	case cluster.UnscheduledPod:
		return "another waiting pod"
	case cluster.TargetPod:
		return "this pod"
	case cluster.PodResource:
		return "a pod"
	case cluster.NodeResource:
		return "a node"
	case cluster.AnyResource:
		return "anything"
	}
	name := string(r)
	return "a " + name[strings.LastIndex(name, "/")+1:]
}
