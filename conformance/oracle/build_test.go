package oracle_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/conformance/oracle"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func ask(t *testing.T, objects ...runtime.Object) *oracle.Oracle {
	t.Helper()
	return askWith(t, "", objects...)
}

func askWith(t *testing.T, configuration string, objects ...runtime.Object) *oracle.Oracle {
	t.Helper()
	o, err := oracle.New(objects, oracle.Options{Configuration: []byte(configuration)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// waiting is an oracle over a case whose pods wait.
func waiting(t rapid.TB, c generate.Case, configuration []byte) *oracle.Oracle {
	t.Helper()
	o, err := oracle.New(c.Objects, oracle.Options{Configuration: configuration})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range c.Pending {
		if err := o.Put(pod); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func schedule(t *testing.T, o *oracle.Oracle, p *corev1.Pod) oracle.Answer {
	t.Helper()
	if err := o.Put(p); err != nil {
		t.Fatal(err)
	}
	answer, err := o.Schedule(p)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func resources(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func node(name, zone string, allocatable corev1.ResourceList) *corev1.Node {
	if _, ok := allocatable["pods"]; !ok {
		allocatable["pods"] = resource.MustParse("110")
	}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID("node-" + name), Labels: map[string]string{corev1.LabelHostname: name},
	}}
	if zone != "" {
		n.Labels[corev1.LabelTopologyZone] = zone
	}
	n.Status.Capacity = allocatable
	n.Status.Allocatable = allocatable
	return n
}

func pod(name string, requests corev1.ResourceList) *corev1.Pod {
	priority := int32(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("pod-" + name)},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName,
			Priority:      &priority,
			Containers: []corev1.Container{
				{Name: "c", Image: "registry.k8s.io/pause:3.10", Resources: corev1.ResourceRequirements{Requests: requests}},
			},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

func running(p *corev1.Pod, node string, priority int32) *corev1.Pod {
	p = p.DeepCopy()
	p.Spec.NodeName = node
	p.Spec.Priority = &priority
	p.Status.Phase = corev1.PodRunning
	p.Status.StartTime = &metav1.Time{Time: epoch}
	return p
}

func scoreOf(t *testing.T, a oracle.Answer, node, plugin string) oracle.PluginScore {
	t.Helper()
	for _, n := range a.Scores {
		for _, s := range n.Plugins {
			if n.Node == node && s.Plugin == plugin {
				return s
			}
		}
	}
	t.Fatalf("no score of %s for %s in %+v", plugin, node, a.Scores)
	return oracle.PluginScore{}
}
