package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/ask/plan"
)

// kubectlThat is a folder with a kubectl that is this script.
func kubectlThat(t *testing.T, does string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte("#!/bin/sh\n"+does+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestAScriptEndsWhereKubectlFails runs a printed script with a kubectl whose API server goes away after some commands:
// whichever is the first to fail, no later eviction is sent.
func TestAScriptEndsWhereKubectlFails(t *testing.T) {
	step := func(pod string) plan.Step {
		return plan.Step{
			Kubectl: "kubectl evict " + pod, Pod: "default/" + pod, From: "n1",
			Moves: []plan.Move{{Pod: "default/new", Owner: "ReplicaSet default/web", From: "n1", To: "n2", Away: 1}},
		}
	}
	lost := step("alone")
	lost.Moves = nil
	var script strings.Builder
	drain := plan.Plan{Goal: "drain n1", Steps: []plan.Step{step("a"), lost, step("b")}}
	if err := printCommands(&script, drain); err != nil {
		t.Fatal(err)
	}
	const answers = `echo "$@" >> "$LOG"
[ "$(wc -l < "$LOG")" -gt "$MOST" ] && exit 1
case "$*" in
*nodeName*) echo n1 ;;
*uid*) grep -q "evict $3" "$LOG" || echo "u-$3" ;;
*readyReplicas*) echo 2 ;;
esac`
	folder := kubectlThat(t, answers)
	run := func(most string) (sent string, err error) {
		log := filepath.Join(t.TempDir(), "log")
		c := exec.Command("sh", "-c", script.String())
		c.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "LOG="+log, "MOST="+most)
		_, err = c.CombinedOutput()
		text, _ := os.ReadFile(log)
		return string(text), err
	}
	whole, err := run("1000")
	if err != nil || strings.Count(whole, "evict") != 3 {
		t.Fatalf("%v: %s\n%s", err, whole, script.String())
	}
	all := strings.Split(strings.TrimSpace(whole), "\n")
	for n := range all {
		sent, err := run(strconv.Itoa(n))
		if lines := strings.Count(sent, "\n"); err == nil || lines != n+1 {
			t.Errorf("command %d (%s) fails: %d were sent, %v", n+1, all[n], lines, err)
		}
	}
}

// TestAScriptDoesNotWaitForPodsThatMayWait runs printed scripts where pods never become Ready that have a node in the
// first run of the plan only: all evictions are sent.
func TestAScriptDoesNotWaitForPodsThatMayWait(t *testing.T) {
	step := func(pod, owner, comes string, with ...string) plan.Step {
		return plan.Step{
			Kubectl: "kubectl evict " + pod, Pod: "default/" + pod, From: "n1", With: with,
			Moves: []plan.Move{{Pod: "default/" + comes, Owner: owner, From: "n1", To: "n2", Away: 1}},
		}
	}
	const answers = `echo "$@" >> "$LOG"
case "$*" in
*nodeName*) echo n1 ;;
*uid*) grep -q "evict $3" "$LOG" || echo "u-$3" ;;
*readyReplicas*) grep -q evict "$LOG" && echo 1 || echo 2 ;;
*condition=Ready*) exit 1 ;;
esac`
	for want, steps := range map[int][]plan.Step{
		2: {step("a", "ReplicaSet default/web", "new"), step("db-0", "StatefulSet default/db", "db-0")},
		1: { // both in one command
			step("a", "ReplicaSet default/web", "new", "kubectl evict both"),
			step("db-0", "StatefulSet default/db", "db-0", "kubectl evict both"),
		},
	} {
		sent, said, err := carriedOut(t, answers, plan.Plan{
			Goal: "drain n1", Steps: steps, Pending: []plan.Wait{{Pod: "default/new"}, {Pod: "default/db-0"}},
		})
		if err != nil || strings.Count(sent, "condition=Ready") != 1 || strings.Count(sent, "evict") != want {
			t.Errorf("%v: %s", err, said)
		}
	}
}

// carriedOut runs the script of a plan with a kubectl that answers so, and a sleep that does not wait. sent are the
// commands that kubectl got, said is what went wrong: the output, those commands and the script.
func carriedOut(t *testing.T, answers string, p plan.Plan) (sent, said string, err error) {
	t.Helper()
	folder := kubectlThat(t, answers)
	if err := os.WriteFile(filepath.Join(folder, "sleep"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	if err := printCommands(&script, p); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	c := exec.CommandContext(t.Context(), "sh", "-c", script.String())
	c.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "LOG="+log)
	out, err := c.CombinedOutput()
	text, _ := os.ReadFile(log)
	return string(text), string(out) + string(text) + "\n" + script.String(), err
}

// TestAScriptWaitsForThePodOfAJob runs a printed script in which the pod that a Job makes again is Ready at the third
// look.
func TestAScriptWaitsForThePodOfAJob(t *testing.T) {
	const answers = `echo "$@" >> "$LOG"
case "$*" in
*nodeName*) echo n1 ;;
*uid*) grep -q "evict $3" "$LOG" || echo "u-$3" ;;
*"get job"*) [ "$(grep -c 'get job' "$LOG")" -gt 1 ] && [ "$(grep -c 'get job' "$LOG")" -lt 4 ] && echo 1 || echo 2 ;;
esac`
	sent, said, err := carriedOut(t, answers, plan.Plan{Goal: "drain n1", Steps: []plan.Step{{
		Kubectl: "kubectl evict a", Pod: "default/a", From: "n1",
		Moves: []plan.Move{{Pod: "default/new", Owner: "Job default/night", From: "n1", To: "n2", Away: 1}},
	}}})
	if err != nil || strings.Count(sent, "get job night -n default") != 4 {
		t.Errorf("%v: %s", err, said)
	}
}
