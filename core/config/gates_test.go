package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
)

func TestGatesAreRefusedWithASentence(t *testing.T) {
	for _, c := range []struct{ give, want string }{
		{"GenericWorkload", `feature gate "GenericWorkload": want NAME=true or NAME=false`},
		{"GenericWorkload=yes", `feature gate "GenericWorkload=yes": want NAME=true or NAME=false`},
		{
			"GenericWorkloads=true",
			`feature gate "GenericWorkloads" decides nothing in kube-scheduler 1.37 (did you mean "GenericWorkload"?)`,
		},
		{
			"SchedulerQueueingHints=false",
			`feature gate "SchedulerQueueingHints": kube-scheduler 1.36 was the last to know it; this is 1.37`,
		},
		{
			"KubeletTracing=true",
			`feature gate "KubeletTracing" decides nothing in kube-scheduler 1.37 (this build has both settings of 25 gates; completion of --feature-gates lists them)`,
		},
		{
			"CompositePodGroup=true",
			"feature gate CompositePodGroup=true: this build has kube-scheduler's behaviour with CompositePodGroup=false only",
		},
		{"DRAAdminAccess=false", "feature gate DRAAdminAccess=false: kube-scheduler 1.37 locks it to true"},
		{
			"SchedulerAsyncAPICalls=true",
			"feature gate SchedulerAsyncAPICalls=true: this build has kube-scheduler's behaviour with SchedulerAsyncAPICalls=false only",
		},
		{
			"InPlacePodVerticalScalingSchedulerPreemption=true",
			"feature gate InPlacePodVerticalScalingSchedulerPreemption=true: this build has kube-scheduler's behaviour with InPlacePodVerticalScalingSchedulerPreemption=false only",
		},
		{
			"TopologyAwareWorkloadScheduling=true",
			"feature gate TopologyAwareWorkloadScheduling=true needs GenericWorkload=true",
		},
		{
			"PodGroupPreemptionPolicy=true,GenericWorkload=false",
			"feature gate PodGroupPreemptionPolicy=true needs GenericWorkload=true",
		},
		{"GenericWorkload=true,GenericWorkload=false", "feature gate GenericWorkload is set to true and to false"},
		{"A=true,B", "feature gate \"A\" decides nothing in kube-scheduler 1.37 (this build has both settings of 25 gates; completion of --feature-gates lists them)\n" +
			`feature gate "B": want NAME=true or NAME=false`},
	} {
		_, err := config.ParseGates(c.give)
		if err == nil {
			t.Errorf("%s: it is taken", c.give)
			continue
		}
		if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.give, diff)
		}
	}
}

func TestGatesOfOtherReleasesAreRefusedWithTheirRelease(t *testing.T) {
	before, _ := release.Find("1.36")
	for give, want := range map[string]string{
		"CompositePodGroup=true":       `feature gate "CompositePodGroup": kube-scheduler 1.37 is the first to know it; this is 1.36`,
		"SchedulerQueueingHints=false": "feature gate SchedulerQueueingHints=false: kube-scheduler 1.36 locks it to true",
		"GenericWorkload=true":         "feature gate GenericWorkload=true: this build has kube-scheduler's behaviour with GenericWorkload=false only",
	} {
		_, err := config.ParseGatesOf(before, give)
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", give, err, want)
		}
	}
	g, err := config.ParseGatesOf(before, "StorageCapacityScoring=true,VolumeLimitScaling=true")
	if err != nil || g.String() != "StorageCapacityScoring=true,VolumeLimitScaling=true" {
		t.Errorf("got %s and %v", g.String(), err)
	}
}

func TestGatesAtTheirDefaultsChangeNothing(t *testing.T) {
	g, err := config.ParseGates(" OpportunisticBatching=true , GenericWorkload=false,SchedulerAsyncAPICalls=false,")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tables(config.Default()), tables(config.DefaultWith(config.Options{Gates: g}))); diff != "" {
		t.Errorf("(-default +gates):\n%s", diff)
	}
	if got := g.String(); got != "GenericWorkload=false,OpportunisticBatching=true,SchedulerAsyncAPICalls=false" {
		t.Errorf("they are written as %s", got)
	}
}

// TestGatesPutPluginsIntoTheDefaultSet shows both steps: gangs, then placements.
func TestGatesPutPluginsIntoTheDefaultSet(t *testing.T) {
	for _, c := range []struct {
		gates string
		want  []string
	}{
		{"GenericWorkload=true", []string{
			"PreEnqueue: SchedulingGates, DynamicResources, DefaultPreemption, GangScheduling",
			"Permit: GangScheduling", "PlacementGenerate: ", "PlacementScore: NodeResourcesFit 1",
		}},
		{"GenericWorkload=true,TopologyAwareWorkloadScheduling=true", []string{
			"Permit: GangScheduling", "PlacementGenerate: TopologyPlacementGenerator",
			"PlacementScore: NodeResourcesFit 1, PodGroupPodsCount 1",
		}},
	} {
		g, err := config.ParseGates(c.gates)
		if err != nil {
			t.Fatal(err)
		}
		with := config.DefaultWith(config.Options{Gates: g})
		table := tables(with)
		for _, line := range c.want {
			if !strings.Contains(table, "  "+line+"\n") {
				t.Errorf("%s: no %q in\n%s", c.gates, line, table)
			}
		}
		p := with.Profiles[0]
		_, divided := p.Behaviour.Groups.Search.(framework.OnPlacements)
		if !with.Groups || divided != strings.Contains(c.gates, "Topology") || len(p.PlacementFeasible) != 1 {
			t.Errorf("%s: the profile treats groups by %+v and asks %v", c.gates, p.Behaviour.Groups, p.PlacementFeasible)
		}
	}
}

func TestAGateOfAReleaseFarAwayNamesThatRelease(t *testing.T) {
	for _, c := range []struct{ version, give, want string }{
		{"1.10", "TopologyAwareWorkloadScheduling=true", "1.37, 1.36; this is 1.10"},
		{"1.37", "AffinityInAnnotations=true", "it is known to kube-scheduler 1.6; this is 1.37"},
		{"1.19", "Nonsense=true", "decides nothing in kube-scheduler 1.19"},
	} {
		r, _ := release.Find(c.version)
		if _, err := config.ParseGatesOf(r, c.give); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.version, c.give, err, c.want)
		}
	}
}
