package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
)

// bare loads a Policy for a release before the framework.
func bare(t *testing.T, version, gates, policy string) (*config.Config, error) {
	t.Helper()
	table, known := release.Find(version)
	if !known {
		t.Fatalf("no table of %s", version)
	}
	g, err := config.ParseGatesOf(table, gates)
	if err != nil {
		t.Fatal(err)
	}
	return config.LoadWith([]byte("{kind: Policy, apiVersion: v1, "+policy+"}"), "policy", config.Options{Gates: g})
}

func namesAt(c *config.Config, point framework.Point) string {
	var names []string
	for _, p := range c.Expanded[0].At(point) {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

func TestPredicatesAreAskedInTheirOrderUnderTheirNames(t *testing.T) {
	for _, c := range []struct{ version, gates, policy, predicates, priorities string }{
		{
			"1.10", "", "predicates: [{name: MatchInterPodAffinity}, {name: PodFitsResources}], priorities: []",
			"CheckNodeCondition PodFitsResources MatchInterPodAffinity", "EqualPriority",
		},
		{
			"1.6", "", "predicates: [{name: MatchInterPodAffinity}, {name: PodFitsResources}], priorities: []",
			"MatchInterPodAffinity PodFitsResources", "EqualPriority",
		},
		{
			"1.6", "", "predicates: [], priorities: [{name: A, weight: 2, argument: {labelPreference: {label: x}}}, " +
				"{name: MostRequestedPriority, weight: 1}]", "", "A MostRequestedPriority",
		},
		{
			"1.10", "TaintNodesByCondition=true", "predicates: [{name: HostName}], priorities: []",
			"HostName PodToleratesNodeTaints", "EqualPriority",
		},
		{
			"1.10", "", "predicates: [{name: CheckServiceAffinity, argument: {serviceAffinity: {labels: [z]}}}, " +
				"{name: Zones, argument: {labelsPresence: {labels: [z], presence: true}}}], priorities: []",
			"CheckNodeCondition CheckServiceAffinity", "EqualPriority",
		},
		{
			"1.6", "", "predicates: [{name: Zones, argument: {labelsPresence: {labels: [z], presence: true}}}], priorities: []",
			"Zones", "EqualPriority",
		},
	} {
		loaded, err := bare(t, c.version, c.gates, c.policy)
		if err != nil {
			t.Errorf("%s %s: %v", c.version, c.policy, err)
			continue
		}
		if got := namesAt(loaded, framework.Filter); got != c.predicates {
			t.Errorf("%s %s: predicates %q, want %q", c.version, c.policy, got, c.predicates)
		}
		if got := namesAt(loaded, framework.Score); got != c.priorities {
			t.Errorf("%s %s: priorities %q, want %q", c.version, c.policy, got, c.priorities)
		}
	}
}

// TestANameOutsideTheOrderIsNeverAsked is about a predicate that 1.10 takes and forgets.
func TestANameOutsideTheOrderIsNeverAsked(t *testing.T) {
	const policy = "predicates: [{name: Zones, argument: {labelsPresence: {labels: [z], presence: true}}}]"
	loaded, err := bare(t, "1.10", "", policy)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(fmt.Sprint(loaded.Warnings), `never asks "Zones"`) {
		t.Errorf("nobody tells: %v", loaded.Warnings)
	}
}

func TestPoliciesOfFormerReleasesAreRefusedWithTheReleaseThatKnowsBetter(t *testing.T) {
	for _, c := range []struct{ version, policy, want string }{
		{"1.6", "alwaysCheckAllPredicates: true", "checks all predicates anyway"},
		{"1.6", "hardPodAffinitySymmetricWeight: 3", "1.10 reads it from a Policy"},
		{"1.10", "hardPodAffinitySymmetricWeight: 101", "must be in the range 1-100"},
		{"1.6", "predicates: [{name: CheckVolumeBinding}]", "kube-scheduler 1.10 knows it"},
		{"1.6", "predicates: [{name: EvenPodsSpread}]", "kube-scheduler 1.19 knows it"},
		{"1.10", "predicates: [{name: PodFitsResource}]", `did you mean "PodFitsResources"?`},
		{"1.10", "priorities: [{name: ResourceLimitsPriority, weight: 1}]", "is no priority of kube-scheduler 1.10"},
		{"1.10", "priorities: [{name: EqualPriority, weight: 0}]", "no positive weight"},
		{"1.10", "priorities: [{name: R, weight: 1, argument: {requestedToCapacityRatioArguments: {}}}]", "1.17 knows it"},
		{"1.10", "predicates: [{name: A, argument: {}}]", "exactly one of"},
	} {
		if _, err := bare(t, c.version, "", c.policy); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.version, c.policy, err, c.want)
		}
	}
}

// TestProvidersReplacePriorities configures scores that prefer full nodes.
func TestProvidersReplacePriorities(t *testing.T) {
	for version, names := range map[string][2]string{
		"1.19": {"NodeResourcesLeastAllocated", "NodeResourcesMostAllocated"},
		"1.10": {"LeastRequestedPriority", "MostRequestedPriority"},
		"1.6":  {"LeastRequestedPriority", "MostRequestedPriority"},
	} {
		table, _ := release.Find(version)
		gates, err := config.ParseGatesOf(table, "")
		if err != nil {
			t.Fatal(err)
		}
		for i, provider := range []string{"DefaultProvider", "ClusterAutoscalerProvider"} {
			c := config.DefaultWith(config.Options{Gates: gates, Provider: provider})
			scores := strings.Fields(namesAt(c, framework.Score))
			if !slices.Contains(scores, names[i]) || slices.Contains(scores, names[1-i]) {
				t.Errorf("%s %s: %v", version, provider, scores)
			}
		}
	}
}
