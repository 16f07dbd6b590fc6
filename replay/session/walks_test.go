package session_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

// scenarios calls a function with a session at the start of each scenario of the core. A scenario that goes on under
// another release, or that a program takes part in, is left out: a session does not play it.
func scenarios(t *testing.T, each func(t *testing.T, open func() *session.Session)) {
	t.Helper()
	files, err := filepath.Glob("../../core/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, file := range append(files, "testdata/step_without_facts.txt") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		open := func() (*session.Session, error) { return opened(file, string(text)) }
		if _, err := open(); err != nil {
			continue
		}
		played++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			each(t, func() *session.Session {
				s, err := open()
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
	if played < 180 {
		t.Errorf("only %d scenarios were played", played)
	}
}

// opened is a session at the start of a scenario, under its release, gates and configuration.
func opened(name, text string) (*session.Session, error) {
	in, err := input.ReadScenario(name, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	decides := config.Options{}
	if in.Release != "" {
		if decides, err = decides.For(in.Release); err != nil {
			return nil, err
		}
	}
	if decides.Gates, err = config.ParseGatesOf(decides.Gates.Release(), in.Gates); err != nil {
		return nil, err
	}
	c, err := config.LoadOr(in.Config, in.From, decides)
	if err != nil {
		return nil, err
	}
	return session.New(in.Play(c, 1, trace.Reported), session.About{Title: name, Version: "1.37"}), nil
}

// mostMoves is how far a walk goes in one direction.
const mostMoves = 120

func TestEveryMotionPassesOverEveryStep(t *testing.T) {
	scenarios(t, func(t *testing.T, open func() *session.Session) {
		for _, stride := range []session.Stride{session.Into, session.Over, session.Out, session.Next, session.Continue} {
			s := open()
			ended := false
			for range mostMoves {
				if stop := move(t, s, stride, session.Forward); stop.Reason == session.StoppedAtEnd {
					ended = true
					break
				}
			}
			for range mostMoves {
				if stop := move(t, s, stride, session.Backward); stop.Reason == session.StoppedAtStart {
					break
				}
			}
			if at := s.Position(); ended && at != (session.Position{}) {
				t.Errorf("stride %d: %d moves back from the end lead to %v", stride, mostMoves, at)
			}
		}
	})
}

func TestAPositionLooksAlikeHoweverItIsReached(t *testing.T) {
	strides := []session.Stride{session.Into, session.Into, session.Over, session.Out, session.Next}
	scenarios(t, func(t *testing.T, open func() *session.Session) {
		random := rand.New(rand.NewPCG(20261126, uint64(len(t.Name()))))
		s := open()
		shown := map[session.Position]string{}
		for range 40 {
			direction := session.Forward
			if random.IntN(3) == 0 {
				direction = session.Backward
			}
			move(t, s, strides[random.IntN(len(strides))], direction)
			now, at := seen(s), s.Position()
			if before, known := shown[at]; known && before != now {
				t.Fatalf("position %v looked different before:\n%s", at, cmp.Diff(before, now))
			}
			shown[at] = now
		}
	})
}

func TestAProfileChangesAtAnyPosition(t *testing.T) {
	edits := []session.Edit{
		session.Disable("PodTopologySpread"), session.Disable("DynamicResources"), session.Disable("NodeResourcesFit"),
		session.SetWeight("NodeResourcesFit", 7),
	}
	scenarios(t, func(t *testing.T, open func() *session.Session) {
		random := rand.New(rand.NewPCG(7, uint64(len(t.Name()))))
		for n := range len(edits) {
			s := open()
			for range random.IntN(12) {
				move(t, s, session.Out, session.Forward)
			}
			for i := range edits {
				_, _, _ = s.Edit(edits[(n+i)%len(edits)]) // what cannot be edited here is refused
				move(t, s, session.Next, session.Forward)
			}
			move(t, s, session.Next, session.Backward)
			move(t, s, session.Continue, session.Forward)
		}
	})
}
