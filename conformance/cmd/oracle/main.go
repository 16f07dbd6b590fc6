// Command oracle is the oracle of kube-scheduler 1.37: it answers questions on standard input, a line of JSON each.
package main

import (
	"fmt"
	"os"

	"github.com/schedstep/schedstep/conformance/oracle/served"
)

func main() {
	if err := served.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle 1.37:", err)
		os.Exit(1)
	}
}
