// Command tables takes the cases of upstream's own table tests out of kube-scheduler 1.10 and 1.6, by running them, and
// writes them as data: inputs and results, as facts. What is not the same in every run is an error. It is run in the
// folder of the conformance module.
//
//	go run ./cmd/tables -o ../core/testdata/tables
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/schedstep/schedstep/conformance/sources"
	"github.com/schedstep/schedstep/conformance/tables"
)

func main() {
	into := flag.String("o", "../core/testdata/tables", "the `folder` that has a folder for each release")
	times := flag.Int("times", 20, "how many `times` the tests are run on one processor, and how many on four")
	flag.Parse()
	for _, release := range sources.Releases() {
		said, err := tables.Extract(context.Background(), release, *times, filepath.Join(*into, release.Version))
		if err != nil {
			fmt.Fprintln(os.Stderr, "tables:", err)
			os.Exit(1)
		}
		fmt.Println(said)
	}
}
