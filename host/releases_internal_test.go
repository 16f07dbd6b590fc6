package host

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
)

// pairs are the releases that may decide, each with whether a plugin that is compiled with the release that is linked
// runs there. The same table is in docs/plugins.md.
var pairs = []struct {
	version string
	holds   bool
}{
	{"1.37", true},
	{"1.36", true},
	{"1.35", true},
	{"1.34", true},
	{"1.33", true},
	{"1.32", true},
	{"1.31", true},
	{"1.30", true},
	{"1.29", true},
	{"1.19", true},
	{"1.17", false},
	{"1.10", false},
	{"1.6", false},
}

// TestWhichReleasesAHostedPluginRunsUnder plays a cluster with a plugin under each release: twice to the same facts,
// which have its verdicts, and once in a fork at each step. Where the pair does not hold, the configuration is refused.
func TestWhichReleasesAHostedPluginRunsUnder(t *testing.T) {
	text, err := os.ReadFile("../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range pairs {
		t.Run(pair.version, func(t *testing.T) {
			row := fmt.Sprintf("| %s | %s", pair.version, map[bool]string{true: "runs", false: "refused"}[pair.holds])
			if !strings.Contains(string(text), row) {
				t.Errorf("docs/plugins.md has no row %q", row)
			}
			c, err := oddUnder(t, pair.version)
			switch {
			case !pair.holds && err == nil:
				t.Error("it is not refused")
			case !pair.holds:
			case err != nil:
				t.Error(err)
			default:
				repeats(t, c)
			}
		})
	}
}

// oddUnder is a configuration with the plugin that remembers, under a release.
func oddUnder(t *testing.T, version string) (*config.Config, error) {
	t.Helper()
	r := release.Nearest(version)
	if r.Version != version {
		t.Fatalf("there is no %s", version)
	}
	gates, err := config.ParseGatesOf(r, "")
	if err != nil {
		t.Fatal(err)
	}
	file, points := r.Configuration(), "multiPoint: {enabled: [{name: Odd}]}"
	if file != "kubescheduler.config.k8s.io/v1" { // it has no multiPoint
		points = "filter: {enabled: [{name: Odd}]}"
	}
	return config.LoadWith([]byte(`{apiVersion: `+file+`, kind: KubeSchedulerConfiguration,
  profiles: [{plugins: {`+points+`}}]}`), "odd", config.Options{
		Plugins: []config.Plugin{oddly(remembers)}, Gates: gates,
	})
}

// repeats plays a cluster twice, the second time with a fork at each step.
func repeats(t *testing.T, c *config.Config) {
	t.Helper()
	play := func() *play.Player {
		s := play.NewScheduler(c, oddStart, 0, trace.Full)
		return play.NewPlayer(s, play.NewSimulated(), oddScript(8).Log())
	}
	want, forked := facts(play()), play()
	if !strings.Contains(strings.Join(want, "\n"), " has ") {
		t.Error("the plugin rejects nothing")
	}
	for at := 0; ; at++ {
		if got := facts(forked.Fork()); !slices.Equal(got, want[at:]) {
			t.Fatalf("a fork at step %d goes on otherwise", at)
		}
		if _, more := forked.Step(); !more {
			return
		}
	}
}
