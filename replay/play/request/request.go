// Package request holds requests to an API server as values. One value is both carried out, on the objects of a
// simulated world, and printed as a command of kubectl: what cannot be carried out cannot be printed. It knows no
// controller; what follows from a request is the business of the world it is carried out in.
package request

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Request is one request. The zero value requests nothing.
type Request struct {
	On Object // what it is about

	do         verb
	key, value string // of a label or an annotation; the taint as kubectl writes it is in key
	operations []Operation
	replicas   int32 // or evictions that are waited for
	remark     phrase.Text
}

// Object names an object of the API.
type Object struct {
	Kind      cluster.Kind
	Namespace string // "" for an object without one
	Name      string
}

// Key is the key of the object, as cluster.Key has it.
func (o Object) Key() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// Operation is one operation of a JSON patch (RFC 6902).
type Operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

type verb uint8

const (
	nothing verb = iota // a remark stands for what no request does
	cordon
	uncordon
	untaint
	label
	unlabel
	annotate
	patch
	resize
	remake
	evict
	remove
	scale
	await
)

// Cordon marks a node unschedulable.
func Cordon(node string) Request { return Request{On: nodeNamed(node), do: cordon} }

// Uncordon takes that mark off.
func Uncordon(node string) Request { return Request{On: nodeNamed(node), do: uncordon} }

// Untaint takes a taint, written KEY[=VALUE]:EFFECT, off a node.
func Untaint(node, taint string) Request {
	return Request{On: nodeNamed(node), do: untaint, key: taint}
}

// Label sets a label of an object, whatever value it had.
func Label(on Object, key, value string) Request {
	return Request{On: on, do: label, key: key, value: value}
}

// Unlabel takes a label off an object.
func Unlabel(on Object, key string) Request { return Request{On: on, do: unlabel, key: key} }

// Annotate sets an annotation of an object, whatever value it had.
func Annotate(on Object, key, value string) Request {
	return Request{On: on, do: annotate, key: key, value: value}
}

// Patch is a JSON patch of an object.
func Patch(on Object, operations ...Operation) Request {
	return Request{On: on, do: patch, operations: operations}
}

// Resize is a JSON patch of a pod by its subresource resize: cpu and memory of its containers change in place, also
// while it has no node (API server, 1.33 and later).
func Resize(pod Object, operations ...Operation) Request {
	return Request{On: pod, do: resize, operations: operations}
}

// Remake deletes a pod without grace and creates it as the operations leave it, for fields that an API server does not
// change. It is for a pod on its own: a controller makes another pod in the place of its own.
func Remake(pod Object, operations ...Operation) Request {
	return Request{On: pod, do: remake, operations: operations}
}

// Evict requests an eviction, which the API server refuses while a disruption budget does not allow it.
func Evict(namespace, pod string) Request { return Request{On: podNamed(namespace, pod), do: evict} }

// Delete deletes an object; a pod has its grace period, and no budget counts.
func Delete(on Object) Request { return Request{On: on, do: remove} }

// Scale sets how many replicas a workload wants.
func Scale(on Object, replicas int32) Request { return Request{On: on, do: scale, replicas: replicas} }

// Remark stands where there is no request: it is printed as a comment and cannot be carried out.
func Remark(text phrase.Text) Request { return Request{remark: text} }

func nodeNamed(name string) Object { return Object{Kind: cluster.KindNode, Name: name} }

func podNamed(namespace, name string) Object {
	return Object{Kind: cluster.KindPod, Namespace: namespace, Name: name}
}

// reasonOfEviction is the reason of the condition DisruptionTarget that an eviction leaves at a pod
// (pkg/registry/core/pod/storage/eviction.go, 1.37).
const reasonOfEviction = "EvictionByEvictionAPI"

// defaultGrace is the grace period, in seconds, of a pod whose spec has none.
const defaultGrace = int64(corev1.DefaultTerminationGracePeriodSeconds)
