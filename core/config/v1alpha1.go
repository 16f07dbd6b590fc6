package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	componentbase "k8s.io/component-base/config/v1alpha1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/phrase"
)

// v1alpha1Version is the version of the configurations of 1.17.
const v1alpha1Version = "kubescheduler.config.k8s.io/v1alpha1"

// v1alpha1File is a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1alpha1 (1.17): one scheduler, whose
// plugins come after those of its provider.
type v1alpha1File struct {
	metav1.TypeMeta `json:",inline"`
	SchedulerName   *string        `json:"schedulerName,omitempty"`
	AlgorithmSource v1alpha1Source `json:"algorithmSource"`

	HardWeight *int32 `json:"hardPodAffinitySymmetricWeight,omitempty"`

	LeaderElection                       v1alpha1Election                            `json:"leaderElection"`
	ClientConnection                     componentbase.ClientConnectionConfiguration `json:"clientConnection"`
	HealthzBindAddress                   *string                                     `json:"healthzBindAddress,omitempty"`
	MetricsBindAddress                   *string                                     `json:"metricsBindAddress,omitempty"`
	componentbase.DebuggingConfiguration `json:",inline"`
	DisablePreemption                    *bool                   `json:"disablePreemption,omitempty"`
	PercentageOfNodesToScore             *int32                  `json:"percentageOfNodesToScore,omitempty"`
	BindTimeoutSeconds                   *int64                  `json:"bindTimeoutSeconds"`
	PodInitialBackoffSeconds             *int64                  `json:"podInitialBackoffSeconds"`
	PodMaxBackoffSeconds                 *int64                  `json:"podMaxBackoffSeconds"`
	Plugins                              *v1alpha1Plugins        `json:"plugins,omitempty"`
	PluginConfig                         []configv1.PluginConfig `json:"pluginConfig,omitempty"`
}

type v1alpha1Source struct {
	Policy   json.RawMessage `json:"policy,omitempty"`
	Provider *string         `json:"provider,omitempty"`
}

type v1alpha1Election struct {
	componentbase.LeaderElectionConfiguration `json:",inline"`
	LockObjectNamespace                       string `json:"lockObjectNamespace"`
	LockObjectName                            string `json:"lockObjectName"`
}

type v1alpha1Plugins struct {
	QueueSort  *configv1.PluginSet `json:"queueSort,omitempty"`
	PreFilter  *configv1.PluginSet `json:"preFilter,omitempty"`
	Filter     *configv1.PluginSet `json:"filter,omitempty"`
	PostFilter *configv1.PluginSet `json:"postFilter,omitempty"`
	Score      *configv1.PluginSet `json:"score,omitempty"`
	Reserve    *configv1.PluginSet `json:"reserve,omitempty"`
	Permit     *configv1.PluginSet `json:"permit,omitempty"`
	PreBind    *configv1.PluginSet `json:"preBind,omitempty"`
	Bind       *configv1.PluginSet `json:"bind,omitempty"`
	PostBind   *configv1.PluginSet `json:"postBind,omitempty"`
	Unreserve  *configv1.PluginSet `json:"unreserve,omitempty"`
}

// DeepCopyObject makes a runtime.Object of it; it is never called.
func (f *v1alpha1File) DeepCopyObject() runtime.Object { of := *f; return &of }

// readV1alpha1 is the configuration that is equal to it; its extension points have their defaults later, see presets.
func readV1alpha1(asJSON []byte, g Gates) (*configuration, reasons) {
	f := new(v1alpha1File)
	if errs := decodeStrict(nil, asJSON, f); len(errs) > 0 {
		return nil, errs
	}
	r := &v1alpha1Reader{file: f, profile: configv1.KubeSchedulerProfile{
		SchedulerName: f.SchedulerName, Plugins: new(configv1.Plugins),
	}}
	c := &configuration{byPoint: true}
	r.source(c, g)
	r.plugins()
	r.args(c)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	c.document = &configv1.KubeSchedulerConfiguration{
		TypeMeta: f.TypeMeta, ClientConnection: f.ClientConnection,
		DebuggingConfiguration: f.DebuggingConfiguration, PercentageOfNodesToScore: f.PercentageOfNodesToScore,
		PodInitialBackoffSeconds: f.PodInitialBackoffSeconds, PodMaxBackoffSeconds: f.PodMaxBackoffSeconds,
		Profiles: []configv1.KubeSchedulerProfile{r.profile},
	}
	c.warnings = r.warnings
	return c, nil
}

// v1alpha1Reader makes the one profile of a file.
type v1alpha1Reader struct {
	file     *v1alpha1File
	profile  configv1.KubeSchedulerProfile
	errs     reasons
	warnings []phrase.Text
}

// source is the provider that the plugins come after.
func (r *v1alpha1Reader) source(c *configuration, g Gates) {
	at := field.NewPath("algorithmSource")
	if len(r.file.AlgorithmSource.Policy) > 0 && string(r.file.AlgorithmSource.Policy) != "null" {
		r.errs = append(r.errs, phrase.Errorf("%s: give the Policy itself as the configuration", at.Child("policy")))
	}
	name := r.file.AlgorithmSource.Provider
	if name == nil || *name == "" {
		return
	}
	if _, known := g.Release().Provider(*name); !known {
		var names []string
		for _, p := range g.Release().Providers {
			names = append(names, p.Name)
		}
		r.errs = append(r.errs, field.NotSupported(at.Child("provider"), *name, names))
	}
	c.provider = *name
}

// plugins come after those of the provider; none of these can be left out.
func (r *v1alpha1Reader) plugins() {
	if disable := r.file.DisablePreemption; disable != nil && *disable {
		r.profile.Plugins.PostFilter.Disabled = []configv1.Plugin{{Name: everything}}
	}
	given := r.file.Plugins
	if given == nil {
		return
	}
	for _, s := range []struct {
		point framework.Point
		field string
		set   *configv1.PluginSet
		into  *configv1.PluginSet // nil: no plugin of this build runs there
	}{
		{framework.QueueSort, "queueSort", given.QueueSort, nil},
		{framework.PreFilter, "preFilter", given.PreFilter, nil},
		{framework.Filter, "filter", given.Filter, &r.profile.Plugins.Filter},
		{framework.PreScore, "postFilter", given.PostFilter, nil},
		{framework.Score, "score", given.Score, &r.profile.Plugins.Score},
		{framework.Reserve, "reserve", given.Reserve, nil},
		{framework.Permit, "permit", given.Permit, nil},
		{framework.PreBind, "preBind", given.PreBind, nil},
		{framework.Bind, "bind", given.Bind, nil},
		{framework.PostBind, "postBind", given.PostBind, nil},
		{framework.Reserve, "unreserve", given.Unreserve, nil},
	} {
		if s.set == nil {
			continue
		}
		at := field.NewPath("plugins", s.field)
		if len(s.set.Disabled) > 0 {
			r.warnings = append(r.warnings, phrase.Textf(
				"%s: kube-scheduler 1.17 reads it and disables nothing: what the provider has stays", at.Child("disabled"),
			))
		}
		for i, plugin := range s.set.Enabled {
			if s.into == nil {
				r.errs = append(r.errs, field.Invalid(
					at.Child("enabled").Index(i), plugin.Name, "kube-scheduler 1.17 has no plugin of its own there",
				))
				continue
			}
			s.into.Enabled = append(s.into.Enabled, plugin)
		}
	}
}

// args are those of plugins, and the settings that were none of a plugin yet.
func (r *v1alpha1Reader) args(c *configuration) {
	if weight := r.file.HardWeight; weight != nil {
		if c.hardWeight = *weight; *weight < 1 || *weight > 100 {
			r.errs = append(r.errs, field.Invalid(
				field.NewPath("hardPodAffinitySymmetricWeight"), *weight, "must be in the range 1-100",
			))
		}
	}
	if timeout := r.file.BindTimeoutSeconds; timeout != nil {
		r.profile.PluginConfig = append(r.profile.PluginConfig, configv1.PluginConfig{
			Name: "VolumeBinding", Args: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"bindTimeoutSeconds":%d}`, *timeout)},
		})
	}
	for i, given := range r.file.PluginConfig {
		at := field.NewPath("pluginConfig").Index(i).Child("args")
		switch given.Name {
		case "VolumeBinding":
			r.warnings = append(
				r.warnings, phrase.Textf("%s: VolumeBinding takes no args, and kube-scheduler ignores these", at),
			)
			continue
		case "RequestedToCapacityRatio":
			given.Args.Raw = r.ratio(at, given.Args.Raw)
		case "ServiceAffinity":
			given.Args.Raw = renamed(given.Args.Raw, "labels", "affinityLabels")
		}
		r.profile.PluginConfig = append(r.profile.PluginConfig, given)
	}
}

// ratio is the args of RequestedToCapacityRatio as later versions have them: their scores went to 100, and the weights
// were an object.
func (r *v1alpha1Reader) ratio(at *field.Path, raw []byte) []byte {
	var own struct {
		FunctionShape []struct {
			Utilization, Score int32
		}
		ResourceToWeightMap map[string]int64
	}
	if err := json.Unmarshal(raw, &own); err != nil {
		r.errs = append(r.errs, typeReason(at, err))
		return raw
	}
	var args ratioArgs
	for i, point := range own.FunctionShape {
		if point.Score%10 != 0 {
			r.errs = append(r.errs, field.Invalid(
				at.Child("functionShape").Index(i).Child("score"), point.Score, "this build has steps of 10 only",
			))
		}
		args.Shape = append(args.Shape, configv1.UtilizationShapePoint{
			Utilization: point.Utilization, Score: point.Score / 10,
		})
	}
	for name, weight := range own.ResourceToWeightMap {
		args.Resources = append(args.Resources, configv1.ResourceSpec{Name: name, Weight: weight})
	}
	slices.SortFunc(args.Resources, func(a, b configv1.ResourceSpec) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("config: the args of RequestedToCapacityRatio cannot be written: %v", err))
	}
	return data
}

// renamed is an object with another name for a field.
func renamed(raw []byte, from, to string) []byte {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object[from] == nil {
		return raw // the decoder reports what is wrong
	}
	object[to] = object[from]
	delete(object, from)
	data, err := json.Marshal(object)
	if err != nil {
		return raw
	}
	return data
}
