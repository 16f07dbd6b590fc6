// Package lint finds wishes of pods that the objects of an input can never meet, or that mean nothing there. It reads
// objects and schedules nothing. Where the input does not hold what a rule compares with, the rule is silent: a warning
// that is wrong costs more than one that is missing.
package lint

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// Finding is one thing that is probably not meant so.
type Finding struct {
	Rule   string `json:"rule"`   // its name in Rules
	Object string `json:"object"` // kind, namespace/name
	Says   string `json:"says"`   // one sentence, without a full stop
}

// Rule is one thing that is looked for.
type Rule struct {
	Name  string
	About string // what it finds
	Why   string // what comes of it
	find  func(*objects) []Finding
}

// Rules are all rules, in the order in which they run.
func Rules() []Rule {
	return []Rule{
		{
			"node-selector", "a required node label that no node has", "the pod stays pending until a node gets the label",
			(*objects).selectors,
		},
		{
			"toleration", "a toleration of a taint that no node has", "it has no effect; the key may be misspelt",
			(*objects).tolerations,
		},
		{
			"pod-affinity", "a required affinity to pods of which there is none", "the pod stays pending until there is one",
			(*objects).affinities,
		},
		{
			"self-anti-affinity", "more pods that keep away from each other than there are domains",
			"the pods beyond the number of domains stay pending", (*objects).crowded,
		},
		{
			"topology-spread", "a spread constraint whose key no node has, or whose selector matches no pod",
			"with the key missing the pod stays pending; a selector that matches nothing spreads nothing",
			(*objects).spread,
		},
		{
			"disruption-budget", "a budget that allows no disruption", "nodes cannot be drained, and preemption avoids its pods",
			(*objects).budgets,
		},
		{
			"missing", "something that a pod names and the input does not hold: a claim, a class, a label of nodes",
			"the pod stays pending until it is there", (*objects).missing,
		},
		{
			volumeLimit, "a node whose CSINode does not list a driver that pods have volumes of, where others have a limit",
			"kube-scheduler counts no volumes there, and the pods may wait for volumes that cannot be attached",
			(*objects).unlimited,
		},
		{
			"too-large", "a request above what the largest node has", "no node can ever take the pod",
			(*objects).tooLarge,
		},
	}
}

// Find runs every rule on a cluster. Of one rule the findings are in the order of keys.
func Find(s *cluster.State) []Finding { return find(s, "") }

// About runs every rule on one pod that waits. On a pod that has a node it runs the rules about where pods are.
func About(s *cluster.State, pod string) []Finding {
	p, there := s.Pod(pod)
	if !there {
		return nil
	}
	return slices.DeleteFunc(find(s, pod), func(f Finding) bool {
		return f.Object != "Pod "+pod || p.NodeName != "" && f.Rule != volumeLimit
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
			f.Rule = rule.Name
			found = append(found, f)
		}
	}
	return found
}

// objects are what the rules look at: pods that are over or on their way out are not among them.
type objects struct {
	nodes []*corev1.Node
	pods  []*corev1.Pod
	pdbs  []*policyv1.PodDisruptionBudget
	all   *cluster.Objects
	only  string // the pod to look at; "": all that wait
}

// waiting are the pods without a node; none when there is no node to compare them with.
func (o *objects) waiting() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, p := range o.pods {
		if p.Spec.NodeName == "" && len(o.nodes) > 0 && (o.only == "" || o.only == cluster.Key(p)) {
			pods = append(pods, p)
		}
	}
	return pods
}

func about(p *corev1.Pod, says string) Finding {
	return Finding{Object: "Pod " + cluster.Key(p), Says: says}
}
