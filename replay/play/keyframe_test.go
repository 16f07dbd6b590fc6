package play_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// TestWhoGoesOnFromAKeyframeTakesTheSameSteps packs random replays at random steps, unpacks them from their text, and
// runs both to the end in full detail: the same steps, the same facts, and the same keyframe wherever there is one.
func TestWhoGoesOnFromAKeyframeTakesTheSameSteps(t *testing.T) {
	packed, refused := 0, map[string]int{}
	law.Check(t, func(t *rapid.T) {
		text, in := drawInput(t)
		if rapid.Bool().Draw(t, "recorded") {
			in.World = input.Recorded
		}
		seed := rapid.Uint64().Draw(t, "seed")
		p := in.Play(config.Default(), seed, trace.Summary)
		if rapid.IntRange(0, 3).Draw(t, "reseeded") == 0 {
			p.Reseed(seed + 1)
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if _, more := p.Step(); !more {
				break
			}
		}
		k, err := p.Keyframe(recording.NewRedactor().Redact)
		if err != nil {
			refused[err.Error()]++
			return
		}
		packed++
		again, err := in.PlayFrom(copied(t, k), config.Default(), seed, trace.Summary)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		p.Keep(trace.Full)
		again.Keep(trace.Full)
		for steps := 0; steps < mostSteps; steps++ {
			if steps%16 == 0 {
				if was, is := printed(t, p), printed(t, again); was != is {
					t.Fatalf("after %d steps the keyframes differ: %s\n%s", steps, difference(was, is), text)
				}
			}
			was, more := p.Step()
			is, goesOn := again.Step()
			if more != goesOn || told(was) != told(is) {
				t.Fatalf("step %d:\n%s\nfrom the keyframe:\n%s\n%s", steps, told(was), told(is), text)
			}
			if !more {
				return
			}
		}
	})
	t.Logf("%d replays were packed; %v were not", packed, refused)
	law.Met(t, packed > 0, "no replay was packed")
}

// copied is a keyframe as it comes out of a file.
func copied(t *rapid.T, k *play.Keyframe) *play.Keyframe {
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	again := &play.Keyframe{}
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	was, err := k.Hash()
	if err != nil {
		t.Fatal(err)
	}
	if is, err := again.Hash(); err != nil || was != is {
		t.Fatalf("%s, and from its text %s %v", was, is, err)
	}
	return again
}

// printed is the keyframe of a player as text; why there is none, where there is none.
func printed(t *rapid.T, p *play.Player) string {
	k, err := p.Keyframe(recording.NewRedactor().Redact)
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// difference is where two texts part.
func difference(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	part := func(s string) string { return s[max(0, n-200):min(len(s), n+200)] }
	return part(a) + "\n--- and\n" + part(b)
}

// told prints a step as text.
func told(s play.Step) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.Kind, s.At, s.Event)
	for _, e := range s.Effects {
		fmt.Fprintln(&b, e)
	}
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "%v %+v\n", f, f)
	}
	return b.String()
}
