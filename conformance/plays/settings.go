package plays

import (
	"strings"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/core/config"
)

// Setting is a setting of a feature gate that is not the default, and the plays in which it decides something.
type Setting struct {
	Gates string // as NAME=true,...
	Draws []draw
	// Besides are gates that no scheduler reads, and that kube-scheduler's registry will not have on beside the setting.
	Besides []string
}

// draw is a Draw under gates.
type draw = func(int, config.Gates) (compare.Play, error)

// Settings has a row for every gate of which our table offers the setting that is not the default, but for those of pod
// groups and of scores that are kept, which have tests of their own.
var Settings = []Setting{
	{Gates: "DRAConsumableCapacity=false", Draws: []draw{Devices}},
	{Gates: "DRADerivedAttributes=true", Draws: []draw{With(Devices, Derived)}},
	{Gates: "DRADeviceBindingConditions=false", Draws: []draw{With(Devices, Bound)}},
	{Gates: "DRADeviceCompatibilityGroups=true", Draws: []draw{With(Devices, Compatible)}},
	{Gates: "DRADeviceTaintRules=false", Draws: []draw{Devices}},
	{Gates: "DRADeviceTaints=false,DRADeviceTaintRules=false", Draws: []draw{Devices}},
	{Gates: "DRAFractionalCapacityRange=true", Draws: []draw{Devices}},
	{Gates: "DRAListTypeAttributes=true", Draws: []draw{With(Devices, Lists)}},
	{Gates: "DRAOptionalNodeOperations=true", Draws: []draw{With(Devices, Optional)}},
	{Gates: "DRAPartitionableDevices=false", Draws: []draw{Devices}},
	{Gates: "DRASchedulerFilterTimeout=false", Draws: []draw{Devices}},
	{Gates: "InPlacePodLevelResourcesVerticalScaling=false", Draws: []draw{Drawn, Crowded}},
	{Gates: "InterPodAffinityHostnameFastPath=true", Draws: []draw{Drawn, With(Near, Twins)}},
	{Gates: "MatchLabelKeysInPodTopologySpread=false", Draws: []draw{With(Drawn, Revisions)},
		Besides: []string{"MatchLabelKeysInPodTopologySpreadSelectorMerge=false"}},
	{Gates: "NominatedNodeNameForExpectation=false", Draws: []draw{Drawn, Crowded}},
	{Gates: "PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false",
		Draws:   []draw{Drawn, Crowded},
		Besides: []string{"PodLevelResourcesFixDefaulting=false", "PodLevelResourcesFixKubeletQOSClass=false"}},
	{Gates: "SchedulerAsyncPreemption=false", Draws: []draw{Drawn, Crowded}},
	{Gates: "SchedulerPopFromBackoffQ=false", Draws: []draw{Drawn, Restless}},
	{Gates: "StorageCapacityScoring=false", Draws: []draw{Roomy}},
	{Gates: "TaintTolerationComparisonOperators=true", Draws: []draw{
		With(Near, Levels), With(Restless, Levels),
	}},
	{Gates: "VolumeLimitScaling=false", Draws: []draw{Drawn}},
}

// Of is the play of a seed under the setting.
func (s Setting) Of(seed int, gates config.Gates) (compare.Play, error) {
	return s.Draws[seed%len(s.Draws)](seed, gates)
}

// Theirs is the setting for a kube-scheduler that knows these gates.
func (s Setting) Theirs(knows func(gate string) bool) string {
	all := []string{s.Gates}
	for _, beside := range s.Besides {
		if name, _, _ := strings.Cut(beside, "="); knows(name) {
			all = append(all, beside)
		}
	}
	return strings.Join(all, ",")
}
