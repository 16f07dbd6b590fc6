package compare_test

import (
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
)

// gated is a setting of a feature gate that is not the default, and the plays in which it decides something.
type gated struct {
	gates string
	draws []draw
	// besides are gates that no scheduler reads, and that kube-scheduler's registry will not have on beside the setting.
	besides string
}

type draw = func(seed int, gates config.Gates) (compare.Play, error)

// settings has a row for every gate of which our table offers the setting that is not the default, but for those of pod
// groups and of scores that are kept, which have tests of their own.
var settings = []gated{
	{gates: "DRAConsumableCapacity=false", draws: []draw{plays.Devices}},
	{gates: "DRADerivedAttributes=true", draws: []draw{plays.With(plays.Devices, plays.Derived)}},
	{gates: "DRADeviceBindingConditions=false", draws: []draw{plays.With(plays.Devices, plays.Bound)}},
	{gates: "DRADeviceCompatibilityGroups=true", draws: []draw{plays.With(plays.Devices, plays.Compatible)}},
	{gates: "DRADeviceTaintRules=false", draws: []draw{plays.Devices}},
	{gates: "DRADeviceTaints=false,DRADeviceTaintRules=false", draws: []draw{plays.Devices}},
	{gates: "DRAFractionalCapacityRange=true", draws: []draw{plays.Devices}},
	{gates: "DRAListTypeAttributes=true", draws: []draw{plays.With(plays.Devices, plays.Lists)}},
	{gates: "DRAOptionalNodeOperations=true", draws: []draw{plays.With(plays.Devices, plays.Optional)}},
	{gates: "DRAPartitionableDevices=false", draws: []draw{plays.Devices}},
	{gates: "DRASchedulerFilterTimeout=false", draws: []draw{plays.Devices}},
	{gates: "InPlacePodLevelResourcesVerticalScaling=false", draws: []draw{plays.Drawn, plays.Crowded}},
	{gates: "InterPodAffinityHostnameFastPath=true", draws: []draw{plays.Drawn, plays.With(plays.Near, plays.Twins)}},
	{gates: "MatchLabelKeysInPodTopologySpread=false", draws: []draw{plays.With(plays.Drawn, plays.Revisions)},
		besides: ",MatchLabelKeysInPodTopologySpreadSelectorMerge=false"},
	{gates: "NominatedNodeNameForExpectation=false", draws: []draw{plays.Drawn, plays.Crowded}},
	{gates: "PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false",
		draws:   []draw{plays.Drawn, plays.Crowded},
		besides: ",PodLevelResourcesFixDefaulting=false,PodLevelResourcesFixKubeletQOSClass=false"},
	{gates: "SchedulerAsyncPreemption=false", draws: []draw{plays.Drawn, plays.Crowded}},
	{gates: "SchedulerPopFromBackoffQ=false", draws: []draw{plays.Drawn, plays.Restless}},
	{gates: "StorageCapacityScoring=false", draws: []draw{plays.Roomy}},
	{gates: "TaintTolerationComparisonOperators=true", draws: []draw{
		plays.With(plays.Drawn, plays.Levels), plays.With(plays.Restless, plays.Levels),
	}},
	{gates: "VolumeLimitScaling=false", draws: []draw{plays.Drawn}},
}

// elsewhere are the gates that other tests compare: pod groups in conformance/groups, kept scores in batch_test.go.
var elsewhere = map[string]bool{
	"GenericWorkload": true, "TopologyAwareWorkloadScheduling": true, "PodGroupPreemptionPolicy": true,
	"OpportunisticBatching": true,
}

// TestBothSettingsOfAGateAreKubeSchedulers plays clusters under each setting that is not the default, in both.
func TestBothSettingsOfAGateAreKubeSchedulers(t *testing.T) {
	for _, s := range settings {
		t.Run(s.gates, func(t *testing.T) {
			gates, err := config.ParseGates(s.gates)
			if err != nil {
				t.Fatal(err)
			}
			back, err := oracle.SetGates(s.gates + s.besides)
			if err != nil {
				t.Fatal(err)
			}
			defer back()
			plays.Compare(t, clusters/5, func(seed int) (compare.Play, error) {
				return s.draws[seed%len(s.draws)](seed, gates)
			})
		})
	}
}

// TestEveryGateThatIsOfferedIsCompared holds the rows above to the table of the newest release.
func TestEveryGateThatIsOfferedIsCompared(t *testing.T) {
	for _, gate := range release.Newest().Gates {
		if !gate.Offers || elsewhere[gate.Name] {
			continue
		}
		compared := false
		for _, s := range settings {
			gates, err := config.ParseGates(s.gates)
			compared = compared || err == nil && gates.On(gate.Name) != gate.On
		}
		if !compared {
			t.Errorf("no row compares %s=%t with kube-scheduler", gate.Name, !gate.On)
		}
	}
}
