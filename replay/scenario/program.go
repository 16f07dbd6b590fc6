package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Program is how a program that schedules is run: a command with its arguments, what it reads on standard input, and
// how often programs were run before, for it to draw its chance from. It returns what the program wrote.
type Program func(command []string, input []byte, before int) (output []byte, err error)

// Allow lets the scenario run its programs. Without it a scenario that has one does not run.
func (s *Scenario) Allow(p Program) { s.program = p }

// errNotAllowed is why a scenario with a program does not run.
var errNotAllowed = phrase.Errorf("it is a program, and programs run only with --allow-programs")

// mostAsked is how often programs are run in one scenario: enough for hand-written stories, and an end for one that
// binds the same pod again and again.
const mostAsked = 1000

// glimpse is the cluster that programs get: as it was before the schedulers of this moment decided.
type glimpse struct {
	objects map[string]cluster.Object
	news    int // how much had happened
}

// look keeps the cluster as it is for programs to read, unless an earlier look of this moment is kept.
func (r *run) look() {
	if len(r.programs) > 0 && r.seen == nil {
		r.seen = &glimpse{maps.Clone(r.objects), r.news}
	}
}

// consult runs every program in turn, and carries out what they want; false when none wanted anything. They are slower
// than the other schedulers: no other one is ready.
func (r *run) consult() (bound bool, err error) {
	r.look()
	seen := r.seen
	r.seen = nil
	for i, p := range r.programs {
		if seen == nil || r.told[i] == seen.news+1 || !seen.waits(p.Name) {
			continue
		}
		r.told = slices.Clone(r.told)
		r.told[i] = seen.news + 1
		bindings, err := r.ask(p, seen)
		if err != nil {
			return bound, phrase.Errorf("scheduler %s: %w", p.Name, err)
		}
		for _, b := range bindings {
			r.post(p, &b)
			bound = true
		}
	}
	return bound, nil
}

// waits reports whether a pod waits for a scheduler.
func (g *glimpse) waits(name string) bool {
	for _, o := range g.objects {
		if p, is := o.(*corev1.Pod); is && p.Spec.SchedulerName == name && p.Spec.NodeName == "" && !cluster.Finished(p) {
			return true
		}
	}
	return false
}

// ask runs a program and reads its bindings.
func (r *run) ask(p *rival, seen *glimpse) ([]corev1.Binding, error) {
	if r.program == nil {
		return nil, errNotAllowed
	}
	if r.asked++; r.asked > mostAsked {
		return nil, phrase.Errorf("programs were run %d times, and pods still wait", mostAsked)
	}
	input, err := seen.document()
	if err != nil {
		return nil, err
	}
	command := []string{"sh", "-c", p.run}
	if p.script != "" {
		command = append(strings.Fields(p.run), "-c", p.script)
	}
	output, err := r.program(command, input, r.asked-1)
	if err != nil {
		return nil, err
	}
	return bindingsIn(output)
}

// document is the pods and nodes of the cluster, in the order of their names.
func (g *glimpse) document() ([]byte, error) {
	told := struct {
		Pods  []cluster.Object `json:"pods"`
		Nodes []cluster.Object `json:"nodes"`
	}{[]cluster.Object{}, []cluster.Object{}}
	for _, id := range slices.Sorted(maps.Keys(g.objects)) {
		switch o := g.objects[id].(type) {
		case *corev1.Pod:
			told.Pods = append(told.Pods, o)
		case *corev1.Node:
			told.Nodes = append(told.Nodes, o)
		}
	}
	return json.Marshal(told)
}

// bindingsIn reads Binding objects, one after the other.
func bindingsIn(output []byte) ([]corev1.Binding, error) {
	var all []corev1.Binding
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var b corev1.Binding
		err := decoder.Decode(&b)
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, phrase.Errorf("what it wrote is no Binding in JSON: %w", err)
		case b.Name == "" || b.Target.Name == "":
			return nil, phrase.Errorf("binding %d has no %s (want %s)", len(all)+1,
				map[bool]string{true: "metadata.name", false: "target.name"}[b.Name == ""],
				`{"metadata": {"name": "POD"}, "target": {"name": "NODE"}}`)
		}
		all = append(all, b)
	}
}

// post sends one binding of a program to the API server, which may refuse it.
func (r *run) post(p *rival, b *corev1.Binding) {
	pod := b.Name
	if b.Namespace != "" {
		pod = b.Namespace + "/" + b.Name
	}
	r.print(fmt.Sprintf("scheduler %s binds %s to %s", p.Name, key(pod), b.Target.Name))
	if err := r.bind(pod, b.Target.Name); err != nil {
		r.print(indent + "the API server refuses: " + err.Error())
	}
}
