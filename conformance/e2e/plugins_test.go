//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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
	holdsLicense = "licenses.example.com/number"
	gangOf       = "gang.example.com/name"
	gangSizeOf   = "gang.example.com/size"
)

// TestAProgramWithPluginsShadowsASchedulerThatHasThem has a kube-scheduler with the plugins registered, as their
// authors would build it, decide on a real control plane, and beside it the program that "schedstep build" made of the
// same plugins compare.
func TestAProgramWithPluginsShadowsASchedulerThatHasThem(t *testing.T) {
	r := start(t, 9)
	r.program = filepath.Join(programs(t), "schedstep-examples")
	r.license(3)
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
	r.retake()
	r.allRecorded(file)
	live := shadow.stop(t)
	record.stop(t)
	_, again, told := r.output(append([]string{"shadow", file}, whole...)...)
	for i, report := range []string{live, again} {
		var a agreement
		if err := json.Unmarshal([]byte(report), &a); err != nil {
			t.Fatalf("%v\n%s%s", err, report, told)
		}
		a.checkPlugins(t, i == 1)
	}
	r.needsThePlugins(file, text)
	r.explainsByPlugins(file, settings)
}

// checkPlugins holds that nothing is different: all hosts are agreed or tied, and so are most texts. A shadow that is
// interrupted has compared what had reached it by then; only of the whole recording it is known how much that is.
func (a *agreement) checkPlugins(t *testing.T, whole bool) {
	t.Helper()
	t.Logf("hosts %+v, conditions %+v, events %+v, retries %+v", a.Hosts, a.Messages, a.Events, a.Retries)
	same := a.Hosts.Agreed + a.Hosts.Tied
	different := a.Hosts.Different + a.Messages.Different + a.Events.Different + a.Retries.Different
	little := same < 15 || whole && (same < 30 || a.Messages.Agreed < 5 || a.Events.Agreed < 5)
	if different > 0 || a.Hosts.Explained > 1 || little {
		for _, d := range a.Decisions {
			t.Logf("%+v", d)
		}
		t.Errorf("%d decisions differ, %d hosts agree", different, same)
	}
}

// needsThePlugins compares the recording without one of the plugins, which must be found.
func (r *running) needsThePlugins(file string, with []byte) {
	r.Helper()
	settings := r.file("without.yaml")
	without := strings.Replace(string(with), ", {name: Licenses}", "", 1)
	r.make(nil, os.WriteFile(settings, []byte(without), 0o600))
	code, out, _ := r.output("shadow", file, "--config", settings, "-o", "json")
	if code != 3 || !strings.Contains(out, "licenses of the node are held") {
		r.Errorf("without Licenses: exit code %d\n%s", code, out)
	}
}

// lacksMembers is the reason of Gang for a gang that is not whole: kube-scheduler may try its pods before all have
// come.
var lacksMembers = regexp.MustCompile(`gang gang4 has [12] of 3 pods`)

// explainsByPlugins plays the recording, and has a pod explained.
func (r *running) explainsByPlugins(file, settings string) {
	r.Helper()
	if _, out, told := r.output("run", file, "--config", settings); !lacksMembers.MatchString(out) {
		r.Errorf("run: %s%s", out, told)
	}
	_, out, told := r.output("explain", "shop/gang4-0", file, "--config", settings)
	if !lacksMembers.MatchString(out) {
		r.Errorf("explain: %s%s", out, told)
	}
}

// TestAProgramWithPluginsDrives has the program that "schedstep build" made be the scheduler of a real control plane:
// what its plugins write is written there.
func TestAProgramWithPluginsDrives(t *testing.T) {
	r := start(t, 2)
	r.program = filepath.Join(programs(t), "schedstep-examples")
	r.license(1)
	settings := r.file("scheduler.yaml")
	text := strings.Replace(string(configuration(t))+plugged, "profiles:\n- ", "profiles:\n- schedulerName: schedstep\n  ",
		1)
	r.make(nil, os.WriteFile(settings, []byte(text), 0o600))
	d := r.run("driving:", "drive", "--config", settings)
	held := func(p *corev1.Pod) { p.Labels = map[string]string{wantsLicense: "true"} }
	for _, name := range []string{"one", "two"} {
		r.wanted(name, "schedstep", 100, held)
		r.await(name+" is bound with its number", func(ctx context.Context) bool {
			return r.isBound(name)(ctx) && r.pod(name).Annotations[holdsLicense] == "1"
		})
	}
	r.wanted("three", "schedstep", 100, held)
	r.await("three is told why", func(context.Context) bool {
		c := r.pod("three").Status.Conditions
		return len(c) > 0 && strings.HasPrefix(c[0].Message,
			"0/2 nodes are available: 2 all 1 licenses of the node are held.")
	})
	for i := range 2 {
		r.wanted(fmt.Sprint("pair-", i), "schedstep", 100, func(p *corev1.Pod) {
			p.Labels = map[string]string{gangOf: "pair", gangSizeOf: "2"}
		})
	}
	for i := range 2 {
		r.await("the pair is bound", r.isBound(fmt.Sprint("pair-", i)))
	}
	d.stopUnrefused(t)
}

// license gives every node so many licenses.
func (r *running) license(n int) {
	r.Helper()
	for i := range r.nodes {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, hasLicenses, n)
		r.make(r.client.CoreV1().Nodes().Patch(
			r.Context(), fmt.Sprintf("n%02d", i), types.MergePatchType, patch, metav1.PatchOptions{}))
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

// retake makes pods until all licenses are held again. kube-scheduler may try a pod that a deletion wakes before the
// plugin's own informer has seen that deletion, and then leaves it alone; a new pod is tried at once.
func (r *running) retake() {
	r.Helper()
	const patience, most = 3 * time.Second, 20
	for i := range most {
		if e2e.AwaitFor(r.Context(), patience, func(ctx context.Context) (bool, error) {
			return r.boundWith(ctx, wantsLicense) == 27, nil
		}) == nil {
			return
		}
		r.licensed(fmt.Sprintf("more%d", i), 1)
	}
	r.Fatalf("%d licenses are held", r.boundWith(r.Context(), wantsLicense))
}

// boundWith counts the pods with a label that have a node.
func (r *running) boundWith(ctx context.Context, label string) int {
	pods, err := r.client.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{LabelSelector: label})
	if err != nil {
		return 0
	}
	return len(slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return p.Spec.NodeName == "" }))
}
