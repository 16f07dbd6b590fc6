package slice_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/play/slice"
	"github.com/schedstep/schedstep/replay/source"
)

// opened is an input that can be played with another script.
func opened(t *testing.T, path string) (*input.Input, func(source.Script) *play.Player) {
	t.Helper()
	in, err := input.Read(t.Context(), []string{path}, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	if in.Config != nil {
		if c, err = config.Load(in.Config, in.From); err != nil {
			t.Fatal(err)
		}
	}
	return in, func(s source.Script) *play.Player {
		cut := *in
		cut.Script = s
		return cut.Play(c, in.Seed, trace.Full)
	}
}

// ends are the ends of the cycles of every pod, by pod.
func ends(player *play.Player) map[string][]string {
	all := map[string][]string{}
	for {
		step, ok := player.Step()
		if !ok {
			return all
		}
		if step.Kind != play.Tried {
			continue
		}
		if c, is := trace.Fold(step.Facts); is && c.Group == nil {
			e := c.Latest().Ended
			all[c.Entity.Key()] = append(all[c.Entity.Key()], fmt.Sprintf("%s %s %s", e.Outcome, e.Node, e.Message))
		}
	}
}

// Every pod of every demo goes the same way in its slice, and no object of a slice could be left out as well.
func TestASliceLeadsThePodTheSameWayAndNothingMoreCanGo(t *testing.T) {
	demos, err := filepath.Glob("../../source/demo/*.schedstep")
	if err != nil || len(demos) == 0 {
		t.Fatal(demos, err)
	}
	smaller := 0
	for _, path := range demos {
		in, walk := opened(t, path)
		whole := ends(walk(in.Script))
		for _, pod := range firstFew(whole) {
			search := slice.Search{Pod: pod, Play: walk, Most: 1000}
			s, err := search.Find(t.Context(), in.Script)
			if err != nil {
				t.Fatal(path, pod, err)
			}
			if diff := cmp.Diff(whole[pod], ends(walk(s.Script))[pod]); diff != "" {
				t.Errorf("%s %s: cycles (-whole +slice):\n%s", path, pod, diff)
			}
			if s.Kept < s.Of {
				smaller++
			}
			again, err := search.Find(t.Context(), s.Script)
			if err != nil || again.Kept != s.Kept {
				t.Errorf("%s %s: a slice of %d objects has a slice of %d, %v", path, pod, s.Kept, again.Kept, err)
			}
		}
	}
	if smaller < len(demos) {
		t.Errorf("only %d slices are smaller than what they were made of", smaller)
	}
}

// firstFew are three pods of those that have cycles.
func firstFew(of map[string][]string) []string {
	var pods []string
	for pod := range of {
		pods = append(pods, pod)
	}
	slices.Sort(pods)
	return pods[:min(3, len(pods))]
}

func TestASearchSaysWhyItEnds(t *testing.T) {
	in, walk := opened(t, "../../source/demo/rollout.schedstep")
	none := slice.Search{Pod: "default/nobody", Play: walk, Most: 10}
	if _, err := none.Find(t.Context(), in.Script); err == nil || !strings.Contains(err.Error(), `"default/nobody"`) {
		t.Errorf("a pod that is not there: %v", err)
	}
	pod := firstFew(ends(walk(in.Script)))[0]
	short := slice.Search{Pod: pod, Play: walk, Most: 3}
	if s, err := short.Find(t.Context(), in.Script); err != nil || !s.Interrupted {
		t.Errorf("after three plays: %+v, %v", s, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := short.Find(ctx, in.Script); err == nil {
		t.Error("a search that was given up has found something")
	}
}
