package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session/lint"
)

// manifests are a few nodes in zones, some with taints or cordoned, and a workload that chooses, tolerates, keeps apart
// or spreads.
func manifests(t *rapid.T) string {
	var b strings.Builder
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		labels := fmt.Sprintf("host: n%d", i)
		if rapid.IntRange(0, 4).Draw(t, "zoned") > 0 {
			labels += ", zone: " + rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "zone")
		}
		spec := rapid.SampledFrom([]string{
			"", "", "spec: {taints: [{key: gpu, value: a, effect: NoSchedule}]}", "spec: {unschedulable: true}",
			"spec: {taints: [{key: spot, effect: PreferNoSchedule}]}",
		}).Draw(t, "node")
		fmt.Fprintf(&b, "apiVersion: v1\nkind: Node\nmetadata: {name: n%d, labels: {%s}}\n%s\n"+
			"status: {allocatable: {cpu: %d, memory: %dGi, pods: 20}}\n---\n", i, labels, spec,
			rapid.IntRange(1, 4).Draw(t, "cpu"), rapid.IntRange(1, 4).Draw(t, "memory"))
	}
	var pod []string
	add := func(of ...string) {
		if text := rapid.SampledFrom(of).Draw(t, "wish"); text != "" {
			pod = append(pod, text)
		}
	}
	add("", "nodeSelector: {zone: a}", "nodeSelector: {zone: d}")
	add("", "tolerations: [{key: gpu, value: a, effect: NoSchedule}]", "tolerations: [{key: gpu, value: b}]",
		"tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]")
	const same = "labelSelector: {matchLabels: {app: web}}"
	add("", "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "+same+"}]}}")
	policies := rapid.SampledFrom([]string{
		"", "", ", nodeTaintsPolicy: Honor", ", nodeAffinityPolicy: Ignore", ", minDomains: 4",
	}).Draw(t, "policies")
	add("", fmt.Sprintf("topologySpreadConstraints: [{maxSkew: %d, topologyKey: %s, whenUnsatisfiable: DoNotSchedule, %s%s}]",
		rapid.IntRange(1, 2).Draw(t, "skew"), rapid.SampledFrom([]string{"zone", "host"}).Draw(t, "key"), same, policies))
	add("containers: [{name: c, image: x}]",
		"containers: [{name: c, image: x, resources: {requests: {cpu: 3, memory: 3Gi}}}]")
	fmt.Fprintf(&b, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n  replicas: %d\n"+
		"  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      %s\n",
		rapid.IntRange(1, 7).Draw(t, "replicas"), strings.Join(pod, "\n      "))
	return b.String()
}

var (
	atMost = regexp.MustCompile(`at most (\d+) of`)
	values = regexp.MustCompile(`the nodes have (\d+) of`)
)

// TestAnErrorOfLintIsNoFalseAlarm plays random workloads: a pod that stays pending by lint has no node at the end, and
// of pods that hold each other back no more have one than lint allows.
func TestAnErrorOfLintIsNoFalseAlarm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	law.Check(t, func(t *rapid.T) {
		text := manifests(t)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := input.Read(t.Context(), []string{path}, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := cluster.NewState()
		for _, e := range in.Script {
			before.Apply(e.Event)
		}
		player := in.Play(config.Default(), 1, trace.Summary)
		for ok := true; ok; {
			_, ok = player.Step()
		}
		placed := map[string]bool{}
		player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
			if p.NodeName != "" {
				placed["Pod "+p.Key] = true
			}
			return true
		})
		for _, f := range lint.Find(before) {
			limit, of := atMost.FindStringSubmatch(f.Says.String()), values.FindStringSubmatch(f.Says.String())
			switch {
			case f.Level != lint.Error:
			case limit != nil || of != nil:
				if n, _ := strconv.Atoi(append(limit, of...)[1]); len(placed) > n {
					t.Fatalf("%s: %s, and %d have a node\n%s", f.Object, f.Says, len(placed), text)
				}
			case placed[f.Object]:
				t.Fatalf("%s: %s, and it has a node\n%s", f.Object, f.Says, text)
			}
			for _, key := range f.Also {
				if f.Level == lint.Error && placed["Pod "+key] {
					t.Fatalf("%s: %s, and it has a node\n%s", key, f.Says, text)
				}
			}
		}
	})
}
