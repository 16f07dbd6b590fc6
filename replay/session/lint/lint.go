// Package lint finds wishes of pods that the objects of an input can never meet, or that mean nothing there. It reads
// objects and schedules nothing. Where the input does not hold what a rule compares with, the rule is silent: a warning
// that is wrong costs more than one that is missing.
package lint

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Finding is one thing that is probably not meant so. Its JSON is stable: members are added, and none changes its
// meaning.
type Finding struct {
	Code   string      `json:"code"`           // of the rule, such as SS101; a code never changes its meaning
	Rule   string      `json:"rule"`           // its name in Rules
	Level  Level       `json:"level"`          // of the rule
	Object string      `json:"object"`         // kind, namespace/name
	Also   []string    `json:"also,omitempty"` // more pods of the same controller with the same finding, by key
	Says   phrase.Text `json:"says"`           // one sentence, without a full stop

	of types.UID // the pod's controller; "": none
}

// Level is how much a finding weighs.
type Level string

// The levels.
const (
	Error   Level = "error"   // a pod stays pending, or cannot be evicted, until something changes
	Warning Level = "warning" // something has no effect, or another effect than it seems
)

// Rule is one thing that is looked for. docs/lint has a page for each, named after its code.
type Rule struct {
	Code  string
	Name  string
	Level Level
	About string // what it finds
	Why   string // what comes of it
	find  func(*objects) []Finding
}

// Rules are all rules, in the order in which they run, which is that of their codes. SS1.. is about nodes, SS2.. about
// other pods, SS3.. about evictions, SS4.. about priorities, SS5.. about volumes and devices.
func Rules() []Rule { return slices.Concat(nodeRules(), podRules(), classRules()) }

func nodeRules() []Rule {
	return []Rule{
		{
			"SS101", "node-selector", Error, "a required node label that no node has",
			"the pod stays pending until a node gets the label", (*objects).selectors,
		},
		{
			"SS102", "toleration", Warning, "a toleration of a taint that no node has",
			"it has no effect; the key may be misspelt", (*objects).tolerations,
		},
		{
			"SS103", "taints", Error, "a taint that the pod does not tolerate on every node that it may choose",
			"the pod stays pending until it tolerates the taint, or a node without it comes", (*objects).tainted,
		},
		{
			"SS104", "too-large", Error, "a request above what the largest node has, or more together than one node has",
			"no node can ever take the pod", (*objects).tooLarge,
		},
	}
}

func podRules() []Rule {
	return []Rule{
		{
			"SS201", "pod-affinity", Error, "a required affinity to pods of which there is none",
			"the pod stays pending until there is one", (*objects).affinities,
		},
		{
			"SS202", "self-anti-affinity", Error, "more pods that keep away from each other than there are domains",
			"the pods beyond the number of domains stay pending", (*objects).crowded,
		},
		{
			"SS203", "topology-spread", Warning, "a spread constraint whose key no node has, or whose selector matches no pod",
			"with the key missing the pod stays pending; a selector that matches nothing spreads nothing", (*objects).spread,
		},
		{
			"SS204", "spread-trap", Error,
			"a spread constraint that counts a domain which the pod may not use, or wants more domains than there are",
			"the count of that domain holds back all others, and the pods beyond stay pending", (*objects).trapped,
		},
		{
			"SS301", "disruption-budget", Warning, "a budget that allows no disruption",
			"nodes cannot be drained, and preemption avoids its pods", (*objects).budgets,
		},
		{
			"SS302", "two-budgets", Warning, "a pod under two budgets", "the API server refuses every eviction of it",
			(*objects).twice,
		},
		{
			"SS303", "budget-without-pods", Warning, "a budget whose selector matches no pod, though its namespace has pods",
			"it protects nothing; a label may be misspelt", (*objects).idle,
		},
	}
}

func classRules() []Rule {
	return []Rule{
		{
			"SS401", "old-priority", Warning, "a pod whose priority is not that of its class any more",
			"a pod keeps the priority that its class had when the pod was made", (*objects).outdated,
		},
		{
			"SS402", "default-priorities", Warning, "more than one PriorityClass that is the global default",
			"the one of the lowest value counts for pods that name no class", (*objects).defaults,
		},
		{
			"SS501", "missing", Error,
			"something that a pod names and the input does not hold: a claim, a class, a label of nodes",
			"the pod stays pending until it is there", (*objects).missing,
		},
		{
			"SS502", "default-class", Error, "a claim that names no StorageClass where no class is the default",
			"the claim stays unbound until it names a class, or a class becomes the default", (*objects).unclassed,
		},
		{
			"SS503", "no-volume", Error, "a claim of a class without provisioner for which no volume is left",
			"the pod stays pending until there is a PersistentVolume for the claim", (*objects).unprovided,
		},
		{
			codeDriver, "driver", Warning, "a node on which the driver of a pod's volumes is not registered, as on others it is",
			"kube-scheduler knows no limit of volumes there, and puts any number of pods on the node", (*objects).undriven,
		},
	}
}

// Find runs every rule on a cluster. The findings of one rule are in the order of keys; equal findings about pods of
// one controller are one.
func Find(s *cluster.State) []Finding { return folded(find(s, "")) }

// codeDriver is the code of the rule that looks at nodes where pods are, too.
const codeDriver = "SS504"

// About runs every rule on one pod that waits. On a pod that has a node it runs the rule about the drivers of that
// node.
func About(s *cluster.State, pod string) []Finding {
	p, there := s.Pod(pod)
	if !there {
		return nil
	}
	return slices.DeleteFunc(find(s, pod), func(f Finding) bool {
		return f.Object != "Pod "+pod || p.NodeName != "" && f.Code != codeDriver
	})
}

// find runs every rule, on all pods that wait or only on the named one.
func find(s *cluster.State, only string) []Finding {
	o := &objects{only: only, all: s.Objects()}
	for _, n := range s.Snapshot().Nodes {
		o.nodes = append(o.nodes, n.API)
	}
	s.EachPod(func(p *cluster.Pod) bool {
		if !cluster.Finished(p.API) && p.API.DeletionTimestamp == nil {
			o.pods = append(o.pods, p.API)
		}
		return true
	})
	s.Objects().DisruptionBudgets.Each(func(b *policyv1.PodDisruptionBudget) bool {
		o.pdbs = append(o.pdbs, b)
		return true
	})
	var found []Finding
	for _, rule := range Rules() {
		for _, f := range rule.find(o) {
			f.Code, f.Rule, f.Level = rule.Code, rule.Name, rule.Level
			found = append(found, f)
		}
	}
	return found
}

// folded joins the equal findings of one rule about pods of one controller.
func folded(found []Finding) []Finding {
	type same struct {
		code string
		says phrase.Text
		of   types.UID
	}
	var out []Finding
	at := map[same]int{}
	for _, f := range found {
		key := same{f.Code, f.Says, f.of}
		i, known := at[key]
		if f.of == "" || !known {
			at[key] = len(out)
			out = append(out, f)
			continue
		}
		out[i].Also = append(out[i].Also, f.Object[len("Pod "):])
	}
	return out
}

// objects are what the rules look at: pods that are over or on their way out are not among them.
type objects struct {
	nodes []*corev1.Node
	pods  []*corev1.Pod
	pdbs  []*policyv1.PodDisruptionBudget
	all   *cluster.Objects
	only  string // the pod to look at; "": all that wait
}

// pending are the pods without a node.
func (o *objects) pending() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, p := range o.pods {
		if p.Spec.NodeName == "" && (o.only == "" || o.only == cluster.Key(p)) {
			pods = append(pods, p)
		}
	}
	return pods
}

// waiting are the pods without a node; none when there is no node to compare them with.
func (o *objects) waiting() []*corev1.Pod {
	if len(o.nodes) == 0 {
		return nil
	}
	return o.pending()
}

func about(p *corev1.Pod, says phrase.Text) Finding {
	f := Finding{Object: "Pod " + cluster.Key(p), Says: says}
	if c := metav1.GetControllerOfNoCopy(p); c != nil {
		f.of = c.UID
		if f.of == "" {
			f.of = types.UID(c.Kind + " " + p.Namespace + "/" + c.Name)
		}
	}
	return f
}
