// Package real is a whole kube-scheduler for the hunter: its own Run, queue, caches, event handlers and goroutines.
// Its informers deliver when the hunter says so, and the hunter answers the requests of its client. It runs in a bubble
// of testing/synctest. It is compiled with 1.37 here, and with an older release by its module in conformance/releases.
package real

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	"k8s.io/utils/clock"

	"github.com/schedstep/schedstep/conformance/fakeapi"
	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/conformance/oracle"
)

// Prepare starts what the process of a scheduler shares with every other, outside of any bubble: the goroutines that
// wait for signals. It switches off what writes errors down, and waits before it does by the time of the error before,
// which may be of another bubble. Where it would exit, it panics. Call it once, before the first history.
func Prepare() {
	utilruntime.ErrorHandlers = nil
	klog.SetLogger(logr.Discard())
	klog.OsExit = func(code int) { panic(fmt.Sprintf("it exits with %d", code)) }
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR2)
	signal.Stop(signals)
}

// Fault changes a scheduler before it begins: what the hunter has to find is planted so.
type Fault func(s *scheduler.Scheduler)

// New starts kube-schedulers, with a fault if there is one.
func New(fault Fault, further ...scheduler.Option) hunt.New {
	return func(api *hunt.API) (hunt.Scheduler, error) { return begin(api, fault, further) }
}

// process is one kube-scheduler.
type process struct {
	ctx       context.Context
	cancel    context.CancelFunc
	api       *hunt.API
	scheduler *scheduler.Scheduler
	cluster   *fakeapi.Cluster
	recorder  events.EventBroadcaster
	clock     *leaping
	place     reflect.Value // its own SchedulePod
	queue     reflect.Value // its own queue
	led       bool
}

func begin(api *hunt.API, fault Fault, further []scheduler.Option) (hunt.Scheduler, error) {
	p := &process{api: api, clock: &leaping{}}
	p.ctx, p.cancel = context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	client := clientOf(api)
	factory := informers.NewSharedInformerFactory(client, 0)
	p.cluster = fakeapi.NewCluster(factory, oracle.Kinds(), oracle.InformerOf)
	p.recorder = events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	options := append([]scheduler.Option{scheduler.WithParallelism(1)}, further...)
	options = append(options, clocked(p.clock)...)
	var err error
	p.scheduler, err = scheduler.New(p.ctx, client, factory, nil, profile.NewRecorderFactory(p.recorder), options...)
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	p.queue = reflect.ValueOf(p.scheduler.SchedulingQueue)
	p.before()
	p.takeTime()
	if fault != nil {
		fault(p.scheduler)
	}
	return p, nil
}

// takeTime has the search for a node take a while, in which the world goes on.
func (p *process) takeTime() {
	field := reflect.ValueOf(&p.scheduler.SchedulePod).Elem()
	p.place = reflect.ValueOf(field.Interface())
	slow := reflect.MakeFunc(field.Type(), func(in []reflect.Value) []reflect.Value {
		took := p.api.Began(podOf(in[3].Interface()))
		out := p.place.Call(in)
		<-time.After(took)
		return out
	})
	field.Set(slow)
}

// podOf is the pod of an argument of SchedulePod, which was the pod itself until 1.35.
func podOf(argument any) *corev1.Pod {
	if info, is := argument.(*framework.QueuedPodInfo); is {
		return info.Pod
	}
	return argument.(*corev1.Pod)
}

// Hear delivers a notification to the event handlers.
func (p *process) Hear(n hunt.Notice) {
	defer func() {
		if why := recover(); why != nil {
			p.api.Failed(fmt.Sprint(why))
		}
	}()
	var err error
	switch {
	case n.After == nil:
		err = p.cluster.Vanish(n.Before, n.Unseen)
	case n.Before == nil:
		err = p.cluster.Appear(n.After)
	default:
		err = p.cluster.Change(n.Before, n.After)
	}
	if err != nil {
		p.api.Failed(err.Error())
	}
}

// Lead has it schedule.
func (p *process) Lead() {
	p.led = true
	go func() {
		<-time.After(time.Nanosecond) // its timers go off between the moments of the world
		p.scheduler.Run(p.ctx)
	}()
}

// Stop ends it.
func (p *process) Stop() {
	if p.ctx.Err() != nil {
		return
	}
	p.cancel()
	p.recorder.Shutdown()
	if p.scheduler != nil && !p.led { // Run closes it
		p.scheduler.SchedulingQueue.Close()
	}
}

// Leap puts the queue's clock forward.
func (p *process) Leap(d time.Duration) { p.clock.ahead.Add(int64(d)) }

// Fits runs the gates and one SchedulePod.
func (p *process) Fits(key string) (string, error) {
	pod, there := p.stored(key)
	if !there {
		return "", fmt.Errorf("pod %s is not known", key)
	}
	of := p.scheduler.Profiles[pod.Spec.SchedulerName]
	for _, gate := range of.PreEnqueuePlugins() {
		if status := gate.PreEnqueue(p.ctx, pod); !status.IsSuccess() {
			return "", fmt.Errorf("%s: %s", gate.Name(), status.Message())
		}
	}
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return "", err
	}
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	fourth := any(&framework.QueuedPodInfo{PodInfo: info})
	if p.place.Type().In(3) == reflect.TypeFor[*corev1.Pod]() {
		fourth = pod
	}
	if err := p.refresh(); err != nil {
		return "", err
	}
	out := p.place.Call([]reflect.Value{
		reflect.ValueOf(p.ctx), reflect.ValueOf(of), reflect.ValueOf(state), reflect.ValueOf(fourth),
	})
	if err, failed := out[1].Interface().(error); failed {
		return "", err
	}
	return out[0].Interface().(scheduler.ScheduleResult).SuggestedHost, nil
}

func (p *process) stored(key string) (*corev1.Pod, bool) {
	wanted := &corev1.Pod{}
	wanted.Namespace, wanted.Name = split(key)
	found, there := p.cluster.Stored(wanted)
	if !there {
		return nil, false
	}
	return found.(*corev1.Pod), true
}

// View reads the queue and the cache.
func (p *process) View(nodes []string) hunt.View {
	v := hunt.View{Nominated: map[string]string{}, Placed: map[string]string{}}
	v.Active, v.Backoff, v.Parked = p.queued()
	for _, node := range nodes {
		for _, pod := range podsIn(p.scheduler.SchedulingQueue.NominatedPodsForNode(node)) {
			v.Nominated[keyOf(pod)] = node
		}
	}
	dump := p.scheduler.Cache.Dump()
	for name, info := range dump.Nodes {
		if info.Node() != nil {
			v.Nodes = append(v.Nodes, name)
		}
		for _, pod := range podsIn(info.Pods) {
			v.Placed[keyOf(pod)] = name
			if dump.AssumedPods.Has(string(pod.UID)) {
				v.Assumed = append(v.Assumed, keyOf(pod))
			}
		}
	}
	for _, list := range [][]string{v.Active, v.Backoff, v.Parked, v.Nodes, v.Assumed} {
		slices.Sort(list)
	}
	return v
}

func logger(ctx context.Context) klog.Logger { return klog.FromContext(ctx) }

func keyOf(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

func keys(pods []*corev1.Pod) []string {
	var list []string
	for _, pod := range pods {
		list = append(list, keyOf(pod))
	}
	slices.Sort(list)
	return list
}

// leaping is a clock that can be put forward.
type leaping struct {
	clock.RealClock
	ahead atomic.Int64
}

// Now is the time, and what it is put forward.
func (c *leaping) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Since is the time since then by this clock.
func (c *leaping) Since(then time.Time) time.Duration { return c.Now().Sub(then) }

// merged is a pod's status with a patch of it.
func merged(pod *corev1.Pod, patch []byte, merge func(original, patch []byte) ([]byte, error)) error {
	original, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	data, err := merge(original, patch)
	if err != nil {
		return err
	}
	result := &corev1.Pod{}
	if err := json.Unmarshal(data, result); err != nil {
		return err
	}
	pod.Status = result.Status
	return nil
}
