package kube

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/schedstep/schedstep/conformance/verify"
)

// Main is the program schedstep-verify with plugins in it. It returns the exit code.
func Main(plugins ...Plugin) int {
	// The goroutine that hands out signals begins with the first Notify, which kube-scheduler makes, and must not begin
	// in a bubble.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGWINCH)
	klog.SetLogger(logr.Discard())
	return verify.Command{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Foreign: NewBoth(plugins...),
	}.Run(os.Args[1:])
}
