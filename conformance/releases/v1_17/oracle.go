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
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	nodeinfosnapshot "k8s.io/kubernetes/pkg/scheduler/nodeinfo/snapshot"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/releases/early"
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
	back     func() // what is registered for all schedulers of a process, as it was before
	name     string // of the pods it places
	filter   []framework.FilterPlugin
	scorers  early.Scorers
	snapshot *nodeinfosnapshot.Snapshot
	options  options
}

// options are the fields of a configuration beside plugins.
type options struct {
	percentage int32 // percentageOfNodesToScore
	preempts   bool
}

// begin builds a scheduler over an empty cluster.
func begin(configuration []byte) (early.Scheduler, error) {
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
	options, err := early.Options(configuration, "kubescheduler.config.k8s.io/v1alpha1", folder, o.configure)
	if err != nil {
		o.back()
		return nil, err
	}
	o.Scheduler, err = scheduler.New(
		client, o.Factory, o.Factory.Core().V1().Pods(), early.Silent{}, o.Stop, options...,
	)
	if err != nil {
		o.Close()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	f := o.Scheduler.Framework
	o.filter = *early.Hidden[[]framework.FilterPlugin](f, "filterPlugins")
	o.scorers.Plugins = *early.Hidden[[]framework.ScorePlugin](f, "scorePlugins")
	o.scorers.Weights = *early.Hidden[map[string]int](f, "pluginNameToWeightMap")
	o.snapshot = *early.Hidden[*nodeinfosnapshot.Snapshot](o.Scheduler.Algorithm, "nodeInfoSnapshot")
	early.SortVolumes(o.Scheduler.VolumeBinder.Binder)
	o.sortMatches()
	return o, nil
}

func (o *oracle) configure(c *config.KubeSchedulerConfiguration) []scheduler.Option {
	o.name, o.options = c.SchedulerName, options{percentage: c.PercentageOfNodesToScore, preempts: !c.DisablePreemption}
	return []scheduler.Option{
		scheduler.WithName(c.SchedulerName),
		scheduler.WithHardPodAffinitySymmetricWeight(c.HardPodAffinitySymmetricWeight),
		scheduler.WithPreemptionDisabled(c.DisablePreemption), scheduler.WithBindTimeoutSeconds(c.BindTimeoutSeconds),
		scheduler.WithFrameworkPlugins(c.Plugins), scheduler.WithFrameworkPluginConfig(c.PluginConfig),
	}
}

// Close ends the scheduler, and what it registered.
func (o *oracle) Close() {
	o.Oracle.Close()
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
	for _, p := range o.Scheduler.Algorithm.Prioritizers() {
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

// Assume gives the pod scheduled last its volumes and the node in the scheduler's memory. Forget takes that back, but
// for the volumes, which kube-scheduler never takes back.
func (o *oracle) Assume(pod *corev1.Pod, node string) error {
	assumed, err := o.Again(pod)
	if err != nil {
		return err
	}
	if _, err := o.Scheduler.VolumeBinder.Binder.AssumePodVolumes(assumed, node); err != nil {
		return fmt.Errorf("assume %s on %s: %w", early.Key(pod), node, err)
	}
	return o.Place(assumed, node)
}
