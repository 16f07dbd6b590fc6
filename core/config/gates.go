package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/spelling"
)

// Gates are feature gates as a user sets them. The zero value is kube-scheduler 1.37's defaults. A gate becomes another
// Profile; no plugin asks for one.
type Gates struct{ on map[string]bool }

// gate is a feature gate that kube-scheduler 1.37 reads.
type gate struct {
	name   string
	on     bool     // by default
	offers bool     // this build has the behaviour of both settings
	needs  []string // gates that must be on for it
}

// gates is every feature gate that decides anything in kube-scheduler 1.37.
var gates = []gate{
	{name: "ClearingNominatedNodeNameAfterBinding", on: true},
	{name: "CompositePodGroup", needs: []string{"GenericWorkload", "TopologyAwareWorkloadScheduling"}},
	{name: "DRAAdminAccess", on: true},
	{name: "DRAConsumableCapacity", on: true},
	{name: "DRADerivedAttributes"},
	{name: "DRADeviceBindingConditions", on: true},
	{name: "DRADeviceCompatibilityGroups"},
	{name: "DRADeviceTaints", on: true},
	{name: "DRAExtendedResource", on: true},
	{name: "DRAFractionalCapacityRange", on: true},
	{name: "DRAListTypeAttributes"},
	{name: "DRANodeAllocatableResources"},
	{name: "DRAOptionalNodeOperations"},
	{name: "DRAPartitionableDevices", on: true},
	{name: "DRAPrioritizedList", on: true},
	{name: "DRAResourceClaimDeviceStatus", on: true},
	{name: "DRASchedulerFilterTimeout", on: true},
	{name: "DRAWorkloadResourceClaims", needs: []string{"GenericWorkload"}},
	{name: "DynamicResourceAllocation", on: true},
	{name: "GenericWorkload", offers: true},
	{name: "InPlacePodLevelResourcesVerticalScaling", on: true},
	{name: "InPlacePodVerticalScaling", on: true},
	{name: "InPlacePodVerticalScalingSchedulerPreemption"},
	{name: "InterPodAffinityHostnameFastPath"},
	{name: "MatchLabelKeysInPodTopologySpread", on: true},
	{name: "NodeDeclaredFeatures", on: true},
	{name: "NodeInclusionPolicyInPodTopologySpread", on: true},
	{name: "NominatedNodeNameForExpectation", on: true},
	{name: "OpportunisticBatching", on: true},
	{name: "PodGroupPreemptionPolicy", offers: true, needs: []string{"GenericWorkload"}},
	{name: "PodLevelResources", on: true},
	{name: "SchedulerAsyncAPICalls"},
	{name: "SchedulerAsyncPreemption", on: true},
	{name: "SchedulerPopFromBackoffQ", on: true},
	{name: "SchedulerPreQueueingHints"},
	{name: "StorageCapacityScoring", on: true},
	{name: "TaintTolerationComparisonOperators"},
	{name: "TopologyAwareWorkloadScheduling", offers: true, needs: []string{"GenericWorkload"}},
	{name: "VolumeAttributesClass", on: true},
	{name: "VolumeLimitScaling", on: true},
}

// ParseGates reads gates as kube-scheduler's --feature-gates takes them: NAME=true|false, separated by commas. The
// error joins one sentence for each thing that is wrong: a gate kube-scheduler does not read, a setting whose behaviour
// this build does not have, a gate without those it needs.
func ParseGates(text string) (Gates, error) {
	g := Gates{on: map[string]bool{}}
	var errs reasons
	for _, setting := range strings.Split(text, ",") {
		if setting = strings.TrimSpace(setting); setting == "" {
			continue
		}
		if err := g.set(setting); err != nil {
			errs = append(errs, err)
		}
	}
	for i := range gates {
		if of := &gates[i]; g.on[of.name] && of.offers {
			for _, needed := range of.needs {
				if !g.on[needed] {
					errs = append(errs, fmt.Errorf("feature gate %s=true needs %s=true", of.name, needed))
				}
			}
		}
	}
	if len(errs) > 0 {
		return Gates{}, errs
	}
	return g, nil
}

func (g *Gates) set(setting string) error {
	name, value, has := strings.Cut(setting, "=")
	on, err := strconv.ParseBool(value)
	if !has || err != nil {
		return fmt.Errorf("feature gate %q: want NAME=true or NAME=false", setting)
	}
	i := slices.IndexFunc(gates, func(of gate) bool { return of.name == name })
	switch {
	case i < 0:
		return unknownGate(name)
	case !gates[i].offers && on != gates[i].on:
		return fmt.Errorf(
			"feature gate %s=%t: this build has kube-scheduler's behaviour with %s=%t only", name, on, name,
			gates[i].on,
		)
	}
	if _, again := g.on[name]; again && g.on[name] != on {
		return fmt.Errorf("feature gate %s is set to true and to false", name)
	}
	g.on[name] = on
	return nil
}

func unknownGate(name string) error {
	names := make([]string, len(gates))
	for i := range gates {
		names[i] = gates[i].name
	}
	if near := spelling.Hint(name, names); near != "" {
		return fmt.Errorf("feature gate %q decides nothing in kube-scheduler 1.37%s", name, near)
	}
	return fmt.Errorf("feature gate %q decides nothing in kube-scheduler 1.37 (this build offers %s)", name, strings.Join(
		offered(), ", ",
	))
}

// offered are the gates that can be set to either value.
func offered() []string {
	var names []string
	for i := range gates {
		if gates[i].offers {
			names = append(names, gates[i].name)
		}
	}
	return names
}

// String is the gates that were set, sorted, as ParseGates reads them.
func (g Gates) String() string {
	var settings []string
	for name, on := range g.on {
		settings = append(settings, fmt.Sprintf("%s=%t", name, on))
	}
	slices.Sort(settings)
	return strings.Join(settings, ",")
}

// groups is what the gates make of pod groups.
func (g Gates) groups() framework.GroupRules {
	return framework.GroupRules{
		Together: g.on["GenericWorkload"], ByPlacement: g.on["TopologyAwareWorkloadScheduling"],
		OwnPolicy: g.on["PodGroupPreemptionPolicy"],
	}
}

// gated are the plugins of the default set that only a gate puts there, in its order.
func (g Gates) gated() []string {
	var names []string
	if g.on["GenericWorkload"] {
		names = append(names, "GangScheduling")
	}
	if g.on["TopologyAwareWorkloadScheduling"] {
		names = append(names, "TopologyPlacementGenerator", "PodGroupPodsCount")
	}
	return names
}
