package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/plan"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/spf13/cobra"
)

// planFlags are the flags that all plans have.
type planFlags struct {
	input  inputFlags
	output string
	failOn string
	ready  time.Duration
	stop   time.Duration
	tui    bool
	screen screenFlags
	walk   *session.Session // to step through the plan; nil: it is printed
}

// planOutputs are what -o takes.
var planOutputs = []string{"table", "markdown", "json", "yaml", "html", "commands"}

func planCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	c := &cobra.Command{
		Use:   "plan",
		Short: "Run a drain, a loss or more replicas beforehand, with the controllers of the cluster",
		Long: `plan runs what you are about to do to a cluster, in a world where the API server, the controllers,
the disruption budgets and the kubelets do their part, and prints what comes of it. The cluster
itself is only read. docs/plans.md says what each part of that world does.

Exit codes: 0 every step is carried out and no pod is left without a node; 3 it is not so; 1 an
error; 2 the command line is wrong.`,
	}
	c.AddCommand(
		planDrain(s, plugins), planLose(s, plugins), planCapacity(s, plugins), planRoom(s, plugins), planPack(s, plugins),
		planUpgrade(s, plugins),
	)
	return c
}

// add adds the flags.
func (f *planFlags) add(c *cobra.Command, plugins []config.Plugin) {
	f.input = inputFlags{plugins: plugins, live: newLiveFlags(), acts: true}
	f.input.add(c)
	f.input.live.add(c)
	timing := manager.DefaultTiming()
	c.Flags().StringVarP(&f.output, "output", "o", "table", strings.Join(planOutputs, ", "))
	offer(c, "output", planOutputs)
	c.Flags().StringVar(&f.failOn, "fail-on", "pending", "what makes the exit code 3: pending, blocked, or never")
	offer(c, "fail-on", []string{"pending", "blocked", "never"})
	c.Flags().DurationVar(
		&f.ready, "ready-after", timing.Ready, "how long a pod takes to be Ready where its siblings do not show it",
	)
	c.Flags().DurationVar(
		&f.stop, "stop-after", timing.Stop, "how long a pod takes to stop, at most its grace period",
	)
	c.Flags().BoolVar(&f.tui, "tui", false, "show the plan on the screen, on a branch to step through")
	f.screen.addLooks(c)
}

func (f *planFlags) check() error {
	switch {
	case !slices.Contains(planOutputs, f.output):
		return usageError{phrase.Errorf("-o %q: it is table, markdown, json, yaml, html or commands", f.output)}
	case !slices.Contains([]string{"pending", "blocked", "never"}, f.failOn):
		return usageError{phrase.Errorf("--fail-on %q: use pending, blocked or never", f.failOn)}
	case f.ready < 0 || f.stop < 0:
		return usageError{phrase.Errorf("--ready-after and --stop-after must not be negative")}
	case f.tui && f.output != "table":
		return usageError{phrase.Errorf("--tui: it is a screen, without -o")}
	case f.tui:
		return f.screen.check()
	}
	return nil
}

// apart divides arguments into what the plan is about and the FILEs.
func apart(args []string) (about, files []string) {
	for _, a := range args {
		if a == "-" || input.Names(a) {
			files = append(files, a)
		} else {
			about = append(about, a)
		}
	}
	return about, files
}

// fleet opens the input and plays it to its end.
func (f *planFlags) fleet(c *cobra.Command, s Streams, files []string) (*plan.Fleet, *opened, error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	in, err := f.input.openToPlay(c, s, files)
	if err != nil {
		return nil, nil, err
	}
	walk := in.sessionOf(in.input.Play(in.config, in.seed, trace.Reported))
	end, err := walk.Finish(c.Context())
	if err != nil {
		return nil, nil, err
	}
	if f.tui {
		f.walk, end = walk, end.Branch() // the screen goes on with the session
	}
	end.CutLog()
	timing := manager.DefaultTiming()
	timing.Ready, timing.Stop = f.ready, f.stop
	return &plan.Fleet{Player: end, Workloads: in.input.Workloads, Timing: timing}, in, nil
}

// end returns the error that sets the exit code; nil: 0.
func (f *planFlags) end(in *opened, v plan.Verdict, pending int) error {
	if err := in.complete(); err != nil {
		return err
	}
	switch {
	case f.failOn == "never" || v == plan.Done || f.failOn == "blocked" && v != plan.Blocked:
		return nil
	}
	return unplaced{max(pending, 1)}
}

func planDrain(s Streams, plugins []config.Plugin) *cobra.Command {
	var f planFlags
	var d plan.Drain
	var by, selector string
	c := &cobra.Command{
		Use:   "drain NODE... [FILE...]",
		Short: "Drain nodes: which pod goes where, what blocks it, and the smallest change that unlocks it",
		Long: `drain cordons the nodes and evicts their pods, one node after the other, as kubectl drain does it:
pods of DaemonSets and static pods stay; a node with a pod that nothing makes again, or whose
emptyDir would be lost, keeps all its pods without --force or --delete-emptydir-data.

With --by pod one eviction follows the other when the replacement is Ready; with --by drain all
of a node are evicted at once, and those that a budget refuses again every 5 seconds.`,
		Example: `  schedstep plan drain n3 cluster.yaml
  schedstep plan drain -l pool=old bundle/ -o commands
  kubectl schedstep plan drain worker-1`,
		RunE: func(c *cobra.Command, args []string) error {
			if by != "pod" && by != "drain" {
				return usageError{phrase.Errorf("--by %q: use pod or drain", by)}
			}
			d.AtOnce = by == "drain"
			nodes, files := apart(args)
			if len(nodes) == 0 && selector == "" {
				return usageError{phrase.Errorf("%s needs a NODE or -l SELECTOR", c.CommandPath())}
			}
			fleet, in, err := f.fleet(c, s, files)
			if err != nil {
				return err
			}
			if d.Nodes, err = chosenNodes(fleet, nodes, selector); err != nil {
				return err
			}
			var p plan.Plan
			err = f.carryOut(c, s, in, func(ctx context.Context, progress func(int)) (bool, error) {
				var err error
				p, err = fleet.Drain(ctx, d, progress)
				return p.Goal != "", err
			}, p.Course, func() error { return f.printDrain(s, &p, in.language) })
			if err != nil {
				return err
			}
			return f.end(in, p.Verdict, len(p.Pending))
		},
	}
	f.add(c, plugins)
	c.Flags().StringVar(&by, "by", "pod", "pod: one after the other; drain: all of a node at once")
	offer(c, "by", []string{"pod", "drain"})
	c.Flags().StringVarP(&selector, "selector", "l", "", "drain the nodes that this selector of labels chooses")
	c.Flags().BoolVar(&d.Force, "force", false, "evict pods without a controller too; they are lost")
	c.Flags().BoolVar(&d.EmptyDir, "delete-emptydir-data", false, "evict pods with an emptyDir too; its data is lost")
	return c
}

func planLose(s Streams, plugins []config.Plugin) *cobra.Command {
	var f planFlags
	var each, nodes string
	c := &cobra.Command{
		Use:   "lose KEY=VALUE [FILE...]",
		Short: "Lose a zone, a rack or a node: what survives, what is made good, and what waits",
		Long: `lose takes nodes away, all at once: those with the label KEY=VALUE, zone=Z, region=R or node=N. No
budget counts. With --nodes gone their Node objects are deleted, and their pods are made again;
with --nodes stay nothing confirms that their pods have stopped: after 50 seconds they are not
Ready, after 5 minutes more they are being deleted for ever, and a StatefulSet is not made good.

--each KEY loses every value of a key in turn, and prints the worst first.`,
		Example: `  schedstep plan lose zone=b bundle/
  schedstep plan lose --each zone cluster.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			what, files := apart(args)
			if nodes != "gone" && nodes != "stay" {
				return usageError{phrase.Errorf("--nodes %q: use gone or stay", nodes)}
			}
			if len(what) != 1 && (each == "" || len(what) > 0) {
				return usageError{phrase.Errorf("%s needs one KEY=VALUE, or --each KEY", c.CommandPath())}
			}
			fleet, in, err := f.fleet(c, s, files)
			if err != nil {
				return err
			}
			if each != "" {
				if what = fleet.Values(each); len(what) == 0 {
					return phrase.Errorf("no node has %s", each)
				}
			}
			var all []plan.Lost
			err = f.carryOut(c, s, in, func(ctx context.Context, progress func(int)) (bool, error) {
				var err error
				all, err = losses(ctx, fleet, what, nodes == "stay", progress)
				return len(all) > 0, err
			}, func() *course.Course { return all[0].Course() }, func() error { return f.printLosses(s, all, in.language) })
			if err != nil {
				return err
			}
			worst := plan.Done
			pending := 0
			for i := range all {
				if all[i].Verdict != plan.Done {
					worst = all[i].Verdict
				}
				pending = max(pending, len(all[i].Pending))
			}
			return f.end(in, worst, pending)
		},
	}
	f.add(c, plugins)
	c.Flags().StringVar(&each, "each", "", "lose every value of this `key` in turn")
	c.Flags().StringVar(&nodes, "nodes", "gone", "what becomes of the Node objects: gone, or stay")
	offer(c, "nodes", []string{"gone", "stay"})
	return c
}

// losses runs each loss, and sorts the worst first. One whose first run was stopped is not among them.
func losses(
	ctx context.Context, fleet *plan.Fleet, what []string, stay bool, progress func(runs int),
) (all []plan.Lost, err error) {
	runs := 0
	for _, w := range what {
		before := runs
		var l plan.Lost
		l, err = fleet.Lose(ctx, plan.Loss{What: w, Stays: stay}, func(of int) {
			if runs = before + of; progress != nil {
				progress(runs)
			}
		})
		if l.Runs > 0 {
			all = append(all, l)
		}
		if err != nil {
			break
		}
	}
	hurt := func(l plan.Lost) int {
		last := l.Moments[len(l.Moments)-1]
		return max(last.Pending, l.Most) + last.Stuck
	}
	slices.SortStableFunc(all, func(a, b plan.Lost) int { return hurt(b) - hurt(a) })
	return all, err
}

func planCapacity(s Streams, plugins []config.Plugin) *cobra.Command {
	var f planFlags
	wanted, templates, minimize := 0, "", "cost"
	c := &cobra.Command{
		Use:   "capacity [WORKLOAD] [FILE...]",
		Short: "How many more pods of a workload fit, and what runs out first; which nodes to buy",
		Long: `capacity adds pods like those of WORKLOAD (a name, namespace/name, or KIND/name such as deployment/web;
or a pod) one at a time, as kube-scheduler places them, until one is not placed or another pod
would have to go. Then each of its constraints is lifted alone, everywhere, to find which of them
is in the way.

With --want N the exit code is 3 when fewer fit.

With --templates it looks for the cheapest nodes, or the fewest with --minimize nodes, that give each
pod without a node one: those of WORKLOAD, or all; with --want N for N more replicas. Every mix that
counts was run. --templates is a FILE of NodeOffers (docs/plans.md) or "pools": nodes like those of
the pools that the cluster has.`,
		Example: `  schedstep plan capacity deployment/web cluster.yaml
  schedstep plan capacity web bundle/ --want 40
  schedstep plan capacity --templates offers.yaml cluster.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			what, files := apart(args)
			switch {
			case len(what) != 1 && (templates == "" || len(what) > 0):
				return usageError{phrase.Errorf("%s needs one WORKLOAD", c.CommandPath())}
			case wanted < 0 || wanted > mostWanted:
				return usageError{phrase.Errorf("--want %d: it must be from 0 to %d", wanted, mostWanted)}
			case minimize != "cost" && minimize != "nodes":
				return usageError{phrase.Errorf("--minimize %q: use cost or nodes", minimize)}
			case templates != "":
				of := plan.BuyOf{Workload: strings.Join(what, ""), Want: wanted, Nodes: minimize == "nodes"}
				if of.Want > 0 && of.Workload == "" {
					return usageError{phrase.Errorf("--want needs a WORKLOAD")}
				}
				return f.buy(c, s, files, of, templates)
			}
			fleet, in, err := f.fleet(c, s, files)
			if err != nil {
				return err
			}
			var found plan.Capacity
			err = f.carryOut(c, s, in, func(ctx context.Context, progress func(int)) (bool, error) {
				var err error
				found, err = fleet.Capacity(ctx, what[0], wanted, progress)
				return found.Goal != "", err
			}, found.Course, func() error { return f.printCapacity(s, &found, in.language) })
			if err != nil {
				return err
			}
			return f.end(in, found.Verdict, found.Wanted-found.Placed)
		},
	}
	f.add(c, plugins)
	c.Flags().IntVar(&wanted, "want", 0, "how many more are wanted; 0: as many as fit")
	c.Flags().StringVar(&templates, "templates", "", "look for nodes among those of this `file` of offers; or \"pools\"")
	c.Flags().StringVar(&minimize, "minimize", "cost", "which nodes are the best: cost, or nodes for the fewest")
	offer(c, "minimize", []string{"cost", "nodes"})
	return c
}

// seconds is a span of virtual time for a table.
func seconds(s float64) string {
	return fmt.Sprint(time.Duration(s * float64(time.Second)).Round(10 * time.Millisecond))
}
