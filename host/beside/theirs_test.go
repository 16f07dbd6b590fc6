package beside

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core"
)

// The runtime behind testing/synctest, whose own function wants every goroutine to end, which kube-scheduler's do not.
//
//go:linkname bubbleRun internal/synctest.Run
func bubbleRun(f func())

// quiet is what plugins are called with; they log nothing.
var quiet = klog.NewContext(context.Background(), logr.Discard())

// theirs is a kube-scheduler with a plugin, in a bubble whose clock follows ours. Beside the oracle it goes the way of
// pods on: Permit, the wait there, and PreBind.
type theirs struct {
	*oracle.Oracle
	ours *core.Scheduler
	api  *api
	jobs chan func()
	step time.Duration // each call is a nanosecond later, as nothing happens at once in kube-scheduler

	mu      sync.Mutex       // held by calls, and by what goes on between them
	waits   map[string]*stay // by pod
	permits map[string]string
	written map[string]string // license numbers that PreBind wrote, by pod
	evicted []string          // by plugins through their client
}

// stay is a wait at Permit.
type stay struct {
	over    bool
	message string // why it ended against the pod; "": it was let go
}

func newTheirs(
	configuration []byte, name string, create frameworkruntime.PluginFactory, ours *core.Scheduler,
) (*theirs, error) {
	t := &theirs{
		ours: ours, api: &api{objects: map[string]*unstructured.Unstructured{}}, jobs: make(chan func()),
		waits: map[string]*stay{}, permits: map[string]string{}, written: map[string]string{},
	}
	wait.NeverStop = nil
	go func() {
		defer func() { _ = recover() }() // goroutines that remain
		bubbleRun(func() {
			for do := range t.jobs {
				do()
			}
		})
	}()
	var err error
	t.do(func() {
		t.Oracle, err = oracle.New(nil, oracle.Options{Configuration: configuration, Further: []scheduler.Option{
			scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{name: create}),
			scheduler.WithKubeConfig(t.api.config()),
		}})
	})
	if err != nil {
		return nil, err
	}
	t.Client().PrependReactor("patch", "pods", t.patched)
	t.Client().PrependReactor("delete", "pods", t.deleted)
	return t, nil
}

// do runs f in the bubble at the time of ours, and comes back when nothing in it moves.
func (t *theirs) do(f func()) {
	t.step++
	at := t.ours.Now().Add(t.step)
	done := make(chan any)
	t.jobs <- func() {
		if ahead := time.Until(at); ahead > 0 {
			time.Sleep(ahead)
		}
		var broke any
		func() {
			defer func() { broke = recover() }()
			t.mu.Lock()
			defer t.mu.Unlock()
			f()
		}()
		synctest.Wait()
		done <- broke
	}
	if broke := <-done; broke != nil {
		panic(broke)
	}
}

func (t *theirs) patched(action clienttesting.Action) (bool, runtime.Object, error) {
	patch := action.(clienttesting.PatchAction)
	var pod corev1.Pod
	if err := json.Unmarshal(patch.GetPatch(), &pod); err == nil && pod.Annotations[number] != "" {
		t.written[patch.GetNamespace()+"/"+patch.GetName()] = pod.Annotations[number]
	}
	return false, nil, nil
}

func (t *theirs) deleted(action clienttesting.Action) (bool, runtime.Object, error) {
	t.evicted = append(t.evicted, action.GetNamespace()+"/"+action.(clienttesting.DeleteAction).GetName())
	return false, nil, nil
}

func (t *theirs) Close() { t.do(func() { t.Oracle.Close() }); close(t.jobs) }

func (t *theirs) Put(objects ...runtime.Object) (err error) {
	t.do(func() {
		for _, o := range objects {
			if u, custom := o.(*unstructured.Unstructured); custom {
				t.api.put(u)
			} else if err == nil {
				err = t.Oracle.Put(o)
			}
		}
	})
	return err
}

func (t *theirs) Remove(objects ...runtime.Object) (err error) {
	t.do(func() {
		for _, o := range objects {
			if u, custom := o.(*unstructured.Unstructured); custom {
				t.api.remove(u)
			} else if err == nil {
				err = t.Oracle.Remove(o)
			}
		}
	})
	return err
}

func (t *theirs) Schedule(pod *corev1.Pod) (a oracle.Answer, err error) {
	t.do(func() { a, err = t.Oracle.Schedule(pod) })
	return a, err
}

func (t *theirs) Gates(pod *corev1.Pod) (v []oracle.Verdict) {
	t.do(func() { v = t.Oracle.Gates(pod) })
	return v
}

func (t *theirs) Events(pod *corev1.Pod, change oracle.Change) (e []oracle.Event) {
	t.do(func() { e = t.Oracle.Events(pod, change) })
	return e
}

// Assume gives the pod its node, and goes on to Permit.
func (t *theirs) Assume(pod *corev1.Pod, node string) (err error) {
	t.do(func() {
		if err = t.Oracle.Assume(pod, node); err != nil {
			return
		}
		key := pod.Namespace + "/" + pod.Name
		way, _ := t.WayOf(key)
		times, status := way.Framework.RunPermitPlugins(quiet, way.State, way.Pod, node)
		t.permits[key] = said(status)
		switch {
		case status.IsWait():
			way.Framework.AddWaitingPod(way.Pod, times)
			s := &stay{}
			t.waits[key] = s
			go t.wait(key, way, s)
		case status.IsSuccess():
			t.preBind(key, way)
		}
	})
	return err
}

// wait waits until the pod may go, and then goes on.
func (t *theirs) wait(key string, way oracle.Way, s *stay) {
	status := way.Framework.WaitOnPermit(quiet, way.Pod)
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	if status.IsSuccess() {
		t.preBind(key, way)
		return
	}
	s.message = status.Message()
	if err := t.Oracle.Forget(key); err != nil {
		s.message = err.Error()
	}
}

func (t *theirs) preBind(key string, way oracle.Way) {
	_ = way.Framework.RunPreBindPreFlights(quiet, way.State, way.Pod, way.Pod.Spec.NodeName)
	status := way.Framework.RunPreBindPlugins(quiet, way.State, way.Pod, way.Pod.Spec.NodeName)
	if !status.IsSuccess() {
		t.permits[key] += ", PreBind " + said(status)
	}
}

// Forget ends the wait of a pod that lost its node, too.
func (t *theirs) Forget(key string) (err error) {
	t.do(func() {
		way, placed := t.WayOf(key)
		if s := t.waits[key]; s != nil && !s.over && placed {
			s.over = true
			way.Framework.RejectWaitingPod(way.Pod.UID)
		}
		err = t.Oracle.Forget(key)
	})
	return err
}

// waiting lists the pods that wait.
func (t *theirs) waiting() string {
	var list []string
	for key, s := range t.waits {
		if !s.over {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// askedToWait is what the framework adds to the reasons of the plugins that have a pod wait.
const askedToWait = ", one or more plugins asked to wait and no plugin rejected pod"

func said(s *fwk.Status) string {
	message := strings.TrimSuffix(s.Message(), askedToWait)
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", s.Code(), message), ": ")
}
