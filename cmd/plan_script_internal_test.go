package cmd

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/ask/plan"
)

// script is a plan's commands.
func script(t *testing.T, steps ...plan.Step) string {
	t.Helper()
	var b strings.Builder
	if err := printCommands(&b, plan.Plan{Steps: steps}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// evicted is a step that evicts a pod, with the moves that follow.
func evicted(n int, pod, from string, moves ...plan.Move) plan.Step {
	return plan.Step{
		N: n, Pod: pod, From: from, Kubectl: "kubectl create --raw /eviction-of/" + pod, Moves: moves,
	}
}

func TestAScriptEvictsAPodThatThePlanMadeByItsControllerAndItsNode(t *testing.T) {
	got := script(t,
		evicted(1, "shop/web-a", "n1", plan.Move{Pod: "shop/web-made", Owner: "ReplicaSet shop/web", To: "n2", Away: 1}),
		evicted(2, "shop/web-made", "n2", plan.Move{Pod: "shop/web-again", Owner: "ReplicaSet shop/web", To: "n3", Away: 1}),
		evicted(3, "shop/db-0", "n2", plan.Move{Pod: "shop/db-0", Owner: "StatefulSet shop/db", To: "n3", Away: 1}),
		evicted(4, "shop/db-0", "n3"),
	)
	for _, want := range []string{
		"kubectl create --raw /eviction-of/shop/web-a\n", `pod=$(of web shop n2); [ -n "$pod" ] # called web-made in the plan`,
		"evict \"$pod\" shop\n", "kubectl create --raw /eviction-of/shop/db-0\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "/eviction-of/shop/web-made") {
		t.Errorf("a name that no cluster gives is evicted:\n%s", got)
	}
}

func TestEvictionsThatAreSentTogetherAreGivenTogether(t *testing.T) {
	with := []string{"kubectl drain n1", "kubectl drain n2"}
	a := evicted(1, "shop/web-a", "n1", plan.Move{Pod: "shop/web-x", Owner: "ReplicaSet shop/web", To: "n3", Away: 1})
	b := evicted(2, "shop/web-b", "n2", plan.Move{Pod: "shop/web-y", Owner: "ReplicaSet shop/web", To: "n3", Away: 1})
	a.With, b.With = with, with
	got := script(t, a, b)
	for _, want := range []string{"kubectl drain n1 & drain1=$!\n", "kubectl drain n2 & drain2=$!\n", "wait $drain1", "wait $drain2"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is there %d times in\n%s", want, strings.Count(got, want), got)
		}
	}
	if strings.Contains(got, "eviction-of") {
		t.Errorf("a single eviction is sent besides:\n%s", got)
	}
	b.Refused = &plan.Block{Code: "budget", Object: "shop/web", Message: "it allows none"}
	got = script(t, a, b)
	if !strings.Contains(got, "kubectl drain n1"+patienceOfDrains) || !strings.HasSuffix(got, "exit 3\n") {
		t.Errorf("a drain that cannot end:\n%s", got)
	}
}

func TestAScriptWaitsWhereThePlanDoes(t *testing.T) {
	got := script(t,
		plan.Step{N: 1, Kubectl: "kubectl uncordon n1", Pause: 10}, plan.Step{N: 2, Kubectl: "kubectl uncordon n2"})
	if want := "sleep 10 # "; strings.Count(got, "sleep") != 1 || !strings.Contains(got, want) ||
		strings.Index(got, want) > strings.Index(got, "uncordon n1") {
		t.Errorf("no %q before the first command alone:\n%s", want, got)
	}
}

func TestAScriptAlsoDrainsWhatChanceBroughtToANodeThatIsPacked(t *testing.T) {
	cordon := func(n int, node string) plan.Step { return plan.Step{N: n, Kubectl: "kubectl cordon " + node} }
	moved := plan.Move{
		Pod: "shop/web-x", Owner: "ReplicaSet shop/web", To: "n4", Away: 1, Among: []string{"n2", "n4"},
	}
	p := plan.Plan{Goal: "pack", Steps: []plan.Step{
		cordon(1, "n1"), evicted(2, "shop/web-a", "n1", moved),
		cordon(3, "n2"), evicted(4, "shop/db-0", "n2"), cordon(5, "n3"),
	}}
	var b strings.Builder
	if err := printCommands(&b, p); err != nil {
		t.Fatal(err)
	}
	got, drains := b.String(), "kubectl drain n2 --ignore-daemonsets #"
	after := strings.Index(got, "eviction-of/shop/db-0")
	at, before := strings.Index(got, drains), strings.Index(got, "cordon n3")
	if strings.Count(got, "kubectl drain") != 1 || at < after || at > before {
		t.Errorf("no %q after the evictions from n2:\n%s", drains, got)
	}
	p.Goal = "drain n1 n2 n3" // cordons all nodes before the first eviction
	b.Reset()
	if err := printCommands(&b, p); err != nil || strings.Contains(b.String(), "kubectl drain") {
		t.Errorf("%v: a drain drains twice:\n%s", err, b.String())
	}
}
