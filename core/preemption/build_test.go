package preemption_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/preemption"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
)

var now = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// pod requests whole CPUs and started so many hours ago.
func pod(name, node string, cpu int64, priority int32, hours int) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID(name), Labels: map[string]string{"app": name},
		},
		Spec: corev1.PodSpec{NodeName: node, Priority: &priority, Containers: []corev1.Container{{
			Name: "c", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(cpu, resource.DecimalSI)},
			},
		}}},
	}
	if node != "" {
		p.Status.StartTime = &metav1.Time{Time: now.Add(-time.Duration(hours) * time.Hour)}
	}
	return p
}

func labelled(p *corev1.Pod, app string) *corev1.Pod {
	p.Labels = map[string]string{"app": app}
	return p
}

func unstarted(p *corev1.Pod) *corev1.Pod {
	p.Status.StartTime = nil
	return p
}

func node(name string, cpu int64) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewQuantity(cpu, resource.DecimalSI), corev1.ResourcePods: resource.MustParse("110"),
		}},
	}
}

func budget(name, app string, allowed int32, disrupted ...string) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, DisruptedPods: map[string]metav1.Time{}},
	}
	for _, p := range disrupted {
		b.Status.DisruptedPods[p] = metav1.Time{Time: now}
	}
	return b
}

func stateOf(objects ...cluster.Object) *cluster.State {
	s := cluster.NewState()
	for _, o := range objects {
		s.Apply(cluster.Event{Object: o})
	}
	return s
}

// judge is the pod's judgement by the default profile.
func judge(s *cluster.State, p *cluster.Pod, nominated ...*cluster.Pod) framework.Judge {
	snapshot := s.Snapshot()
	j := framework.Judge{Pod: p, Nominated: func(node string) []*cluster.Pod {
		return slices.DeleteFunc(slices.Clone(nominated), func(n *cluster.Pod) bool { return n.Nominated != node })
	}}
	for _, f := range config.Default().Profiles[0].Filter {
		study := f.PreFilter(p, snapshot)
		if study.Verdict.Code == trace.Skip {
			study.Check = nil
		}
		j.Checks = append(j.Checks, study.Check)
	}
	return j
}

// ask is the input of a preemption that tries all nodes of a state.
func ask(s *cluster.State, p *corev1.Pod) preemption.Ask {
	snapshot := s.Snapshot()
	return preemption.Ask{
		Judge: judge(s, s.ParsePod(p)), Objects: snapshot.Objects(), Potential: snapshot.Nodes,
		Order: release.Newest().PreemptionOrder, Wanted: len(snapshot.Nodes), Now: now,
	}
}

// told is an answer in words: a line for each node.
func told(a preemption.Answer) []string {
	var lines []string
	for _, c := range a.Candidates {
		line := c.Node.Name + ":"
		for _, v := range c.Victims {
			line += " " + v.Pod.Name()
			if v.Violates {
				line += "!"
			}
		}
		for i, p := range c.Reprieved {
			if i == 0 {
				line += "; stays"
			}
			line += " " + p.Name()
		}
		lines = append(lines, line)
	}
	for _, r := range a.Refusals {
		lines = append(lines, fmt.Sprintf("%d refused: %s", r.Node, r.Verdict))
	}
	for _, n := range a.Untried {
		lines = append(lines, n.Name+" untried")
	}
	return lines
}

func mustTell(t *testing.T, a preemption.Answer, want ...string) {
	t.Helper()
	if got := told(a); !slices.Equal(got, want) {
		t.Errorf("\ngot  %q\nwant %q", got, want)
	}
}
