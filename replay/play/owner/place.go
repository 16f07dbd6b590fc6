package owner

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/request"
)

// The kinds of workloads.
const (
	KindDeployment cluster.Kind = "Deployment"
	KindDaemonSet  cluster.Kind = "DaemonSet"
	KindJob        cluster.Kind = "Job"
	KindCronJob    cluster.Kind = "CronJob" // makes Jobs by the clock
)

// Follows is what controllers do by themselves with the pods of a workload when its template changes.
type Follows uint8

// What follows.
const (
	ItIsMade   Follows = iota // the pod on its own is made again
	AllRoll                   // all replicas, by the strategy of the workload
	InOrder                   // all, the highest ordinal first; none while one that is not Ready is in the way
	NoneRoll                  // none: a pod that is made later is as the template is then
	Immutable                 // the API server refuses it
	NotKnown                  // another program makes the pods
	NotMadeYet                // the workload was never applied: its manifest is where the change is made
)

// Place is where a change of what a pod wants is made so that it lasts.
type Place struct {
	On      request.Object // the workload; of a pod on its own the pod
	Follows Follows
}

// PlaceOf is the place for a pod.
func PlaceOf(p *cluster.Pod) Place {
	owner := metav1.GetControllerOf(p.API)
	if owner == nil {
		return Place{request.Object{Kind: cluster.KindPod, Namespace: p.Namespace(), Name: p.Name()}, ItIsMade}
	}
	on := request.Object{Kind: cluster.Kind(owner.Kind), Namespace: p.Namespace(), Name: owner.Name}
	switch on.Kind {
	case cluster.KindReplicaSet:
		hash := p.API.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
		if name, ofDeployment := strings.CutSuffix(owner.Name, "-"+hash); ofDeployment {
			on.Kind, on.Name = KindDeployment, name
			return Place{on, AllRoll}
		}
		return Place{on, NoneRoll}
	case cluster.KindReplicationController:
		return Place{on, NoneRoll}
	case cluster.KindStatefulSet:
		return Place{on, InOrder}
	case KindDaemonSet:
		return Place{on, AllRoll}
	}
	switch {
	case p.API.UID == "":
		return Place{on, NotMadeYet}
	case on.Kind == KindJob:
		return Place{on, Immutable}
	}
	return Place{on, NotKnown}
}

// Change is the request that makes operations on a pod where they last: on the template of what makes it, on a pod on
// its own by making it again. Where no request does it is a remark, which holds the patch.
func (p Place) Change(operations ...request.Operation) request.Request {
	if p.Follows == ItIsMade {
		return request.Remake(p.On, operations...)
	}
	template := "/spec/template"
	if p.On.Kind == KindCronJob {
		template = "/spec/jobTemplate/spec/template"
	}
	patches := slices.Clone(operations)
	for i := range patches {
		patches[i].Path = template + patches[i].Path
	}
	to := request.Patch(p.On, patches...)
	var text string
	switch p.Follows {
	case NotMadeYet:
		text = "in the manifest that %s %s is made from: %s"
	case Immutable:
		text = "in a new object, because the template of %s %s is immutable: %s"
	case NotKnown:
		text = "in the template of %s %s, which makes the pod: %s"
	default:
		return to
	}
	return request.Remark(phrase.Textf(text, p.On.Kind, p.On.Name, to.Operations()))
}

// KeepsLabel reports whether the controller of a pod keeps a label on it: it writes the label, or selects its pods by
// it. The API server refuses a template without a label of the selector, and a controller replaces a pod that lost one.
func KeepsLabel(state *cluster.State, p *cluster.Pod, key string) bool {
	owner := metav1.GetControllerOf(p.API)
	if owner == nil {
		return false
	}
	if OfPodLabel(key) != User {
		return true
	}
	name, known := p.Namespace()+"/"+owner.Name, state.Objects()
	var selector *metav1.LabelSelector
	switch cluster.Kind(owner.Kind) {
	case cluster.KindStatefulSet:
		if set, is := known.StatefulSets.Find(name); is {
			selector = set.Spec.Selector
		}
	case cluster.KindReplicaSet:
		if set, is := known.ReplicaSets.Find(name); is {
			selector = set.Spec.Selector
		}
	}
	return selects(selector, key)
}

// selects reports whether a selector needs a label to be there.
func selects(selector *metav1.LabelSelector, key string) bool {
	if selector == nil {
		return false
	}
	_, matched := selector.MatchLabels[key]
	return matched || slices.ContainsFunc(selector.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
		return r.Key == key && r.Operator != metav1.LabelSelectorOpNotIn && r.Operator != metav1.LabelSelectorOpDoesNotExist
	})
}

// IsPinned reports whether the DaemonSet controller wrote the required node affinity of a pod, which no template has.
func IsPinned(p *cluster.Pod) bool {
	owner := metav1.GetControllerOf(p.API)
	return owner != nil && cluster.Kind(owner.Kind) == KindDaemonSet
}
