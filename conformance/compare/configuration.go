package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/config"
)

// Judged is the configuration without the plugins that core does not judge with under the gates, so that both sides run
// the same ones. It returns their names too. nil stands for the defaults. Plugins are those that the configuration may
// name besides kube-scheduler's own.
func Judged(configuration []byte, gates config.Gates, plugins ...config.Plugin) (
	judged []byte, without []string, err error,
) {
	loaded, err := Load(configuration, gates, plugins...)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range loaded.Profiles {
		for _, name := range p.Unjudged {
			if !slices.Contains(without, name) {
				without = append(without, name)
			}
		}
	}
	former := gates.Release().Configuration() != configv1.SchemeGroupVersion.String()
	if len(without) == 0 && (len(configuration) == 0 || former) {
		return configuration, nil, nil // in whatever version the release reads
	}
	judged, err = Without(configuration, without)
	return judged, without, err
}

// Load is a configuration under the gates of a release; the release's own where there is none.
func Load(configuration []byte, gates config.Gates, plugins ...config.Plugin) (*config.Config, error) {
	options := config.Options{Gates: gates, Plugins: plugins}
	if len(configuration) == 0 {
		return config.DefaultWith(options), nil
	}
	return config.LoadWith(configuration, "configuration", options)
}

// Without is the configuration with plugins disabled in every profile.
func Without(configuration []byte, plugins []string) ([]byte, error) {
	document := &configv1.KubeSchedulerConfiguration{}
	if err := yaml.Unmarshal(orDefault(configuration), document); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if len(document.Profiles) == 0 {
		name := corev1.DefaultSchedulerName
		document.Profiles = []configv1.KubeSchedulerProfile{{SchedulerName: &name}}
	}
	for i := range document.Profiles {
		profile := &document.Profiles[i]
		if profile.Plugins == nil {
			profile.Plugins = &configv1.Plugins{}
		}
		disable(profile.Plugins, plugins)
	}
	return Plain(document)
}

// Plain is a configuration without the extension points that it sets nothing for: an older release may not know them.
func Plain(document *configv1.KubeSchedulerConfiguration) ([]byte, error) {
	data, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	profiles, _ := fields["profiles"].([]any)
	for _, p := range profiles {
		profile, _ := p.(map[string]any)
		points, _ := profile["plugins"].(map[string]any)
		maps.DeleteFunc(points, func(_ string, set any) bool {
			said, is := set.(map[string]any)
			return is && len(said) == 0
		})
	}
	return json.Marshal(fields)
}

func disable(sets *configv1.Plugins, names []string) {
	for _, s := range []*configv1.PluginSet{
		&sets.PreEnqueue, &sets.PreFilter, &sets.Filter, &sets.PostFilter, &sets.PreScore, &sets.Score, &sets.Reserve,
		&sets.Permit, &sets.PreBind, &sets.Bind, &sets.PostBind, &sets.MultiPoint,
	} {
		s.Enabled = slices.DeleteFunc(s.Enabled, func(p configv1.Plugin) bool { return slices.Contains(names, p.Name) })
	}
	for _, name := range names {
		known := func(p configv1.Plugin) bool { return p.Name == name || p.Name == "*" }
		if !slices.ContainsFunc(sets.MultiPoint.Disabled, known) {
			sets.MultiPoint.Disabled = append(sets.MultiPoint.Disabled, configv1.Plugin{Name: name})
		}
	}
}

func orDefault(configuration []byte) []byte {
	if len(configuration) > 0 {
		return configuration
	}
	return []byte(`{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"}`)
}
