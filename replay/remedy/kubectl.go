package remedy

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// patch is one operation of a JSON patch of a pod.
type patch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// pointer writes a key as a part of a JSON pointer.
func pointer(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

// patchPod is the command that patches the pod itself, in a field that may change. A pod that was made here from the
// manifest of a workload is in no cluster under its name: there the template is patched.
func patchPod(p *cluster.Pod, patches ...patch) string {
	if madeHere(p) {
		return patchTemplate(p, patches...)
	}
	return fmt.Sprintf("kubectl patch pod %s -n %s --type=json -p %s", p.Name(), p.Namespace(), quoted(text(patches)))
}

// patchTemplate is the command that changes a field of the pod that may not change: in the template of the workload
// that makes the pod or, of a pod on its own, by making it again. The template of a Job may not change either.
func patchTemplate(p *cluster.Pod, patches ...patch) string {
	kind, name, owned := workloadOf(p)
	if owned || madeHere(p) {
		for i := range patches {
			patches[i].Path = "/spec/template" + patches[i].Path
		}
	}
	switch {
	case owned:
		return fmt.Sprintf("kubectl patch %s %s -n %s --type=json -p %s", kind, name, p.Namespace(), quoted(text(patches)))
	case madeHere(p):
		owner := metav1.GetControllerOf(p.API)
		return fmt.Sprintf("# in the manifest that %s %s is made from: %s", owner.Kind, owner.Name, text(patches))
	}
	return fmt.Sprintf("kubectl get pod %s -n %s -o json | kubectl patch --local -f - --type=json -p %s -o json | "+
		"kubectl replace --force -f -", p.Name(), p.Namespace(), quoted(text(patches)))
}

// evictionOf is the command that requests an eviction, which the API server refuses while a disruption budget does not
// allow it; deleting the pod would go around the budget. kubectl has no verb for the eviction of one pod.
func evictionOf(namespace, name string) string {
	return fmt.Sprintf(
		`echo '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"%[2]s","namespace":"%[1]s"}}' | `+
			"kubectl create --raw /api/v1/namespaces/%[1]s/pods/%[2]s/eviction -f -", namespace, name,
	)
}

// madeHere reports whether the pod is one that a workload would make, and that no API server has seen.
func madeHere(p *cluster.Pod) bool { return p.API.UID == "" && metav1.GetControllerOf(p.API) != nil }

// quoted is a text as one word of a POSIX shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func text(patches []patch) string {
	b, err := json.Marshal(patches)
	if err != nil {
		panic(fmt.Sprintf("a patch cannot be written: %v", err))
	}
	return string(b)
}

// workloadOf is the workload whose template the pod is made from.
func workloadOf(p *cluster.Pod) (kind, name string, owned bool) {
	owner := metav1.GetControllerOf(p.API)
	if owner == nil {
		return "", "", false
	}
	switch owner.Kind {
	case "ReplicaSet":
		if name, ofDeployment := strings.CutSuffix(owner.Name, "-"+p.API.Labels["pod-template-hash"]); ofDeployment {
			return "deployment", name, true
		}
		return "replicaset", owner.Name, true
	case "StatefulSet", "DaemonSet", "ReplicationController":
		return strings.ToLower(owner.Kind), owner.Name, true
	}
	return "", "", false
}
