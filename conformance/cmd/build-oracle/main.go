// Command build-oracle makes the oracles of releases of kube-scheduler; its argument is such as 1.36. It is run in the
// folder of the conformance module.
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
	flag.Parse()
	for _, version := range flag.Args() {
		path, err := releases.Build(context.Background(), ".", version, *into)
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}
