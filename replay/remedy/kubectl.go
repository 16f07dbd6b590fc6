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

// patchPod is the command that patches the pod itself, in a field that may change.
func patchPod(p *cluster.Pod, patches ...patch) string {
	return fmt.Sprintf("kubectl patch pod %s -n %s --type=json -p '%s'", p.Name(), p.Namespace(), text(patches))
}

// patchTemplate is the command that changes a field of the pod that may not change: in the template of the workload
// that makes the pod or, of a pod on its own, by making it again.
func patchTemplate(p *cluster.Pod, patches ...patch) string {
	if kind, name, owned := workloadOf(p); owned {
		for i := range patches {
			patches[i].Path = "/spec/template" + patches[i].Path
		}
		return fmt.Sprintf("kubectl patch %s %s -n %s --type=json -p '%s'", kind, name, p.Namespace(), text(patches))
	}
	return fmt.Sprintf("kubectl get pod %s -n %s -o json | kubectl patch --local -f - --type=json -p '%s' -o json | "+
		"kubectl replace --force -f -", p.Name(), p.Namespace(), text(patches))
}

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
