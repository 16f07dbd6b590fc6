// Command schedstep is an interactive debugger for Kubernetes scheduling.
package main

import (
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // certificates of authorities, for an image that has none

	"github.com/schedstep/schedstep/cmd"
)

func main() { os.Exit(cmd.Main()) }
