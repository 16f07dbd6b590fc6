package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/v1beta1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/releases/early"
)

// oracle is one scheduler over one cluster.
type oracle struct {
	early.Oracle
	profiles map[string]*profilePlugins
	// percentage is percentageOfNodesToScore.
	percentage int32
}

// profilePlugins are the plugins of one profile, in its order.
type profilePlugins struct {
	*profile.Profile
	preFilter []framework.PreFilterPlugin
	filter    []framework.FilterPlugin
	scorers   early.Scorers
	all       bool // every filter runs, whatever the others return
}

// begin builds a scheduler over an empty cluster.
func begin(configuration []byte) (early.Scheduler, error) {
	empty, client := early.Empty(kinds())
	o := &oracle{Oracle: empty}
	folder, err := os.MkdirTemp("", "policy")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	options, err := early.Options(configuration, v1beta1.SchemeGroupVersion.String(), folder, o.options)
	if err != nil {
		return nil, err
	}
	recorders := func(string) events.EventRecorder { return early.Silent{} }
	o.Scheduler, err = scheduler.New(client, o.Factory, recorders, o.Stop, options...)
	if err != nil {
		o.Close()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	o.profiles = map[string]*profilePlugins{}
	for name, p := range o.Scheduler.Profiles {
		f := p.Framework
		o.profiles[name] = &profilePlugins{
			Profile:   p,
			preFilter: *early.Hidden[[]framework.PreFilterPlugin](f, "preFilterPlugins"),
			filter:    *early.Hidden[[]framework.FilterPlugin](f, "filterPlugins"),
			scorers: early.Scorers{
				Plugins: *early.Hidden[[]framework.ScorePlugin](f, "scorePlugins"),
				Weights: *early.Hidden[map[string]int](f, "pluginNameToWeightMap"),
			},
			all: *early.Hidden[bool](f, "runAllFilters"),
		}
		for _, plugin := range o.profiles[name].filter {
			if of, is := plugin.(*volumebinding.VolumeBinding); is {
				early.SortVolumes(of.Binder)
			}
		}
	}
	return o, nil
}

func (o *oracle) options(c *config.KubeSchedulerConfiguration) []scheduler.Option {
	o.percentage = c.PercentageOfNodesToScore
	return []scheduler.Option{scheduler.WithProfiles(c.Profiles...), scheduler.WithExtenders(c.Extenders...)}
}

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
	return early.Names(o.Expansion(name)[point])
}

// Assume gives the pod scheduled last the node in the scheduler's memory and reserves its volumes.
func (o *oracle) Assume(pod *corev1.Pod, node string) error {
	assumed, err := o.Again(pod)
	if err != nil {
		return err
	}
	if err := o.Place(assumed, node); err != nil {
		return err
	}
	p := o.profiles[assumed.Spec.SchedulerName]
	ctx := context.Background()
	if status := p.RunReservePluginsReserve(ctx, o.Last.State, assumed, node); !status.IsSuccess() {
		if err := o.Forget(early.Key(pod)); err != nil {
			return fmt.Errorf("assume %s: %w", early.Key(pod), err)
		}
		return fmt.Errorf("assume %s on %s: %w", early.Key(pod), node, status.AsError())
	}
	return nil
}

// Forget takes back what Assume did.
func (o *oracle) Forget(key string) error {
	if p, ok := o.Assumed[key]; ok {
		o.profiles[p.Pod.Spec.SchedulerName].RunReservePluginsUnreserve(
			context.Background(), p.State, p.Pod, p.Pod.Spec.NodeName,
		)
	}
	return o.Oracle.Forget(key)
}

// refresh has the snapshot see what the cache has.
func (o *oracle) refresh() error {
	field := reflect.ValueOf(o.Scheduler.Algorithm).Elem().FieldByName("nodeInfoSnapshot")
	snapshot := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() //nolint:gosec // of this very field
	update := reflect.ValueOf(o.Scheduler.SchedulerCache).MethodByName("UpdateSnapshot")
	err, _ := update.Call([]reflect.Value{snapshot})[0].Interface().(error)
	return err
}

// told is a status as a verdict of package answer.
func told(plugin string, status *framework.Status) answer.Verdict {
	if status == nil { // Reasons of 1.19 takes none
		return early.Verdict(plugin, status)
	}
	return early.Verdict(plugin, status, status.Reasons()...)
}
