package generate

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Feature is something a cluster may have more or less of.
type Feature int

// The features, in the order in which weights are drawn and printed.
const (
	Zones Feature = iota
	MissingLabels
	Taints
	Cordons
	OddQuantities
	EphemeralStorage
	HugePages
	ExtendedResources
	Images
	DeclaredFeatures
	Large
	Namespaces
	Owners
	Crowded
	Tolerations
	NodeSelectors
	NodeAffinity
	PreferredNodeAffinity
	MatchFields
	HostPorts
	PodAffinity
	PodAntiAffinity
	PreferredPodAffinity
	Spread
	SoftSpread
	Priorities
	NeverPreempt
	Budgets
	Gates
	InitContainers
	PodLevelResources
	Overhead
	Resizes
	BoundVolumes
	DelayedVolumes
	LocalVolumes
	InlineVolumes
	EphemeralVolumes
	ReadWriteOncePod
	VolumeLimits
	StorageCapacity
	BrokenVolumes
	Devices
	DeviceTaints
	SharedClaims
	ExtendedDevices
	BrokenClaims
	Nominated
	Terminating
	NodeChurn
	PodChurn
	OtherChurn
	features // their number
)

var featureNames = [features]string{
	"Zones", "MissingLabels", "Taints", "Cordons", "OddQuantities", "EphemeralStorage", "HugePages", "ExtendedResources",
	"Images", "DeclaredFeatures", "Large", "Namespaces", "Owners", "Crowded", "Tolerations", "NodeSelectors",
	"NodeAffinity",
	"PreferredNodeAffinity", "MatchFields", "HostPorts", "PodAffinity", "PodAntiAffinity", "PreferredPodAffinity",
	"Spread", "SoftSpread", "Priorities", "NeverPreempt", "Budgets", "Gates", "InitContainers", "PodLevelResources",
	"Overhead", "Resizes", "BoundVolumes", "DelayedVolumes", "LocalVolumes", "InlineVolumes", "EphemeralVolumes",
	"ReadWriteOncePod", "VolumeLimits", "StorageCapacity", "BrokenVolumes", "Devices", "DeviceTaints", "SharedClaims",
	"ExtendedDevices", "BrokenClaims", "Nominated", "Terminating", "NodeChurn", "PodChurn", "OtherChurn",
}

func (f Feature) String() string { return featureNames[f] }

// Weights are the chances of the features in percent, each time one could
// appear.
type Weights [features]int

// String lists the features with a chance.
func (w Weights) String() string {
	var parts []string
	for f, weight := range w {
		if weight > 0 {
			parts = append(parts, fmt.Sprintf("%v=%d", Feature(f), weight))
		}
	}
	return strings.Join(parts, " ")
}

// Only gives the features one weight and all others none.
func Only(weight int, list ...Feature) Weights {
	var w Weights
	for _, f := range list {
		w[f] = weight
	}
	return w
}

// drawWeights leaves most features out, so that the others meet each other and not everything at once: a pod with every
// feature fits nowhere, and tests less than one with three. Large clusters stay rare.
func drawWeights(t *rapid.T) Weights {
	d := dice{t: t}
	var w Weights
	active := pick(&d, []int{8, 8, 16, 16, 30, 60}) // percent of the features
	for f := range w {
		if d.percent(active) {
			w[f] = pick(&d, []int{10, 20, 40, 80})
		}
	}
	for _, f := range []Feature{BrokenVolumes, BrokenClaims, NeverPreempt, MatchFields} {
		w[f] /= 3
	}
	w[Zones] = pick(&d, []int{0, 100, 100, 90})
	w[Large] = pick(&d, []int{0, 0, 0, 0, 0, 0, 0, 50})
	for _, f := range []Feature{NodeChurn, PodChurn, OtherChurn} {
		w[f] = pick(&d, []int{0, 0, 30, 70})
	}
	if d.percent(30) { // what preemption needs, together
		w[Priorities], w[Crowded] = 80, 80
		w[Budgets] = pick(&d, []int{0, 70})
	}
	return w
}
