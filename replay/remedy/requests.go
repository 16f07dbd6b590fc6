package remedy

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/owner"
	"github.com/schedstep/schedstep/replay/request"
)

// patch is one operation of a JSON patch of a pod.
type patch = request.Operation

// madeHere reports whether the pod is one that a workload would make, and that no API server has seen.
func madeHere(p *cluster.Pod) bool { return p.API.UID == "" && metav1.GetControllerOf(p.API) != nil }

func itself(p *cluster.Pod) request.Object {
	return request.Object{Kind: cluster.KindPod, Namespace: p.Namespace(), Name: p.Name()}
}

// patchPod patches the pod itself, in a field that may change. A pod that was made here from the manifest of a workload
// is in no cluster under its name: there the template is patched.
func patchPod(p *cluster.Pod, patches ...patch) []request.Request {
	if madeHere(p) {
		return patchTemplate(p, patches...)
	}
	return []request.Request{request.Patch(itself(p), patches...)}
}

// patchTemplate changes a field of the pod that may not change: in the template of the workload that makes the pod or,
// of a pod on its own, by making it again. A ReplicaSet on its own replaces no pod for its template, and a StatefulSet
// in order goes no further than its first pod that is not Ready (kube-controller-manager 1.37,
// pkg/controller/statefulset): there the pod is deleted too, so that it is made anew.
func patchTemplate(p *cluster.Pod, patches ...patch) []request.Request {
	place := owner.PlaceOf(p)
	if place.Follows == owner.ItIsMade {
		return []request.Request{request.Remake(place.On, patches...)}
	}
	for i := range patches {
		patches[i].Path = "/spec/template" + patches[i].Path
	}
	to := request.Patch(place.On, patches...)
	var text string
	switch place.Follows {
	case owner.NotMadeYet:
		text = "in the manifest that %s %s is made from: %s"
	case owner.Immutable:
		text = "in a new object, because the template of %s %s is immutable: %s"
	case owner.NotKnown:
		text = "in the template of %s %s, which makes the pod: %s"
	case owner.NoneRoll, owner.InOrder:
		if p.API.UID != "" {
			return []request.Request{to, request.Delete(itself(p))}
		}
	}
	if text != "" {
		to = request.Remark(phrase.Textf(text, place.On.Kind, place.On.Name, to.Operations()))
	}
	return []request.Request{to}
}

// kubectl are the commands that send requests, as one line.
func kubectl(all ...request.Request) phrase.Text {
	commands := make([]phrase.Text, len(all))
	for i := range all {
		commands[i] = all[i].Command()
	}
	return phrase.JoinTexts(" && ", commands...)
}
