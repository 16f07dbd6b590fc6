package session

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// belief is something the scheduler believes that can be watched.
type belief struct {
	text string
	read func(*core.Scheduler) string // absent: what it is about is not there
}

// absent is the value of a belief about something that is not there.
const absent = "none"

// WatchForms are the forms of what can be watched.
func WatchForms() []string {
	return []string{
		"node.NAME.requested.RESOURCE", "node.NAME.free.RESOURCE", "node.NAME.allocatable.RESOURCE", "node.NAME.pods",
		"node.NAME.taints",
		"node.NAME.unschedulable", "node.NAME.label.KEY", "pod.NAME.queue", "pod.NAME.node", "pod.NAME.nominated",
		"pod.NAME.attempts", "pod.NAME.priority", "pod.NAME.zone", "pod.NAME.requested.RESOURCE",
		"domain.ZONE.count", "domain.ZONE.nodes", "queue.NAME",
	}
}

// parseBelief reads what a verb is to look at.
func parseBelief(verb, text string) (*belief, error) {
	what, rest, _ := strings.Cut(text, ".")
	var read func(*core.Scheduler) string
	switch what {
	case "node":
		read = nodeBelief(rest)
	case "pod":
		read = podBelief(rest)
	case "domain":
		read = domainBelief(rest)
	case "queue":
		read = queueBelief(rest)
	}
	if read == nil {
		return nil, phrase.Errorf("%s: %q is nothing that can be watched (%s)", verb, text, strings.Join(WatchForms(), ", "))
	}
	return &belief{text: text, read: read}, nil
}

// fieldOf divides "ip-10-0-0-1.ec2.internal.requested.cpu" into the name, the field and what follows it. Names have
// dots, fields have none.
func fieldOf(text string, fields ...string) (name, field, of string, ok bool) {
	for _, f := range fields {
		if name, found := strings.CutSuffix(text, "."+f); found && name != "" {
			return name, f, "", true
		}
		if at := strings.LastIndex(text, "."+f+"."); at > 0 {
			return text[:at], f, text[at+len(f)+2:], true
		}
	}
	return "", "", "", false
}

func nodeBelief(text string) func(*core.Scheduler) string {
	name, field, of, ok := fieldOf(text, "label", "requested", "free", "allocatable", "pods", "taints", "unschedulable")
	named := field == "label" || field == "requested" || field == "free" || field == "allocatable"
	if !ok || named == (of == "") {
		return nil
	}
	return func(s *core.Scheduler) string {
		n, ok := s.State().Snapshot().Node(name)
		if !ok {
			return absent
		}
		switch field {
		case "pods":
			return strconv.Itoa(len(n.Pods))
		case "unschedulable":
			return strconv.FormatBool(n.API.Spec.Unschedulable)
		case "taints":
			return taintsOf(n)
		case "label":
			if v, ok := n.Label(of); ok {
				return strconv.Quote(v)
			}
			return absent
		}
		return amountOn(n, field, of)
	}
}

func taintsOf(n *cluster.Node) string {
	return orAbsent(strings.Join(taintTexts(n.API.Spec.Taints), ","))
}

func amountOn(n *cluster.Node, field, name string) string {
	used, all := amountOf(&n.Requested, name), amountOf(&n.Allocatable, name)
	if name == "pods" {
		used = trace.Count(int64(len(n.Pods)))
	}
	switch field {
	case "requested":
		return used.String()
	case "allocatable":
		return all.String()
	}
	a, _ := all.Number()
	u, _ := used.Number()
	return all.With(a - u).String()
}

// amountOf is how much of a resource there is.
func amountOf(r *cluster.Resources, name string) trace.Value {
	switch corev1.ResourceName(name) {
	case corev1.ResourceCPU:
		return trace.MilliCPU(r.MilliCPU)
	case corev1.ResourceMemory:
		return trace.Bytes(r.Memory)
	case corev1.ResourceEphemeralStorage:
		return trace.Bytes(r.EphemeralStorage)
	case corev1.ResourcePods:
		return trace.Count(r.Pods)
	}
	return trace.Count(r.Scalar(corev1.ResourceName(name)))
}

// podFields are what can be watched of a pod.
var podFields = []string{"queue", "node", "nominated", "attempts", "priority", "zone", "requested"}

func podBelief(text string) func(*core.Scheduler) string {
	name, field, of, ok := fieldOf(text, podFields...)
	if !ok || (field == "requested") == (of == "") {
		return nil
	}
	if !strings.Contains(name, "/") {
		name = "default/" + name
	}
	return func(s *core.Scheduler) string {
		p, known := s.State().Pod(name)
		if !known {
			return absent
		}
		item, where, queued := s.Queue().Find(name)
		switch {
		case field == "queue" && queued:
			return string(where)
		case field == "node":
			return orAbsent(nodeOfPod(s.State(), name).node)
		case field == "zone":
			return zoneOf(s, nodeOfPod(s.State(), name).node)
		case field == "nominated":
			return orAbsent(s.Queue().NominatedNode(p))
		case field == "priority":
			return strconv.Itoa(int(p.Priority))
		case field == "requested":
			return amountOf(&p.Requests, of).String()
		case field == "attempts" && queued:
			return strconv.Itoa(item.Attempts)
		}
		return absent
	}
}

// zoneOf is the zone of a node.
func zoneOf(s *core.Scheduler, node string) string {
	if n, ok := s.State().Snapshot().Node(node); ok {
		zone, _ := n.Label(corev1.LabelTopologyZone)
		return orAbsent(zone)
	}
	return absent
}

func orAbsent(text string) string {
	if text == "" {
		return absent
	}
	return text
}

func domainBelief(text string) func(*core.Scheduler) string {
	zone, field, of, ok := fieldOf(text, "count", "nodes")
	if !ok || of != "" {
		return nil
	}
	return func(s *core.Scheduler) string {
		pods, nodes := 0, 0
		for _, n := range s.State().Snapshot().Nodes {
			if v, _ := n.Label(corev1.LabelTopologyZone); v == zone {
				nodes++
				pods += len(n.Pods)
			}
		}
		if field == "nodes" {
			return strconv.Itoa(nodes)
		}
		return strconv.Itoa(pods)
	}
}

// watchedQueues are the queues that can be watched, by the name a watch gives them.
var watchedQueues = []string{"active", "backoff", "unschedulable", "gated", "inflight"}

func queueBelief(name string) func(*core.Scheduler) string {
	if !slices.Contains(watchedQueues, name) {
		return nil
	}
	return func(s *core.Scheduler) string {
		c := s.Queue().Counts()
		return strconv.Itoa(
			[]int{c.Active, c.Backoff, c.Unschedulable, c.Gated, c.InFlight}[slices.Index(watchedQueues, name)],
		)
	}
}

// Watch sets a breakpoint that is hit when a value changes in what the scheduler knows, and returns the value as it is
// now.
func (s *Session) Watch(text string) (Breakpoint, string, error) {
	b, err := parseBelief("watch", text)
	if err != nil {
		return Breakpoint{}, "", err
	}
	set := s.Break(Breakpoint{Watch: text, belief: b})
	k := s.here()
	return set, b.read(k.player.Scheduler()), nil
}
