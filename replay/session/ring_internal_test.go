package session

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/scenario"
	"github.com/schedstep/schedstep/replay/source"
)

// ring is a session that keeps little of a log that grows.
type ring struct {
	*rapid.T
	*Session
	limit History
}

// TestASessionKeepsOnlyItsHistory goes through a log that grows, pauses, walks and tries things out. Whatever is kept
// is what a session that keeps everything has there, and no more is kept than the limit allows. (A recorded world has
// more facts of a log that is whole, so there only the bound is looked at.)
func TestASessionKeepsOnlyItsHistory(t *testing.T) {
	ctx := context.Background()
	law.Check(t, func(t *rapid.T) {
		s, err := scenario.Parse("story", []byte(story(t, 8)))
		if err != nil {
			t.Fatal(err)
		}
		story, err := s.Replay()
		if err != nil {
			t.Fatal(err)
		}
		log := source.NewLog()
		var world play.World = play.NewSimulated()
		follows := rapid.Bool().Draw(t, "a recorded world")
		if follows {
			world = play.NewRecorded(log)
		}
		r := &ring{t, New(on(story, world, log), About{}), History{
			Events: rapid.IntRange(1, 12).Draw(t, "events"),
		}}
		r.line.spacing = 1 // a checkpoint after every step
		r.Limit(r.limit)
		for _, e := range story.Script {
			log.Append(e)
			r.act(ctx)
		}
		log.Reach(story.Until)
		r.goOn(ctx)
		if !follows {
			r.isPartOf(ctx, New(on(story, play.NewSimulated(), story.Script.Log()), About{}))
		}
	})
}

// act is something that a person does, or that happens by itself.
func (r *ring) act(ctx context.Context) {
	switch rapid.IntRange(0, 5).Draw(r.T, "does") {
	case 0, 1:
		r.goOn(ctx)
	case 2:
		r.Move(ctx, Stride(rapid.IntRange(0, 3).Draw(r.T, "stride")), Backward, nil)
	case 3:
		if r.Crowded() {
			r.KeepUp(ctx)
			r.isBounded()
		}
	case 4:
		if _, _, err := r.Edit(Drain("n0")); errors.Is(err, errLost) != r.isLost() {
			r.Fatalf("what comes after the cursor is lost: %v, and a what-if says %v", r.isLost(), err)
		}
	}
	f := r.Frame()
	for _, m := range f.Timeline {
		if m.Step <= r.line.first() {
			r.Fatalf("the timeline has step %d, and what is kept begins after step %d", m.Step, r.line.first())
		}
	}
}

// goOn leaves all branches, which keep history alive, and follows the log.
func (r *ring) goOn(ctx context.Context) {
	for r.branch != mainLine {
		if err := r.Drop(r.branch); err != nil {
			r.Fatal(err)
		}
	}
	r.Move(ctx, Continue, Forward, nil)
	r.isBounded()
}

// isBounded checks that no more of the log is kept than is allowed. Between two checkpoints lies a step.
func (r *ring) isBounded() {
	if r.branch != mainLine || len(r.names) > 1 {
		return
	}
	kept := r.branches[mainLine].checkpoints[0].player.Remaining()
	if most := r.limit.Events + r.limit.Events/slack + 1; kept > most {
		r.Fatalf("%d events are kept, and %d are allowed", kept, most)
	}
}

// isPartOf goes back through all that is kept, and compares it with a session that has everything.
func (r *ring) isPartOf(ctx context.Context, whole *Session) {
	whole.Goto(ctx, wholeStep(r.at.Step), nil)
	for r.at != r.start() {
		got := fmt.Sprintln(r.Position(), r.Frame().Now, r.Frame().Number, r.Frame().Facts)
		want := fmt.Sprintln(whole.Position(), whole.Frame().Now, whole.Frame().Number, whole.Frame().Facts)
		if got != want {
			r.Fatalf("what is kept is\n%s\nand what was\n%s", got, want)
		}
		r.Move(ctx, Out, Backward, nil)
		whole.Move(ctx, Out, Backward, nil)
	}
	stop := r.Move(ctx, Out, Backward, nil)
	f := r.Frame()
	if stop.Reason != StoppedAtStart || !f.AtStart || (f.Dropped > 0) != (stop.Text.String() != "this is the start") {
		r.Fatalf("at the oldest that is kept, with %d events dropped: %+v", f.Dropped, stop)
	}
}
