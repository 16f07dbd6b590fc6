package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/scenario"
	"github.com/schedstep/schedstep/replay/source"
)

// TestASessionFollowsALogThatGrows goes on as far as a log has come, over and over, now and then after a walk back.
// Every stop at the end of the log reports that more may come. Once the log is closed, all facts of all steps are those
// of a session that had the whole log at once.
func TestASessionFollowsALogThatGrows(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s, err := scenario.Parse("story", []byte(story(t, 6)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Replay()
		if err != nil {
			t.Fatal(err)
		}
		log, ctx := source.NewLog(), context.Background()
		growing := New(on(r, play.NewSimulated(), log), About{})
		follow := func() {
			stop := growing.Move(ctx, Continue, Forward, nil)
			if f := growing.Frame(); stop.Reason != StoppedAtLogEnd || f.Whole || f.AtEnd {
				t.Fatalf("the log may still grow, and the session says %+v, whole %v, at end %v", stop, f.Whole, f.AtEnd)
			}
		}
		for _, e := range r.Script {
			log.Append(e)
			if rapid.Bool().Draw(t, "follows") {
				follow()
			}
			if rapid.Bool().Draw(t, "goes back") {
				growing.Move(ctx, Stride(rapid.IntRange(0, 3).Draw(t, "stride")), Backward, nil)
			}
		}
		log.Reach(r.Until)
		follow()
		log.Close()
		growing.Move(ctx, Continue, Forward, nil)
		closed := New(on(r, play.NewSimulated(), r.Script.Log()), About{})
		closed.Move(ctx, Continue, Forward, nil)
		if f := growing.Frame(); !f.Whole || !f.AtEnd {
			t.Fatalf("the log is closed, and the session is whole: %v, at its end: %v", f.Whole, f.AtEnd)
		}
		if got, want := steps(growing), steps(closed); got != want {
			t.Fatalf("with a log that grew\n%s\nand with all of it at once\n%s", got, want)
		}
	})
}

// TestTheNextCycleIsWaitedForWhileItsMomentIsNotOver moves to a cycle in the very moment in which a pod came: an event
// of the same moment may still come, and would be delivered first. So the move ends when that moment is over, or with
// its context.
func TestTheNextCycleIsWaitedForWhileItsMomentIsNotOver(t *testing.T) {
	for _, stride := range []Stride{Next, Over, Into, Out} {
		synctest.Test(t, func(t *testing.T) {
			story, err := scenario.Parse("story", []byte("# One pod.\n\nnode n1 cpu=2\npod web cpu=1\n"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := story.Replay()
			if err != nil {
				t.Fatal(err)
			}
			log := source.NewLog()
			s := New(on(r, play.NewSimulated(), log), About{})
			for _, e := range r.Script {
				log.Append(e)
			}
			s.Move(t.Context(), Continue, Forward, nil)
			ctx, cancel := context.WithCancel(t.Context())
			stops := make(chan Stop)
			move := func() { stops <- s.Move(ctx, stride, Forward, nil) }
			go move()
			synctest.Wait()
			select {
			case stop := <-stops:
				t.Fatalf("stride %v: nobody knows what else happens at this moment, and the move ends: %+v", stride, stop)
			default:
			}
			cancel()
			if stop := <-stops; stop.Reason != StoppedByUser {
				t.Errorf("stride %v, cancelled: %+v", stride, stop)
			}
			ctx = t.Context()
			go move()
			synctest.Wait()
			log.Reach(log.Reached().Add(1))
			if stop := <-stops; stop.Reason != StoppedAtStep || s.kind != play.Tried {
				t.Errorf("stride %v: %+v", stride, stop)
			}
		})
	}
}

// on is a replay of a log, from the start of a story to the moment until which the story lets time go on.
func on(r *scenario.Replay, w play.World, log *source.Log) *play.Player {
	c := config.Default()
	machine := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: r.Start,
	})
	p := play.NewPlayer(machine, w, log)
	p.RunOn(r.Until)
	return p
}

// steps are the facts of every step of a session, from the end back to the start.
func steps(s *Session) string {
	var b strings.Builder
	for s.Position() != (Position{}) {
		fmt.Fprintln(&b, s.Position(), s.Frame().Now, s.Frame().Facts)
		s.Move(context.Background(), Out, Backward, nil)
	}
	return b.String()
}
