// Package early is what oracles of kube-scheduler before 1.20 have in common: the process around them, the gates and
// kinds of a release, and the form of statuses. It runs no plugin.
package early

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/wire"
)

// Main answers questions on standard input until there are no more. The filters of 16 nodes run at a time, which cannot
// be configured; with one thread they end in their order.
func Main(r wire.Release, version string) {
	runtime.GOMAXPROCS(1)
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = []func(any){func(fault any) { ends.Store(fmt.Sprint(fault)) }}
	if err := wire.Serve(r, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "oracle %s: %v\n", version, err)
		os.Exit(1)
	}
}

// ends is the panic by which kube-scheduler would have ended its process since it was taken last; only its goroutine
// did.
var ends atomic.Value

// Ended is that panic, once; "" for none.
func Ended() string {
	said, _ := ends.Swap("").(string)
	return said
}

// Ends reports whether there is one, and leaves it there.
func Ends() bool {
	said, _ := ends.Load().(string)
	return said != ""
}

// Nowhere is where kube-scheduler's log goes.
type Nowhere struct{}

// Write drops it.
func (Nowhere) Write(p []byte) (int, error) { return len(p), nil }

// Hidden is a field that kube-scheduler does not export, of what the interface holds.
func Hidden[T any](of any, name string) *T {
	field := reflect.ValueOf(of).Elem().FieldByName(name)
	return (*T)(unsafe.Pointer(field.UnsafeAddr())) //nolint:gosec // of this very field
}

// Key is the name of a pod with its namespace.
func Key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// Verdict is a status in the words of package answer; reasons are sorted.
func Verdict(plugin string, status *framework.Status, reasons ...string) answer.Verdict {
	if status.IsSuccess() {
		return answer.Verdict{Plugin: plugin, Code: framework.Success.String()}
	}
	reasons = slices.Clone(reasons)
	slices.Sort(reasons)
	return answer.Verdict{Plugin: plugin, Code: status.Code().String(), Reasons: reasons}
}

// Broken is an error of a filter in the form of today's framework; that of the time names the pod besides.
func Broken(plugin string, reasons ...string) answer.Verdict {
	return answer.Verdict{Plugin: plugin, Code: framework.Error.String(), Reasons: []string{
		fmt.Sprintf("running %q filter plugin: %s", plugin, strings.Join(reasons, ", ")),
	}}
}

func best(scores []answer.NodeScores) []string {
	return answer.Best(scores, func(n answer.NodeScores) (string, int64) { return n.Node, n.Total })
}

// byName lists what kube-scheduler assumes of volumes by name, where it lists them in the order of a map: of several
// volumes of one size it takes the first.
type byName struct{ cache.Indexer }

// Index lists the objects that share a value with one.
func (b byName) Index(index string, like any) ([]any, error) {
	objects, err := b.Indexer.Index(index, like)
	slices.SortFunc(objects, func(a, b any) int {
		return cmp.Compare(*Hidden[string](a, "name"), *Hidden[string](b, "name"))
	})
	return objects, err
}

// SortVolumes has the binder of volumes look at them by name.
func SortVolumes(binder any) {
	volumes := reflect.ValueOf(binder).Elem().FieldByName("pvCache").Elem() // a *pvAssumeCache
	assumed := volumes.Elem().FieldByName("AssumeCache").Elem()             // an *assumeCache
	store := reflect.NewAt(reflect.TypeFor[cache.Indexer](), assumed.Elem().FieldByName("store").Addr().UnsafePointer())
	store.Elem().Set(reflect.ValueOf(byName{store.Elem().Interface().(cache.Indexer)}))
}
