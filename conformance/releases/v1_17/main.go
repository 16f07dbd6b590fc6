// Command v1_17 is the oracle of kube-scheduler 1.17: it answers questions on standard input, a line of JSON each.
//
// Predicates and priorities are plugins there, and what they have to know of the cluster is metadata that the scheduler
// makes before it runs them: no plugin has a PreFilter or PreScore. Preemption and the binding of volumes are no
// plugins either. What kube-scheduler 1.17 keeps to itself is read by reflection, and called by its name.
package main

import (
	"flag"

	"k8s.io/klog"

	"github.com/schedstep/schedstep/conformance/releases/early"
)

func main() {
	quiet := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(quiet)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := quiet.Set(name, value); err != nil {
			panic(err)
		}
	}
	klog.SetOutput(early.Nowhere{})
	early.Main(early.Release{Watched: kinds, Stored: stored, Start: begin}, "1.17")
}
