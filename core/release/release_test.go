package release_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/release"
)

func TestVersionsNameReleasesAndTheirPatches(t *testing.T) {
	for _, version := range release.Versions() {
		for _, given := range []string{version, version + ".0", version + ".12"} {
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

func TestTablesAgreeWithThemselves(t *testing.T) {
	for _, version := range release.Versions() {
		r, _ := release.Find(version)
		names := make([]string, len(r.Gates))
		for i, g := range r.Gates {
			if last, old := release.LastToKnow(g.Name); old {
				t.Errorf("%s knows gate %s, which %s was the last to know", version, g.Name, last)
			}
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
			if _, known := r.Gate(p.Gate); known != (p.In == release.ByGate) {
				t.Errorf("%s: plugin %s is put into the default set by gate %q", version, p.Name, p.Gate)
			}
			if seen[p.Name] || len(p.Points) == 0 {
				t.Errorf("%s: plugin %s is there twice, or is asked nowhere", version, p.Name)
			}
			seen[p.Name] = true
		}
		if last, old := release.LastReader(r.Configuration()); old {
			t.Errorf("%s reads %s, which %s was the last to read", version, r.Configuration(), last)
		}
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
