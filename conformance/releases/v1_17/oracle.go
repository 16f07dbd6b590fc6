package main

import (
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/algorithmprovider"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	nodeinfosnapshot "k8s.io/kubernetes/pkg/scheduler/nodeinfo/snapshot"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/releases/early"
	"github.com/schedstep/schedstep/conformance/wire"
)

// kinds has an empty object of every kind that the scheduler watches.
func kinds() []runtime.Object { return early.Kinds() }

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
	early.Oracle
	back      func() // what is registered for all schedulers of a process, as it was before
	scheduler *scheduler.Scheduler
	name      string // of the pods it places
	filter    []framework.FilterPlugin
	scorers   early.Scorers
	snapshot  *nodeinfosnapshot.Snapshot
	options   options
}

// options is what a configuration says beside plugins.
type options struct {
	percentage int32 // percentageOfNodesToScore
	preempts   bool
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
		back: algorithmprovider.ApplyFeatureGates(), name: corev1.DefaultSchedulerName, options: options{preempts: true},
	}
	empty, client := early.Empty(kinds())
	o.Oracle = empty
	folder, err := os.MkdirTemp("", "policy")
	if err != nil {
		o.back()
		return nil, err
	}
	defer os.RemoveAll(folder)
	options, err := o.configure(configuration, folder)
	if err != nil {
		o.back()
		return nil, err
	}
	o.scheduler, err = scheduler.New(
		client, o.Factory, o.Factory.Core().V1().Pods(), early.Silent{}, o.Stop, options...,
	)
	if err != nil {
		o.close()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	f := o.scheduler.Framework
	o.filter = *early.Hidden[[]framework.FilterPlugin](f, "filterPlugins")
	o.scorers.Plugins = *early.Hidden[[]framework.ScorePlugin](f, "scorePlugins")
	o.scorers.Weights = *early.Hidden[map[string]int](f, "pluginNameToWeightMap")
	o.snapshot = *early.Hidden[*nodeinfosnapshot.Snapshot](o.scheduler.Algorithm, "nodeInfoSnapshot")
	early.SortVolumes(o.scheduler.VolumeBinder.Binder)
	o.sortMatches()
	return o, nil
}

func (o *oracle) configure(data []byte, folder string) ([]scheduler.Option, error) {
	if len(data) == 0 {
		data = []byte(`{"apiVersion":"kubescheduler.config.k8s.io/v1alpha1","kind":"KubeSchedulerConfiguration"}`)
	}
	c, policy, err := early.Configuration(data, folder)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return []scheduler.Option{scheduler.WithAlgorithmSource(policy)}, nil
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

func (o *oracle) close() {
	close(o.Stop)
	if o.scheduler != nil {
		o.scheduler.SchedulingQueue.Close()
	}
	o.back()
}

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
	for _, p := range o.scorers.Plugins {
		list["Score"] = append(list["Score"], answer.Enabled{Name: p.Name(), Weight: int32(o.scorers.Weights[p.Name()])})
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
	return early.Names(o.Expansion(name)[point])
}

// Assume gives the pod scheduled last its volumes and the node in the scheduler's memory.
func (o *oracle) Assume(pod *corev1.Pod, node string) error {
	if o.Last.Pod == nil || early.Key(o.Last.Pod) != early.Key(pod) {
		return fmt.Errorf("assume %s: not the pod scheduled last", early.Key(pod))
	}
	assumed := o.Last.Pod.DeepCopy()
	if _, err := o.scheduler.VolumeBinder.Binder.AssumePodVolumes(assumed, node); err != nil {
		return fmt.Errorf("assume %s on %s: %w", early.Key(pod), node, err)
	}
	assumed.Spec.NodeName = node
	if err := o.scheduler.SchedulerCache.AssumePod(assumed); err != nil {
		return fmt.Errorf("assume %s: %w", early.Key(pod), err)
	}
	o.scheduler.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	o.Assumed[early.Key(pod)] = early.Cycle{Pod: assumed, State: o.Last.State}
	return nil
}

// Forget takes back what Assume did, but for the volumes, which nobody takes back. A pod that is not assumed is passed
// over.
func (o *oracle) Forget(key string) error {
	assumed, ok := o.Assumed[key]
	if !ok {
		return nil
	}
	delete(o.Assumed, key)
	o.Writes.Take()
	if there, err := o.scheduler.SchedulerCache.IsAssumedPod(assumed.Pod); err != nil || !there {
		return nil
	}
	if err := o.scheduler.SchedulerCache.ForgetPod(assumed.Pod); err != nil {
		return fmt.Errorf("forget %s: %w", key, err)
	}
	return nil
}

// startIndex is where the search for nodes begins.
func (o *oracle) startIndex() int {
	return *early.Hidden[int](o.scheduler.Algorithm, "nextStartNodeIndex")
}
