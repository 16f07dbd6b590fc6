package importer

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Holder is an object of another program that keeps a gate on pods, or a Job suspended, until something is so. No
// scheduler reads it.
type Holder struct {
	Kind, Namespace, Name string
	Pods                  []string // that it is about, namespace/name
	Of                    string   // the workload that it is about, KIND NAMESPACE/NAME, such as a Job that is suspended
	Gate                  string   // name of the scheduling gate
	Message               string   // why the gate is kept
}

// Of Kueue (apis/kueue/v1beta1 and v1beta2, 0.14): the gate that it puts on pods, and the condition of its Workload
// that has the reason why they wait.
const (
	kueueGroup    = "kueue.x-k8s.io/"
	kueueGate     = "kueue.x-k8s.io/admission"
	kueueWorkload = "Workload"
	quotaReserved = "QuotaReserved"
)

// writtenHolder is as much of a Workload as is read.
type writtenHolder struct {
	Metadata struct {
		Namespace, Name string
		OwnerReferences []metav1.OwnerReference
	}
	Status struct{ Conditions []metav1.Condition }
}

// holder keeps an object of another program that holds the gates of pods, if it is one.
func (d *decoder) holder(h head, raw []byte) {
	if h.kind != kueueWorkload || !strings.HasPrefix(h.apiVersion, kueueGroup) {
		return
	}
	var w writtenHolder
	if json.Unmarshal(raw, &w) != nil {
		return
	}
	out := Holder{Kind: h.kind, Namespace: w.Metadata.Namespace, Name: w.Metadata.Name, Gate: kueueGate}
	if out.Namespace == "" {
		out.Namespace = metav1.NamespaceDefault
	}
	for _, c := range w.Status.Conditions {
		if c.Type == quotaReserved && c.Status == metav1.ConditionFalse {
			out.Message = c.Message
		}
	}
	for _, o := range w.Metadata.OwnerReferences {
		switch {
		case o.Kind == "Pod":
			out.Pods = append(out.Pods, out.Namespace+"/"+o.Name)
		case o.Controller != nil && *o.Controller:
			out.Of = o.Kind + " " + out.Namespace + "/" + o.Name
		}
	}
	name, ofPod := strings.CutPrefix(w.Metadata.Name, "pod-")
	if ofPod && len(out.Pods) == 0 && out.Of == "" { // pod-NAME-HASH
		if at := strings.LastIndex(name, "-"); at > 0 {
			out.Pods = append(out.Pods, out.Namespace+"/"+name[:at])
		}
	}
	if out.Message != "" && (len(out.Pods) > 0 || out.Of != "") {
		d.found.holders = append(d.found.holders, out)
	}
}
