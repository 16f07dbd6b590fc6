package inside_test

import (
	"slices"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/replay/session/inside"
)

// TestEveryReleaseIsRead holds that what is inside is known of each release that can be played, and of no other.
func TestEveryReleaseIsRead(t *testing.T) {
	for _, version := range release.Plays() {
		cache, known := inside.CacheOf(version)
		start, too := inside.StartOf(version)
		if !known || !too || cache.Type.Name == "" || start.Defaults.Name == "" {
			t.Errorf("%s: %v %v", version, cache, start)
		}
		var stages []inside.Stage
		for _, step := range start.Steps {
			stages = append(stages, step.Stage)
		}
		slices.Sort(stages)
		if len(slices.Compact(stages)) != int(inside.Loop)+1 {
			t.Errorf("%s starts in the stages %v", version, stages)
		}
		seen := map[cluster.Kind]bool{}
		for _, w := range start.Watches {
			if seen[w.Kind] || cluster.RowOf(w.Kind) == nil {
				t.Errorf("%s watches %s twice, or it is no kind", version, w.Kind)
			}
			seen[w.Kind] = true
		}
		if !seen[cluster.KindPod] || !seen[cluster.KindNode] {
			t.Errorf("%s watches no pods, or no nodes", version)
		}
	}
	for _, version := range []string{"1.5", "1.28", "1.99", "", "next"} {
		if _, known := inside.CacheOf(version); known || len(inside.Places(version)) > 0 {
			t.Errorf("%q was not read", version)
		}
	}
}

// TestWatchesAreThoseOfTheRelease holds what came and went between releases.
func TestWatchesAreThoseOfTheRelease(t *testing.T) {
	for _, c := range []struct {
		kind cluster.Kind
		of   []string
	}{
		{cluster.KindNamespace, []string{
			"1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.31", "1.30", "1.29",
		}},
		{cluster.KindVolumeAttachment, []string{"1.37", "1.36", "1.35", "1.34", "1.33", "1.32"}},
		{cluster.KindPodGroup, []string{"1.37"}},
	} {
		var have []string
		for _, version := range release.Versions() {
			start, _ := inside.StartOf(version)
			if slices.ContainsFunc(start.Watches, func(w inside.Watch) bool { return w.Kind == c.kind }) {
				have = append(have, version)
			}
		}
		if !slices.Equal(have, c.of) {
			t.Errorf("%s is watched by %v", c.kind, have)
		}
	}
}
