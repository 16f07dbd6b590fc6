package cmd

import (
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/session"
)

// stepThrough opens the screen on a branch on which a plan is carried out, at its beginning, with the picture of the
// cluster and the list of the steps.
func (f *planFlags) stepThrough(c *cobra.Command, s Streams, in *opened, of *course.Course) error {
	if of == nil {
		return phrase.Errorf("--tui: there is no plan to step through")
	}
	ctx := c.Context()
	f.walk.Move(ctx, session.Continue, session.Forward, nil)
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, _, err := f.walk.Edit(session.Follow(of)); err != nil {
		return err
	}
	f.screen.first = "show cluster; plan"
	return f.screen.open(c, s, in, f.walk, nil, nil)
}
