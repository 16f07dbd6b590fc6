package releases_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/releases"
	"github.com/schedstep/schedstep/conformance/verify"
	"github.com/schedstep/schedstep/core/release"
)

// known are the stories that end otherwise in kube-scheduler of some releases: the Gaps of a table, and where
// kube-scheduler does not survive the story.
var known = map[string][]string{
	"devices_in_scores":                   {"1.36"}, // it ends with a nil pointer (docs/differences.md)
	"devices_no_expression":               {"1.34", "1.35", "1.36"},
	"devices_claims_that_are_missing":     {"1.34", "1.35"},
	"preemption_of_pods_on_their_way":     {"1.17", "1.19", "1.29", "1.30", "1.31", "1.32"},
	"nominated_node_outside_the_node_set": {"1.29", "1.30"},
}

// chance are the stories that end now in one way and now in another in some releases. 1.17 and 1.19 filter 16 nodes at
// once, and which of more than 100 they find is chance. Of several extended resources that a node lacks, 1.17 names
// one, the first in the order of a map.
var chance = map[string][]string{
	"large_clusters_are_sampled":    {"1.17", "1.19"},
	"devices_as_extended_resources": {"1.17"},
	"devices_nothing_else_serves":   {"1.17"},
	"fit_ignores_resources":         {"1.17"},
	"message_is_cut_at_1024":        {"1.17"},
}

var begins = regexp.MustCompile(`(?m)^release (\S+)`)

// TestStoriesEndAsInEachRelease plays the scenarios of the core under a release, except for those that a release cannot
// play: it has not their feature gates, or does not read their configuration, and those that extenders answer in.
func TestStoriesEndAsInEachRelease(t *testing.T) {
	stories, err := filepath.Glob("../../core/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range asked() {
		t.Run(version, func(t *testing.T) {
			if version == release.Newest().Version {
				t.Log("the stories of the newest release are the matter of package verify")
				return
			}
			path, err := releases.Build(t.Context(), "..", version, "../../bin")
			if err != nil {
				t.Fatal(err)
			}
			of := minorOf(t, version)
			same := 0
			for _, story := range stories {
				text, err := os.ReadFile(story)
				if err != nil {
					t.Fatal(err)
				}
				named, name := begins.FindAllSubmatch(text, -1), strings.TrimSuffix(filepath.Base(story), ".txt")
				if len(named) > 1 || len(named) == 1 && string(named[0][1]) != version ||
					slices.Contains(chance[name], of) {
					continue
				}
				var out, errors bytes.Buffer
				code := verify.Command{In: strings.NewReader(""), Out: &out, Err: &errors, Oracles: filepath.Dir(path)}.
					Run([]string{"-q", "--kube-version", version, story})
				unable := code == 2 && !strings.Contains(errors.String(), "oracle")
				differs := slices.Contains(known[name], of)
				switch {
				case unable:
				case code == 0:
					same++
					if differs {
						t.Errorf("%s is the same now", story)
					}
				case !differs:
					t.Errorf("%s: exit %d\n%s%s", story, code, out.String(), errors.String())
				}
			}
			if t.Logf("%d of %d stories end the same", same, len(stories)); same < 120 {
				t.Error("too few of them could be compared")
			}
		})
	}
}

// minorOf is the release that a patch is of.
func minorOf(t *testing.T, version string) string {
	t.Helper()
	r, is := release.Find(version)
	if !is {
		t.Fatalf("there is no table of %s", version)
	}
	if r.IsPatch() {
		r = r.Next()
	}
	return r.Version
}
