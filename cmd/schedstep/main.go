// Command schedstep is an interactive debugger for Kubernetes scheduling.
package main

import (
	"os"

	"github.com/schedstep/schedstep/cmd"
)

func main() { os.Exit(cmd.Main()) }
