package input

import (
	"slices"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// objects reads API objects, however they are wrapped: all are there from the start. They stand beside main; nil: they
// are all.
func (r *reading) objects(start time.Time, main *Input) (*Input, error) {
	paths := r.paths
	if len(paths) == 0 {
		paths = []string{madeNodes}
	}
	dump, err := r.dump(main)
	if err != nil {
		return nil, err
	}
	made := templates.Make(dump.Objects, r.Templates)
	if len(made.Unused) > 0 {
		return nil, r.noWorkload(made.Unused[0])
	}
	admitted, problems := admission.Admit(made.Objects, r.Rules)
	importer.Sort(admitted)
	in := &Input{
		Replay: Replay{World: Simulated, Start: start},
		Report: Report{Title: title(paths), Made: made.Made, Workloads: made.Workloads, Holders: dump.Holders},
	}
	in.tell(dump, slices.Concat(dump.Problems, made.Problems, problems))
	in.left = append(in.left, made.Left...)
	in.found(made)
	if in.Start.IsZero() {
		in.Start = newest(admitted)
	}
	in.load(admitted)
	in.events, in.emptier = dump.Events, dump.Emptier
	in.judge()
	in.own(dump.Version)
	if len(in.Script) == 0 {
		return nil, in.nothing(called(paths))
	}
	in.Notices = append(in.Notices, in.made()...)
	if made.Claims > 0 {
		in.Notices = append(
			in.Notices, phrase.Textf("made %s", phrase.Count(
				made.Claims, "ResourceClaim of a template", "ResourceClaims of templates",
			)),
		)
	}
	in.Notices = append(in.Notices, in.leftOut()...)
	return in, nil
}

// dump is what the files have, and the nodes of Options.
func (r *reading) dump(main *Input) (*importer.Dump, error) {
	dump := &importer.Dump{}
	if len(r.paths) > 0 {
		var err error
		if dump, err = importer.Read(r.ctx, r.paths, importer.Options{
			Streams: r.streams, Format: importer.Format(r.Format), Most: r.Most, Progress: r.Progress,
			Workloads: r.workloads(), Whole: r.Whole, Custom: config.HaveGuests(r.Plugins),
		}); err != nil {
			return nil, err
		}
	}
	return dump, r.addNodes(dump, main)
}

// load makes an event of every object the scheduler reads, and counts the others.
func (in *Input) load(admitted []importer.Object) {
	nodes := map[string]bool{}
	homeless := map[string]int{}
	in.sources = map[string]string{}
	var down []string
	for _, o := range admitted {
		object, ok := o.Object.(cluster.Object)
		if !ok {
			continue
		}
		if _, known := cluster.KindOf(object); !known {
			in.leave(object)
			continue
		}
		switch object := object.(type) {
		case *corev1.Node:
			nodes[object.Name] = true
			if isDown(object) {
				down = append(down, object.Name)
			}
		case *corev1.Pod:
			if object.Spec.NodeName != "" && !nodes[object.Spec.NodeName] && !cluster.Finished(object) {
				homeless[object.Spec.NodeName]++
			}
		}
		in.Script = append(in.Script, source.Timed{At: in.Start, Event: cluster.Event{Action: cluster.Add, Object: object}})
		in.sources[objectName(object)] = o.Source
	}
	if len(down) > 0 {
		in.Notices = append(in.Notices, phrase.Textf(
			"%s not Ready and without a taint (%s): from 1.12 on kube-scheduler goes by taints alone, "+
				"so pods may be placed there",
			phrase.Count(len(down), "node is", "nodes are"), phrase.Names(down),
		))
	}
	if len(homeless) > 0 {
		pods := 0
		for _, n := range homeless {
			pods += n
		}
		in.Notices = append(in.Notices, phrase.Textf("%s on %s not described by the input; they take no part",
			phrase.Count(pods, "pod is", "pods are"), phrase.Count(len(homeless), "node", "nodes")))
	}
}

// objectName is the kind of an object and its key.
func objectName(o cluster.Object) string {
	kind, _ := cluster.KindOf(o)
	return string(kind) + " " + cluster.Key(o)
}

// Source is where an object of a dump was found, such as "web.yaml line 34": its kind, a space and its key name it. ""
// for one that no file describes.
func (in *Report) Source(object string) string { return in.sources[object] }

// isDown reports whether a node is not Ready, and nothing keeps pods off it: releases before 1.12 looked at the
// condition, and no controller wrote a taint for it.
func isDown(n *corev1.Node) bool {
	if n.Spec.Unschedulable {
		return false
	}
	for _, t := range n.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute {
			return false
		}
	}
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue
	})
}

// leave counts an object that was understood and that no part of this scheduler reads. Limit ranges and runtime classes
// are not counted: they have done their work when the pods were admitted.
func (in *Report) leave(object cluster.Object) {
	switch object.(type) {
	case *corev1.LimitRange, *nodev1.RuntimeClass:
		in.spent++
		return
	}
	kind := object.GetObjectKind().GroupVersionKind().Kind
	for i := range in.left {
		if in.left[i].What == kind {
			in.left[i].Count++
			return
		}
	}
	in.left = append(in.left, importer.LeftOut{What: kind, Count: 1})
}

// tell turns the importer's problems into notices and refusals.
func (in *Input) tell(dump *importer.Dump, problems []importer.Problem) {
	for _, p := range alike(problems) {
		if p.Severity == importer.Refused {
			in.Refused = append(in.Refused, p.Phrase().Text())
			continue
		}
		in.Notices = append(in.Notices, p.Phrase().Text())
	}
	in.left = append(in.left, dump.Left...)
	for _, absent := range dump.Missing {
		in.lacks = append(in.lacks, cluster.Kind(absent.Kind))
	}
	if len(dump.Configs) == 0 {
		return
	}
	in.Config, in.From = dump.Configs[0].Raw, dump.Configs[0].Source
	for _, other := range dump.Configs[1:] {
		in.Notices = append(
			in.Notices, phrase.Textf("%s is a scheduler configuration too; it is left out (--config chooses one)", other.Source),
		)
	}
}

// alike joins what differs in names and numbers only into the first of its kind: a thousand pods refused for one reason
// are one sentence.
func alike(problems []importer.Problem) []importer.Problem {
	var out []importer.Problem
	at := map[string]int{}
	for _, p := range problems {
		key := withoutNames(p.What.String() + p.Right.String())
		i, seen := at[key]
		if !seen || out[i].Severity != p.Severity {
			at[key] = len(out)
			out = append(out, p)
			continue
		}
		out[i].More += 1 + p.More
	}
	return out
}

// withoutNames is a sentence without what is quoted in it and without digits.
func withoutNames(s string) string {
	quoted := false
	return strings.Map(func(r rune) rune {
		if r == '"' {
			quoted = !quoted
		}
		if quoted || r == '"' || unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// newest is the latest timestamp any object bears.
func newest(all []importer.Object) time.Time {
	latest := time.Time{}
	see := func(t time.Time) {
		if t.After(latest) {
			latest = t
		}
	}
	for _, o := range all {
		object, ok := o.Object.(cluster.Object)
		if !ok {
			continue
		}
		see(object.GetCreationTimestamp().Time)
		switch o := o.Object.(type) {
		case *corev1.Pod:
			for i := range o.Status.Conditions {
				see(o.Status.Conditions[i].LastTransitionTime.Time)
			}
			if o.Status.StartTime != nil {
				see(o.Status.StartTime.Time)
			}
		case *corev1.Node:
			for i := range o.Status.Conditions {
				see(o.Status.Conditions[i].LastTransitionTime.Time)
				see(o.Status.Conditions[i].LastHeartbeatTime.Time)
			}
		}
	}
	if latest.IsZero() {
		return epoch
	}
	return latest.UTC()
}
