// Command v1_19 is the oracle of kube-scheduler 1.19: it answers questions on standard input, a line of JSON each.
//
// Its framework has little in common with that of 1.29, so it is an oracle of its own. What kube-scheduler 1.19 keeps
// to itself it reads by reflection. It has no hints (any event moves every pod that waits), no PreEnqueue, no groups,
// and no scores that are kept. Of a preemption 1.19 returns the candidates and no reasons: the oracle runs the filters
// of the other nodes again for these.
package main

import (
	"k8s.io/klog/v2"

	"github.com/schedstep/schedstep/conformance/releases/early"
)

func main() {
	klog.SetOutput(early.Nowhere{})
	klog.LogToStderr(false)
	early.Main(early.Release{Watched: kinds, Stored: stored, Start: begin}, "1.19")
}
