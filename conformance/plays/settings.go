package plays

import (
	"strings"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/core/config"
)

// Setting is a setting of a feature gate that is not the default, and the plays in which it decides something.
type Setting struct {
	Gates string // as NAME=true,...
	draws []draw
	// Besides are gates that no scheduler reads, and that kube-scheduler's registry will not have on beside the setting.
	Besides []string
}

// draw is a Draw under gates.
type draw = func(int, config.Gates) (compare.Play, error)

// Settings has a row for every gate of which our table offers the setting that is not the default, except for those of
// pod groups and of scores that are kept, which have tests of their own.
var Settings = []Setting{
	{Gates: "DRAConsumableCapacity=false", draws: []draw{devices}},
	{Gates: "DRADerivedAttributes=true", draws: []draw{with(devices, derived)}},
	{Gates: "DRADeviceBindingConditions=false", draws: []draw{with(devices, bound)}},
	{Gates: "DRADeviceCompatibilityGroups=true", draws: []draw{with(devices, compatible)}},
	{Gates: "DRADeviceTaintRules=false", draws: []draw{devices}},
	{Gates: "DRADeviceTaints=false,DRADeviceTaintRules=false", draws: []draw{devices}},
	{Gates: "DRAFractionalCapacityRange=true", draws: []draw{devices}},
	{Gates: "DRAListTypeAttributes=true", draws: []draw{with(devices, lists)}},
	{Gates: "DRAOptionalNodeOperations=true", draws: []draw{with(devices, optional)}},
	{Gates: "DRAPartitionableDevices=false", draws: []draw{devices}},
	{Gates: "DRASchedulerFilterTimeout=false", draws: []draw{devices}},
	{Gates: "InPlacePodLevelResourcesVerticalScaling=false", draws: []draw{Drawn, Crowded}},
	{Gates: "InterPodAffinityHostnameFastPath=true", draws: []draw{Drawn, with(near, sharedNames)}},
	{
		Gates: "MatchLabelKeysInPodTopologySpread=false", draws: []draw{with(Drawn, revisions)},
		Besides: []string{"MatchLabelKeysInPodTopologySpreadSelectorMerge=false"},
	},
	{Gates: "NominatedNodeNameForExpectation=false", draws: []draw{Drawn, Crowded}},
	{
		Gates:   "PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false",
		draws:   []draw{Drawn, Crowded},
		Besides: []string{"PodLevelResourcesFixDefaulting=false", "PodLevelResourcesFixKubeletQOSClass=false"},
	},
	{Gates: "SchedulerAsyncPreemption=false", draws: []draw{Drawn, Crowded}},
	{Gates: "SchedulerPopFromBackoffQ=false", draws: []draw{Drawn, Restless}},
	{Gates: "StorageCapacityScoring=false", draws: []draw{Roomy}},
	{Gates: "TaintTolerationComparisonOperators=true", draws: []draw{
		with(near, levels), with(Restless, levels),
	}},
	{Gates: "VolumeLimitScaling=false", draws: []draw{Drawn}},
}

// Of is the play of a seed under the setting.
func (s Setting) Of(seed int, gates config.Gates) (compare.Play, error) {
	return s.draws[seed%len(s.draws)](seed, gates)
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
