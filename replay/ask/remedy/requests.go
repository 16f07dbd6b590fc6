package remedy

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
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
	all := []request.Request{place.Change(patches...)}
	if p.API.UID != "" && (place.Follows == owner.NoneRoll || place.Follows == owner.InOrder) {
		all = append(all, request.Delete(itself(p)))
	}
	return all
}

// kubectl are the commands that send requests.
func kubectl(all ...request.Request) []phrase.Text {
	commands := make([]phrase.Text, len(all))
	for i := range all {
		commands[i] = all[i].Command()
	}
	return commands
}

// Kubectl is the commands as one line.
func (c *Change) Kubectl() phrase.Text { return phrase.JoinTexts(" && ", c.Commands...) }
