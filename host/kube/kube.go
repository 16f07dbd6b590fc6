// Package kube is the real kube-scheduler with further plugins registered, beside schedstep that hosts the same ones: a
// bubble whose clock follows schedstep's, an API server in memory for the plugins, and the way of pods from Permit on,
// which the oracle of conformance does not go. Command verify of programs that "schedstep build --verify" makes is here
// too. What a cycle answers is compared by package compare, and nothing here is shared with package host but the names
// of plugins: what that one does to them would not show.
package kube

import (
	"context"
	"fmt"
	"sync"
	"testing/synctest"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/host"
)

// The runtime behind testing/synctest, whose own function wants every goroutine to end, which kube-scheduler's do not.
//
//go:linkname bubbleRun internal/synctest.Run
func bubbleRun(f func())

// quiet is what plugins are called with; they log nothing.
var quiet = klog.NewContext(context.Background(), logr.Discard())

// Plugin is a plugin as kube-scheduler's registry takes it.
type Plugin struct {
	Name string
	New  host.Factory
}

// Scheduler is a kube-scheduler with plugins, in an empty cluster at first.
type Scheduler struct {
	*oracle.Oracle
	ours    *core.Scheduler
	plugins []Plugin
	api     *api
	jobs    chan func()
	step    time.Duration // each call is a nanosecond later, as nothing happens at once in kube-scheduler

	instances map[string]map[string]fwk.Plugin // by profile and name
	memory    framework.Framework              // through which the queue keeps nodes for pods

	mu      sync.Mutex       // held by calls, and by what goes on between them
	waits   map[string]*stay // by pod
	permits map[string]string
	bound   map[string]*work // PreBind by pod
	binders map[string]string
}

// stay is a wait at Permit.
type stay struct {
	over    bool
	message string // why it ended against the pod; "": it was let go
}

// work is PreBind of a pod.
type work struct {
	done   bool
	plugin string // that failed; "": none did
	status *fwk.Status
}

// New is a kube-scheduler beside ours, which runs by the same configuration.
func New(configuration []byte, plugins []Plugin, ours *core.Scheduler) (*Scheduler, error) {
	t := &Scheduler{
		ours: ours, plugins: plugins, api: newAPI(), jobs: make(chan func()),
		instances: map[string]map[string]fwk.Plugin{}, waits: map[string]*stay{}, permits: map[string]string{},
		bound: map[string]*work{}, binders: map[string]string{},
	}
	wait.NeverStop = nil            // one that was made outside bubbles would count as something that may still happen
	utilruntime.ErrorHandlers = nil // they wait for a moment by the clock of another bubble
	go func() {
		defer func() { _ = recover() }() // goroutines that remain
		bubbleRun(func() {
			for do := range t.jobs {
				do()
			}
		})
	}()
	registry := frameworkruntime.Registry{}
	for _, p := range plugins {
		registry[p.Name] = t.made(p)
	}
	var err error
	t.do(func() {
		t.Oracle, err = oracle.New(nil, oracle.Options{Configuration: configuration, Further: []scheduler.Option{
			scheduler.WithFrameworkOutOfTreeRegistry(registry),
			scheduler.WithKubeConfig(t.api.config()),
		}, Instances: t.of})
	})
	if err != nil {
		close(t.jobs)
		return nil, err
	}
	return t, nil
}

// handle is kube-scheduler's Handle with the API server as client.
type handle struct {
	framework.Framework
	client kubernetes.Interface
}

// ClientSet leads to the API server.
func (h handle) ClientSet() kubernetes.Interface { return h.client }

// made is the factory of a plugin, which remembers what it made.
func (t *Scheduler) made(p Plugin) frameworkruntime.PluginFactory {
	return func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		client, err := kubernetes.NewForConfig(t.api.config())
		if err != nil {
			return nil, err
		}
		f, is := h.(framework.Framework)
		if !is {
			return nil, fmt.Errorf("plugin %s: its Handle is a %T", p.Name, h)
		}
		t.memory = f
		made, err := p.New(ctx, args, handle{f, client})
		if err != nil {
			return nil, err
		}
		if t.instances[f.ProfileName()] == nil {
			t.instances[f.ProfileName()] = map[string]fwk.Plugin{}
		}
		t.instances[f.ProfileName()][p.Name] = made
		return made, nil
	}
}

// of are the plugins of a profile, in the order in which they were given.
func (t *Scheduler) of(profile string) []fwk.Plugin {
	var all []fwk.Plugin
	for _, p := range t.plugins {
		if made := t.instances[profile][p.Name]; made != nil {
			all = append(all, made)
		}
	}
	return all
}

// do runs f in the bubble at the time of ours, and comes back when nothing in it moves.
func (t *Scheduler) do(f func()) {
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

// Close ends it. Goroutines of plugins that go on are left to the bubble.
func (t *Scheduler) Close() { t.do(func() { t.Oracle.Close() }); close(t.jobs) }

// Put is the oracle's, for custom resources too.
func (t *Scheduler) Put(objects ...runtime.Object) (err error) {
	t.do(func() {
		for _, o := range objects {
			object := o.(cluster.Object)
			if _, custom := o.(*unstructured.Unstructured); !custom {
				if err = t.Oracle.Put(o); err != nil {
					return
				}
			}
			t.api.put(object)
		}
	})
	return err
}

// Remove is the oracle's, for custom resources too.
func (t *Scheduler) Remove(objects ...runtime.Object) (err error) {
	t.do(func() {
		for _, o := range objects {
			object := o.(cluster.Object)
			if _, custom := o.(*unstructured.Unstructured); !custom {
				if err = t.Oracle.Remove(o); err != nil {
					return
				}
			}
			t.api.remove(object)
		}
	})
	return err
}

// Schedule is the oracle's. Where the pod fits nowhere, the queue keeps the node for it that its cycle nominates, or
// that its status has, in the place of one that a plugin had it keep: the oracle leaves to its caller what is in the
// status.
func (t *Scheduler) Schedule(pod *corev1.Pod) (a oracle.Answer, err error) {
	t.do(func() {
		if a, err = t.Oracle.Schedule(pod); err != nil || a.Decision.Host != "" || t.memory == nil {
			return
		}
		there, gone := t.memory.SharedInformerFactory().Core().V1().Pods().Lister().Pods(pod.Namespace).Get(pod.Name)
		if gone != nil { // a plugin or the world has deleted it
			return
		}
		var info *framework.PodInfo
		if info, err = framework.NewPodInfo(there); err != nil {
			return
		}
		var to *fwk.NominatingInfo
		if node := a.Preemption.Nominated; node != "" {
			to = &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node}
		}
		t.memory.AddNominatedPod(klog.FromContext(quiet), info, to)
	})
	return a, err
}

// Gates is the oracle's.
func (t *Scheduler) Gates(pod *corev1.Pod) (v []oracle.Verdict) {
	t.do(func() { v = t.Oracle.Gates(pod) })
	return v
}

// Events is the oracle's.
func (t *Scheduler) Events(pod *corev1.Pod, change oracle.Change) (e []oracle.Event) {
	t.do(func() { e = t.Oracle.Events(pod, change) })
	return e
}
