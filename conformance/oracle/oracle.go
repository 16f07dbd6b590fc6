// Package oracle runs the real kube-scheduler on one pod and returns every verdict, every score, the decision, the
// preemption and the queueing hints, as plain data. It never schedules by itself: the caller decides which pod is tried
// when, and whether it is placed as the answer has it. It is not a simulator and knows nothing of schedstep.
//
// It is compiled against 1.37 here, and against an older release by each of the modules in conformance/releases. What
// differs between releases is in files named after the release where it changed, such as since_1_34.go and
// before_1_34.go: the tags before_1_37, before_1_36, ... select the files.
package oracle

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/schedstep/schedstep/conformance/fakeapi"
	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// Options configure an Oracle; the zero value is kube-scheduler's default.
type Options struct {
	// Configuration is a KubeSchedulerConfiguration as YAML or JSON, any
	// served version; nil means the defaults. Parallelism in it is ignored:
	// the oracle always runs with 1, the only deterministic value.
	Configuration []byte
	// Further options of the scheduler, such as plugins that are not kube-scheduler's own.
	Further []scheduler.Option
	// Instances are the plugins of a profile that are not kube-scheduler's own, once it was made: the framework hands
	// out those alone that list their events. nil: there are none.
	Instances func(profile string) []fwk.Plugin
}

// Oracle is one scheduler over one cluster. It is not safe for concurrent use.
type Oracle struct {
	ctx       context.Context
	cancel    context.CancelFunc
	logger    logr.Logger
	scheduler *scheduler.Scheduler
	factory   informers.SharedInformerFactory
	snapshot  snapshot
	cluster   *fakeapi.Cluster
	writes    *fakeapi.Writes
	client    *fake.Clientset
	recorder  events.EventBroadcaster
	profiles  map[string]*profilePlugins
	hints     map[string][]registeredHint
	// percentage is the global percentageOfNodesToScore.
	percentage int32
	last       lastCycle
	group      groupState           // see BeginGroup
	placed     map[string]placedPod // by key

	cycle      int64 // see At
	now        time.Time
	signatures map[string]signature // of pods that wait, by key
	stored     map[string]time.Time // when scores were kept, by profile
}

// New builds a scheduler that sees objects. Objects are delivered in the given
// order, pods last, so the order of the nodes decides the snapshot order as
// the order of a list call would. Call Close when done.
func New(objects []runtime.Object, options Options) (*Oracle, error) {
	configuration, err := parseConfiguration(options.Configuration)
	if err != nil {
		return nil, err
	}
	logger := logr.Discard()
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logger))
	o := &Oracle{
		ctx: ctx, cancel: cancel, logger: logger,
		snapshot: emptySnapshot(),
		writes:   &fakeapi.Writes{},
		placed:   map[string]placedPod{}, signatures: map[string]signature{}, stored: map[string]time.Time{},
		percentage: *configuration.PercentageOfNodesToScore,
	}
	client := o.writes.Client()
	o.client = client
	factory := informers.NewSharedInformerFactory(client, 0)
	o.cluster, o.factory = fakeapi.NewCluster(factory, Kinds(), InformerOf), factory
	o.recorder = events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	all := append(
		withSnapshot(o.snapshot),
		scheduler.WithProfiles(configuration.Profiles...),
		scheduler.WithExtenders(configuration.Extenders...),
		scheduler.WithPercentageOfNodesToScore(configuration.PercentageOfNodesToScore),
		scheduler.WithPodInitialBackoffSeconds(configuration.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(configuration.PodMaxBackoffSeconds),
		scheduler.WithParallelism(1),
	)
	o.scheduler, err = scheduler.New(
		ctx, client, factory, nil, profile.NewRecorderFactory(o.recorder), append(all, options.Further...)...,
	)
	if err != nil {
		o.Close()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	o.snapshot = snapshotOf(o.scheduler, o.snapshot)
	o.countCycles()
	if err := o.studyProfiles(options.Instances); err != nil {
		o.Close()
		return nil, err
	}
	if err := o.putPodsLast(objects); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// At sets which cycle the next Schedule or Member is part of, and when it is. Scores that a cycle leaves are good for
// the one after it only, and for half a second; without At no cycle follows another, and none is reused.
func (o *Oracle) At(cycle int64, now time.Time) { o.cycle, o.now = cycle, now }

// Close ends the scheduler's background activity. Further calls do nothing.
func (o *Oracle) Close() {
	if o.ctx.Err() != nil {
		return
	}
	o.cancel()
	o.recorder.Shutdown()
	if o.scheduler != nil {
		o.scheduler.SchedulingQueue.Close()
	}
}

func (o *Oracle) putPodsLast(objects []runtime.Object) error {
	var pods []runtime.Object
	for _, object := range objects {
		if _, ok := object.(*corev1.Pod); ok {
			pods = append(pods, object)
			continue
		}
		if err := o.cluster.Put(object); err != nil {
			return err
		}
	}
	return o.Put(pods...)
}

// Put adds objects or replaces those with the same kind and key, one after the
// other, and delivers the events before it returns. A pod whose spec.nodeName
// appears is thereby bound; a pod that ended is thereby gone. A pending pod's
// status.nominatedNodeName is its nomination.
func (o *Oracle) Put(objects ...runtime.Object) error {
	for _, object := range objects {
		if err := o.cluster.Put(object); err != nil {
			return err
		}
		if pod, is := object.(*corev1.Pod); is {
			if pod.Spec.NodeName != "" {
				delete(o.placed, key(pod))
			}
			o.sign(pod)
		}
	}
	return nil
}

// Remove deletes the objects with these kinds and keys.
func (o *Oracle) Remove(objects ...runtime.Object) error {
	for _, object := range objects {
		if err := o.cluster.Remove(object); err != nil {
			return err
		}
	}
	return nil
}

// Plugins are the profile's plugins at the point, in order: "PreEnqueue",
// "PreFilter", "Filter", "PreScore" or "Score".
func (o *Oracle) Plugins(profile, point string) []string {
	p, ok := o.profiles[profile]
	if !ok {
		return nil
	}
	return p.names[point]
}

// Expansion is the profile's plugins at every extension point, in order.
func (o *Oracle) Expansion(profile string) map[string][]Enabled {
	p, ok := o.profiles[profile]
	if !ok {
		return nil
	}
	plugins := p.framework.ListPlugins()
	points := map[string][]Enabled{}
	for point, set := range map[string]config.PluginSet{
		"PreEnqueue": plugins.PreEnqueue, "QueueSort": plugins.QueueSort, "PreFilter": plugins.PreFilter,
		"Filter":     plugins.Filter,
		"PostFilter": plugins.PostFilter, "PreScore": plugins.PreScore, "Score": plugins.Score, "Reserve": plugins.Reserve,
		"Permit": plugins.Permit, "PreBind": plugins.PreBind, "Bind": plugins.Bind, "PostBind": plugins.PostBind,
	} {
		for _, plugin := range set.Enabled {
			points[point] = append(points[point], Enabled{Name: plugin.Name, Weight: plugin.Weight})
		}
	}
	return points
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
