// Command v1_19 is the oracle of kube-scheduler 1.19: it answers questions on standard input, a line of JSON each.
//
// Its framework has little in common with that of 1.29, so it is an oracle of its own. What kube-scheduler 1.19 keeps
// to itself it reads by reflection. It cannot be asked for hints (there are none: any event moves every pod that
// waits), for PreEnqueue, for groups, or for scores that are kept. Of a preemption 1.19 tells the candidates and no
// reasons: why another node is none is asked of its filters again.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/schedstep/schedstep/conformance/wire"
)

func main() {
	// 1.19 asks the filters of 16 nodes at a time, which nobody can change; with one thread they end in their order.
	runtime.GOMAXPROCS(1)
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = []func(any){func(fault any) { ends.Store(fmt.Sprint(fault)) }}
	klog.SetOutput(nowhere{})
	klog.LogToStderr(false)
	if err := wire.Serve(release{}, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle 1.19:", err)
		os.Exit(1)
	}
}

// ends is the panic by which kube-scheduler would have ended its process since ended was asked last; only its goroutine
// did.
var ends atomic.Value

// ended is that panic, once; "" for none.
func ended() string {
	said, _ := ends.Swap("").(string)
	return said
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
