package cmd

import (
	"errors"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/screen"
)

func attachCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	in := inputFlags{plugins: plugins, live: newLiveFlags()}
	var look screenFlags
	var drive attachedDrive
	c := &cobra.Command{
		Use:   "attach",
		Short: "Follow a cluster that runs, on the screen",
		Long: `attach follows the cluster of the current context: what kube-scheduler would do with every
pod, as it happens, beside what the cluster's own scheduler does. space pauses while events
go on arriving, all keys go through what has happened, and F returns to now. --history says
how much of it is kept; the screen says since when. The first line counts how many decisions of
the cluster's scheduler would have been the same here, and "break divergence" stops at one that
would not. -n and -l say which waiting pods are shown, and which decisions are compared;
without them it is those of all namespaces.

Nothing is written to the cluster unless --drive is given. Then schedstep is the scheduler of
the pods of one schedulerName, as with drive: each step shows what it is about to write, and
waits for y or n; after F it goes on by itself. m binds a pod by hand.`,
		Example: `  schedstep attach
  schedstep attach --drive --log writes.jsonl`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return in.attach(c, s, &look, &drive) },
	}
	in.addDeciding(c)
	in.live.add(c)
	in.live.addShown(c)
	look.add(c)
	look.addHistory(c)
	drive.add(c)
	return c
}

// attachAlone makes the program without a command follow the cluster, as attach does. Where no screen can be drawn and
// no flag is given, it prints the help instead of opening a prompt.
func attachAlone(root *cobra.Command, s Streams, plugins []config.Plugin) {
	in := inputFlags{plugins: plugins, live: newLiveFlags()}
	var look screenFlags
	in.addDeciding(root)
	in.live.add(root)
	in.live.addShown(root)
	look.add(root)
	look.addHistory(root)
	root.RunE = func(c *cobra.Command, _ []string) error {
		meant := onTerminal(s)
		c.Flags().Visit(func(f *pflag.Flag) { meant = meant || c.PersistentFlags().Lookup(f.Name) == nil })
		if !meant {
			return c.Help()
		}
		return in.attach(c, s, &look, nil)
	}
}

// attach shows the cluster until the user quits. Without drive nothing is written.
func (f *inputFlags) attach(c *cobra.Command, s Streams, look *screenFlags, drive *attachedDrive) error {
	kept, err := look.kept()
	if err := errors.Join(look.check(), drive.check(), f.live.check(), err); err != nil {
		return err
	}
	keys := newQuitKeys(c.Context(), s)
	defer keys.quit(nil)
	c.SetContext(keys.until)
	screen := !look.plain && onTerminal(s)
	if err := f.live.openLog(screen); err != nil {
		return err
	}
	defer f.live.tellLog(s, languageOf(c))
	if !look.plain {
		if screen {
			f.live.cluster.OpenScreen()
		}
		if f.connected = keys.listen; !f.live.cluster.MayAsk() {
			keys.listen()
			f.quits = screen
		}
	}
	err = f.attached(c, s, kept, look, drive, keys)
	if err != nil && keys.quitted(languageOf(c)) {
		return nil
	}
	return err
}

// attached is attach, with the keys that end it while there is no screen.
func (f *inputFlags) attached(
	c *cobra.Command, s Streams, kept session.History, look *screenFlags, drive *attachedDrive, keys *quitKeys,
) error {
	defer func() { keys.stop() }()
	o, feed, err := f.follow(c.Context(), c, s)
	if err != nil {
		return err
	}
	defer feed.Stop()
	o.live = &screen.Live{
		Changed: feed.Log().Changed, State: feed.State,
		Says: o.language.Say("configuration: %s", hear(o.language, o.configurationFrom())),
	}
	if drive.on() {
		stop, err := drive.begin(c.Context(), s, o, feed)
		if err != nil {
			return err
		}
		defer stop()
	} else {
		o.beside = o.hindsight()
	}
	if o.means, o.shown = f.live.meant(); o.beside != nil {
		o.beside.Only(o.means)
	}
	walk := o.session()
	walk.Limit(kept)
	keys.stop()
	return look.show(c, s, o, walk)
}

func (f *screenFlags) addHistory(c *cobra.Command) {
	c.Flags().StringVar(&f.history, "history", "100000",
		"how much of what happened is kept: a time (1h), a number of events, or all")
}

// kept is how much of the history is kept at least.
func (f *screenFlags) kept() (session.History, error) {
	if f.history == "all" {
		return session.History{}, nil
	}
	if n, err := strconv.Atoi(f.history); err == nil && n > 0 {
		return session.History{Events: n}, nil
	}
	if long, err := time.ParseDuration(f.history); err == nil && long > 0 {
		return session.History{For: long}, nil
	}
	return session.History{}, usageError{phrase.Errorf(
		"--history %q: want a time (1h), a number of events (100000), or all", f.history,
	)}
}
