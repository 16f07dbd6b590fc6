package panel_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/view"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/cause"
)

// whyOf is the explanation of a pod on the screen.
func whyOf(f *session.Frame, pod string) string {
	var text []string
	for _, line := range view.WhyLines(f, view.Selection{Subject: view.OfPod, Pod: pod}) {
		text = append(text, line.Text)
	}
	return strings.Join(text, "\n")
}

func TestTheCauseOfAGatedPodIsShownInTheCycleOfAnother(t *testing.T) {
	s := rolloutWith(t, []cause.Holder{{
		Kind: "Workload", Namespace: "default", Name: "pod-batch-9", Pods: []string{"default/batch-9"},
		Gate: "example.com/quota", Message: "no quota is left",
	}})
	if got := whyOf(after(t, s, "web-7"), "default/batch-9"); !strings.Contains(got, "no quota is left") {
		t.Errorf("%s", got)
	}
}

func TestNoCauseIsShownWhileACycleIsWalked(t *testing.T) {
	s := rolloutWith(t, nil, pod("lost", "1", "1Gi", func(p *corev1.Pod) {
		p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	}))
	if got := whyOf(after(t, s, "lost"), "default/lost"); !strings.Contains(got, "no node has the label disk=ssd") {
		t.Fatalf("%s", got)
	}
	walked := 0
	inside(t, s, "lost", session.Out, 1)
	for range 40 {
		s.Move(t.Context(), session.Into, session.Forward, nil)
		f := s.Frame()
		if f.Cell == nil || f.Cycle == nil || f.Cycle.Entity.Name != "lost" {
			continue
		}
		walked++
		if got := whyOf(f, "default/lost"); strings.Contains(got, "Cause:") {
			t.Fatalf("at cell %d: %s", f.Position.Cell, got)
		}
	}
	if walked < 3 {
		t.Errorf("%d cells", walked)
	}
}
