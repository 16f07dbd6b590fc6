package config

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/phrase"
)

// compatible is a case of upstream's compatibility test, as conformance/cmd/policies took it out.
type compatible struct {
	Name, Policy string
	Plugins      map[string][]Enabled
	Prioritizers []string // priorities that are no plugins yet
	Extenders    []map[string]any
}

func compatibles(t *testing.T, version string) []compatible {
	t.Helper()
	text, err := os.ReadFile("testdata/policies_" + strings.ReplaceAll(version, ".", "_") + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []compatible
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func policyOf(t *testing.T, version, text string) (*Config, error) {
	t.Helper()
	return loadAs(t, version, "policy.json", text)
}

func TestPoliciesOfEveryReleaseMeanWhatUpstreamExpects(t *testing.T) {
	for _, version := range []string{"1.19", "1.17"} {
		cases := compatibles(t, version)
		if len(cases) < 15 {
			t.Errorf("%d cases of %s", len(cases), version)
		}
		for _, given := range cases {
			if version == "1.17" && strings.HasSuffix(given.Name, "with feature gates") {
				continue // those of gates that this build does not have
			}
			t.Run(version+" reads "+given.Name, func(t *testing.T) {
				c, err := policyOf(t, version, given.Policy)
				if err != nil {
					t.Fatal(err)
				}
				got := pluginsOf(c.Expanded[0], given.Prioritizers)
				if version == "1.17" { // what else there is has no plugins there
					maps.DeleteFunc(got, func(point string, _ []Enabled) bool {
						return point != "FilterPlugin" && point != "ScorePlugin"
					})
				}
				if diff := cmp.Diff(given.Plugins, got); diff != "" {
					t.Errorf("plugins (-upstream +schedstep):\n%s", diff)
				}
				if len(c.Extenders) != len(given.Extenders) {
					t.Fatalf("%d extenders, want %d", len(c.Extenders), len(given.Extenders))
				}
				for i, want := range given.Extenders {
					e := c.Extenders[i]
					got := map[string]any{
						"URLPrefix": e.URLPrefix, "FilterVerb": e.FilterVerb, "PrioritizeVerb": e.PrioritizeVerb,
						"Weight": float64(e.Weight), "BindVerb": e.BindVerb, "EnableHTTPS": e.EnableHTTPS,
						"NodeCacheCapable": e.NodeCacheCapable, "Ignorable": e.Ignorable,
					}
					if _, said := want["HTTPTimeout"]; said {
						got["HTTPTimeout"] = float64(e.HTTPTimeout.Duration)
					}
					for name, value := range got { // what a case does not have we must not have either
						if _, said := want[name]; !said && slices.Contains([]any{"", false, 0.0}, value) {
							delete(got, name)
						}
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("extender %d (-upstream +schedstep):\n%s", i, diff)
					}
				}
			})
		}
	}
}

// pluginsOf are the plugins of a profile by the Go type of their extension point, without some that have to be there.
func pluginsOf(e Expansion, besides []string) map[string][]Enabled {
	all := map[string][]Enabled{}
	for _, at := range e.Points {
		plugins := slices.DeleteFunc(slices.Clone(at.Plugins), func(p Enabled) bool {
			return at.Point == framework.Score && slices.Contains(besides, p.Name)
		})
		if at.Point == framework.Score && len(plugins)+len(besides) != len(at.Plugins) {
			plugins = at.Plugins
		}
		if len(plugins) > 0 {
			all[string(at.Point)+"Plugin"] = plugins
		}
	}
	return all
}

func TestExtendersOfPoliciesAreReadWithTheirOwnNames(t *testing.T) {
	c, err := policyOf(t, "1.19", `{"kind": "Policy", "apiVersion": "v1", "extenders": [{"urlPrefix": "http://e/", "BindVerb": "bind",
		"filterVerb": "f", "enableHttps": true, "tlsConfig": {"Insecure": true}, "httpTimeout": 1500000000, "nobody": "knows",
		"managedResources": [{"name": "example.com/foo", "ignoredByScheduler": true}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	e := c.Extenders[0]
	if e.BindVerb != "bind" || !e.EnableHTTPS || !e.TLSConfig.Insecure || e.HTTPTimeout.Duration != 1500*time.Millisecond {
		t.Errorf("%+v", e)
	}
	managed := []configv1.ExtenderManagedResource{{Name: "example.com/foo", IgnoredByScheduler: true}}
	if diff := cmp.Diff(managed, e.ManagedResources); diff != "" {
		t.Error(diff)
	}
}

func TestAPolicyWithoutListsHasThoseOfTheDefaults(t *testing.T) {
	c, err := policyOf(t, "1.19", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: Policy\n")
	if err != nil {
		t.Fatal(err)
	}
	var scores []string
	for _, p := range c.Expanded[0].At(framework.Score) {
		scores = append(scores, p.Name)
	}
	if len(scores) != 9 || !slices.Contains(scores, "NodePreferAvoidPods") {
		t.Errorf("scores by %v", scores)
	}
	if _, all := c.Profiles[0].Behaviour.Rejection.(framework.EveryFailure); all {
		t.Error("all filters are asked")
	}
}

func TestAlwaysCheckAllPredicatesAsksEveryFilter(t *testing.T) {
	c, err := policyOf(t, "1.19", `{"kind": "Policy", "apiVersion": "v1", "alwaysCheckAllPredicates": true}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, all := c.Profiles[0].Behaviour.Rejection.(framework.EveryFailure); !all {
		t.Errorf("%T", c.Profiles[0].Behaviour.Rejection)
	}
}

// refusedPolicies are fields of a Policy, and the error for each.
var refusedPolicies = []struct{ name, version, fields, want string }{
	{
		"misspelt predicate", "1.19", `"predicates": [{"name": "HostName"}, {"name": "PodFitsResource"}]`,
		`predicates[1].name: Invalid value: "PodFitsResource": is no predicate of kube-scheduler 1.19 (did you mean "PodFitsResources"?)`,
	},
	{
		"predicate of other releases", "1.19", `"predicates": [{"name": "CheckNodeCondition"}]`,
		`is no predicate of kube-scheduler 1.19`,
	},
	{
		"misspelt priority", "1.19", `"priorities": [{"name": "LeastRequestedPriorty", "weight": 1}]`,
		`priorities[0].name: Invalid value: "LeastRequestedPriorty": is no priority of kube-scheduler 1.19 (did you mean "LeastRequestedPriority"?)`,
	},
	{
		"weight", "1.19", `"priorities": [{"name": "EqualPriority"}]`, "priorities[0].weight: 0 is no positive weight",
	},
	{
		"two weights", "1.19", `"priorities": [
			{"name": "a", "weight": 1, "argument": {"labelPreference": {"label": "x", "presence": true}}},
			{"name": "b", "weight": 2, "argument": {"labelPreference": {"label": "y", "presence": true}}}]`,
		"priorities[1].weight: 2: another priority with labelPreference has weight 1",
	},
	{
		"two ratios", "1.19", `"priorities": [
			{"name": "a", "weight": 1, "argument": {"requestedToCapacityRatioArguments": {"shape": [{"utilization": 0, "score": 1}]}}},
			{"name": "b", "weight": 1, "argument": {"requestedToCapacityRatioArguments": {"shape": [{"utilization": 0, "score": 1}]}}}]`,
		"priorities[1]: requestedToCapacityRatioArguments are given already",
	},
	{
		"ratio without a weight", "1.19", `"priorities": [{"name": "a", "weight": 1, "argument": {"requestedToCapacityRatioArguments":
			{"shape": [{"utilization": 0, "score": 1}], "resources": [{"name": "cpu"}]}}}]`,
		"priorities[0].argument.requestedToCapacityRatioArguments.resources[0].weight: Invalid value: 0: must not be less than 1",
	},
	{
		"one plugin twice", "1.19", `"predicates": [{"name": "GeneralPredicates"}, {"name": "HostName"}]`,
		"predicates: GeneralPredicates and HostName both stand for the plugin NodeName, and kube-scheduler 1.19 does not start with both",
	},
	{
		"two arguments", "1.19", `"predicates": [{"name": "a", "argument": {}}]`,
		"predicates[0].argument: exactly one of serviceAffinity and labelsPresence is needed",
	},
	{
		"name of a plugin", "1.19", `"priorities": [{"name": "NodeLabel", "weight": 1, "argument": {"labelPreference": {"label": "x"}}}]`,
		"priorities: NodeLabel is the name of a plugin",
	},
	{
		"labels that must and must not be", "1.19", `"predicates": [
			{"name": "a", "argument": {"labelsPresence": {"labels": ["x"], "presence": true}}},
			{"name": "b", "argument": {"labelsPresence": {"labels": ["x"]}}}]`,
		`label "x" is in presentLabels and in absentLabels`,
	},
	{"weight of affinity", "1.19", `"hardPodAffinitySymmetricWeight": 101`, "not in valid range [0-100]"},
	{"unknown field", "1.19", `"predicate": []`, "predicate: unknown field"},
	{
		"release without Policy", "1.37", `"predicates": []`,
		"kube-scheduler 1.22 was the last to read a Policy (--kube-version 1.19 plays one that does); this build is kube-scheduler 1.37",
	},
}

func TestPoliciesThatKubeSchedulerRefusesAreRefusedWithASentence(t *testing.T) {
	for _, test := range refusedPolicies {
		t.Run(test.name, func(t *testing.T) {
			_, err := policyOf(t, test.version, `{"kind": "Policy", "apiVersion": "v1", `+test.fields+`}`)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestAnArgumentThatIsNotReadIsToldOf(t *testing.T) {
	c, err := policyOf(t, "1.19", `{"kind": "Policy", "apiVersion": "v1", "predicates": [
		{"name": "CheckNodeLabelPresence", "argument": {"labelsPresence": {"labels": ["x"], "presence": true}}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`policy.json: predicates[0].argument: kube-scheduler 1.19 knows "CheckNodeLabelPresence" by its name and does not read its argument`,
	}
	if diff := cmp.Diff(want, phrase.Strings(c.Warnings)); diff != "" {
		t.Error(diff)
	}
}

func TestThePolicyOf1_17SaysInVainWhatAffinityCounts(t *testing.T) {
	text := `{"kind": "Policy", "apiVersion": "v1", "hardPodAffinitySymmetricWeight": 75}`
	for version, inVain := range map[string]bool{"1.17": true, "1.19": false} {
		c, err := policyOf(t, version, text)
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(c.Warnings, func(w phrase.Text) bool {
			return strings.Contains(w.String(), "hardPodAffinitySymmetricWeight: kube-scheduler 1.17 reads it")
		})
		if told != inVain {
			t.Errorf("%s: warnings %q", version, c.Warnings)
		}
	}
}
