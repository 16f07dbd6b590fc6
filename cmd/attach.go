package cmd

import (
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/tui/screen"
)

func attachCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	in := inputFlags{plugins: plugins, live: newLiveFlags()}
	var look screenFlags
	c := &cobra.Command{
		Use:   "attach",
		Short: "Follow a cluster that runs, on the screen",
		Long: `attach follows the cluster of the current context: what kube-scheduler would do with every
pod, as it happens, beside what the cluster's own scheduler does. space pauses while events
go on arriving, all keys go through what has happened, and F returns to now. Nothing is
written to the cluster.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return in.attach(c, s, &look) },
	}
	in.addDeciding(c)
	in.live.add(c)
	look.add(c)
	return c
}

// attachAlone has the program without a command follow the cluster.
func attachAlone(root *cobra.Command, s Streams, plugins []config.Plugin) {
	in := inputFlags{plugins: plugins, live: newLiveFlags()}
	var look screenFlags
	in.addDeciding(root)
	in.live.add(root)
	look.add(root)
	root.RunE = func(c *cobra.Command, _ []string) error { return in.attach(c, s, &look) }
}

// attach shows the cluster until the user quits.
func (f *inputFlags) attach(c *cobra.Command, s Streams, look *screenFlags) error {
	if err := look.check(); err != nil {
		return err
	}
	o, feed, err := f.follow(c.Context(), c, s)
	if err != nil {
		return err
	}
	defer feed.Stop()
	o.live = &screen.Live{Changed: feed.Log().Changed, State: feed.State}
	return look.show(c, s, o, o.session())
}
