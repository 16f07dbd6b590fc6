package verify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/verify"
	"github.com/schedstep/schedstep/core/trace"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// verified runs the command and returns its exit code and what it printed.
func verified(t *testing.T, tamper compare.Tamper, args ...string) (code int, out, errors string) {
	t.Helper()
	var o, e bytes.Buffer
	code = verify.Command{In: strings.NewReader(""), Out: &o, Err: &e, Tamper: tamper}.Run(args)
	return code, o.String(), e.String()
}

func TestDemosAreKubeSchedulersOwn(t *testing.T) {
	demos, err := filepath.Glob("../../replay/source/demo/*.schedstep")
	if err != nil || len(demos) < 4 {
		t.Fatalf("%d demos, %v", len(demos), err)
	}
	for _, demo := range demos {
		code, out, errors := verified(t, compare.Tamper{}, demo)
		if code != 0 || !strings.Contains(out, "no difference") {
			t.Errorf("%s: exit %d\n%s%s", demo, code, errors, out)
		}
	}
}

const twoNodes = `
apiVersion: v1
kind: Node
metadata: {name: small}
status: {allocatable: {cpu: "1", memory: 8Gi, pods: "9"}}
---
apiVersion: v1
kind: Node
metadata: {name: large}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "9"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: huge, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "64"}}}]}
`

func manifest(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestManifestsWithoutUIDsAreCompared(t *testing.T) {
	code, out, errors := verified(t, compare.Tamper{}, manifest(t, twoNodes))
	if code != 0 || !strings.Contains(out, "2 cycles, no difference") || !strings.Contains(out, "NodeResourcesFit") {
		t.Errorf("exit %d\n%s%s", code, errors, out)
	}
}

func TestPlantedFaultsAreToldWithTheirObjects(t *testing.T) {
	path := manifest(t, twoNodes)
	for _, c := range []struct {
		name string
		tell compare.Tamper
		want []string
	}{
		{"a verdict", compare.Tamper{Cycle: func(c *trace.Try) {
			if c.Matrix != nil && len(c.Matrix.Failures) > 0 {
				c.Matrix.Failures[0].Verdict = trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"because"}}
			}
		}}, []string{
			"Filter NodeResourcesFit small", "schedstep:      Unschedulable: because", "kind: Pod", "kind: Node",
			"name: small", "after 1 cycles",
		}},
		{"a choice", compare.Tamper{Cycle: func(c *trace.Try) {
			if c.Selected != nil {
				c.Selected.Node = "small"
			}
		}}, []string{"host", "schedstep:      small", "name: web"}},
	} {
		code, out, _ := verified(t, c.tell, path)
		if code != 1 {
			t.Errorf("%s: exit %d\n%s", c.name, code, out)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is missing in\n%s", c.name, want, out)
			}
		}
	}
}

const gang = "../../replay/source/demo/gang.schedstep"

// TestGroupsAreTriedUnderTheirGates counts what the demo of a gang has, and finds
// a fault in the try of a member.
func TestGroupsAreTriedUnderTheirGates(t *testing.T) {
	code, out, errors := verified(t, compare.Tamper{}, gang)
	for _, want := range []string{
		"cycles of pod groups 6: their members were tried", "not compared: what the tries come to for the group",
		"GangScheduling", "no difference",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, wanted %q\n%s%s", code, want, errors, out)
		}
	}
	code, out, _ = verified(t, compare.Tamper{Cycle: func(c *trace.Try) {
		if c.Selected != nil && strings.HasPrefix(c.Entity.Name, "train") {
			c.Selected.Node = "nowhere"
		}
	}}, gang)
	if code != 1 || !strings.Contains(out, "schedstep:      nowhere") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestGatesOfTheCommandLineOverruleTheInputs turns the demo's gate off, after
// which kube-scheduler knows of no groups either, and leaves it as it was.
func TestGatesOfTheCommandLineOverruleTheInputs(t *testing.T) {
	code, out, errors := verified(t, compare.Tamper{}, "--feature-gates=GenericWorkload=false", gang)
	if code != 0 || strings.Contains(out, "pod groups") || strings.Contains(out, "GangScheduling") {
		t.Errorf("exit %d\n%s%s", code, errors, out)
	}
	if _, out, _ := verified(t, compare.Tamper{}, gang); !strings.Contains(out, "pod groups") {
		t.Error(out)
	}
	if code, _, errors := verified(t, compare.Tamper{}, "--feature-gates=CompositePodGroup=true", gang); code != 2 ||
		!strings.Contains(errors, "CompositePodGroup=false only") {
		t.Errorf("exit %d: %s", code, errors)
	}
}

func TestConfigurationsAndSamplingAreFollowed(t *testing.T) {
	path := manifest(t, twoNodes)
	configured := filepath.Join(t.TempDir(), "config.yaml")
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: default-scheduler\n" +
		"  plugins: {score: {disabled: [{name: \"*\"}], enabled: [{name: ImageLocality}]}}\n"
	if err := os.WriteFile(configured, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errors := verified(
		t, compare.Tamper{}, "--config", configured, "--seed=3", "--percentage-of-nodes-to-score=50", path,
	)
	if code != 0 || strings.Contains(out, "NodeResourcesBalancedAllocation") {
		t.Errorf("exit %d\n%s%s", code, errors, out)
	}
}

// TestStoriesAreKubeSchedulersOwn plays the scenarios of the core. Those with
// extenders or several schedulers, those that go through several releases, those of a release whose
// kube-scheduler was not built here, and one that kube-scheduler does not
// survive, are usage errors.
func TestStoriesAreKubeSchedulersOwn(t *testing.T) {
	stories, err := filepath.Glob("../../core/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, story := range stories {
		switch code, out, errors := verified(t, compare.Tamper{}, "-q", story); code {
		case 0:
			same++
		case 1:
			t.Errorf("%s\n%s%s", story, errors, out)
		default:
			if !strings.Contains(errors, "extender") && !strings.Contains(errors, "nil pointer") &&
				!strings.Contains(errors, "under another release") && !strings.Contains(errors, "several schedulers") &&
				!strings.Contains(errors, "is not there to ask") {
				t.Errorf("%s: exit %d\n%s", story, code, errors)
			}
		}
	}
	if same < 80 {
		t.Errorf("%d of %d scenarios were compared", same, len(stories))
	}
}

func TestWhatCannotBeReadIsUsage(t *testing.T) {
	extenders := manifest(
		t,
		"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders: [{urlPrefix: \"http://localhost\", filterVerb: f}]\n",
	)
	for _, args := range [][]string{
		{},
		{"--nonsense"},
		{"no-such-file"},
		{"--time", "now", "x"},
		{"--config", "no-such-file", manifest(t, twoNodes)},
		{"--config", extenders, manifest(t, twoNodes)},
	} {
		if code, out, _ := verified(t, compare.Tamper{}, args...); code != 2 {
			t.Errorf("%q: exit %d\n%s", args, code, out)
		}
	}
}
