package queue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
)

// of makes a pod a member of a group.
func of(group string) edit {
	return func(p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To(group)} }
}

// grouped is a stage whose queue keeps the pods of groups together.
func grouped(t *testing.T) *stage {
	s := newStage(t)
	r := rules()
	r.Groups = true
	s.Queue = queue.New(r, s.now)
	return s
}

func podGroup(name string) *schedulingv1beta1.PodGroup {
	return &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "uid-" + "group"}}
}

func (s *stage) addGroup(name string) []trace.Fact {
	g := podGroup(name)
	s.known.Apply(cluster.Event{Object: g})
	return s.AddGroup(g, s.at())
}

func (s *stage) removeGroup(name string) []trace.Fact {
	g := podGroup(name)
	s.known.Apply(cluster.Event{Action: cluster.Delete, Object: g})
	return s.DeleteGroup(g)
}

func TestMembersAreTriedByPriorityThenAttemptsThenTime(t *testing.T) {
	s := grouped(t)
	s.addGroup("g")
	s.add("late", of("g"))
	s.add("old", of("g"))
	group := s.pop()
	for _, m := range group.Members {
		s.Park(m, queue.Rejection{}, s.at())
	}
	s.Finish(group, trace.Unschedulable, s.at())
	s.add("new", of("g"))
	s.add("high", of("g"), priority(5))
	item, _, _ := s.Find("podgroup/ns/g")
	var names []string
	for _, m := range item.Members {
		names = append(names, m.Pod.Name())
	}
	if got := strings.Join(names, " "); got != "high late old new" {
		t.Errorf("tried in the order %s", got)
	}
}

func TestAGroupBacksOffByTheRootOfItsSize(t *testing.T) {
	s := grouped(t)
	s.addGroup("g")
	for i := range 9 {
		s.add(fmt.Sprint("p", i), of("g"))
	}
	for range 10 {
		group := s.pop()
		for _, m := range group.Members {
			s.Park(m, queue.Rejection{Plugins: []string{"Fit"}}, s.at())
		}
		s.Finish(group, trace.Unschedulable, s.at())
		item, where, _ := s.Find("podgroup/ns/g")
		if where != queue.BackoffQ {
			t.Fatalf("it is in %s", where)
		}
		if wait := item.BackoffUntil.Sub(s.now); wait > 3*maxBackoff {
			t.Fatalf("9 pods back off for %s", wait)
		} else if item.UnschedulableCount > 6 && wait < 3*maxBackoff-time.Second {
			t.Fatalf("after %d failures 9 pods back off for %s", item.UnschedulableCount, wait)
		}
		s.wait(40 * time.Second)
	}
}

// TestMembersAreSomewhereOnce draws a life of groups and their pods: each pod that waits is in one place, and every one
// that exists is found.
func TestMembersAreSomewhereOnce(t *testing.T) {
	law.Check(t, func(r *rapid.T) {
		s := grouped(t)
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			anyStepOfGroups(r, s)
			if err := s.Check(); err != nil {
				r.Fatal(err)
			}
			s.known.EachPod(func(p *cluster.Pod) bool {
				if _, where, found := s.Find(p.Key); !found {
					r.Fatalf("%s is nowhere", p.Key)
				} else if lone := where == queue.Incomplete; lone != (p.Group != "" &&
					!hasGroup(s, strings.TrimPrefix(p.Group, "ns/"))) {
					r.Fatalf("%s is in %s", p.Key, where)
				}
				return true
			})
		}
	})
}

// anyStepOfGroups does one thing with a pod (a and b are of group g, c is of h, d of none) or with a group.
func anyStepOfGroups(r *rapid.T, s *stage) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "pod")
	group := map[string]string{"a": "g", "b": "g", "c": "h"}[name]
	pod, exists := s.known.Pod("ns/" + name)
	switch rapid.SampledFrom([]string{
		"add", "add", "delete", "cycle", "cycle", "group", "ungroup", "wake", "wait", "update", "activate",
	}).Draw(r, "step") {
	case "add":
		switch {
		case exists:
		case group == "":
			s.add(name)
		default:
			s.add(name, of(group))
		}
	case "update":
		if exists && group != "" {
			s.update(name, of(group), gates("x"))
		}
	case "delete":
		if exists {
			s.remove(name)
			s.Delete(pod, "deleted", s.at())
		}
	case "group":
		s.addGroup(rapid.SampledFrom([]string{"g", "h"}).Draw(r, "group"))
	case "ungroup":
		if g := rapid.SampledFrom([]string{"g", "h"}).Draw(r, "group"); hasGroup(s, g) {
			s.removeGroup(g)
		}
	case "cycle":
		anyCycle(r, s)
	case "wake":
		s.wake(nodeAdd, s.node("big"))
	case "activate":
		if exists {
			s.activate(name)
		}
	case "wait":
		s.wait(time.Duration(rapid.IntRange(0, 400).Draw(r, "seconds")) * time.Second)
	}
}

// anyCycle takes the next pod or group out of the queue; some of its pods are placed, the others come back.
func anyCycle(r *rapid.T, s *stage) {
	item, _, ok := s.Pop(s.now)
	if !ok {
		return
	}
	members := item.Members
	if item.Group == nil {
		members = []*queue.Item{item}
	}
	for _, m := range members {
		if rapid.Bool().Draw(r, "placed") {
			s.Done(m.Pod.UID())
			s.known.Apply(cluster.Event{Action: cluster.Delete, Object: m.Pod.API})
			continue
		}
		s.Park(m, queue.Rejection{Plugins: []string{"Fit"}}, s.at())
	}
	if item.Group != nil {
		code := rapid.SampledFrom([]trace.Code{trace.Success, trace.Unschedulable, trace.Error}).Draw(r, "code")
		s.Finish(item, code, s.at())
	}
}

func hasGroup(s *stage, name string) bool {
	_, has := s.known.PodGroup("ns/" + name)
	return has
}
