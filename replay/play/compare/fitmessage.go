package compare

import (
	"regexp"
	"strconv"
	"strings"
)

// fit is a message that no node was found, taken apart: "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) were
// unschedulable. preemption: ...".
type fit struct {
	nodes   int            // of the cluster; -1 where the message has no number
	reasons map[string]int // how many nodes, by what rejects them in the words of no release; 0 where none are counted
	head    string         // all up to what came of evicting others
}

var (
	available = regexp.MustCompile(`^0/(\d+) nodes are available: ?`)
	// before 1.10 the number stood behind the reason
	predicates = regexp.MustCompile(
		`(?s)^No nodes are available that match all of the (?:following )?predicates: ?:? ?(.*)$`,
	)
	counted = regexp.MustCompile(`(?:^|, )(\d+) `)
	behind  = regexp.MustCompile(`(?:^|, )([^()]+(?:\([^()\d][^()]*\))?[^()]*) \((\d+)\)`)
)

// parseFit takes a message apart; false when it is no such message.
func parseFit(message string) (fit, bool) {
	f := fit{nodes: -1, reasons: map[string]int{}}
	f.head, _, _ = strings.Cut(message, " preemption: ")
	f.head = strings.TrimSuffix(strings.TrimSpace(f.head), ".")
	if m := predicates.FindStringSubmatch(f.head); m != nil {
		for _, r := range behind.FindAllStringSubmatch(m[1], -1) {
			f.count(r[1], r[2])
		}
		return f, len(f.reasons) > 0
	}
	m := available.FindStringSubmatch(f.head)
	if m == nil {
		if f.head == "no nodes available to schedule pods" {
			f.nodes = 0
			return f, true
		}
		f.count(f.head, "0")
		return f, isPodReason(f.head)
	}
	f.nodes, _ = strconv.Atoi(m[1])
	list := f.head[len(m[0]):]
	starts := counted.FindAllStringSubmatchIndex(list, -1)
	if len(starts) == 0 || starts[0][0] != 0 {
		f.count(list, "0")
		return f, list != ""
	}
	for i, at := range starts {
		end := len(list)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		f.count(list[at[1]:end], list[at[2]:at[3]])
	}
	return f, true
}

// count adds nodes that reject the pod for a reason.
func (f *fit) count(reason, nodes string) {
	n, _ := strconv.Atoi(nodes)
	f.reasons[meaningOf(reason)] += n
}

// isSameAs reports whether two messages count the same nodes for the same reasons.
func (f *fit) isSameAs(other *fit) bool {
	if len(f.reasons) != len(other.reasons) || f.nodes != other.nodes && f.nodes >= 0 && other.nodes >= 0 {
		return false
	}
	for reason, n := range f.reasons {
		if m, there := other.reasons[reason]; !there || m != n {
			return false
		}
	}
	return true
}

// meaning is what one reason means in whatever release.
type meaning struct {
	name  string
	words []string // that the reason contains in some release
}

// The meanings that causes are looked for by.
const (
	taintMeaning     = "a taint"
	cordonMeaning    = "the node is unschedulable"
	labelMeaning     = "labels of the node"
	resourceMeaning  = "Insufficient "
	podsMeaning      = "too many pods"
	portsMeaning     = "host ports"
	podAffineMeaning = "affinity to pods"
	spreadMeaning    = "topology spread"
	diskMeaning      = "a volume in use"
)

// meanings are the wordings of the releases from 1.5 on. What contains the words of several means the first.
var meanings = []meaning{
	{taintMeaning, []string{"untolerated taint", "had taint", "PodToleratesNodeTaints"}},
	{cordonMeaning, []string{"were unschedulable", "NodeUnschedulable"}},
	{labelMeaning, []string{
		"match node selector", "Pod's node affinity", "scheduler-enforced node affinity", "MatchNodeSelector",
	}},
	{"the name of the node", []string{"requested hostname", "requested node name", "HostName"}},
	{portsMeaning, []string{"free ports", "PodFitsHostPorts", "PodFitsPorts"}},
	{podAffineMeaning, []string{
		"pod affinity", "pod anti-affinity", "existing pods anti-affinity", "inter-pod affinity", "MatchInterPodAffinity",
	}},
	{spreadMeaning, []string{"topology spread constraints"}},
	{"a volume elsewhere", []string{"volume node affinity conflict", "PersistentVolume's node affinity"}},
	{"the zone of a volume", []string{"available volume zone", "NoVolumeZoneConflict"}},
	{"too many volumes", []string{"max volume count", "MaxVolumeCount"}},
	{diskMeaning, []string{
		"no available disk", "NoDiskConflict", "ReadWriteOncePod access mode",
	}},
	{"no volume to bind", []string{"available persistent volumes to bind"}},
	{"claims that are not bound", []string{"unbound immediate PersistentVolumeClaims", "unbound PersistentVolumeClaims"}},
	{"a claim that is not there", []string{"persistentvolumeclaim"}},
	{podsMeaning, []string{"Too many pods", "Insufficient pods"}},
	{"the node is not ready", []string{"were not ready", "NodeNotReady", "CheckNodeCondition"}},
	{"memory pressure", []string{"memory pressure", "NodeUnderMemoryPressure"}},
	{"disk pressure", []string{"disk pressure", "NodeUnderDiskPressure"}},
}

// meaningOf is a reason in the words of no release; an unknown one stays as it is.
func meaningOf(reason string) string {
	reason = strings.TrimSpace(reason)
	for _, m := range meanings {
		for _, words := range m.words {
			if strings.Contains(reason, words) {
				return m.name
			}
		}
	}
	return reason
}

// isPodReason reports whether a text is about the pod itself, as PreFilter plugins word it, with no number of nodes.
func isPodReason(text string) bool {
	m := meaningOf(text)
	return m != text && !strings.HasPrefix(text, "running ")
}
