package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/framework"
)

func v1beta1Of(t *testing.T, fields string) (*Config, error) {
	t.Helper()
	return loadFor(t, "1.19", "v1beta1", fields)
}

func TestPluginsOfV1beta1ComeAfterTheDefaultsOfTheirPoint(t *testing.T) {
	c, err := v1beta1Of(t, `"profiles": [{"schedulerName": "a", "plugins": {"score": {
		"disabled": [{"name": "ImageLocality"}, {"name": "NodeAffinity"}],
		"enabled": [{"name": "NodeResourcesMostAllocated", "weight": 3}, {"name": "NodeAffinity"}]}}}]`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Enabled{
		{"NodeResourcesBalancedAllocation", 1},
		{"InterPodAffinity", 1},
		{"NodeResourcesLeastAllocated", 1},
		{"NodePreferAvoidPods", 10000},
		{"PodTopologySpread", 2},
		{"TaintToleration", 1},
		{"SelectorSpread", 1},
		{"NodeResourcesMostAllocated", 3},
		{"NodeAffinity", 1},
	}
	if diff := cmp.Diff(want, c.Expanded[0].At(framework.Score)); diff != "" {
		t.Errorf("score (-want +got):\n%s", diff)
	}
	if n := len(c.Expanded[0].At(framework.Filter)); n != 15 {
		t.Errorf("%d filters, want the 15 of 1.19", n)
	}
}

func TestV1beta1IsReadAsStrictlyAs1_19Does(t *testing.T) {
	for _, test := range []struct{ name, fields, want string }{
		{
			"what stays is enabled again",
			`"profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeResourcesMostAllocated"}, {"name": "ImageLocality"}]}}}]`,
			`profiles[0].plugins.score.enabled[1].name: Invalid value: "ImageLocality": is enabled twice`,
		},
		{"multiPoint", `"profiles": [{"plugins": {"multiPoint": {}}}]`, "profiles[0].plugins.multiPoint: unknown field"},
		{"parallelism", `"parallelism": 4`, "parallelism: unknown field"},
		{
			"args of later releases",
			`"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}]}]`,
			"profiles[0].pluginConfig[0].args.scoringStrategy: unknown field",
		},
		{
			"no weight", `"profiles": [{"pluginConfig": [{"name": "NodeResourcesLeastAllocated", "args":
				{"resources": [{"name": "cpu", "weight": 2}, {"name": "memory"}]}}]}]`,
			"profiles[0].pluginConfig[0].args.resources[1].weight: Invalid value: 0: not in valid range [1, 100]",
		},
		{
			"scores without labels",
			`"profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeLabel"}]}}}]`,
			"NodeLabel scores, and needs presentLabelsPreference or absentLabelsPreference",
		},
		{
			"plugin that came later",
			`"profiles": [{"plugins": {"filter": {"enabled": [{"name": "DynamicResources"}]}}}]`,
			`"DynamicResources": is no plugin of kube-scheduler 1.19`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := v1beta1Of(t, test.fields)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}
