// Command build-oracle makes the oracles of releases of kube-scheduler, or their hunters; its argument is such as 1.36.
// It is run in the folder of the conformance module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/schedstep/schedstep/conformance/releases"
)

func main() {
	into := flag.String("o", "../bin", "the `folder` that the programs go to")
	hunter := flag.Bool("hunter", false, "the hunters of the releases, and not their oracles")
	flag.Parse()
	build := releases.Build
	if *hunter {
		build = releases.BuildHunter
	}
	for _, version := range flag.Args() {
		path, err := build(context.Background(), ".", version, *into)
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}
