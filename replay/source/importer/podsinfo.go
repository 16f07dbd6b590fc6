package importer

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// podsInfo is the file in which a must-gather lists the pods of one node, those of every namespace, by what they
// request.
const podsInfo = "pods_info.json"

// writtenPod is a pod in podsInfo.
type writtenPod struct {
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	NodeName   string `json:"nodeName"`
	Containers []struct {
		Name      string `json:"name"`
		Resources struct {
			Requests corev1.ResourceList `json:"requests"`
		} `json:"resources"`
	} `json:"containers"`
}

// podInfo keeps a node's entry about one of its pods; false for any other object.
func (d *decoder) podInfo(raw []byte) bool {
	if text.Member(raw, "nodeName") == nil || text.Member(raw, "containers") == nil {
		return false
	}
	var p writtenPod
	if json.Unmarshal(raw, &p) != nil || p.Name == "" || p.Namespace == "" || p.NodeName == "" {
		return false
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name},
		Spec:       corev1.PodSpec{NodeName: p.NodeName},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(string(cluster.KindPod)))
	for _, c := range p.Containers {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
			Name: c.Name, Resources: corev1.ResourceRequirements{Requests: c.Resources.Requests},
		})
	}
	d.found.outlines = append(d.found.outlines, Object{Object: pod, Source: d.place.source(NameOf(pod))})
	return true
}

// withOutlines adds the pods that only their nodes listed, and reports how many they are.
func withOutlines(objects, outlines []Object, f *findings) []Object {
	known := make(map[Identity]bool, len(objects))
	for _, o := range objects {
		if object, is := o.Object.(cluster.Object); is {
			known[IdentityOf(object)] = true
		}
	}
	added := 0
	for _, o := range outlines {
		if id := IdentityOf(o.Object.(*corev1.Pod)); !known[id] {
			known[id] = true
			objects = append(objects, o)
			added++
		}
	}
	if added > 0 {
		f.problem(Problem{Severity: Notice, What: phrase.Textf(
			"%d of the pods are in %s alone: their nodes and some of their requests are known, "+
				"their labels, ports and affinity are not",
			added, podsInfo,
		)})
	}
	return objects
}

// tellOfAllNodes reports whether every node of the input lists its pods.
func tellOfAllNodes(objects, outlines []Object) bool {
	told := make(map[string]bool, len(outlines))
	for _, o := range outlines {
		told[o.Object.(*corev1.Pod).Spec.NodeName] = true
	}
	for _, o := range objects {
		if node, is := o.Object.(*corev1.Node); is && !told[node.Name] {
			return false
		}
	}
	return len(outlines) > 0
}
