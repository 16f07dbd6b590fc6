package input

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/compare"
)

// census is the facts by which the nodes and pods of an input show how complete it is. Only nodes of a running cluster
// count: nodes of manifests and simulators are as empty as they look.
type census struct {
	nodes   []*corev1.Node
	on      map[string]int // pods that are not over, by the node they are on
	of      map[string]int // the same pods, by namespace
	pods    int
	newest  time.Time // sign of life of a pod
	release string    // the newest of a kubelet, "1.29"; "" when no node has one
}

// judge works out once for an input how complete it is.
func (in *Input) judge() {
	c := in.count()
	in.release = c.release
	if said := c.emptier(); said != "" && in.emptier == "" {
		in.emptier = said
		in.Notices = append(in.Notices, said)
	}
	in.Notices = append(in.Notices, c.clocks()...)
}

// own finds the release of the cluster: that of its API server where the dump has it, else the newest of its kubelets.
// A patch of the API server that has a table of its own is that release: it is installed together with its scheduler,
// while kubelets are updated later.
func (in *Input) own(server string) {
	said := releaseOf(server)
	if r, known := release.Find(strings.TrimPrefix(server, "v")); known && r.IsPatch() {
		said = r.Version
	}
	switch {
	case said != "":
		in.Release, in.Told = said, phrase.Textf("its API server says %s", server)
		in.release = said
	case in.release != "":
		in.Release, in.Told = in.release, "its nodes say so"
	}
}

// Records are what the input holds of the decisions of the scheduler of its cluster. ours is the release of the one
// that decides here.
func (in *Input) Records(ours string) *compare.Records {
	r := compare.NewRecords(in.Script, in.World == Recorded)
	r.Emptier, r.Release, r.Ours = in.emptier, in.release, ours
	if len(in.events) == 0 {
		return r
	}
	uids := map[string]string{}
	for _, t := range in.Script {
		if p, is := t.Event.Object.(*corev1.Pod); is {
			uids[cluster.Key(p)] = string(p.UID)
		}
	}
	for _, e := range in.events {
		pod := e.Namespace + "/" + e.Name
		uid, there := uids[pod]
		if !there || uid != "" && e.UID != "" && uid != e.UID {
			continue // of a pod before it that had its name
		}
		what, text := compare.Message, e.Message
		if e.Reason == "Scheduled" {
			if what, text = compare.Host, assigned(e.Message); text == "" {
				continue
			}
		}
		r.Add(compare.Said{Pod: pod, At: e.At, What: what, Text: text, By: e.By})
	}
	return r
}

// assigned is the node that an event Scheduled names: "Successfully assigned shop/web-1 to n1".
func assigned(message string) string {
	rest, is := strings.CutPrefix(message, "Successfully assigned ")
	_, node, named := strings.Cut(rest, " to ")
	if !is || !named || strings.ContainsAny(node, " \n") {
		return ""
	}
	return node
}

// count looks at all objects of the script, which are there from its start.
func (in *Replay) count() *census {
	c := &census{on: map[string]int{}, of: map[string]int{}}
	for _, t := range in.Script {
		switch o := t.Event.Object.(type) {
		case *corev1.Node:
			if isOfACluster(o) {
				c.nodes = append(c.nodes, o)
				c.release = laterRelease(c.release, releaseOf(o.Status.NodeInfo.KubeletVersion))
			}
		case *corev1.Pod:
			c.newest = later(c.newest, lastSign(o))
			if o.Spec.NodeName != "" && !cluster.Finished(o) {
				c.on[o.Spec.NodeName]++
				c.of[o.Namespace]++
				c.pods++
			}
		}
	}
	return c
}

// isOfACluster reports whether a kubelet has written the status of a node.
func isOfACluster(n *corev1.Node) bool {
	return n.UID != "" && strings.HasPrefix(n.Status.NodeInfo.KubeletVersion, "v1.") && !heartbeat(n).IsZero()
}

// heartbeat is when a kubelet last wrote its node's status or renewed it.
func heartbeat(n *corev1.Node) time.Time {
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			return c.LastHeartbeatTime.Time
		}
	}
	return time.Time{}
}

// lastSign is the newest time in a pod.
func lastSign(p *corev1.Pod) time.Time {
	last := p.CreationTimestamp.Time
	for i := range p.Status.Conditions {
		last = later(last, p.Status.Conditions[i].LastTransitionTime.Time)
	}
	return last
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// releaseOf is "1.29" of "v1.29.4-gke.1".
func releaseOf(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return ""
	}
	return parts[0] + "." + strings.TrimRight(parts[1], "+")
}

// laterRelease is the newer of two releases: the number behind the point decides.
func laterRelease(a, b string) string {
	if len(a) < len(b) || len(a) == len(b) && a < b {
		return b
	}
	return a
}

// emptier is why nodes look emptier than they are; "" when the input shows no reason.
func (c *census) emptier() phrase.Text {
	if len(c.nodes) == 0 {
		return ""
	}
	nodes := phrase.Count(len(c.nodes), "node", "nodes")
	bare := 0
	for _, n := range c.nodes {
		if c.on[n.Name] == 0 {
			bare++
		}
	}
	switch platform := c.platform(); {
	case c.pods == 0:
		return phrase.Count(len(c.nodes), "node without any pod: what is used is unknown",
			"nodes without any pod: what is used is unknown")
	case platform == 0:
		return phrase.Textf("%s with %s, none of kube-system: what is used is unknown", nodes,
			phrase.Count(c.pods, "pod", "pods"))
	case bare > 0:
		return phrase.Count(bare, "of %s has no pod in the input, not even of kube-system: what is used there is unknown",
			"of %s have no pod in the input, not even of kube-system: what is used there is unknown", nodes)
	case platform == c.pods:
		return phrase.Textf("%s with %s, all of kube-system: pods of other namespaces are missing, or there are none", nodes,
			phrase.Count(c.pods, "pod", "pods"))
	}
	return ""
}

// platform counts the pods that every cluster has.
func (c *census) platform() int {
	n := 0
	for namespace, pods := range c.of {
		if namespace == "kube-system" || strings.HasPrefix(namespace, "openshift-") {
			n += pods
		}
	}
	return n
}

// quiet is the age of a heartbeat up to which a kubelet counts as healthy: it writes its node's status every five
// minutes at the latest.
const quiet = 15 * time.Minute

// clocks are sentences about moments that do not agree.
func (c *census) clocks() []phrase.Text {
	var newest time.Time
	for _, n := range c.nodes {
		newest = later(newest, heartbeat(n))
	}
	var told []phrase.Text
	var silent []string
	oldest := newest
	for _, n := range c.nodes {
		if heard := heartbeat(n); newest.Sub(heard) > quiet {
			silent = append(silent, n.Name)
			if heard.Before(oldest) {
				oldest = heard
			}
		}
	}
	if len(silent) > 0 {
		slices.Sort(silent)
		told = append(told, phrase.Textf(
			"%s Ready and last heard of up to %s before the others (%s): their clocks disagree, or their status is old",
			phrase.Count(len(silent), "node is", "nodes are"), roughly(newest.Sub(oldest)), phrase.Names(silent),
		))
	}
	if ahead := c.newest.Sub(newest); !newest.IsZero() && ahead > quiet {
		told = append(told, phrase.Textf(
			"the newest pod is %s newer than the last sign of any node: they were not read at the same time, or clocks disagree",
			roughly(ahead),
		))
	}
	return told
}

// roughly is a duration in rounded words.
func roughly(d time.Duration) phrase.Text {
	switch {
	case d >= 48*time.Hour:
		return phrase.Textf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return phrase.Textf("%d hours", int(d.Hours()))
	}
	return phrase.Textf("%d minutes", int(d.Minutes()))
}
