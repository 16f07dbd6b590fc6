package release_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/schedstep/schedstep/core/release"
)

func TestVersionsNameReleasesAndTheirPatches(t *testing.T) {
	for _, version := range release.Versions() {
		r, _ := release.Find(version)
		for _, given := range []string{version, r.Patch, version + ".99", r.Patch + "-gke.1"} {
			if r, ok := release.Find(given); !ok || r.Version != version {
				t.Errorf("%s does not find %s", given, version)
			}
		}
	}
	for _, none := range []string{"", "1", "1.3", "1.370", "v1.37", "2.37"} {
		if r, ok := release.Find(none); ok {
			t.Errorf("%q finds %s", none, r.Version)
		}
	}
}

// TestAPatchFindsItsTable checks that a patch is played with its own faults and with those of no later or earlier one.
func TestAPatchFindsItsTable(t *testing.T) {
	for given, want := range map[string]string{
		"1.36.0": "1.36.1", "1.36.1": "1.36.1", "1.36.1-gke.12": "1.36.1", "1.36.2": "1.36", "1.35.0": "1.35",
		"1.34.1": "1.34.1", "1.34.2": "1.34", "1.33.5": "1.33.5", "1.33.6": "1.33", "1.31.0": "1.31.2", "1.30.6": "1.30.6",
		"1.29.11": "1.29",
	} {
		if r, _ := release.Find(given); r.Version != want {
			t.Errorf("%s is played as %s, want %s", given, r.Version, want)
		}
	}
	r, _ := release.Find("1.31.2")
	if last, old := r.LastToHave("GCEPDLimits"); !old || last != "1.30" {
		t.Errorf("before 1.31.2, GCEPDLimits was last in %q", last)
	}
	if newer, ok := r.FirstToKnow("PodLevelResources"); !ok || newer != "1.32" {
		t.Errorf("after 1.31.2, PodLevelResources is first in %q", newer)
	}
}

func TestTablesAgreeWithThemselves(t *testing.T) {
	for _, version := range release.Plays() {
		r, _ := release.Find(version)
		names := make([]string, len(r.Gates))
		for i, g := range r.Gates {
			names[i] = g.Name
			for _, needed := range g.Needs {
				if _, known := r.Gate(needed); !known {
					t.Errorf("%s: gate %s needs %s, which is no gate", version, g.Name, needed)
				}
			}
		}
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%s: gates are not in order, or one is there twice: %v", version, names)
		}
		seen := map[string]bool{}
		for _, p := range r.Plugins {
			if _, known := r.Gate(p.Gate); known != (p.In == release.ByGate || p.In == release.WithoutGate) {
				t.Errorf("%s: plugin %s is put into the default set by gate %q", version, p.Name, p.Gate)
			}
			if seen[p.Name] || len(p.Points) == 0 {
				t.Errorf("%s: plugin %s is there twice, or is asked nowhere", version, p.Name)
			}
			seen[p.Name] = true
		}
		if last, old := release.LastReader(r.Configuration()); old && !atLeast(last, version) {
			t.Errorf("%s reads %s, which %s was the last to read", version, r.Configuration(), last)
		}
	}
}

// atLeast reports whether a version is another one or newer.
func atLeast(version, other string) bool {
	return utilversion.MustParseGeneric(version).AtLeast(utilversion.MustParseGeneric(other))
}

func TestEveryChangeIsShownByAScenario(t *testing.T) {
	for _, version := range release.Plays() {
		r, _ := release.Find(version)
		for _, c := range r.Notes().Changes {
			text, err := os.ReadFile("../testdata/" + c.Shown + ".txt")
			if err != nil {
				t.Errorf("%s: %s: %v", version, c.Does, err)
				continue
			}
			if !strings.Contains(string(text), "\nrelease "+version+"\n") {
				t.Errorf("%s: %s does not show this release", version, c.Shown)
			}
			if c.Who == "" || c.Does == "" || c.Then == "" {
				t.Errorf("%s: a change is not told: %+v", version, c)
			}
		}
	}
}

func TestEveryGapSaysWhoAndWhat(t *testing.T) {
	for _, version := range release.Plays() {
		r, _ := release.Find(version)
		for _, g := range r.Notes().Gaps {
			if g.Who == "" || g.Does == "" {
				t.Errorf("%s: a gap is not told: %+v", version, g)
			}
		}
	}
}

// TestEveryReleaseButTheNewestHasNotes also finds a file of notes that is named after no release.
func TestEveryReleaseButTheNewestHasNotes(t *testing.T) {
	files, err := os.ReadDir("notes")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, file := range files {
		named = append(named, strings.TrimSuffix(file.Name(), ".yaml"))
	}
	var told []string
	for _, version := range release.Plays() {
		if r, _ := release.Find(version); len(r.Notes().Changes) > 0 {
			told = append(told, version)
		}
	}
	slices.Sort(named)
	slices.Sort(told)
	if want := len(release.Plays()) - 1; len(told) != want || !slices.Equal(named, told) {
		t.Errorf("the folder notes has %v, and %v of %d releases tell of changes", named, told, want)
	}
}

func TestGatesAndPluginsHaveAFirstAndALastRelease(t *testing.T) {
	newest, _ := release.Find("1.37")
	before, _ := release.Find("1.36")
	if last, old := newest.LastToKnow("SchedulerQueueingHints"); !old || last != "1.36" {
		t.Errorf("SchedulerQueueingHints: %q, %t", last, old)
	}
	if first, later := before.FirstToKnow("CompositePodGroup"); !later || first != "1.37" {
		t.Errorf("CompositePodGroup: %q, %t", first, later)
	}
	if first, later := before.FirstToHave("DeferredPodScheduling"); !later || first != "1.37" {
		t.Errorf("DeferredPodScheduling: %q, %t", first, later)
	}
}

func TestPodGroupsOfEveryReleaseAreRead(t *testing.T) {
	row := cluster.RowOf(cluster.KindPodGroup)
	for _, version := range release.Versions() {
		r, _ := release.Find(version)
		if r.PodGroups == "" {
			continue
		}
		if group, version, _ := strings.Cut(r.PodGroups, "/"); group != row.Group ||
			version != row.Version && !slices.Contains(row.Older, version) {
			t.Errorf("%s watches %s, and nobody here reads it", r.Version, r.PodGroups)
		}
	}
}

// TestNearest checks which release answers for a version.
func TestNearest(t *testing.T) {
	for version, want := range map[string]string{
		"1.33": "1.33", "1.29.4": "1.29", "1.28": "1.29", "1.22": "1.19", "1.24": "1.29", "1.19.16": "1.19",
		"1.18": "1.19", "1.17": "1.17", "1.16": "1.17", "1.13": "1.10", "1.99": "1.37", "?": "1.37",
		"1.12": "1.10", "1.8": "1.10", "1.7": "1.6", "1.5": "1.6",
	} {
		if got := release.Nearest(version).Version; got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}
