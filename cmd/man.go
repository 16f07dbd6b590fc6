package cmd

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/schedstep/schedstep/core/release"
)

// manCommand writes a man page for every command.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man FOLDER", Short: "Write man pages into a folder", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return doc.GenManTree(c.Root(), &doc.GenManHeader{
				Section: "1", Source: "schedstep, kube-scheduler " + release.Newest().Version, Manual: "schedstep",
			}, args[0])
		},
	}
}
