package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/v1beta1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/fakeapi"
	"github.com/schedstep/schedstep/conformance/releases/early"
)

// oracle is one scheduler over one cluster.
type oracle struct {
	stop      chan struct{}
	scheduler *scheduler.Scheduler
	factory   informers.SharedInformerFactory
	cluster   *fakeapi.Cluster
	writes    *fakeapi.Writes
	profiles  map[string]*profilePlugins
	// percentage is percentageOfNodesToScore.
	percentage int32
	last       lastCycle
	placed     map[string]lastCycle // the pods that were assumed, with their nodes, by key
}

// lastCycle is what assume needs of the cycle before it.
type lastCycle struct {
	pod   *corev1.Pod
	state *framework.CycleState
}

// profilePlugins are the plugins of one profile, in its order.
type profilePlugins struct {
	*profile.Profile
	preFilter []framework.PreFilterPlugin
	filter    []framework.FilterPlugin
	score     []framework.ScorePlugin
	weights   map[string]int
	all       bool // every filter is asked, whatever the others say
}

// silent tells nobody of events.
type silent struct{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...interface{}) {
}

// begin builds a scheduler over an empty cluster. A configuration is a KubeSchedulerConfiguration or a Policy.
func begin(configuration []byte) (*oracle, error) {
	o := &oracle{stop: make(chan struct{}), writes: &fakeapi.Writes{}, placed: map[string]lastCycle{}}
	client := o.writes.Client()
	o.factory = informers.NewSharedInformerFactory(client, 0)
	o.cluster = fakeapi.NewCluster(o.factory, kinds(), early.Informer)
	o.writes.Pods = o.cluster
	options, err := o.options(configuration)
	if err != nil {
		return nil, err
	}
	recorders := func(string) events.EventRecorder { return silent{} }
	o.scheduler, err = scheduler.New(client, o.factory, recorders, o.stop, options...)
	if err != nil {
		o.close()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	o.profiles = map[string]*profilePlugins{}
	for name, p := range o.scheduler.Profiles {
		f := p.Framework
		o.profiles[name] = &profilePlugins{
			Profile:   p,
			preFilter: *early.Hidden[[]framework.PreFilterPlugin](f, "preFilterPlugins"),
			filter:    *early.Hidden[[]framework.FilterPlugin](f, "filterPlugins"),
			score:     *early.Hidden[[]framework.ScorePlugin](f, "scorePlugins"),
			weights:   *early.Hidden[map[string]int](f, "pluginNameToWeightMap"),
			all:       *early.Hidden[bool](f, "runAllFilters"),
		}
		for _, plugin := range o.profiles[name].filter {
			if of, is := plugin.(*volumebinding.VolumeBinding); is {
				early.SortVolumes(of.Binder)
			}
		}
	}
	return o, nil
}

func (o *oracle) options(data []byte) ([]scheduler.Option, error) {
	c := &config.KubeSchedulerConfiguration{}
	if len(data) == 0 {
		data = []byte(`{"apiVersion":"` + v1beta1.SchemeGroupVersion.String() + `","kind":"KubeSchedulerConfiguration"}`)
	}
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("scheduler configuration: %w", err)
	}
	switch decoded := object.(type) {
	case *config.KubeSchedulerConfiguration:
		c = decoded
	case *config.Policy:
		return o.policy(data)
	default:
		return nil, fmt.Errorf("scheduler configuration: %s is neither a KubeSchedulerConfiguration nor a Policy", kind)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(c).ToAggregate(); err != nil {
		return nil, fmt.Errorf("scheduler configuration: %w", err)
	}
	o.percentage = c.PercentageOfNodesToScore
	return []scheduler.Option{
		scheduler.WithProfiles(c.Profiles...), scheduler.WithAlgorithmSource(c.AlgorithmSource),
		scheduler.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore), scheduler.WithExtenders(c.Extenders...),
		scheduler.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
	}, nil
}

// policy is the scheduler of a Policy, which kube-scheduler reads from a file.
func (o *oracle) policy(data []byte) ([]scheduler.Option, error) {
	folder, err := os.MkdirTemp("", "policy")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "policy")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	return []scheduler.Option{scheduler.WithAlgorithmSource(config.SchedulerAlgorithmSource{
		Policy: &config.SchedulerPolicySource{File: &config.SchedulerPolicyFileSource{Path: path}},
	})}, nil
}

func (o *oracle) close() {
	close(o.stop)
	if o.scheduler != nil {
		o.scheduler.SchedulingQueue.Close()
	}
}

// Put adds objects or replaces those with the same kind and key.
func (o *oracle) Put(objects ...runtime.Object) error {
	for _, object := range objects {
		if err := o.cluster.Put(object); err != nil {
			return err
		}
		if pod, is := object.(*corev1.Pod); is && pod.Spec.NodeName != "" {
			delete(o.placed, early.Key(pod))
		}
	}
	return nil
}

// Remove deletes the objects with these kinds and keys.
func (o *oracle) Remove(objects ...runtime.Object) error {
	for _, object := range objects {
		if err := o.cluster.Remove(object); err != nil {
			return err
		}
	}
	return nil
}

// At does nothing: no score is used twice.
func (o *oracle) At(int64, time.Time) {}

// Gates are none.
func (o *oracle) Gates(*corev1.Pod) []answer.Verdict { return nil }

// Hinting is not yet there.
func (o *oracle) Hinting() bool { return false }

// Events has none: see Hinting.
func (o *oracle) Events(*corev1.Pod, answer.Change) []answer.Event { return nil }

// points has the names of extension points by that of their Go types.
var points = map[string]string{
	"QueueSortPlugin": "QueueSort", "PreFilterPlugin": "PreFilter", "FilterPlugin": "Filter",
	"PostFilterPlugin": "PostFilter", "PreScorePlugin": "PreScore", "ScorePlugin": "Score", "ReservePlugin": "Reserve",
	"PermitPlugin": "Permit", "PreBindPlugin": "PreBind", "BindPlugin": "Bind", "PostBindPlugin": "PostBind",
}

// Expansion is the profile's plugins at every extension point, in order.
func (o *oracle) Expansion(name string) map[string][]answer.Enabled {
	p, ok := o.profiles[name]
	if !ok {
		return nil
	}
	list := map[string][]answer.Enabled{}
	for _, point := range points {
		list[point] = nil
	}
	for kind, plugins := range p.ListPlugins() {
		for _, plugin := range plugins {
			list[points[kind]] = append(list[points[kind]], answer.Enabled{Name: plugin.Name, Weight: plugin.Weight})
		}
	}
	return list
}

// Plugins are those of Expansion at one point.
func (o *oracle) Plugins(name, point string) []string {
	var list []string
	for _, plugin := range o.Expansion(name)[point] {
		list = append(list, plugin.Name)
	}
	return list
}

// Assume gives the pod scheduled last the node in the scheduler's memory and reserves its volumes.
func (o *oracle) Assume(pod *corev1.Pod, node string) error {
	if o.last.pod == nil || early.Key(o.last.pod) != early.Key(pod) {
		return fmt.Errorf("assume %s: not the pod scheduled last", early.Key(pod))
	}
	assumed := o.last.pod.DeepCopy()
	assumed.Spec.NodeName = node
	if err := o.scheduler.SchedulerCache.AssumePod(assumed); err != nil {
		return fmt.Errorf("assume %s: %w", early.Key(pod), err)
	}
	o.scheduler.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	p := o.profiles[assumed.Spec.SchedulerName]
	ctx := context.Background()
	if status := p.RunReservePluginsReserve(ctx, o.last.state, assumed, node); !status.IsSuccess() {
		p.RunReservePluginsUnreserve(ctx, o.last.state, assumed, node)
		if err := o.scheduler.SchedulerCache.ForgetPod(assumed); err != nil {
			return fmt.Errorf("assume %s: forget: %w", early.Key(pod), err)
		}
		return fmt.Errorf("assume %s on %s: %w", early.Key(pod), node, status.AsError())
	}
	o.placed[early.Key(pod)] = lastCycle{assumed, o.last.state}
	return nil
}

// Placed lists the pods that were assumed, and neither seen on their nodes nor forgotten.
func (o *oracle) Placed() []string { return slices.Sorted(maps.Keys(o.placed)) }

// Bind has nothing to end.
func (o *oracle) Bind(string) {}

// Forget takes back what Assume did. A pod that is not assumed is passed over.
func (o *oracle) Forget(key string) error {
	p, ok := o.placed[key]
	if !ok {
		return nil
	}
	delete(o.placed, key)
	profile, ctx := o.profiles[p.pod.Spec.SchedulerName], context.Background()
	profile.RunReservePluginsUnreserve(ctx, p.state, p.pod, p.pod.Spec.NodeName)
	o.writes.Take()
	if there, err := o.scheduler.SchedulerCache.IsAssumedPod(p.pod); err != nil || !there {
		return nil
	}
	if err := o.scheduler.SchedulerCache.ForgetPod(p.pod); err != nil {
		return fmt.Errorf("forget %s: %w", key, err)
	}
	return nil
}

// startIndex is where the search for nodes begins.
func (o *oracle) startIndex() int {
	return *early.Hidden[int](o.scheduler.Algorithm, "nextStartNodeIndex")
}

// refresh has the snapshot see what the cache has.
func (o *oracle) refresh() error {
	field := reflect.ValueOf(o.scheduler.Algorithm).Elem().FieldByName("nodeInfoSnapshot")
	snapshot := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() //nolint:gosec // of this very field
	update := reflect.ValueOf(o.scheduler.SchedulerCache).MethodByName("UpdateSnapshot")
	err, _ := update.Call([]reflect.Value{snapshot})[0].Interface().(error)
	return err
}

// told is a status in the words of package answer.
func told(plugin string, status *framework.Status) answer.Verdict {
	if status == nil { // Reasons of 1.19 takes none
		return early.Verdict(plugin, status)
	}
	return early.Verdict(plugin, status, status.Reasons()...)
}
