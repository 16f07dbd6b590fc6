package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/plan"
	"github.com/schedstep/schedstep/replay/play/course"
)

// textStopped is what follows the stop of a search.
const textStopped = "stopped; this is what was found by then"

// drawEach is how often the progress of a plan is drawn.
const drawEach = 100 * time.Millisecond

// carryOut runs a plan: on a terminal with its progress. q, esc and Ctrl-C stop it; what a search has found by then is
// shown, or with --tui what was followed.
func (f *planFlags) carryOut(
	c *cobra.Command, s Streams, in *opened, run func(ctx context.Context, progress func(int)) (found bool, err error),
	followed func() *course.Course, show func() error,
) error {
	keys := newQuitKeys(c.Context(), s)
	defer keys.stop()
	keys.listen()
	l := in.language
	err := func() error {
		defer letGarbageLie()()
		found, err := run(keys.until, f.progress(s, l))
		if t := terminal(s.Err); t != nil && !f.input.quiet {
			fmt.Fprint(t, clearLine)
		}
		if err == nil || !found {
			return err
		}
		if !errors.Is(err, context.Canceled) {
			return err
		}
		fmt.Fprintln(s.Err, l.Say(textStopped))
		return errStopped{err}
	}()
	keys.stop()
	var stopped errStopped
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	if f.walk != nil {
		show = func() error { return f.stepThrough(c, s, in, followed()) }
	}
	if shown := show(); shown != nil {
		return shown
	}
	return err
}

// errStopped is the stop of a search that has found something.
type errStopped struct{ error }

// Unwrap is why it was stopped.
func (e errStopped) Unwrap() error { return e.error }

// progress draws how many runs there were, on a terminal; elsewhere it is silent.
func (f *planFlags) progress(s Streams, l words.Language) func(int) {
	t := terminal(s.Err)
	if t == nil || f.input.quiet {
		return nil
	}
	var drawn time.Time
	return func(runs int) {
		if now := time.Now(); now.Sub(drawn) >= drawEach {
			drawn = now
			drawOver(t, l.Say("%d runs", runs))
		}
	}
}

func planRoom(s Streams, plugins []config.Plugin) *cobra.Command {
	var f planFlags
	var of plan.RoomFor
	c := &cobra.Command{
		Use:   "room WORKLOAD [FILE...]",
		Short: "Make room: the fewest evictions after which pods fit, and everybody who moves has a node again",
		Long: `room looks for the fewest and cheapest evictions after which the pods of WORKLOAD that have no node get
one: a pod, a workload (a name, namespace/name or KIND/name), or a pod group (podgroup/NAME). With
--want N room is made for N more replicas.

No eviction goes against a disruption budget, no pod of a higher priority is evicted, and those that
are evicted have a node again in the end. Where pods would come back to the node that is to be free,
it is cordoned meanwhile. Small clusters are searched through, in up to 2000 runs; of large ones
the nodes where the fewest evictions do are looked at, and what was not looked at is printed.`,
		Example: `  schedstep plan room shop/big cluster.yaml
  schedstep plan room podgroup/train bundle/ --evictions 6
  schedstep plan room deployment/web --want 3 cluster.yaml -o commands`,
		RunE: func(c *cobra.Command, args []string) error {
			what, files := apart(args)
			switch {
			case len(what) != 1:
				return usageError{phrase.Errorf("%s needs one WORKLOAD", c.CommandPath())}
			case of.Want < 0 || of.Want > mostWanted:
				return usageError{phrase.Errorf("--want %d: it must be from 0 to %d", of.Want, mostWanted)}
			case of.Most < 1 || of.Most > mostEvictions:
				return usageError{phrase.Errorf("--evictions %d: it must be from 1 to %d", of.Most, mostEvictions)}
			}
			of.Workload = what[0]
			fleet, in, err := f.fleet(c, s, files)
			if err != nil {
				return err
			}
			var r plan.Room
			err = f.carryOut(c, s, in, func(ctx context.Context, progress func(int)) (bool, error) {
				var err error
				r, err = fleet.Room(ctx, of, progress)
				return r.Goal != "", err
			}, r.Course, func() error { return f.printRoom(s, &r, in.language) })
			if err != nil {
				return err
			}
			return f.end(in, r.Verdict, len(r.Plan.Pending))
		},
	}
	f.add(c, plugins)
	c.Flags().IntVar(&of.Want, "want", 0, "make room for so many more replicas; 0: for the pods that have no node")
	c.Flags().IntVar(&of.Most, "evictions", 4, "how many evictions at most")
	c.Flags().BoolVar(&of.EmptyDir, "delete-emptydir-data", false, "evict pods with an emptyDir too; its data is lost")
	return c
}

// What a command line may want of a plan.
const (
	mostWanted    = 10_000 // replicas
	mostEvictions = 12
)

func planPack(s Streams, plugins []config.Plugin) *cobra.Command {
	var f planFlags
	var of plan.PackOf
	var selector string
	c := &cobra.Command{
		Use:   "pack [NODE...] [FILE...]",
		Short: "Pack: which nodes can be emptied, in which order, and what keeps the others",
		Long: `pack looks for the most nodes that can be drained one after the other with no pod left without a node
and no budget in the way: of those that are named or chosen with -l, else of all but the control
plane's. Each is emptied by a drain that is run, as plan drain runs it. Of up to 8 nodes every order
is tried, in up to 600 runs; of more the emptiest is drained first.`,
		Example: `  schedstep plan pack cluster.yaml
  schedstep plan pack -l pool=spot bundle/ -o commands`,
		RunE: func(c *cobra.Command, args []string) error {
			nodes, files := apart(args)
			fleet, in, err := f.fleet(c, s, files)
			if err != nil {
				return err
			}
			if of.Nodes, err = chosenNodes(fleet, nodes, selector); err != nil {
				return err
			}
			var p plan.Packed
			err = f.carryOut(c, s, in, func(ctx context.Context, progress func(int)) (bool, error) {
				var err error
				p, err = fleet.Pack(ctx, of, progress)
				return p.Goal != "", err
			}, p.Course, func() error { return f.printPacked(s, &p, in.language) })
			if err != nil {
				return err
			}
			return f.end(in, p.Verdict, len(p.Pending))
		},
	}
	f.add(c, plugins)
	c.Flags().StringVarP(&selector, "selector", "l", "", "empty nodes that this selector of labels chooses")
	c.Flags().BoolVar(&of.Force, "force", false, "evict pods without a controller too; they are lost")
	c.Flags().BoolVar(&of.EmptyDir, "delete-emptydir-data", false, "evict pods with an emptyDir too; its data is lost")
	return c
}

// chosenNodes are nodes that are named, and those that a selector chooses, each once.
func chosenNodes(fleet *plan.Fleet, nodes []string, selector string) ([]string, error) {
	if selector == "" {
		return fleet.Chosen(nodes, nil)
	}
	by, err := labels.Parse(selector)
	if err != nil {
		return nil, usageError{phrase.Errorf("-l %q: %w", selector, err)}
	}
	return fleet.Chosen(nodes, by)
}
