package cmd_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/source/live"
)

const quotas = "quotas.v1.quota.example.com"

// quoting is a plugin that reads a custom resource, and declares it as a plugin that module host adapts does: it
// rejects every node where the quota of the pod's namespace has no CPU.
type quoting struct{}

func (quoting) Name() string    { return "Quoting" }
func (quoting) Reads() []string { return []string{quotas} }

func (quoting) Found([]*framework.Profile, framework.Around) framework.Home { return nil }

func (quoting) PreEnqueue(pod *cluster.Pod, known *cluster.State) trace.Verdict {
	o, there := known.Objects().Custom("Quota.quota.example.com", pod.Namespace()+"/cpu")
	if !there {
		return trace.Verdict{}
	}
	amount, _, _ := unstructured.NestedString(o.(*unstructured.Unstructured).Object, "spec", "cpu")
	if amount != "0" {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"the quota of " + pod.Namespace() + " is 0"}}
}

// quotedProgram runs a command line of a program with the plugin.
func quotedProgram(args ...string) ended {
	plugin := config.NewGuest("Quoting", func([]byte, string) (framework.Plugin, []framework.Point, error) {
		return quoting{}, []framework.Point{framework.PreEnqueue}, nil
	})
	var out, err bytes.Buffer
	code := cmd.Main(
		cmd.WithArgs(append([]string{"schedstep"}, args...)...), cmd.WithPlugin(plugin),
		cmd.WithStreams(cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &err}),
	)
	return ended{code, out.String(), err.String()}
}

func TestCustomResourcesThatPluginsNameAreReadFromTheCluster(t *testing.T) {
	s := running(t)
	at, _ := live.ParseResource(quotas)
	s.Serve(cluster.NewCustomRow(at, "Quota", true))
	s.Put(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "quota.example.com/v1", "kind": "Quota",
		"metadata": map[string]any{"name": "cpu", "namespace": "shop"}, "spec": map[string]any{"cpu": "0"},
	}})
	settings := filepath.Join(t.TempDir(), "config.yaml")
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
		"profiles: [{plugins: {multiPoint: {enabled: [{name: Quoting}]}}}]\n"
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const reason = "the quota of shop is 0"
	if got := quotedProgram("explain", "shop/small", "--config", settings); !strings.Contains(got.out, reason) {
		t.Errorf("explain: %d %s%s", got.code, got.out, got.err)
	}
	if got := quotedProgram("explain", "shop/small"); strings.Contains(got.out, reason) {
		t.Errorf("without the plugin: %d %s%s", got.code, got.out, got.err)
	}
	s.Refuse("/apis/quota.example.com/v1/quotas", http.StatusForbidden)
	got := quotedProgram("explain", "shop/small", "--config", settings)
	if !strings.Contains(got.err, "not read: Quota.quota.example.com (you may not list them in all namespaces)") {
		t.Errorf("forbidden: %d %s%s", got.code, got.out, got.err)
	}
	got = quotedProgram("auth", "--drive")
	for _, want := range []string{
		"quotas.quota.example.com", "plugins that read it find none", "patch pods", "create quotas.quota.example.com",
	} {
		if got.code != 3 || !strings.Contains(got.out, want) {
			t.Errorf("auth: no %q: %d %s%s", want, got.code, got.out, got.err)
		}
	}
	got = program(t, "auth", "--drive")
	if strings.Contains(got.out, "quotas") || strings.Contains(got.out, "patch pods\n") {
		t.Errorf("auth of a program without plugins: %s", got.out)
	}
	got = program(t, "run", "--resource", "pods")
	if got.code == 0 || !strings.Contains(got.err, `"pods" is no resource`) {
		t.Errorf("--resource pods: %d %s", got.code, got.err)
	}
}
