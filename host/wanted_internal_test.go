package host

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// mapping is a plugin whose New asks the API server how a kind is called, and reads what there is of it.
type mapping struct{ found []string }

func (mapping) Name() string { return "Mapping" }

func (m mapping) Filter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) *fwk.Status {
	return fwk.NewStatus(fwk.Unschedulable, "found "+strings.Join(m.found, ", "))
}

func newMapping(ctx context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
	client, err := discovery.NewDiscoveryClientForConfig(h.KubeConfig())
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	rows, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Rack"}, "v1")
	if err != nil {
		return nil, err
	}
	reader, err := dynamic.NewForConfig(h.KubeConfig())
	if err != nil {
		return nil, err
	}
	list, err := reader.Resource(rows.Resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	once := func(context.Context) (bool, error) { return true, nil } // as a cache that is waited for
	if err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, false, once); err != nil {
		return nil, err
	}
	var m mapping
	for k := range list.Items {
		m.found = append(m.found, list.Items[k].GetKind()+" "+list.Items[k].GetName())
	}
	return m, nil
}

// TestNewReadsWhatIsThereAtTheStart has a plugin made that asks for a kind of which there may be no object: it finds
// none, or those that the cluster has at the start, and not one that comes later.
func TestNewReadsWhatIsThereAtTheStart(t *testing.T) {
	p := Plugin("Mapping", newMapping)
	if got := config.Reads([]config.Plugin{p}); !slices.Equal(got, []string{"racks.v1.example.com"}) {
		t.Errorf("it reads %q", got)
	}
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
  profiles: [{plugins: {multiPoint: {enabled: [{name: Mapping}]}}}]}`), "mapping",
		config.Options{Plugins: []config.Plugin{p}})
	if err != nil {
		t.Fatal(err)
	}
	script := oddScript(2)
	for _, part := range []struct {
		racks source.Script
		want  string
	}{
		{nil, "found ."},
		{
			source.Script{rackAt(t, "r2", script[0]), rackAt(t, "r1", script[1]), rackAt(t, "r3", script[3])},
			"found Rack r1, Rack r2.",
		},
	} {
		in := input.Replay{World: input.Simulated, Start: oddStart, Script: slices.Concat(part.racks, script)}
		slices.SortStableFunc(in.Script, func(a, b source.Timed) int { return a.At.Compare(b.At) })
		p := in.Play(c, 0, trace.Reported)
		happened := strings.Join(append(facts(p), p.Scheduler().GuestNotes()...), "\n")
		if !strings.Contains(happened, "hosted plugins: making them took 100ms of their own time") ||
			strings.Contains(happened, "Mapping at Filter: it took") {
			t.Errorf("notes of its time in\n%s", happened)
		}
		if !strings.Contains(happened, part.want) {
			t.Errorf("no %q in\n%s", part.want, happened)
		}
	}
}

// rackAt is a Rack that comes with something else.
func rackAt(t *testing.T, name string, with source.Timed) source.Timed {
	t.Helper()
	rack := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Rack", "metadata": map[string]any{"name": name},
	}}
	return source.Timed{At: with.At, Event: cluster.Event{Action: cluster.Add, Object: rack}}
}

// TestAFilledStateIsNotSetBackToTheStart has guests begin again with a State in which an object of the start is gone.
func TestAFilledStateIsNotSetBackToTheStart(t *testing.T) {
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
  profiles: [{plugins: {multiPoint: {enabled: [{name: Mapping}]}}}]}`), "mapping",
		config.Options{Plugins: []config.Plugin{Plugin("Mapping", newMapping)}})
	if err != nil {
		t.Fatal(err)
	}
	script := oddScript(2)
	gone := rackAt(t, "r1", script[3])
	gone.Event.Action = cluster.Delete
	in := input.Replay{World: input.Simulated, Start: oddStart, Script: slices.Concat(
		source.Script{rackAt(t, "r1", script[0]), rackAt(t, "r2", script[0])}, script[:3], source.Script{gone}, script[3:])}
	p := in.Play(c, 0, trace.Reported)
	for {
		step, more := p.Step()
		if !more {
			t.Fatal("r1 is not deleted")
		}
		if strings.Contains(factsOf(step), "Rack.example.com Delete r1") {
			break
		}
	}
	p.Scheduler().State().Companion().(*home).Refill()
	if happened := strings.Join(facts(p), "\n"); !strings.Contains(happened, "found Rack r2.") {
		t.Errorf("no rack r2 alone in\n%s", happened)
	}
}
