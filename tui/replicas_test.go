package tui_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// rolloutSummary is the part of run -o json about workloads.
type rolloutSummary struct {
	Summary struct {
		Replicas []struct {
			Name     string
			Replicas int
			Fit      int
			Without  []string
			Smallest struct {
				Pod, Node string
				Changes   []struct{ Command, Kubectl string }
			} `json:"smallestChange"`
			ForAll struct {
				Replicas int
				Commands []string
				Says     string
			}
			Says []string
		}
	}
}

// TestARolloutEndsWithTheSameNumbersEverywhere reads a cluster and a Deployment in three ways, and holds the screen and
// the prompt to the JSON of the command line; the change that it names is then carried out, and has one more fit.
func TestARolloutEndsWithTheSameNumbersEverywhere(t *testing.T) {
	folder := filepath.Join("testdata", "rollout")
	files := []string{filepath.Join(folder, "cluster.yaml"), filepath.Join(folder, "deployment.yaml")}
	var all rolloutSummary
	if err := json.Unmarshal([]byte(ranWith(t, "", "run", files[0], files[1], "-q", "-o", "json")), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Summary.Replicas) != 1 {
		t.Fatalf("%d workloads", len(all.Summary.Replicas))
	}
	of := all.Summary.Replicas[0]
	if of.Fit != 3 || of.Replicas != 5 || len(of.Without) != 2 || len(of.Smallest.Changes) != 1 || len(of.Says) != 2 {
		t.Fatalf("%+v", of)
	}
	fit := fmt.Sprintf("%d of %d replicas fit: Deployment %s", of.Fit, of.Replicas, of.Name)
	change := "smallest change for " + of.Smallest.Pod + ": request 1 of cpu instead of 1500m"
	if of.Says[0] != fit || of.Says[1] != change {
		t.Errorf("run -o json says %q", of.Says)
	}
	plain := ranWith(t, "replicas\ncontinue\nreplicas\n"+of.Smallest.Changes[0].Command+"\ncontinue\nreplicas\n",
		"replay", files[0], files[1], "--plain")
	more := fmt.Sprintf("%d of %d replicas fit", of.Fit+1, of.Replicas)
	if all := of.ForAll; all.Replicas != of.Replicas || len(all.Commands) == 0 ||
		!strings.HasPrefix(all.Says, "For 5 of 5: ") {
		t.Errorf("for all: %+v", all)
	}
	first := of.ForAll.Says
	for _, line := range []string{first, "So far, at the cursor: goto end (F) has every pod tried.", fit, change, more} {
		if !strings.Contains(plain, line) {
			t.Errorf("the prompt does not say %q:\n%s", line, plain)
		}
	}
	for _, size := range []layout.Size{wide, medium, narrow} {
		journey(t, size, readFiles(t, files), screen.Options{Theme: "dark"}, func(r *robot) {
			r.press("F")
			r.press(":")
			r.press("replicas")
			r.press("\r").sees(fit, change)
		})
	}
}

// TestAWorkloadIsExplainedWhereAPodIs compares the prompt and the menu of the screen with the output of schedstep
// explain for a Deployment.
func TestAWorkloadIsExplainedWhereAPodIs(t *testing.T) {
	folder := filepath.Join("testdata", "rollout")
	files := []string{filepath.Join(folder, "cluster.yaml"), filepath.Join(folder, "deployment.yaml")}
	page := ranWith(t, "", "explain", "deploy/web", files[0], files[1], "-q")
	head, _, found := strings.Cut(page, "\nThe first pod without a node")
	if !found || !strings.Contains(head, "For 5 of 5: ") {
		t.Fatalf("explain deploy/web:\n%s", page)
	}
	prompt := ranWith(t, "continue\nexplain deploy/web\nchanges deploy/web\nexplain sts/web\n",
		"replay", files[0], files[1], "--plain", "-q")
	if n := strings.Count(prompt, head); n != 2 {
		t.Errorf("the prompt has the page %d times:\n%s", n, prompt)
	}
	if !strings.Contains(prompt, `there is no StatefulSet "web" (did you mean "deploy/default/web"?)`) {
		t.Errorf("of a workload that is not there:\n%s", prompt)
	}
	for _, size := range []layout.Size{wide, medium, narrow} {
		journey(t, size, readFiles(t, files), screen.Options{Theme: "dark"}, func(r *robot) {
			r.press("F")
			r.press("w").sees("what all pods of deploy/default/web need")
			r.press("\x1b")
			r.press("a").sees("explain deploy/default/web finds what all its pods need",
				"1-2 choose one", "3 what all its pods need")
			r.press("3").sees("3 of 5 replicas fit.", "For 5 of 5: request 1250m of cpu instead of 1500m.")
		})
	}
}

// ranWith is what the program prints with these arguments, and this on its standard input.
func ranWith(t *testing.T, typed string, args ...string) string {
	t.Helper()
	var out, said strings.Builder
	code := cmd.Main(
		cmd.WithArgs(append([]string{"schedstep"}, args...)...),
		cmd.WithStreams(cmd.Streams{In: strings.NewReader(typed), Out: &out, Err: &said}),
	)
	if code != 0 && code != 3 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	return out.String()
}

// readFiles is a session at the start of files that hold workloads without pods.
func readFiles(t *testing.T, files []string) *session.Session {
	t.Helper()
	in, err := input.Read(t.Context(), files, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	about := session.About{Title: in.Title, Version: "1.37"}
	for _, m := range in.Made {
		about.Workloads = append(about.Workloads, session.Workload{Kind: m.Kind, Name: m.Name, Pods: m.Pods, There: m.There})
	}
	return session.New(in.Play(config.Default(), in.Seed, trace.Reported), about)
}
