package workload

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/session"
)

// outcome is the result of a run over all replicas.
type outcome struct {
	player *play.Player // at its end; nil: the changes do not go together
	of     Workload     // then
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
	var scalings []request.Request
	for i := range changes {
		if scale, is := changes[i].Edit.Scaling(); is && !f.of.Made {
			scalings = append(scalings, scale)
		} else if len(changes[i].Template) == 0 {
			edits = append(edits, changes[i].Edit)
		}
	}
	operations := f.operations(changes)
	var p *play.Player
	var err error
	if f.of.Made {
		p, err = f.anew(operations, edits)
	} else {
		p, err = f.rolled(operations, edits, scalings)
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
func (f *finder) settle(p *play.Player) (cycles int) {
	end := p.Scheduler().Now().Add(horizon)
	for range mostSteps {
		if f.ctx.Err() != nil || !p.CanSchedule() && isAfter(p, end) {
			return cycles
		}
		step, ok := p.Step()
		if !ok {
			return cycles
		}
		if step.Kind == play.Tried {
			cycles++
		}
	}
	return cycles
}

func isAfter(p *play.Player, end time.Time) bool {
	next, is := p.NextSent()
	return is && next.After(end)
}

// anew has the pods of a manifest come once more, as the changed template makes them.
func (f *finder) anew(operations []request.Operation, edits []session.Edit) (*play.Player, error) {
	operations = f.onPods(operations)
	return f.here.Anew(f.pods, func(p *corev1.Pod) (*corev1.Pod, error) {
		if len(operations) == 0 {
			return p, nil
		}
		return request.Patched(p, operations)
	}, edits...)
}

// rolled has the controllers of the cluster roll the changed template out.
func (f *finder) rolled(
	operations []request.Operation, edits []session.Edit, scalings []request.Request,
) (*play.Player, error) {
	p, _, err := f.managed(edits...)
	if err != nil {
		return nil, err
	}
	f.settle(p)
	requests := scalings
	if len(operations) > 0 && len(f.pods) > 0 {
		change, each := f.sent(operations)
		if f.rolls() {
			requests = append(requests, change)
		}
		requests = append(requests, each...)
	}
	return p, send(p, requests...)
}

// managed is the cluster with edits, and with its controllers.
func (f *finder) managed(edits ...session.Edit) (*play.Player, *manager.Manager, error) {
	p, err := f.here.Trial(edits...)
	if err != nil {
		return nil, nil, err
	}
	m := manager.New(manager.DefaultTiming(), f.of.known.Objects, p.Scheduler().State())
	p.Manage(m)
	return p, m, nil
}

// send carries requests out, one after the other.
func send(p *play.Player, requests ...request.Request) error {
	for _, r := range requests {
		events, err := r.Do(manager.ObjectsOf(p), p.Scheduler().Now())
		if err != nil {
			return err
		}
		for _, e := range events {
			p.Deliver(e)
		}
	}
	return nil
}

// place is where a change of what the pods want is made so that it lasts. A CronJob makes its next Jobs with it.
func (f *finder) place() owner.Place {
	place := owner.PlaceOf(f.pods[0])
	if f.of.Kind != owner.KindCronJob {
		return place
	}
	place.On = request.Object{Kind: f.of.Kind, Namespace: f.of.Namespace, Name: f.of.Name}
	if place.Follows != owner.NotMadeYet {
		place.Follows = owner.NoneRoll
	}
	return place
}

// rolls reports whether a changed template is written where a controller of the run reads it.
func (f *finder) rolls() bool {
	switch f.place().Follows {
	case owner.AllRoll, owner.InOrder, owner.NoneRoll:
		return f.of.Kind != owner.KindCronJob
	}
	return false
}

// sent is what a person sends for operations on the template: the change of it, and what has the pods without a node
// follow. What makes pods anew by itself is left to do so; of others these pods are deleted. Those whose template
// cannot change, or is not known, or is for the next Jobs, are made again.
func (f *finder) sent(operations []request.Operation) (change request.Request, pods []request.Request) {
	place := f.place()
	change = place.Change(operations...)
	if place.Follows == owner.AllRoll {
		return change, nil
	}
	for _, p := range f.pods {
		switch {
		case p.NodeName != "":
		case !f.rolls():
			pods = append(pods, request.Remake(named(p), f.onPods(operations)...))
		case place.Follows == owner.InOrder: // the pods behind it are made anew in their turn
			return change, append(pods, request.Delete(named(p)))
		default:
			pods = append(pods, request.Delete(named(p)))
		}
	}
	return change, pods
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

// onPods are operations on the template as those on a pod, which has the number of its PriorityClass beside the name.
func (f *finder) onPods(operations []request.Operation) []request.Operation {
	for _, o := range operations {
		name, is := o.Value.(string)
		if !is || o.Path != "/spec/priorityClassName" {
			continue
		}
		if class, is := f.classes.Find(name); is {
			number := request.Operation{Op: "add", Path: "/spec/priority", Value: class.Value}
			return append(slices.Clone(operations), number)
		}
	}
	return operations
}

// commands are those of kubectl that carry changes out, in the order in which they were run: what is not in the
// template first, then one patch for all that is.
func (f *finder) commands(changes []remedy.Change) []phrase.Text {
	var all []phrase.Text
	for i := range changes {
		if len(changes[i].Template) == 0 {
			all = append(all, changes[i].Commands...)
		}
	}
	if operations := f.operations(changes); len(operations) > 0 {
		all = append(all, f.templateCommands(operations)...)
	}
	return all
}

// templateCommands are those of a change of the template. Where no request makes it, the remark about it stands for
// what the pods without a node need too.
func (f *finder) templateCommands(operations []request.Operation) []phrase.Text {
	change, pods := f.sent(operations)
	all := []phrase.Text{change.Command()}
	if f.of.Made || !f.rolls() && f.of.Kind != owner.KindCronJob {
		return all
	}
	for _, r := range pods {
		all = append(all, r.Command())
	}
	return all
}
