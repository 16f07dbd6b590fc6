package sweep_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/sweep"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
)

// planted is an input with as many pods as distance returns for a variant and the seed of a case: an objective "pods"
// has its least value where the distance has. Its pods are called after the seed, so that cases differ.
func planted(distance func(a, b int, seed uint64) int) *sweep.Input {
	return &sweep.Input{Play: func(v sweep.Variant, seed uint64) (*play.Player, error) {
		a, b := -1, -1
		if n, err := strconv.Atoi(v.Of("weight.A")); err == nil {
			a = n
		}
		if n, err := strconv.Atoi(v.Of("weight.B")); err == nil {
			b = n
		}
		text := strings.Builder{}
		text.WriteString("# Pods.\n\nnode n cpu=1000 memory=64Gi pods=1000\n")
		for i := range distance(a, b, seed) {
			fmt.Fprintf(&text, "pod p%d-%d cpu=1m\n", seed%1000, i)
		}
		in, err := input.ReadScenario("planted", strings.NewReader(text.String()))
		if err != nil {
			return nil, err
		}
		return in.Play(config.Default(), 0, trace.Summary), nil
	}}
}

func away(a, b int) int { return max(a-b, b-a) }

// tuned is what a search comes to, with the steps in words.
func tuned(t *testing.T, in *sweep.Input, o func(*sweep.Tuning, *sweep.Options)) (*sweep.Tuned, error) {
	t.Helper()
	objective, err := sweep.ParseObjective("pods")
	if err != nil {
		t.Fatal(err)
	}
	seen, unseen := sweep.Cases([]string{"planted"}, 1, 6, 3)
	tuning := &sweep.Tuning{
		Axes: axes(t, "weight.A=1..60", "weight.B=1..40"), Objective: objective, Seen: seen, Unseen: unseen, Trials: 40,
		Rounds: 5, Seed: 3, Step: func(*sweep.Step, *sweep.Tuned) error { return nil }, Played: func(int, int) {},
	}
	options := sweep.Options{
		Workers: 1, Guard: func(bool) sweep.Guard { return endless{} },
		Open: func(context.Context, int) (*sweep.Input, error) { return in, nil },
	}
	o(tuning, &options)
	return tuning.Search(context.Background(), options)
}

func asIs(*sweep.Tuning, *sweep.Options) {}

func TestAPlantedOptimumIsFoundAndIsBetterOnWhatWasNotSeen(t *testing.T) {
	in := planted(func(a, b int, seed uint64) int {
		if a < 0 && b < 0 {
			return 70 + int(seed%7)
		}
		return 5 + away(a, 37) + away(b, 11) + int(seed%7)
	})
	found, err := tuned(t, in, asIs)
	if err != nil {
		t.Fatal(err)
	}
	var a, b int
	if _, err := fmt.Sscanf(found.Best, "weight.A=%d weight.B=%d", &a, &b); err != nil || away(a, 37)+away(b, 11) > 3 {
		t.Errorf("the best is %s", found.Best)
	}
	s := found.Summary
	if found.Verdict != sweep.Better || s == nil || s.Cases != 6 || s.Better != 6 || s.Chance != 1.0/64 ||
		s.Difference > -60 {
		t.Errorf("%s: %+v", found.Verdict, s)
	}
	for i, step := range found.Steps {
		if step.Number != i+1 || len(step.Tried) != step.Candidates || step.Kind != sweep.Simplified && !step.Tried[0].Kept {
			t.Errorf("step %d: %+v", i, step)
		}
	}
}

func TestASettingThatDoesNothingIsTakenOutOfTheBest(t *testing.T) {
	found, err := tuned(t, planted(func(a, _ int, seed uint64) int { return 3 + away(a, 37) + int(seed%7) }), asIs)
	if err != nil || strings.Contains(found.Best, "weight.B") || !strings.HasPrefix(found.Best, "weight.A=3") {
		t.Errorf("%s, %v", found.Best, err)
	}
}

// Without one of two settings, an expression over both cannot be evaluated.
func TestASettingThatWhereSpeaksOfStays(t *testing.T) {
	for where, stays := range map[string]bool{"weight.A > weight.B": true, "weight.A > 0": false} {
		in := planted(func(a, _ int, seed uint64) int { return 3 + away(a, 37) + int(seed%7) })
		found, err := tuned(t, in, func(u *sweep.Tuning, _ *sweep.Options) { u.Where = where })
		if err != nil || strings.Contains(found.Best, "weight.B") != stays {
			t.Errorf("%s: %s, %v", where, found.Best, err)
		}
	}
	wrong := func(u *sweep.Tuning, _ *sweep.Options) { u.Where = "weight.A / (weight.B - 7) > 0" }
	if _, err := tuned(t, planted(func(int, int, uint64) int { return 3 }), wrong); err == nil ||
		!strings.Contains(err.Error(), "division by zero") {
		t.Errorf("%v", err)
	}
}

func TestWhereNothingHelpsTheBaseIsTheBest(t *testing.T) {
	found, err := tuned(t, planted(func(_, _ int, seed uint64) int { return 5 + int(seed%7) }), asIs)
	if err != nil || found.Best != "base" || found.Verdict != sweep.NoneFound || found.Summary != nil {
		t.Errorf("%s, %s, %v", found.Best, found.Verdict, err)
	}
}

// What helps by chance on the cases that were seen is not called better.
func TestWhatHelpsOnSeenCasesAloneIsNotShownToBeBetter(t *testing.T) {
	seen, _ := sweep.Cases([]string{"planted"}, 1, 6, 3)
	known := map[uint64]bool{}
	for _, c := range seen {
		known[c.Seed] = true
	}
	for _, c := range []struct {
		unseen func(seed uint64) int
		want   sweep.Verdict
	}{
		{func(seed uint64) int { return 9 + int(seed/7%2)*2 }, sweep.NotShown},
		{func(uint64) int { return 15 }, sweep.Worse},
	} {
		found, err := tuned(t, planted(func(a, b int, seed uint64) int {
			switch {
			case a < 0 && b < 0:
				return 10
			case known[seed]:
				return 5
			}
			return c.unseen(seed)
		}), asIs)
		if err != nil || found.Verdict != c.want {
			t.Errorf("%s, %+v, %v", found.Verdict, found.Summary, err)
		}
	}
}

func TestCasesThatAreNoOtherDoNotCount(t *testing.T) {
	in := planted(func(a, _ int, _ uint64) int { return 3 + max(a, -a) })
	always := *in
	always.Play = func(v sweep.Variant, _ uint64) (*play.Player, error) { return in.Play(v, 0) }
	found, err := tuned(t, &always, func(u *sweep.Tuning, _ *sweep.Options) { u.Axes = axes(t, "weight.A=2..9") })
	if err != nil || found.Verdict == sweep.Better {
		t.Errorf("%s, %v", found.Verdict, err)
	}
	found, err = tuned(t, &sweep.Input{Play: func(v sweep.Variant, _ uint64) (*play.Player, error) {
		n := 9
		if v.Of("weight.A") != sweep.AsItIs {
			n = 2
		}
		return planted(func(int, int, uint64) int { return n }).Play(v, 0)
	}}, asIs)
	if err != nil || found.Verdict != sweep.NoneUnseen || found.Alike != 6 {
		t.Errorf("%s, %d alike, %v", found.Verdict, found.Alike, err)
	}
}

func TestASearchIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	in := planted(func(a, b int, seed uint64) int { return 5 + away(a, 20) + away(b, 20) + int(seed%5) })
	var folders []string
	for _, workers := range []int{1, 2, 7} {
		found, err := tuned(t, in, func(_ *sweep.Tuning, o *sweep.Options) { o.Workers = workers })
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, t.TempDir())
		if err := found.Write(folders[len(folders)-1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"tune.json", "steps.csv", "best.yaml"} {
		want, err := os.ReadFile(filepath.Join(folders[0], name))
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders[1:] {
			if got, _ := os.ReadFile(filepath.Join(folder, name)); string(got) != string(want) || !sweep.OfTuning(name) {
				t.Errorf("%s differs", name)
			}
		}
	}
	text, _ := os.ReadFile(filepath.Join(folders[0], "best.yaml"))
	if best, err := sweep.ReadAxes(text, "best.yaml"); err != nil || len(best) == 0 {
		t.Errorf("best.yaml is no file of axes: %v\n%s", err, text)
	}
}

func TestASearchThatIsStoppedHasWhatItFound(t *testing.T) {
	stop := errors.New("stop")
	for after := 1; after < 9; after++ {
		found, err := tuned(t, planted(func(a, b int, _ uint64) int { return 5 + away(a, 20) + away(b, 20) }),
			func(u *sweep.Tuning, _ *sweep.Options) {
				u.Step = func(s *sweep.Step, _ *sweep.Tuned) error {
					if s.Number == after {
						return stop
					}
					return nil
				}
			})
		if !errors.Is(err, stop) || len(found.Steps) != after || found.Verdict != sweep.Unfinished || found.Best == "" {
			t.Errorf("after %d: %v, %d steps, %s", after, err, len(found.Steps), found.Best)
		}
		if _, err := json.Marshal(found); err != nil {
			t.Error(err)
		}
	}
}

func TestCandidatesWithoutFiguresLose(t *testing.T) {
	in := planted(func(a, b int, seed uint64) int { return 5 + away(a, 20) + away(b, 20) + int(seed%5) })
	refuses := *in
	refuses.Play = func(v sweep.Variant, seed uint64) (*play.Player, error) {
		if a := v.Of("weight.A"); a != sweep.AsItIs && a < "3" {
			return nil, errors.New("no such weight")
		}
		return in.Play(v, seed)
	}
	found, err := tuned(t, &refuses, asIs)
	if err != nil || found.Verdict != sweep.Better || strings.Contains(found.Best, "weight.A=1") {
		t.Errorf("%s, %s, %v", found.Best, found.Verdict, err)
	}
	last := found.Steps[0].Tried[len(found.Steps[0].Tried)-1]
	if last.Mean != nil || last.Fault != "no such weight" || last.Kept {
		t.Errorf("%+v", last)
	}
	none := &sweep.Input{Play: func(sweep.Variant, uint64) (*play.Player, error) { return nil, errors.New("never") }}
	if _, err := tuned(t, none, asIs); err == nil || !strings.Contains(err.Error(), "the base has no figures") {
		t.Errorf("%v", err)
	}
}

func TestInputsAreHeldOutBySeed(t *testing.T) {
	of := func(cases []sweep.Case) string {
		all := map[string]bool{}
		for _, c := range cases {
			all[strings.Fields(c.Name)[0]] = true
		}
		return strconv.Itoa(len(all)) + " of " + strconv.Itoa(len(cases))
	}
	for _, c := range []struct {
		inputs       []string
		held         int
		seen, unseen string
	}{
		{[]string{"a"}, 1, "1 of 4", "1 of 4"},
		{[]string{"a", "b"}, 2, "2 of 8", "2 of 8"},
		{[]string{"a", "b"}, 1, "1 of 4", "1 of 4"},
		{[]string{"a", "b", "c", "d", "e", "f"}, 6, "4 of 16", "2 of 8"},
	} {
		seen, unseen := sweep.Cases(c.inputs, c.held, 4, 7)
		if of(seen) != c.seen || of(unseen) != c.unseen {
			t.Errorf("%q: %s seen, %s unseen", c.inputs, of(seen), of(unseen))
		}
		for _, s := range seen {
			for _, u := range unseen {
				if s == u {
					t.Errorf("%+v is in both", s)
				}
			}
		}
	}
}

func TestBoundsThatASearchCannotHave(t *testing.T) {
	for text, want := range map[string]string{
		"order=shuffled": "leave out order", "seed=1..3": "leave out seed", "drain=-": "nothing to choose from",
	} {
		if err := (&sweep.Tuning{Axes: axes(t, text), Trials: 3}).Check(); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	none := &sweep.Tuning{Axes: axes(t, "weight.A=1..3"), Where: "weight.A > 3", Trials: 3}
	if err := none.Check(); err == nil || !strings.Contains(err.Error(), "the product is empty") {
		t.Errorf("%v", err)
	}
}
