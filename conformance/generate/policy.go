package generate

import (
	"encoding/json"
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

// Policies draws files of kind Policy that kube-scheduler 1.19 starts with, as JSON, and 1.17 without the names that it
// does not know. Spreads marks those that spread the pods of a Service.
func Policies(unknown ...string) *rapid.Generator[Policy] {
	return rapid.Custom(func(t *rapid.T) Policy { return (&policist{dice: dice{t: t}, unknown: unknown}).draw() })
}

// Policy is a file of kind Policy.
type Policy struct {
	JSON []byte
	// Spreads marks that a priority uses the Service of a pod; of several, kube-scheduler takes any.
	Spreads bool
}

type policist struct {
	dice
	spreads bool
	unknown []string // names of predicates and priorities that are left out
}

type entry = map[string]any

// labelsOfNodes are keys that some nodes have here, and some have not.
var labelsOfNodes = []string{
	"topology.kubernetes.io/zone", "topology.kubernetes.io/region", "kubernetes.io/hostname", "disktype", "pool",
}

func (p *policist) draw() Policy {
	file := entry{"kind": "Policy", "apiVersion": pick(&p.dice, []string{"v1", "kubescheduler.config.k8s.io/v1"})}
	if p.percent(85) {
		file["predicates"] = p.predicates()
	}
	if p.percent(85) {
		file["priorities"] = p.priorities()
	}
	if p.percent(30) {
		file["hardPodAffinitySymmetricWeight"] = p.between(0, 100)
	}
	if p.percent(40) {
		file["alwaysCheckAllPredicates"] = p.percent(80)
	}
	data, err := json.Marshal(file)
	if err != nil {
		panic(fmt.Sprintf("a drawn Policy: %v", err))
	}
	return Policy{JSON: data, Spreads: p.spreads}
}

func (p *policist) predicates() []entry {
	list := []entry{}
	general := p.percent(50)
	if general {
		list = append(list, entry{"name": "GeneralPredicates"})
	}
	for _, name := range []string{"HostName", "PodFitsHostPorts", "MatchNodeSelector", "PodFitsResources"} {
		if !general && p.percent(75) {
			if name == "PodFitsHostPorts" && p.percent(30) {
				name = "PodFitsPorts"
			}
			list = append(list, entry{"name": name})
		}
	}
	for _, name := range []string{
		"NoDiskConflict", "PodToleratesNodeTaints", "CheckNodeUnschedulable", "MaxEBSVolumeCount", "MaxGCEPDVolumeCount",
		"MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount", "CheckVolumeBinding",
		"NoVolumeZoneConflict", "EvenPodsSpread", "MatchInterPodAffinity",
	} {
		if p.percent(55) && !slices.Contains(p.unknown, name) {
			list = append(list, entry{"name": name})
		}
	}
	if p.percent(35) {
		list = append(list, entry{"name": "Together", "argument": entry{"serviceAffinity": entry{
			"labels": some(&p.dice, labelsOfNodes, 2),
		}}})
	}
	if p.percent(25) {
		list = append(list, entry{"name": "Labelled", "argument": entry{"labelsPresence": entry{
			"labels": some(&p.dice, labelsOfNodes, 1), "presence": p.percent(70),
		}}})
	}
	return list
}

func (p *policist) priorities() []entry {
	list := []entry{}
	for _, name := range []string{
		"BalancedResourceAllocation", "EvenPodsSpreadPriority", "ImageLocalityPriority", "InterPodAffinityPriority",
		"LeastRequestedPriority", "MostRequestedPriority", "NodeAffinityPriority", "NodePreferAvoidPodsPriority",
		"SelectorSpreadPriority", "ServiceSpreadingPriority", "TaintTolerationPriority", "EqualPriority",
	} {
		if p.percent(50) && !slices.Contains(p.unknown, name) {
			list = append(list, entry{"name": name, "weight": p.between(1, 9)})
		}
	}
	if p.percent(40) {
		list = append(list, entry{"name": "Ratio", "weight": p.between(1, 9), "argument": entry{
			"requestedToCapacityRatioArguments": p.ratio(),
		}})
	}
	weight := p.between(1, 9)
	for i, key := range some(&p.dice, labelsOfNodes, 2) {
		if p.percent(40) {
			list = append(list, entry{"name": fmt.Sprint("Liked", i), "weight": weight, "argument": entry{
				"labelPreference": entry{"label": key, "presence": p.percent(60)},
			}})
		}
	}
	weight = p.between(1, 9)
	for i, key := range some(&p.dice, labelsOfNodes, 2) {
		if p.percent(40) {
			p.spreads = true
			list = append(list, entry{"name": fmt.Sprint("Apart", i), "weight": weight, "argument": entry{
				"serviceAntiAffinity": entry{"label": key},
			}})
		}
	}
	return list
}

func (p *policist) ratio() entry {
	shape := (&configurator{dice: p.dice}).shape()
	resources := []entry{}
	for _, name := range []string{"cpu", "memory", "ephemeral-storage", string(extendedResources[0])} {
		if p.percent(60) {
			resources = append(resources, entry{"name": name, "weight": p.between(1, 5)})
		}
	}
	return entry{"shape": shape, "resources": resources}
}
