// Package release says what sets one release of kube-scheduler apart from another: its feature gates, its plugins, the
// configuration files it reads, and what it does in a cycle that no plugin decides. It is data; core/config makes
// profiles from it.
package release

import (
	"slices"
	"strings"

	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Release is one minor release of kube-scheduler. It is read only.
type Release struct {
	Version string // such as "1.37"
	// Configurations are the values of apiVersion that a KubeSchedulerConfiguration may have, the preferred one first.
	Configurations []string
	// PodGroups is the apiVersion of the PodGroups that it watches; "": it knows none.
	PodGroups string
	Gates     []Gate // every feature gate that decides anything in this release, by name
	Behaviour framework.Behaviour
	// PreemptionOrder is what the nodes where room could be made are compared by.
	PreemptionOrder []trace.Criterion
	Plugins         []Plugin // every in-tree plugin, in the order of the default set; those that are not in it come last
}

// Gate is a feature gate that a release reads.
type Gate struct {
	Name   string
	On     bool     // by default
	Locked bool     // kube-scheduler refuses any other setting
	Offers bool     // this build has the behaviour of both settings
	Needs  []string // gates that must be on for it
}

// Plugin is a plugin as a release knows it.
type Plugin struct {
	Name   string
	Points []framework.Point // where the release asks it, whatever this build can do
	Weight int32             // of the default set; 0 for a plugin that is given none there
	In     Membership
	Gate   string // with ByGate: the feature gate that puts the plugin into the default set
}

// Membership says whether a plugin is in the default set of a release.
type Membership uint8

// The memberships.
const (
	Always Membership = iota // it is in the default set
	ByGate                   // it is there while its feature gate is on
	Never                    // only a configuration enables it
)

// At says whether the release asks the plugin at an extension point.
func (p *Plugin) At(point framework.Point) bool { return slices.Contains(p.Points, point) }

// releases has every release this build can be, the newest first.
var releases = []*Release{v1_37}

// Newest is the release that decides where nobody names another.
func Newest() *Release { return releases[0] }

// Nearest is the release of a version such as "1.33", else the one that is the fewest minor versions away, the newer of
// two; the newest when the version is none.
func Nearest(version string) *Release {
	wanted, err := utilversion.ParseGeneric(version)
	if err != nil {
		return Newest()
	}
	nearest, away := Newest(), -1
	for _, r := range releases {
		distance := int(utilversion.MustParseGeneric(r.Version).Minor()) - int(wanted.Minor())
		distance = max(distance, -distance)
		if away < 0 || distance < away {
			nearest, away = r, distance
		}
	}
	return nearest
}

// Versions lists the versions of all releases, the newest first.
func Versions() []string {
	var versions []string
	for _, r := range releases {
		versions = append(versions, r.Version)
	}
	return versions
}

// Find is the release with that version, which may name a patch: 1.37 and 1.37.1 are the same.
func Find(version string) (*Release, bool) {
	i := slices.IndexFunc(releases, func(r *Release) bool {
		return version == r.Version || strings.HasPrefix(version, r.Version+".")
	})
	if i < 0 {
		return nil, false
	}
	return releases[i], true
}

// Gate finds a feature gate by its name; false when the release has none of that name.
func (r *Release) Gate(name string) (*Gate, bool) {
	i := slices.IndexFunc(r.Gates, func(g Gate) bool { return g.Name == name })
	if i < 0 {
		return nil, false
	}
	return &r.Gates[i], true
}

// Configuration is the apiVersion that a configuration for this release should have.
func (r *Release) Configuration() string { return r.Configurations[0] }

// lastReaders says which release was the last to read a configuration that no release of this build reads.
var lastReaders = map[string]string{
	"kubescheduler.config.k8s.io/v1beta1": "1.22",
	"kubescheduler.config.k8s.io/v1beta2": "1.27",
	"kubescheduler.config.k8s.io/v1beta3": "1.28",
}

// lastGates says which release was the last to know a feature gate that decided something in a kube-scheduler since
// 1.29 and that no release of this build knows.
var lastGates = map[string]string{
	"CSIMigrationPortworx":          "1.35",
	"CSIMigrationRBD":               "1.30",
	"DRAControlPlaneController":     "1.31",
	"GangScheduling":                "1.36",
	"MinDomainsInPodTopologySpread": "1.31",
	"PodDisruptionConditions":       "1.33",
	"SchedulerQueueingHints":        "1.36",
	"SidecarContainers":             "1.36",
	"VolumeCapacityPriority":        "1.32",
	"WorkloadAwarePreemption":       "1.36",
}

// LastToKnow is the release that was the last to know a feature gate; false for one that no kube-scheduler since 1.29
// knew, or that a release of this build knows.
func LastToKnow(gate string) (string, bool) {
	last, old := lastGates[gate]
	return last, old
}

// LastReader is the release that was the last to read a configuration of that apiVersion; false for one that was never
// in use, or still is.
func LastReader(apiVersion string) (string, bool) {
	last, old := lastReaders[apiVersion]
	return last, old
}
