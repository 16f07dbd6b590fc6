// Command schedstep-verify holds schedstep to the real kube-scheduler on a user's own input.
package main

import (
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/schedstep/schedstep/conformance/verify"
)

func main() {
	klog.SetLogger(logr.Discard())
	os.Exit(verify.Command{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}.Run(os.Args[1:]))
}
