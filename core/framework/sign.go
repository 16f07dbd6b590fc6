package framework

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Signer is a plugin that returns what its answers about a pod depend on (SignPlugin). Pods of one profile with equal
// signatures get the same verdicts and scores on a node in the same state. A profile with a plugin at PreFilter,
// Filter, PreScore or Score that is no Signer signs no pod.
type Signer interface {
	Plugin
	// Sign answers Success with the parts of the signature that are the plugin's, or why the pod cannot be signed.
	Sign(pod *cluster.Pod, known *cluster.State) ([]Part, trace.Verdict)
}

// NeverSigner is a Signer whose arguments may leave no pod that can be signed.
type NeverSigner interface {
	Signer
	// NeverSigns reports whether Sign refuses every pod.
	NeverSigns() bool
}

// Part is one thing that answers about a pod depend on. Plugins that depend on the same thing give the same Part.
type Part struct {
	Name  string // in words, such as "tolerations"
	Value string // equal for pods that are alike in this
}

// PartOf is a part whose value is encoded as JSON; what cannot be encoded panics.
func PartOf[T any](name string, value T) Part {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("signature: %s: %v", name, err))
	}
	return Part{Name: name, Value: string(text)}
}

// Unsigned is the verdict of a Signer that cannot sign a pod.
func Unsigned(reason string) trace.Verdict {
	return trace.Verdict{Code: trace.Unschedulable, Reasons: []string{reason}}
}

// tolerationsPart is the pod's tolerations, ordered by key and value.
func tolerationsPart(pod *cluster.Pod) Part {
	all := append([]corev1.Toleration{}, pod.API.Spec.Tolerations...)
	slices.SortFunc(all, func(a, b corev1.Toleration) int {
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return strings.Compare(a.Value, b.Value)
	})
	return PartOf("tolerations", all)
}

// SignTolerations is embedded by a plugin that reads nothing of a pod but its tolerations: it makes it a Signer.
type SignTolerations struct{}

// Sign gives the tolerations.
func (SignTolerations) Sign(pod *cluster.Pod, _ *cluster.State) ([]Part, trace.Verdict) {
	return []Part{tolerationsPart(pod)}, trace.Verdict{}
}

// SignVolumes is embedded by a plugin that reads nothing of a pod but its volumes: it makes it a Signer.
type SignVolumes struct{}

// Sign gives the sources of the volumes.
func (SignVolumes) Sign(pod *cluster.Pod, _ *cluster.State) ([]Part, trace.Verdict) {
	return []Part{volumesPart(pod)}, trace.Verdict{}
}

// volumesPart is the sources of the pod's volumes, except for config maps and secrets, which no plugin looks at.
func volumesPart(pod *cluster.Pod) Part {
	sources := []string{}
	for i := range pod.API.Spec.Volumes {
		if source := &pod.API.Spec.Volumes[i].VolumeSource; source.ConfigMap == nil && source.Secret == nil {
			sources = append(sources, PartOf("volume", source).Value)
		}
	}
	slices.Sort(sources)
	return PartOf("volumes", sources)
}
