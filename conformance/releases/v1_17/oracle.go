package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/algorithmprovider"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	nodeinfosnapshot "k8s.io/kubernetes/pkg/scheduler/nodeinfo/snapshot"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/fakeapi"
	"github.com/schedstep/schedstep/conformance/releases/early"
	"github.com/schedstep/schedstep/conformance/wire"
)

// kinds has an empty object of every kind that the scheduler watches.
func kinds() []runtime.Object {
	return []runtime.Object{
		&corev1.Node{}, &corev1.Pod{}, &corev1.Service{}, &corev1.ReplicationController{}, &corev1.PersistentVolume{},
		&corev1.PersistentVolumeClaim{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &policyv1beta1.PodDisruptionBudget{},
		&storagev1.StorageClass{}, &storagev1.CSINode{},
	}
}

// stored has a pod lose what is not stored while its gate is off.
func stored(pod *corev1.Pod) {
	if !utilfeature.DefaultFeatureGate.Enabled(features.EvenPodsSpread) {
		pod.Spec.TopologySpreadConstraints = nil
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.NonPreemptingPriority) {
		pod.Spec.PreemptionPolicy = nil
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.PodOverhead) {
		pod.Spec.Overhead = nil
	}
}

// oracle is one scheduler over one cluster.
type oracle struct {
	stop      chan struct{}
	back      func() // what is registered for all schedulers of a process, as it was before
	scheduler *scheduler.Scheduler
	factory   informers.SharedInformerFactory
	cluster   *fakeapi.Cluster
	writes    *fakeapi.Writes
	name      string // of the pods it places
	filter    []framework.FilterPlugin
	score     []framework.ScorePlugin
	weights   map[string]int
	snapshot  *nodeinfosnapshot.Snapshot
	options   options
	last      lastCycle
	placed    map[string]*corev1.Pod // the pods that were assumed, with their nodes, by key
}

// options is what a configuration says beside plugins.
type options struct {
	percentage int32 // percentageOfNodesToScore
	preempts   bool
}

// lastCycle is what assume needs of the cycle before it.
type lastCycle struct {
	pod   *corev1.Pod
	state *framework.CycleState
}

// silent tells nobody of events.
type silent struct{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...interface{}) {
}

func start(configuration []byte) (wire.Scheduler, func(), error) {
	o, err := begin(configuration)
	if err != nil {
		return nil, nil, err
	}
	return o, o.close, nil
}

// begin builds a scheduler over an empty cluster. A configuration is a KubeSchedulerConfiguration or a Policy.
func begin(configuration []byte) (*oracle, error) {
	o := &oracle{
		stop: make(chan struct{}), writes: &fakeapi.Writes{}, placed: map[string]*corev1.Pod{},
		back: algorithmprovider.ApplyFeatureGates(), name: corev1.DefaultSchedulerName, options: options{preempts: true},
	}
	client := o.writes.Client()
	o.factory = informers.NewSharedInformerFactory(client, 0)
	o.cluster = fakeapi.NewCluster(o.factory, kinds(), early.Informer)
	o.writes.Pods = o.cluster
	options, err := o.configure(configuration)
	if err != nil {
		o.back()
		return nil, err
	}
	o.scheduler, err = scheduler.New(
		client, o.factory, o.factory.Core().V1().Pods(), silent{}, o.stop, options...,
	)
	if err != nil {
		o.close()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	f := o.scheduler.Framework
	o.filter = *early.Hidden[[]framework.FilterPlugin](f, "filterPlugins")
	o.score = *early.Hidden[[]framework.ScorePlugin](f, "scorePlugins")
	o.weights = *early.Hidden[map[string]int](f, "pluginNameToWeightMap")
	o.snapshot = *early.Hidden[*nodeinfosnapshot.Snapshot](o.scheduler.Algorithm, "nodeInfoSnapshot")
	early.SortVolumes(o.scheduler.VolumeBinder.Binder)
	o.sortMatches()
	return o, nil
}

func (o *oracle) configure(data []byte) ([]scheduler.Option, error) {
	if len(data) == 0 {
		data = []byte(`{"apiVersion":"kubescheduler.config.k8s.io/v1alpha1","kind":"KubeSchedulerConfiguration"}`)
	}
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("scheduler configuration: %w", err)
	}
	c, is := object.(*config.KubeSchedulerConfiguration)
	if !is {
		if _, is := object.(*config.Policy); !is {
			return nil, fmt.Errorf("scheduler configuration: %s is neither a KubeSchedulerConfiguration nor a Policy", kind)
		}
		return o.policy(data)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(c).ToAggregate(); err != nil {
		return nil, fmt.Errorf("scheduler configuration: %w", err)
	}
	o.name, o.options = c.SchedulerName, options{percentage: c.PercentageOfNodesToScore, preempts: !c.DisablePreemption}
	return []scheduler.Option{
		scheduler.WithName(c.SchedulerName), scheduler.WithAlgorithmSource(c.AlgorithmSource),
		scheduler.WithHardPodAffinitySymmetricWeight(c.HardPodAffinitySymmetricWeight),
		scheduler.WithPreemptionDisabled(c.DisablePreemption),
		scheduler.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
		scheduler.WithBindTimeoutSeconds(c.BindTimeoutSeconds),
		scheduler.WithFrameworkPlugins(c.Plugins), scheduler.WithFrameworkPluginConfig(c.PluginConfig),
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
	o.back()
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

// Expansion is the plugins of the one profile at the extension points that it has; those that are no plugins in 1.17
// have the names that they have later.
func (o *oracle) Expansion(name string) map[string][]answer.Enabled {
	if name != o.name {
		return nil
	}
	list := map[string][]answer.Enabled{
		"QueueSort": {{Name: "PrioritySort"}}, "PreFilter": nil, "Filter": nil, "PostFilter": nil, "PreScore": nil,
		"Score": nil, "Reserve": {{Name: "VolumeBinding"}}, "Permit": nil, "PreBind": {{Name: "VolumeBinding"}},
		"Bind": {{Name: "DefaultBinder"}}, "PostBind": nil,
	}
	for _, p := range o.filter {
		list["Filter"] = append(list["Filter"], answer.Enabled{Name: p.Name()})
	}
	for _, p := range o.score {
		list["Score"] = append(list["Score"], answer.Enabled{Name: p.Name(), Weight: int32(o.weights[p.Name()])})
	}
	for _, p := range o.scheduler.Algorithm.Prioritizers() {
		list["Score"] = append(list["Score"], answer.Enabled{Name: p.Name, Weight: int32(p.Weight)})
	}
	if o.options.preempts {
		list["PostFilter"] = []answer.Enabled{{Name: "DefaultPreemption"}}
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

// Assume gives the pod scheduled last its volumes and the node in the scheduler's memory.
func (o *oracle) Assume(pod *corev1.Pod, node string) error {
	if o.last.pod == nil || early.Key(o.last.pod) != early.Key(pod) {
		return fmt.Errorf("assume %s: not the pod scheduled last", early.Key(pod))
	}
	assumed := o.last.pod.DeepCopy()
	if _, err := o.scheduler.VolumeBinder.Binder.AssumePodVolumes(assumed, node); err != nil {
		return fmt.Errorf("assume %s on %s: %w", early.Key(pod), node, err)
	}
	assumed.Spec.NodeName = node
	if err := o.scheduler.SchedulerCache.AssumePod(assumed); err != nil {
		return fmt.Errorf("assume %s: %w", early.Key(pod), err)
	}
	o.scheduler.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	o.placed[early.Key(pod)] = assumed
	return nil
}

// Placed lists the pods that were assumed, and neither seen on their nodes nor forgotten.
func (o *oracle) Placed() []string { return slices.Sorted(maps.Keys(o.placed)) }

// Bind has nothing to end.
func (o *oracle) Bind(string) {}

// Forget takes back what Assume did, but for the volumes, which nobody takes back. A pod that is not assumed is passed
// over.
func (o *oracle) Forget(key string) error {
	pod, ok := o.placed[key]
	if !ok {
		return nil
	}
	delete(o.placed, key)
	o.writes.Take()
	if there, err := o.scheduler.SchedulerCache.IsAssumedPod(pod); err != nil || !there {
		return nil
	}
	if err := o.scheduler.SchedulerCache.ForgetPod(pod); err != nil {
		return fmt.Errorf("forget %s: %w", key, err)
	}
	return nil
}

// startIndex is where the search for nodes begins.
func (o *oracle) startIndex() int {
	return *early.Hidden[int](o.scheduler.Algorithm, "nextStartNodeIndex")
}
