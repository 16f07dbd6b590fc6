//go:build e2e

package e2e_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func placed(name, uid, app, node string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "play", UID: types.UID(uid), Labels: map[string]string{"app": app},
		},
		Spec: corev1.PodSpec{NodeName: node},
	}
}

// A plan is held to where pods come to, to what waits, and to what the budgets had left.
func TestADifferenceFromAPlanIsFound(t *testing.T) {
	before := []corev1.Pod{placed("cache-1", "a", "cache", "n1"), placed("front-1", "b", "front", "n2")}
	plan := planned{Steps: []plannedStep{{Moves: []plannedMove{{
		Pod: "play/cache-2", From: "n1", To: "n2", Sure: "tie", Among: []string{"n2", "n3"},
	}}}}}
	plan.Budgets = append(plan.Budgets, struct {
		Name        string
		LowestSlack int
	}{"play/cache", 0})
	for _, c := range []struct {
		name                              string
		now                               []corev1.Pod
		foretold, among, otherwise, stuck int
		slack                             int
		broken                            int
	}{
		{"as foretold", []corev1.Pod{placed("cache-9", "c", "cache", "n2"), before[1]}, 1, 0, 0, 0, 0, 0},
		{"the other node", []corev1.Pod{placed("cache-9", "c", "cache", "n3"), before[1]}, 0, 1, 0, 0, 0, 0},
		{"a third node", []corev1.Pod{placed("cache-9", "c", "cache", "n4"), before[1]}, 0, 0, 1, 0, 0, 0},
		{"no node", []corev1.Pod{placed("cache-9", "c", "cache", ""), before[1]}, 0, 0, 1, 1, 0, 0},
		{
			"another waits",
			[]corev1.Pod{placed("cache-9", "c", "cache", "n2"), placed("front-2", "d", "front", "")},
			1, 0, 0, 1, 0, 0,
		},
		{"a budget", []corev1.Pod{placed("cache-9", "c", "cache", "n2"), before[1]}, 1, 0, 0, 0, -1, 1},
	} {
		var sum landings
		wrong := landed(&plan, before, c.now, &sum)
		wrong = append(wrong, broken(&plan, map[string]int{"cache": c.slack}, &sum)...)
		if sum.foretold != c.foretold || sum.among != c.among || sum.otherwise != c.otherwise || sum.stuck != c.stuck ||
			sum.broken != c.broken || (len(wrong) > 0) != (c.otherwise+c.stuck+c.broken > 0) {
			t.Errorf("%s: %s %q", c.name, &sum, wrong)
		}
	}
}

// A page is held to where the pods of others end.
func TestWhereOthersEndByAPage(t *testing.T) {
	before := []corev1.Pod{
		placed("cache-a", "a", "cache", "n1"), placed("front-b", "b", "front", ""), placed("web-1", "c", subject, ""),
	}
	var set offered
	set.Elsewhere = []elsewhere{
		{Pod: "play/cache-a", Before: "n1", After: "", MadeAgain: true}, {Pod: "play/front-b", After: "n2"},
	}
	said := foretold(before, &set)
	if len(said) != 2 || said[0] != "cache@" || said[1] != "front@n2" {
		t.Errorf("%q", said)
	}
	set.Elsewhere[0].Gone = true
	if said := foretold(before, &set); len(said) != 1 || said[0] != "front@n2" {
		t.Errorf("gone: %q", said)
	}
	got := counted([]string{"cache@n1", "cache@", "front@n2"})
	if !slices.Equal(got, []string{"cache", "cache@", "front"}) {
		t.Errorf("%q", got)
	}
}
