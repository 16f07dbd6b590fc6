package kube_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	_ "testing/synctest" // plugins sleep in a bubble, by its clock
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/conformance/verify"
	"github.com/schedstep/schedstep/host/kube"
)

// TestMain silences kube-scheduler, and begins the goroutine of signals outside of any bubble.
func TestMain(m *testing.M) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGWINCH)
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// probe does what the examples do not: it lists no events, works for a while in PreBind, writes objects, fails there,
// and binds pods itself. It rejects nodes with as many pods as a custom resource allows; it counts them in PostBind.
type probe struct {
	handle fwk.Handle
	custom dynamic.NamespaceableResourceInterface
	faults faults

	mu    sync.Mutex
	bound map[string]int64 // by node
}

// faults are differences that are planted on one side.
type faults struct{ filter, work, write, fail, bind, postBind bool }

var tickets = schema.GroupVersionResource{Group: "probe.example.com", Version: "v1", Resource: "tickets"}

func factory(f faults) func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		client, err := dynamic.NewForConfig(h.KubeConfig())
		if err != nil {
			return nil, err
		}
		return &probe{handle: h, custom: client.Resource(tickets), faults: f, bound: map[string]int64{}}, nil
	}
}

// Name is Probe.
func (*probe) Name() string { return "Probe" }

// Filter rejects nodes for which as many pods were bound as their ticket has.
func (p *probe) Filter(ctx context.Context, _ fwk.CycleState, _ *corev1.Pod, n fwk.NodeInfo) *fwk.Status {
	ticket, err := p.custom.Get(ctx, n.Node().Name, metav1.GetOptions{})
	if err != nil {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node has no ticket")
	}
	most, _, _ := unstructured.NestedInt64(ticket.Object, "spec", "pods")
	p.mu.Lock()
	defer p.mu.Unlock()
	if have := p.bound[n.Node().Name]; have >= most {
		return fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("%d of %d pods were bound", have, most))
	}
	if p.faults.filter {
		return fwk.NewStatus(fwk.Unschedulable, "planted")
	}
	return nil
}

// PreBindPreFlight is needed for every pod.
func (*probe) PreBindPreFlight(context.Context, fwk.CycleState, *corev1.Pod, string) (
	*fwk.PreBindPreFlightResult, *fwk.Status,
) {
	return nil, nil
}

// PreBind works for a second, fails for some pods, and writes a mark, and a note on the pod.
func (p *probe) PreBind(ctx context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	if pod.Labels["slow"] != "" && !p.faults.work {
		time.Sleep(time.Second)
	}
	if pod.Labels["fails"] != "" && !p.faults.fail {
		return fwk.NewStatus(fwk.Unschedulable, "it cannot be marked")
	}
	mark := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "probe.example.com/v1", "kind": "Ticket",
		"metadata": map[string]any{"name": "mark-" + string(pod.UID)}, "spec": map[string]any{"node": node},
	}}
	if p.faults.write {
		mark.Object["spec"] = map[string]any{"node": "planted"}
	}
	if _, err := p.custom.Create(ctx, mark, metav1.CreateOptions{}); err != nil {
		return fwk.AsStatus(err)
	}
	own, err := p.handle.ClientSet().CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil {
		return fwk.AsStatus(err)
	}
	own.Annotations = map[string]string{"probe.example.com/node": node}
	if _, err := p.handle.ClientSet().CoreV1().Pods(pod.Namespace).Update(ctx, own, metav1.UpdateOptions{}); err != nil {
		return fwk.AsStatus(err)
	}
	return nil
}

// Bind binds some pods, and leaves the others to kube-scheduler.
func (p *probe) Bind(ctx context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	if pod.Labels["own"] == "" || p.faults.bind {
		return fwk.NewStatus(fwk.Skip)
	}
	return fwk.AsStatus(p.handle.ClientSet().CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{}))
}

// PostBind counts.
func (p *probe) PostBind(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, node string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.faults.postBind {
		p.bound[node]++
	}
}

const configuration = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint: {enabled: [{name: Probe}]}
    bind: {disabled: [{name: DefaultBinder}], enabled: [{name: Probe}, {name: DefaultBinder}]}
`

// wardrobe is what drawn clusters get.
const wardrobe = `
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", pods: "9"}}}
---
{apiVersion: probe.example.com/v1, kind: Ticket, metadata: {name: n1}, spec: {pods: 2}}
---
{apiVersion: v1, kind: Pod, metadata: {name: plain}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: slow, labels: {slow: "1"}}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: fails, labels: {fails: "1"}}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: own, labels: {own: "1"}}, spec: {containers: [{name: c, image: i}]}}
`

// compared runs the command with a plugin that may be another one on our side.
func compared(t *testing.T, ours faults, args ...string) (code int, out string) {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{"config.yaml": configuration, "cluster.yaml": wardrobe}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args = append(args, "--config", filepath.Join(folder, "config.yaml"), filepath.Join(folder, "cluster.yaml"))
	var o, e bytes.Buffer
	both := kube.Between([]kube.Plugin{{Name: "Probe", New: factory(faults{})}}, []kube.Plugin{{
		Name: "Probe", New: factory(ours),
	}})
	code = verify.Command{In: strings.NewReader(""), Out: &o, Err: &e, Foreign: both}.Run(args)
	return code, o.String() + e.String()
}

// TestAPluginThatListsNoEventsAndBindsIsCompared plays one cluster and drawn ones.
func TestAPluginThatListsNoEventsAndBindsIsCompared(t *testing.T) {
	code, out := compared(t, faults{})
	if code != 0 || !strings.Contains(out, "no difference") || !strings.Contains(out, "pods bound by plugins 1") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	code, out = compared(t, faults{}, "--drawn", "0:24")
	if code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for _, want := range []string{"objects written by plugins", "pods bound by plugins"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestPlantedDifferencesAreFound plants one at each point.
func TestPlantedDifferencesAreFound(t *testing.T) {
	for what, c := range map[string]struct {
		faults faults
		want   string
	}{
		"filter": {faults{filter: true}, "Filter Probe"}, "work": {faults{work: true}, "PreBind"},
		"write": {faults{write: true}, "written by plugins"}, "fail": {faults{fail: true}, "PreBind"},
		"bind": {faults{bind: true}, "bound by plugins"}, "PostBind": {faults{postBind: true}, "Filter Probe"},
	} {
		t.Run(what, func(t *testing.T) {
			if code, out := compared(t, c.faults, "--drawn", "0:24"); code != 1 || !strings.Contains(out, c.want) {
				t.Errorf("exit code %d, no %q in\n%s", code, c.want, out)
			}
		})
	}
}

// TestTheProgramListsItsPlugins runs it as "schedstep build" does, to see that it has them.
func TestTheProgramListsItsPlugins(t *testing.T) {
	defer func(before []string) { os.Args = before }(os.Args)
	os.Args = []string{"schedstep-verify-probe", "--plugins"}
	if code := kube.Main(kube.Plugin{Name: "Probe", New: factory(faults{})}); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestWhatWouldCompareNothingIsRefused is about configurations, releases and ranges.
func TestWhatWouldCompareNothingIsRefused(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain.yaml")
	if err := os.WriteFile(plain, []byte(wardrobe), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"enables none of the plugins that were built in (Probe)": {plain},
		"cannot be compared with 1.33":                           {plain, "--kube-version", "1.33"},
		"is no range":                                            {plain, "--drawn", "7:3"},
	} {
		var o, e bytes.Buffer
		both := kube.NewBoth(kube.Plugin{Name: "Probe", New: factory(faults{})})
		code := verify.Command{In: strings.NewReader(""), Out: &o, Err: &e, Foreign: both}.Run(args)
		if code != 2 || !strings.Contains(e.String(), want) {
			t.Errorf("%v: exit code %d, %s", args, code, e.String())
		}
	}
}
