package cmd_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// moody is a plugin that scores the node b otherwise each time, and so low that it is never chosen.
type moody struct{ calls *atomic.Int64 }

func (moody) Name() string { return "Moody" }

func (m moody) Score(_ *cluster.Pod, n *cluster.Node) (int64, trace.Verdict) {
	if n.API.Name != "b" {
		return 100, trace.Verdict{}
	}
	return m.calls.Add(1), trace.Verdict{}
}

// withPlugins runs one command line of a program with a moody plugin, and with one that cannot be made.
func withPlugins(args ...string) ended {
	calls := new(atomic.Int64)
	odd := config.NewPlugin("Moody", func(struct{}, *field.Path) (moody, field.ErrorList) { return moody{calls}, nil })
	broken := config.NewGuest("Broken", func([]byte, string) (framework.Plugin, []framework.Point, error) {
		return nil, nil, errors.New("it is \x1b[31mred")
	})
	var out, err bytes.Buffer
	code := cmd.Main(
		cmd.WithArgs(append([]string{"schedstep"}, args...)...), cmd.WithPlugin(odd), cmd.WithPlugin(broken),
		cmd.WithStreams(cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &err}),
	)
	return ended{code, out.String(), err.String()}
}

func TestWhatAPluginSaysDoesNotReachTheTerminalAsItIs(t *testing.T) {
	for _, args := range [][]string{{"plugins"}, {"plugins", "-o", "json"}} {
		got := withPlugins(args...)
		if got.code != 0 || strings.Contains(got.out, "\x1b") || !strings.Contains(got.out, "red") ||
			!strings.Contains(got.out, "Moody") {
			t.Errorf("%q: %d %q %q", args, got.code, got.out, got.err)
		}
	}
}

// TestTwoPlaysThatDifferInATotalAreNotTheSame differ in nothing else: both choose the same node.
func TestTwoPlaysThatDifferInATotalAreNotTheSame(t *testing.T) {
	folder := t.TempDir()
	story, conf := filepath.Join(folder, "story.txt"), filepath.Join(folder, "config.yaml")
	for file, text := range map[string]string{
		story: "# Two nodes.\n\nnode a cpu=4\nnode b cpu=4\npod web cpu=1\nschedule\n",
		conf: "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
			"profiles: [{plugins: {multiPoint: {enabled: [{name: Moody}]}}}]\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := withPlugins("plugins", story, "--config", conf, "-q")
	if got.code != 3 || !strings.Contains(got.out, "two plays differ after 0 cycles that are the same, and no call of") {
		t.Errorf("%+v", got)
	}
	got = withPlugins("plugins", story, "--config", conf, "-q", "-o", "json")
	if got.code != 3 || !strings.Contains(got.out, "\n  \"cycles\": 0,\n  \"first\": ") ||
		!strings.Contains(got.out, " b=") {
		t.Errorf("%+v", got)
	}
}
