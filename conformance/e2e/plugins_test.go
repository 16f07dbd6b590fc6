//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/conformance/e2e"
)

// plugged enables two of the plugins of examples/: one that has pods wait at Permit, and one that keeps a ledger and
// writes to pods in PreBind. The wait is long, so that none ends by time.
const plugged = `percentageOfNodesToScore: 100
profiles:
- plugins: {multiPoint: {enabled: [{name: Gang}, {name: Licenses}]}}
  pluginConfig:
  - {name: Gang, args: {timeoutSeconds: 600}}
  - {name: DefaultPreemption, args: {minCandidateNodesPercentage: 100, minCandidateNodesAbsolute: 1000}}
`

// What the pods and nodes of the plugins carry.
const (
	wantsLicense = "licenses.example.com/want"
	hasLicenses  = "licenses.example.com/count"
	gangOf       = "gang.example.com/name"
	gangSizeOf   = "gang.example.com/size"
)

// TestAProgramWithPluginsShadowsASchedulerThatHasThem has a kube-scheduler with the plugins registered, as their authors
// would build it, decide on a real control plane, and beside it the program that "schedstep build" made of the same
// plugins compare.
func TestAProgramWithPluginsShadowsASchedulerThatHasThem(t *testing.T) {
	r := start(t, 9)
	r.program = filepath.Join(programs(t), "schedstep-examples")
	for i := range r.nodes {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"3"}}}`, hasLicenses)
		r.make(r.client.CoreV1().Nodes().Patch(
			t.Context(), fmt.Sprintf("n%02d", i), types.MergePatchType, patch, metav1.PatchOptions{}))
	}
	settings := r.file("scheduler.yaml")
	text := append(configuration(t), plugged...)
	r.make(nil, os.WriteFile(settings, text, 0o600))
	file := r.file("live.jsonl")
	whole := []string{"--config", settings, "-o", "json"}
	shadow, record := r.follow(append([]string{"shadow"}, whole...)...), r.follow("record", "--no-redact", "-o", file)
	scheduler, err := r.plane.StartSchedulerOf(t.Context(), "kube-scheduler-examples", "live", text)
	r.make(nil, err)
	defer scheduler.Stop()
	r.licensed("first", 20)
	r.settled()
	r.gangs(5)
	r.licensed("second", 12)
	r.settled()
	for i := range 3 { // gives its license back
		name := fmt.Sprintf("first-%02d", i)
		r.make(nil, r.client.CoreV1().Pods("shop").Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
	r.await("the licenses are taken again", func(ctx context.Context) bool { return r.boundWith(ctx, wantsLicense) == 27 })
	r.allRecorded(file)
	live := shadow.stop(t)
	record.stop(t)
	_, again, told := r.output(append([]string{"shadow", file}, whole...)...)
	for _, report := range []string{live, again} {
		var a agreement
		if err := json.Unmarshal([]byte(report), &a); err != nil {
			t.Fatalf("%v\n%s%s", err, report, told)
		}
		t.Logf("hosts %+v, conditions %+v, events %+v, retries %+v", a.Hosts, a.Messages, a.Events, a.Retries)
		for _, d := range a.Decisions {
			t.Logf("%+v", d)
		}
	}
}

// licensed makes pods that need a license of their node.
func (r *running) licensed(prefix string, n int) {
	r.Helper()
	for i := range n {
		r.wanted(fmt.Sprintf("%s-%02d", prefix, i), "default-scheduler", 100, func(p *corev1.Pod) {
			p.Labels = map[string]string{wantsLicense: "true"}
		})
	}
}

// gangs makes gangs of three; the last one lacks a pod, and a pod of the one before it fits nowhere.
func (r *running) gangs(n int) {
	r.Helper()
	for g := range n {
		for i := range 3 {
			if g == n-1 && i == 2 {
				continue
			}
			cpu := int64(200)
			if g == n-2 && i == 2 {
				cpu = 20_000
			}
			r.wanted(fmt.Sprintf("gang%d-%d", g, i), "default-scheduler", cpu, func(p *corev1.Pod) {
				p.Labels = map[string]string{gangOf: fmt.Sprintf("gang%d", g), gangSizeOf: "3"}
			})
		}
	}
}

// boundWith counts the pods with a label that have a node.
func (r *running) boundWith(ctx context.Context, label string) int {
	pods, err := r.client.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{LabelSelector: label})
	if err != nil {
		return 0
	}
	return len(slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return p.Spec.NodeName == "" }))
}

var _ = strings.Contains
var _ = e2e.Await
