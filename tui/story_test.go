package tui_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

var began = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// story is a small replay: five nodes of which one is tainted, and pods that fit, that fit nowhere and that are gated.
type story struct{ script source.Script }

func (s *story) add(after time.Duration, objects ...cluster.Object) {
	for _, o := range objects {
		s.script = append(s.script, source.Timed{At: began.Add(after), Event: cluster.Event{Action: cluster.Add, Object: o}})
	}
}

func (s *story) session(t testing.TB) *session.Session { return s.titled(t, "web rollout") }

func (s *story) titled(t testing.TB, title string) *session.Session {
	t.Helper()
	return s.about(t, session.About{Title: title, Version: "1.37"})
}

func (s *story) about(t testing.TB, about session.About) *session.Session {
	t.Helper()
	c := config.Default()
	scheduler := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began, Seed: 1,
	})
	return session.New(play.NewPlayer(scheduler, play.NewSimulated(), s.script.Log()), about)
}

func rollout() *story {
	s := &story{}
	s.add(0, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	for i := range 5 {
		n := node(fmt.Sprintf("n%d", i+1), "4")
		if i == 0 {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
		}
		s.add(0, n)
	}
	for i := range 4 {
		s.add(time.Second, pod(fmt.Sprintf("web-%d", i), "2"))
	}
	s.add(2*time.Second, pod("huge-0", "16"))
	gated := pod("batch-0", "1")
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
	s.add(2*time.Second, gated)
	s.add(3*time.Second, pod("late-0", "1"))
	return s
}

func node(name, cpu string) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("16Gi"),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID(name), Labels: map[string]string{"kubernetes.io/hostname": name},
		},
		Status: corev1.NodeStatus{Allocatable: room, Capacity: room},
	}
}

func pod(name, cpu string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
		Spec: corev1.PodSpec{
			SchedulerName: "default-scheduler",
			Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("1Gi"),
				},
			}}},
		},
	}
}
