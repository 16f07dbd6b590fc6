//go:build upstream

package upstream_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle"
)

const (
	node1 = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}},
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}`
	node2 = `{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {kubernetes.io/hostname: n2}},
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}`
	hermit = `{apiVersion: v1, kind: Pod, metadata: {name: hermit, namespace: default, uid: hermit}, spec: {
  schedulerName: default-scheduler, nodeName: n1, containers: [{name: c, image: i}], affinity: {podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}}}`
	web = `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: default, uid: web, labels: {app: web}}, spec: {
  schedulerName: default-scheduler, containers: [{name: c, image: i}]}}`
	peer = `{apiVersion: v1, kind: Pod, metadata: {name: peer, namespace: default, uid: peer, labels: {app: web}}, spec: {
  schedulerName: default-scheduler, nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}]}}`
	follower = `{apiVersion: v1, kind: Pod, metadata: {name: next, namespace: default, uid: next, labels: {app: web}}, spec: {
  schedulerName: default-scheduler, containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}],
  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
    {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}}}`
)

// hint has a pod refused, then something happen, and is what InterPodAffinity answers to it. The pod has to fit then.
func hint(t *testing.T, o *oracle.Oracle, pod *corev1.Pod, c oracle.Change) bool {
	t.Helper()
	answer, err := o.Schedule(pod)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Decision.Host != "" {
		t.Fatalf("it fits on %s from the beginning", answer.Decision.Host)
	}
	if c.After == nil {
		err = o.Remove(c.Before)
	} else {
		err = o.Put(c.After)
	}
	if err != nil {
		t.Fatal(err)
	}
	queue := false
	for _, h := range o.Hints(pod, c) {
		queue = queue || h.Plugin == "InterPodAffinity" && h.Queue
	}
	if answer, err = o.Schedule(pod); err != nil || answer.Decision.Host == "" {
		t.Fatalf("it does not fit after the change: %v, %+v", err, answer.Decision)
	}
	return queue
}

// A pod that only pods like itself keep from being the first of its kind is woken when the last of them goes.
func TestUpstream0006(t *testing.T) {
	objects := read(t, node1, node2, peer, follower)
	o, err := oracle.New(objects, oracle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if !hint(t, o, objects[3].(*corev1.Pod), oracle.Change{Before: objects[2]}) {
		t.Error("InterPodAffinity answers QueueSkip to the deletion of the last peer, want Queue")
	}
}

// A pod that the anti-affinity of others keeps away is woken when a node comes on which they are not.
func TestUpstream0009(t *testing.T) {
	objects := read(t, node1, hermit, web)
	o, err := oracle.New(objects, oracle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if !hint(t, o, objects[2].(*corev1.Pod), oracle.Change{After: read(t, node2)[0]}) {
		t.Error("InterPodAffinity answers QueueSkip to a node without such a pod, want Queue")
	}
}
