package config

import (
	"encoding/json"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	componentbase "k8s.io/component-base/config/v1alpha1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/internal/phrase"
)

// v1beta1File is a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1beta1 (1.19): it has no multiPoint, and
// every extension point has defaults of its own.
type v1beta1File struct {
	metav1.TypeMeta                      `json:",inline"`
	LeaderElection                       componentbase.LeaderElectionConfiguration   `json:"leaderElection"`
	ClientConnection                     componentbase.ClientConnectionConfiguration `json:"clientConnection"`
	HealthzBindAddress                   *string                                     `json:"healthzBindAddress,omitempty"`
	MetricsBindAddress                   *string                                     `json:"metricsBindAddress,omitempty"`
	componentbase.DebuggingConfiguration `json:",inline"`
	PercentageOfNodesToScore             *int32              `json:"percentageOfNodesToScore,omitempty"`
	PodInitialBackoffSeconds             *int64              `json:"podInitialBackoffSeconds,omitempty"`
	PodMaxBackoffSeconds                 *int64              `json:"podMaxBackoffSeconds,omitempty"`
	Profiles                             []v1beta1Profile    `json:"profiles,omitempty"`
	Extenders                            []configv1.Extender `json:"extenders,omitempty"`
}

type v1beta1Profile struct {
	SchedulerName *string                 `json:"schedulerName,omitempty"`
	Plugins       *v1beta1Plugins         `json:"plugins,omitempty"`
	PluginConfig  []configv1.PluginConfig `json:"pluginConfig,omitempty"`
}

type v1beta1Plugins struct {
	QueueSort  configv1.PluginSet `json:"queueSort"`
	PreFilter  configv1.PluginSet `json:"preFilter"`
	Filter     configv1.PluginSet `json:"filter"`
	PostFilter configv1.PluginSet `json:"postFilter"`
	PreScore   configv1.PluginSet `json:"preScore"`
	Score      configv1.PluginSet `json:"score"`
	Reserve    configv1.PluginSet `json:"reserve"`
	Permit     configv1.PluginSet `json:"permit"`
	PreBind    configv1.PluginSet `json:"preBind"`
	Bind       configv1.PluginSet `json:"bind"`
	PostBind   configv1.PluginSet `json:"postBind"`
}

// DeepCopyObject makes a runtime.Object of it; it is never called.
func (f *v1beta1File) DeepCopyObject() runtime.Object { of := *f; return &of }

// readV1beta1 is the configuration that is equal to it; its extension points have their defaults later, see presets.
func readV1beta1(asJSON []byte) (*configuration, reasons) {
	f := new(v1beta1File)
	if errs := decodeStrict(nil, asJSON, f); len(errs) > 0 {
		return nil, errs
	}
	if f.LeaderElection.ResourceLock != "" {
		f.LeaderElection.ResourceLock = "leases" // other locks were possible, and decide nothing here
	}
	d := &configv1.KubeSchedulerConfiguration{
		TypeMeta: f.TypeMeta, LeaderElection: f.LeaderElection, ClientConnection: f.ClientConnection,
		DebuggingConfiguration: f.DebuggingConfiguration, PercentageOfNodesToScore: f.PercentageOfNodesToScore,
		PodInitialBackoffSeconds: f.PodInitialBackoffSeconds, PodMaxBackoffSeconds: f.PodMaxBackoffSeconds,
		Extenders: f.Extenders,
	}
	for _, own := range f.Profiles {
		p := configv1.KubeSchedulerProfile{SchedulerName: own.SchedulerName, PluginConfig: own.PluginConfig}
		if s := own.Plugins; s != nil {
			p.Plugins = &configv1.Plugins{
				QueueSort: s.QueueSort, PreFilter: s.PreFilter, Filter: s.Filter, PostFilter: s.PostFilter,
				PreScore: s.PreScore, Score: s.Score, Reserve: s.Reserve, Permit: s.Permit, PreBind: s.PreBind, Bind: s.Bind,
				PostBind: s.PostBind,
			}
		}
		d.Profiles = append(d.Profiles, p)
	}
	return &configuration{document: d, byPoint: true}, nil
}

// presets puts the default plugins of every extension point that are not disabled before those that the profile
// enables: one that stays is not moved, and must not be enabled again (mergePluginSets, 1.19).
func (p *profile) presets(g Gates) {
	defaults := p.known.defaultSet(g)
	p.preset = make(map[string]int)
	for _, s := range sections {
		set := s.of(&p.plugins)
		var merged []configv1.Plugin
		for _, plugin := range p.known.release.InOrder(s.point, defaults) {
			if r, _ := p.known.find(plugin.Name); r.At(s.point) && !disables(*set, plugin.Name) {
				merged = append(merged, plugin)
			}
		}
		p.preset[s.field] = len(merged)
		*set = configv1.PluginSet{Enabled: append(merged, set.Enabled...)}
	}
	p.plugins.MultiPoint = configv1.PluginSet{Disabled: []configv1.Plugin{{Name: everything}}}
}

// strange refuses fields of args that the release does not know.
func (p *profile) strange(at *field.Path, plugin string, raw []byte) reasons {
	known, limited := p.known.release.Args[plugin]
	if !limited {
		return nil
	}
	var errs reasons
	for _, name := range fieldsOf(raw) {
		if name != "apiVersion" && name != "kind" && !slices.Contains(known, name) {
			errs = append(errs, phrase.Errorf("%s: unknown field", at.Child(name)))
		}
	}
	return errs
}

// fieldsOf are the names of the fields of an object, sorted.
func fieldsOf(raw []byte) []string {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil // the decoder reports what is wrong
	}
	return slices.Sorted(maps.Keys(object))
}
