package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
)

func v1alpha1Of(t *testing.T, fields string) (*Config, error) {
	t.Helper()
	return loadFor(t, "1.17", "v1alpha1", fields)
}

// loadFor loads a configuration of a version of the API, with these fields, as a release does.
func loadFor(t *testing.T, version, api, fields string) (*Config, error) {
	t.Helper()
	return loadAs(t, version, "f.json",
		`{"apiVersion": "kubescheduler.config.k8s.io/`+api+`", "kind": "KubeSchedulerConfiguration", `+fields+`}`)
}

// loadAs loads a text as a release does.
func loadAs(t *testing.T, version, source, text string) (*Config, error) {
	t.Helper()
	table, is := release.Find(version)
	if !is {
		t.Fatalf("no release %s", version)
	}
	gates, err := ParseGatesOf(table, "")
	if err != nil {
		t.Fatal(err)
	}
	return LoadWith([]byte(text), source, Options{Gates: gates})
}

func TestPluginsOfV1alpha1ComeAfterThoseOfTheProvider(t *testing.T) {
	c, err := v1alpha1Of(t, `"schedulerName": "mine", "disablePreemption": true, "hardPodAffinitySymmetricWeight": 7,
		"bindTimeoutSeconds": 5, "algorithmSource": {"provider": "ClusterAutoscalerProvider"},
		"plugins": {"score": {"disabled": [{"name": "ImageLocality"}], "enabled": [{"name": "NodeLabel", "weight": 3}]},
			"filter": {"enabled": [{"name": "CinderLimits"}, {"name": "ServiceAffinity"}]}},
		"pluginConfig": [{"name": "ServiceAffinity", "args": {"labels": ["rack"]}},
			{"name": "NodeLabel", "args": {"presentLabelsPreference": ["ssd"]}}]`)
	if err != nil {
		t.Fatal(err)
	}
	if name := c.Profiles[0].SchedulerName; name != "mine" {
		t.Errorf("it places the pods of %q", name)
	}
	want := []Enabled{
		{"NodeResourcesBalancedAllocation", 1},
		{"ImageLocality", 1},
		{"InterPodAffinity", 1},
		{"NodeAffinity", 1},
		{"NodePreferAvoidPods", 10000},
		{"DefaultPodTopologySpread", 1},
		{"TaintToleration", 1},
		{"NodeResourcesMostAllocated", 1},
		{"NodeLabel", 3},
	}
	if diff := cmp.Diff(want, c.Expanded[0].At(framework.Score)); diff != "" {
		t.Errorf("score (-want +got):\n%s", diff)
	}
	filters := c.Expanded[0].At(framework.Filter)
	if n := len(filters); n != 16 || filters[n-1].Name != "ServiceAffinity" {
		t.Errorf("filters: %v", filters)
	}
	if preempts := c.Expanded[0].At(framework.PostFilter); len(preempts) > 0 {
		t.Errorf("preemption is disabled, and there is %v", preempts)
	}
	if len(c.Warnings) != 1 ||
		!strings.Contains(c.Warnings[0].String(), "plugins.score.disabled: kube-scheduler 1.17 reads it") {
		t.Errorf("warnings: %q", c.Warnings)
	}
}

func TestV1alpha1IsReadAsStrictlyAs1_17Does(t *testing.T) {
	for _, test := range []struct{ name, fields, want string }{
		{
			"what the provider has is enabled again", `"plugins": {"score": {"enabled": [{"name": "ImageLocality"}]}}`,
			`plugins.score.enabled[0].name: Invalid value: "ImageLocality": is enabled twice`,
		},
		{"profiles", `"profiles": []`, "profiles: unknown field"},
		{
			"a Policy in a file", `"algorithmSource": {"policy": {"file": {"path": "policy.cfg"}}}`,
			"algorithmSource.policy: give the Policy itself as the configuration",
		},
		{
			"provider", `"algorithmSource": {"provider": "DefaultProvidr"}`,
			`algorithmSource.provider: Unsupported value: "DefaultProvidr": supported values: "DefaultProvider"`,
		},
		{
			"no such weight", `"hardPodAffinitySymmetricWeight": 0`,
			"hardPodAffinitySymmetricWeight: Invalid value: 0: must be in the range 1-100",
		},
		{
			"a point without plugins", `"plugins": {"reserve": {"enabled": [{"name": "VolumeBinding"}]}}`,
			`plugins.reserve.enabled[0]: Invalid value: "VolumeBinding": kube-scheduler 1.17 has no plugin of its own there`,
		},
		{
			"a plugin of another name", `"plugins": {"score": {"enabled": [{"name": "SelectorSpread"}]}}`,
			`"SelectorSpread": is no plugin of kube-scheduler 1.17`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := v1alpha1Of(t, test.fields)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}
