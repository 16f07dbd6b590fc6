package workload

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/manager"
	"github.com/schedstep/schedstep/replay/owner"
	"github.com/schedstep/schedstep/replay/remedy"
	"github.com/schedstep/schedstep/replay/request"
	"github.com/schedstep/schedstep/replay/session"
)

// outcome is what came of a run over all replicas.
type outcome struct {
	player *replay.Player // at its end; nil: the changes do not go together
	of     Workload       // then
	cycles int
}

func (o *outcome) fits() bool {
	return o.player != nil && len(o.of.Pods) >= o.of.Want && o.of.Fit() == len(o.of.Pods)
}

// What a run does at most.
const (
	mostSteps = 200_000
	horizon   = 2 * time.Hour // of virtual time
)

// run carries changes out where they last, and goes on until the cluster is quiet.
func (f *finder) run(changes []remedy.Change) outcome {
	var edits []session.Edit
	for i := range changes {
		if len(changes[i].Template) == 0 {
			edits = append(edits, changes[i].Edit)
		}
	}
	operations := f.operations(changes)
	var p *replay.Player
	var err error
	if f.of.Made {
		p, err = f.anew(operations, edits)
	} else {
		p, err = f.rolled(operations, edits)
	}
	if err != nil {
		return outcome{}
	}
	o := outcome{player: p, of: f.of}
	o.cycles = f.settle(p)
	o.of.count(p.Scheduler().State())
	o.of.Want = max(f.of.Want, len(o.of.Pods))
	if f.of.Made || o.fits() || f.ctx.Err() != nil {
		return o
	}
	// No event need have the pods tried that waited before the changes.
	p.RunOn(p.Scheduler().Now().Add(p.Scheduler().Queue().Patience() + time.Minute))
	o.cycles += f.settle(p)
	o.of.count(p.Scheduler().State())
	o.of.Want = max(f.of.Want, len(o.of.Pods))
	return o
}

// settle goes on until nothing is left to do, and returns how many cycles that took.
func (f *finder) settle(p *replay.Player) (cycles int) {
	end := p.Scheduler().Now().Add(horizon)
	for range mostSteps {
		if f.ctx.Err() != nil || !p.CanSchedule() && isAfter(p, end) {
			return cycles
		}
		step, ok := p.Step()
		if !ok {
			return cycles
		}
		if step.Kind == replay.Tried {
			cycles++
		}
	}
	return cycles
}

func isAfter(p *replay.Player, end time.Time) bool {
	next, is := p.NextSent()
	return is && next.After(end)
}

// anew has the pods of a manifest come once more, as the changed template makes them.
func (f *finder) anew(operations []request.Operation, edits []session.Edit) (*replay.Player, error) {
	return f.session.Anew(f.pods, func(p *corev1.Pod) (*corev1.Pod, error) {
		if len(operations) == 0 {
			return p, nil
		}
		return request.Patched(p, operations)
	}, edits...)
}

// rolled has the controllers of the cluster roll the changed template out.
func (f *finder) rolled(operations []request.Operation, edits []session.Edit) (*replay.Player, error) {
	p, err := f.session.Trial(edits...)
	if err != nil {
		return nil, err
	}
	p.Manage(manager.New(manager.DefaultTiming(), f.of.known.Objects, p.Scheduler().State()))
	f.settle(p)
	for _, r := range f.sent(operations) {
		events, err := r.Do(manager.ObjectsOf(p), p.Scheduler().Now())
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			p.Deliver(e)
		}
	}
	return p, nil
}

// sent is what a person sends for operations on the template. What makes pods anew by itself is left to do so; of
// others the pods without a node are deleted. Pods whose template cannot change, or is not known, are made again.
func (f *finder) sent(operations []request.Operation) []request.Request {
	if len(operations) == 0 || len(f.pods) == 0 {
		return nil
	}
	place := owner.PlaceOf(f.pods[0])
	switch place.Follows {
	case owner.Immutable, owner.NotKnown, owner.NotMadeYet, owner.ItIsMade:
		var all []request.Request
		for _, p := range f.pods {
			if p.NodeName == "" {
				all = append(all, request.Remake(named(p), operations...))
			}
		}
		return all
	}
	all := []request.Request{request.Patch(place.On, inTemplate(operations)...)}
	if place.Follows == owner.AllRoll {
		return all
	}
	for _, p := range f.pods {
		if p.NodeName == "" {
			all = append(all, request.Delete(named(p)))
			if place.Follows == owner.InOrder {
				break // those behind it are made anew in their turn
			}
		}
	}
	return all
}

func inTemplate(operations []request.Operation) []request.Operation {
	return under("/spec/template", operations)
}

func named(p *cluster.Pod) request.Object {
	return request.Object{Kind: cluster.KindPod, Namespace: p.Namespace(), Name: p.Name()}
}

// operations are those of several changes of a template together. Tolerations are one list, whatever the order in which
// the changes were found.
func (f *finder) operations(changes []remedy.Change) []request.Operation {
	var all []request.Operation
	var tolerations []corev1.Toleration
	for i := range changes {
		if changes[i].Kind != remedy.Tolerate {
			all = append(all, changes[i].Template...)
			continue
		}
		for _, o := range changes[i].Template {
			if list, is := o.Value.([]corev1.Toleration); is && len(list) > 0 {
				tolerations = append(tolerations, list[len(list)-1])
			}
		}
	}
	if len(tolerations) > 0 && len(f.pods) > 0 {
		written := owner.WrittenTolerations(f.pods[0].API.Spec.Tolerations)
		all = append(all, request.Operation{
			Op: "add", Path: "/spec/tolerations", Value: append(written, tolerations...),
		})
	}
	return all
}

// commands are those of kubectl that carry changes out, in the order in which they were run: what is not in the
// template first, then one patch for all that is.
func (f *finder) commands(changes []remedy.Change) []phrase.Text {
	var all []phrase.Text
	for i := range changes {
		if len(changes[i].Template) == 0 {
			all = append(all, changes[i].Kubectl)
		}
	}
	if operations := f.operations(changes); len(operations) > 0 {
		all = append(all, f.templateCommands(operations)...)
	}
	return all
}

func (f *finder) templateCommands(operations []request.Operation) []phrase.Text {
	place := owner.PlaceOf(f.pods[0])
	on := request.Object{Kind: f.of.Kind, Namespace: f.of.Namespace, Name: f.of.Name}
	var path []request.Operation
	switch {
	case f.of.Kind == kindCronJob:
		path = under("/spec/jobTemplate/spec/template", operations)
	case place.Follows == owner.Immutable, f.of.Kind == owner.KindJob:
		patch := request.Patch(on, inTemplate(operations)...)
		return []phrase.Text{request.Remark(phrase.Textf(
			"in a new object, because the template of %s %s is immutable: %s", on.Kind, on.Name, patch.Operations(),
		)).Command()}
	case place.Follows == owner.NotKnown, place.Follows == owner.NotMadeYet:
		patch := request.Patch(on, inTemplate(operations)...)
		return []phrase.Text{request.Remark(phrase.Textf(
			"in the template of %s %s, which makes the pod: %s", on.Kind, on.Name, patch.Operations(),
		)).Command()}
	default:
		path = inTemplate(operations)
	}
	all := []phrase.Text{request.Patch(on, path...).Command()}
	if f.of.Made {
		return all
	}
	for i, r := range f.sent(operations) {
		if i > 0 {
			all = append(all, r.Command())
		}
	}
	return all
}

func under(prefix string, operations []request.Operation) []request.Operation {
	all := make([]request.Operation, len(operations))
	for i, o := range operations {
		o.Path = prefix + o.Path
		all[i] = o
	}
	return all
}
