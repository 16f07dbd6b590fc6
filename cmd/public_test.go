package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nothingSaid is the last line about an input without a decision of its own scheduler.
const nothingSaid = "recorded and here: the input says nothing of what its scheduler decided"

// What public bundles of real clusters end with (their origin is in ORIGIN.md beside them): 0 or 3, never 1, and every
// decision of their own scheduler is the same here or explained.
func TestBundlesOfRealClustersEndWellAndAreExplained(t *testing.T) {
	const samples = "../replay/source/importer/testdata/samples/"
	ends := map[string]struct {
		code     int
		recorded string
	}{
		"sbctl-bundle":                                  {0, "recorded and here: 25 of 25 decisions the same"},
		"must-gather":                                   {0, nothingSaid},
		"public/insights.tar.gz":                        {0, "recorded and here: 27 of 28 decisions the same, 1 explained"},
		"public/sonobuoy-0.8.tar.gz":                    {3, nothingSaid},
		"public/sonobuoy-0.9.tar.gz":                    {0, "recorded and here: 14 of 14 decisions the same"},
		"public/troubleshoot-1.19.tar.gz":               {3, nothingSaid},
		"public/verrazzano-components-not-ready.tar.gz": {3, "recorded and here: 0 of 3 decisions the same, 3 explained"},
		"public/verrazzano-external-dns-issue.tar.gz":   {0, nothingSaid},
		"public/verrazzano-insufficient-mem.tar.gz":     {3, "recorded and here: 0 of 1 decision the same, 1 explained"},
		"public/verrazzano-pending-pods.tar.gz":         {0, nothingSaid},
		"public/verrazzano-problem-pods-install.tar.gz": {0, nothingSaid},
	}
	for name, want := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := program(t, "run", samples+name); got.code != want.code {
				t.Errorf("code %d, want %d:\n%s", got.code, want.code, got.err)
			}
			got := program(t, "run", samples+name, "--recorded")
			lines := strings.Split(strings.TrimSpace(got.out), "\n")
			if lines[len(lines)-1] != want.recorded {
				t.Errorf("want %q:\n%s", want.recorded, got.out)
			}
		})
	}
	public, err := os.ReadDir(filepath.FromSlash(samples + "public"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range public {
		if _, is := ends["public/"+file.Name()]; !is {
			t.Errorf("%s is not in the table", file.Name())
		}
	}
}
