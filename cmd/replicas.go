package cmd

import (
	"context"
	"slices"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/ask/workload"
	"github.com/schedstep/schedstep/replay/session"
)

// workloads are those of which pods were made.
func (o *opened) workloads() []session.Workload {
	var all []session.Workload
	for _, m := range o.input.Made {
		all = append(all, session.Workload{Kind: m.Kind, Name: m.Name, Pods: m.Pods, There: m.There})
	}
	return all
}

// fitting is how many pods of a workload fit at the end of a run, and what would give the first of the others a node.
type fitting struct {
	session.Replicas
	found *remedy.Answer   // for the first of Without; nil: there is none
	all   *workload.Answer // for all; nil: all fit, or it was not looked for
}

// replicas are the workloads of which pods were made.
func (o *opened) replicas(ctx context.Context, end *core.Scheduler) ([]fitting, error) {
	var all []fitting
	var walk *session.Session
	searched := 0
	for _, r := range session.CountReplicas(o.workloads(), end.State()) {
		of := fitting{Replicas: r}
		if len(r.Without) > 0 && hasNodes(end) {
			if walk == nil {
				walk = o.sessionOf(o.input.Play(o.config, o.seed, trace.Summary))
				walk.Move(ctx, session.Continue, session.Forward, nil)
				defer letGarbageLie()()
			}
			found, err := remedy.Find(ctx, walk.At(), r.Without[0], nil)
			if err != nil {
				return nil, err
			}
			of.found = &found
			if searched++; searched <= workload.MostAtOnce {
				whole, is, err := workload.OfMade(ctx, walk.At(), r.Workload, nil)
				if err != nil {
					return nil, err
				}
				if is {
					of.all = &whole
				}
			}
		}
		all = append(all, of)
	}
	return all, ctx.Err()
}

// hasNodes reports whether there is anything to place pods on.
func hasNodes(end *core.Scheduler) bool { return len(end.State().Snapshot().Nodes) > 0 }

// replicas are those of the input, unless nothing prints them.
func (f *runFlags) replicas(ctx context.Context, in *opened, end *core.Scheduler) ([]fitting, error) {
	isData := f.report.format != "" || slices.Contains([]string{"jsonl", "yaml", "name"}, f.output)
	if f.input.quiet && isData {
		return nil, nil
	}
	return in.replicas(ctx, end)
}

// tellAll are the lines about workloads.
func tellAll(all []fitting, end *core.Scheduler, lang words.Language) []string {
	var lines []string
	for _, f := range all {
		told := f.tell(lang)
		if f.all != nil { // before what the next one needs
			told = slices.Insert(told, 1, clean(prose.ForAll(lang, f.all)))
		}
		lines = append(lines, told...)
	}
	if len(all) > 0 && !hasNodes(end) {
		lines = append(lines, lang.Of("there is no node: --nodes 3x4cpu16Gi makes some"))
	}
	return lines
}

func (f fitting) tell(lang words.Language) []string {
	lines := []string{clean(prose.Replicas(lang, f.Replicas))}
	if f.found != nil {
		lines = append(lines, clean(prose.Smallest(lang, f.Without[0], *f.found)))
	}
	return lines
}

// replicasTotal is a workload in the summary of a run, as the JSON of the contract.
type replicasTotal struct {
	Kind     string         `json:"kind"`
	Name     string         `json:"name"`
	Replicas int            `json:"replicas"` // that were made
	Fit      int            `json:"fit"`      // of them, those with a node
	Without  []string       `json:"without"`  // the pods without a node, namespace/name
	Smallest *smallestTotal `json:"smallestChange,omitempty"`
	ForAll   *forAllTotal   `json:"forAll,omitempty"` // absent: all fit, or it was not looked for
	Says     []string       `json:"says"`             // fit and smallestChange in sentences
}

// smallestTotal is the cheapest set of changes that gives a pod a node, and of which no part does.
type smallestTotal struct {
	Pod     string        `json:"pod"`
	Node    string        `json:"node"` // that it comes to
	Cost    int           `json:"cost"`
	Changes []changeTotal `json:"changes"`
}

// forAllTotal is the cheapest set of changes with which all pods of a workload have a node; without changes none was
// found, or they have one by themselves.
type forAllTotal struct {
	Replicas int           `json:"replicas"` // that have a node then, or when the cluster is quiet
	Cost     int           `json:"cost"`
	Changes  []changeTotal `json:"changes"`
	Commands []string      `json:"commands"` // which carry them out
	Says     string        `json:"says"`     // the same in a sentence
}

// changeTotal is one change, as the command of schedstep and as what does it in a cluster.
type changeTotal struct {
	Command string `json:"command"`
	Kubectl string `json:"kubectl"`
}

func forAllOf(a *workload.Answer) *forAllTotal {
	t := forAllTotal{
		Replicas: a.By, Changes: []changeTotal{}, Commands: []string{}, Says: clean(prose.ForAll(words.English, a)),
	}
	if len(a.Remedies) == 0 {
		return &t
	}
	r := &a.Remedies[0]
	t.Replicas, t.Cost = r.Fit, r.Cost
	for i := range r.Changes {
		c := &r.Changes[i]
		t.Changes = append(t.Changes, changeTotal{c.Line, c.Kubectl().String()})
	}
	for _, c := range r.Commands {
		t.Commands = append(t.Commands, c.String())
	}
	return &t
}

func (f fitting) total() replicasTotal {
	t := replicasTotal{
		Kind: f.Kind, Name: f.Name, Replicas: len(f.Pods), Fit: f.Placed, Without: append([]string{}, f.Without...),
		Says: f.tell(words.English),
	}
	if f.all != nil {
		t.ForAll = forAllOf(f.all)
	}
	if f.found == nil || len(f.found.Remedies) == 0 {
		return t
	}
	r := f.found.Remedies[0]
	t.Smallest = &smallestTotal{Pod: f.found.Pod, Node: r.Node, Cost: r.Cost}
	for _, c := range r.Changes {
		t.Smallest.Changes = append(t.Smallest.Changes, changeTotal{c.Line, c.Kubectl().String()})
	}
	return t
}
