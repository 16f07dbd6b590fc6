// Command teamnode is schedstep with the plugin TeamNode: the same commands, screen and flags.
package main

import (
	"os"

	"github.com/schedstep/schedstep/cmd"
)

func main() { os.Exit(cmd.Main(cmd.WithPlugin(Plugin()), cmd.WithModule("example.com/teamnode"))) }
