package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/prompt"
)

// hitFlags choose where a run stops on its way, and what it does there.
type hitFlags struct {
	breaks []string
	onHit  string
}

func (f *hitFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.breaks, "break", nil,
		"print where this happens, and no cycles: what the command break takes (pod web-*, outcome Unschedulable, if ...)")
	c.Flags().StringVar(&f.onHit, "on-hit", "", "commands to carry out at each --break, divided by ;")
}

func (f *hitFlags) check() error {
	if f.onHit != "" && len(f.breaks) == 0 {
		return usageError{phrase.Errorf("--on-hit needs --break")}
	}
	return nil
}

// stopAtHits plays to the end, and prints every hit.
func (f *runFlags) stopAtHits(ctx context.Context, s Streams, in *opened, player *play.Player) error {
	walk := in.sessionOf(player)
	for _, what := range f.hits.breaks {
		if err := prompt.CarryOut(ctx, walk, "break "+what, command.Everything, discard{}); err != nil {
			return usageError{phrase.Errorf("--break %q: %w", what, err)}
		}
	}
	hits := 0
	for {
		stop := walk.Move(ctx, session.Continue, session.Forward, nil)
		if stop.Reason != session.StoppedAtBreakpoint {
			break
		}
		hits++
		said := clean(walk.Language().Tell(stop.Text))
		if _, err := fmt.Fprintf(s.Out, "%s  %s\n", words.Clock(walk.Frame().Now), said); err != nil {
			return err
		}
		if err := prompt.CarryOut(ctx, walk, f.hits.onHit, command.Everything, s.Out); err != nil {
			return usageError{phrase.Errorf("--on-hit %q: %w", f.hits.onHit, err)}
		}
	}
	end, err := walk.Finish(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(s.Out, in.language.CountOf(hits, "hit", "hits")); err != nil {
		return err
	}
	return f.verdict.of(in, choice{labels: labels.Everything()}.end(end))
}

// discard takes output that is not printed.
type discard struct{}

// Write keeps nothing.
func (discard) Write(p []byte) (int, error) { return len(p), nil }
