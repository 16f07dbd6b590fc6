package tui_test

import (
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// preempting is a full cluster and a pod that is more important than most: three nodes where evictions help, one where
// all are as important, one that is tainted.
func preempting() *story {
	s := &story{}
	s.add(0, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	for _, name := range []string{"n1", "n2", "n3", "n4", "n5"} {
		n := node(name, "4")
		if name == "n4" {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
		}
		s.add(0, n)
	}
	s.add(0, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "guard", UID: types.UID("guard")},
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "guarded"}},
		},
	})
	s.add(0,
		placed("report-0", "3", "n1", 50, 40), placed("log-0", "500m", "n1", 5, 40),
		placed("batch-0", "2", "n2", 10, 3), placed("batch-1", "2", "n2", 10, 2),
		placed("guarded-0", "3", "n3", 1, 90), placed("king-0", "4", "n5", 2000, 1),
	)
	boss := pod("boss", "3")
	boss.Spec.Priority = new(int32)
	*boss.Spec.Priority = 100
	s.add(time.Second, boss)
	return s
}

// placed is a pod that runs on a node, of a priority, for so many hours.
func placed(name, cpu, on string, priority int32, hours int) *corev1.Pod {
	p := pod(name, cpu)
	p.Labels = map[string]string{"app": name[:len(name)-2]}
	p.Spec.NodeName, p.Spec.Priority = on, &priority
	p.Status.StartTime = &metav1.Time{Time: began.Add(-time.Duration(hours) * time.Hour)}
	return p
}

func TestPreemptionShowsTheCandidatesAsTheyAreRanked(t *testing.T) {
	for _, size := range []layout.Size{wide, medium, narrow} {
		journey(t, size, preempting().session(t), screen.Options{}, func(r *robot) {
			r.press("n2]]")
			name := map[layout.Size]string{wide: "160x45", medium: "100x30", narrow: "80x24"}[size]
			golden.Is(t, filepath.Join("testdata", "screens", "preemption_"+name+".txt"), r.screen()+"\n")
			r.press("jj")
			r.press("5")
			golden.Is(t, filepath.Join("testdata", "screens", "preemption_why_"+name+".txt"), r.screen()+"\n")
		})
	}
}

func TestPreemptionAnswersForEveryNode(t *testing.T) {
	journey(t, wide, preempting().session(t), screen.Options{}, func(r *robot) {
		r.press("2]]").sees("No pod was tried yet.")
		r.press("n")
		r.sees(
			"[Preemption]", "n2 is nominated",
			"Decided by the lowest priority of the most important victim: 10 against 50 of n1.",
			"guarded-0 (PDB guard)",
		)
		for _, row := range []string{
			"n2 is nominated for default/boss.",
			"Behind n2 by the lowest priority of the most important victim: 50 against 10.",
			"the disruption budget guard does not allow it",
			"No pod there has a lower priority than 100.",
			"TaintToleration",
		} {
			r.sees(row)
			r.press("j")
		}
		r.press("r").sees("r: no nodes that can be sorted or grouped are shown")
		r.press(":filter guard\r").sees("1 of 5 nodes with \"guard\"")
		r.seesNot("report-0")
	})
}

func TestPreemptionIsShownWhereACycleEndsWithItAndStaysWhereItWasOpened(t *testing.T) {
	journey(t, wide, preempting().session(t), screen.Options{}, func(r *robot) {
		r.press("n").sees("[Preemption]", "n2 is nominated")
		r.press("n").sees("[Filter]")
		r.press("N").sees("[Preemption]")
		r.press("2").sees("[Filter]")
		r.press("n").sees("[Filter]", "Scheduled")
		r.press("]]").sees("[Preemption]")
		r.press("N").sees("[Preemption]", "n2 is nominated")
		r.press("n").sees("[Preemption]", "Scheduled")
	})
}
