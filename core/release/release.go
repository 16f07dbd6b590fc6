// Package release is what sets one release of kube-scheduler apart from another: its feature gates, its plugins, the
// configuration files it reads, and what it does in a cycle that no plugin decides. It is data; core/config makes
// profiles from it. The folder notes describes in words what that means for a pod.
package release

import (
	"slices"
	"strings"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/former/predicates"
	"github.com/schedstep/schedstep/core/former/priorities"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/defaultpreemption"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/core/plugins/imagelocality"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/plugins/nodeaffinity"
	"github.com/schedstep/schedstep/core/plugins/nodename"
	"github.com/schedstep/schedstep/core/plugins/noderesources"
	"github.com/schedstep/schedstep/core/plugins/nodevolumelimits"
	"github.com/schedstep/schedstep/core/plugins/podtopologyspread"
	"github.com/schedstep/schedstep/core/plugins/tainttoleration"
	"github.com/schedstep/schedstep/core/plugins/volumebinding"
	"github.com/schedstep/schedstep/core/plugins/volumerestrictions"
	"github.com/schedstep/schedstep/core/plugins/volumezone"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// Release is one minor release of kube-scheduler, or an earlier patch of one. It is read only.
type Release struct {
	Version string // such as "1.37", and of an earlier patch such as "1.36.1"
	Patch   string // the patch release that the table stands for, such as "1.37.1"
	// Compared is what the table was compared with, without an unexplained difference: Whole or Tables; "": with nothing
	// yet.
	Compared string
	// Configurations are the values of apiVersion that a KubeSchedulerConfiguration may have, the preferred one first.
	Configurations []string
	// Args has the fields that the args of plugins have in this release, by plugin; other plugins take no args. nil: all
	// fields that the types of this build have.
	Args map[string][]string
	// Policy is how files of kind Policy are read; nil: this release does not read them.
	Policy *Policy
	// PodGroups is the apiVersion of the PodGroups that it watches; "": it knows none.
	PodGroups string
	Gates     []Gate // every feature gate that decides anything in this release, by name
	Behaviour framework.Behaviour
	// Ranked is the queue with the feature gate PodPriority where that gate decides it; nil: it does not.
	Ranked *queue.Discipline
	// Equivalence is the equivalence cache with the feature gate EnableEquivalenceClassCache; nil: it has none.
	Equivalence framework.Equivalence
	// Providers are the values of --algorithm-provider, the default one first; nil: it has no such flag.
	Providers []Provider
	// PreemptionOrder is what the nodes where room could be made are compared by.
	PreemptionOrder []trace.Criterion
	Plugins         []Plugin // every in-tree plugin, in the order of the default set; those that are not in it come last
	// orders has the extension points that run the plugins of the default set in an order of their own.
	orders map[framework.Point][]string
	Ways   Ways // what plugins do that no feature gate decides
}

// Ways is what in-tree plugins do that differs from release to release, where no feature gate decides it. Constructors
// of plugins get it. The zero value of each is what the newest release does.
type Ways struct {
	DefaultPreemption  defaultpreemption.Ways
	DynamicResources   dynamicresources.Ways
	ImageLocality      imagelocality.Ways
	InterPodAffinity   interpodaffinity.Ways
	NodeAffinity       nodeaffinity.Ways
	NodeName           nodename.Ways
	NodeResources      noderesources.Ways
	NodeVolumeLimits   nodevolumelimits.Ways
	PodTopologySpread  podtopologyspread.Ways
	Predicates         predicates.Ways
	Priorities         priorities.Ways
	TaintToleration    tainttoleration.Ways
	VolumeBinding      volumebinding.Ways
	VolumeRestrictions volumerestrictions.Ways
	VolumeZone         volumezone.Ways
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
	Points []framework.Point // where the release runs it, whatever this build can do
	Weight int32             // of the default set; 0 for a plugin that is given none there
	In     Membership
	Gate   string // with ByGate or WithoutGate: the feature gate that decides
}

// Membership reports whether a plugin is in the default set of a release.
type Membership uint8

// The memberships.
const (
	Always      Membership = iota // it is in the default set
	ByGate                        // it is there while its feature gate is on
	Never                         // only a configuration enables it
	WithoutGate                   // it is there while its feature gate is off
)

// Provider is a default set of plugins that a flag may choose.
type Provider struct {
	Name    string
	Instead map[string]string // the plugins that others take the place of
}

// Provider finds a provider by its name; false when the release has none of that name.
func (r *Release) Provider(name string) (*Provider, bool) {
	i := slices.IndexFunc(r.Providers, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return nil, false
	}
	return &r.Providers[i], true
}

// At reports whether the release runs the plugin at an extension point.
func (p *Plugin) At(point framework.Point) bool { return slices.Contains(p.Points, point) }

// TakesArgs reports whether a configuration of this release may have args for a plugin.
func (r *Release) TakesArgs(plugin string) bool {
	_, has := r.Args[plugin]
	return r.Args == nil || has
}

// InOrder is plugins of the default set, and others after them, in the order in which a point runs them.
func (r *Release) InOrder(point framework.Point, plugins []configv1.Plugin) []configv1.Plugin {
	order, own := r.orders[point]
	if !own {
		return plugins
	}
	place := func(p configv1.Plugin) int {
		if i := slices.Index(order, p.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	plugins = slices.Clone(plugins)
	slices.SortStableFunc(plugins, func(a, b configv1.Plugin) int { return place(a) - place(b) })
	return plugins
}

// What a table was held to.
const (
	Whole  = "whole"                 // the kube-scheduler of that release, over the same random clusters
	Tables = "upstream's own tables" // every case of upstream's own tests of that release
)

// releases has every release this build can be, the newest first.
var releases = []*Release{v1_37, v1_36, v1_35, v1_34, v1_33, v1_32, v1_31, v1_30, v1_29, v1_19, v1_17, v1_10, v1_6}

// Newest is the release that decides where the input and the user name none: the newest that was compared with
// something. One that was not yet has to be named.
func Newest() *Release {
	return releases[slices.IndexFunc(releases, func(r *Release) bool { return r.Compared != "" })]
}

// Nearest is the release of a version such as "1.33", else the one that is the fewest minor versions away, the newer of
// two; the newest when the version is none. For another version than its own no release answers that was held to
// nothing.
func Nearest(version string) *Release {
	wanted, err := utilversion.ParseGeneric(version)
	if err != nil {
		return Newest()
	}
	nearest, away := Newest(), -1
	for _, r := range releases {
		distance := int(utilversion.MustParseGeneric(r.Version).Minor()) - int(wanted.Minor())
		distance = max(distance, -distance)
		if distance > 0 && r.Compared == "" {
			continue
		}
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

// Find is the release with that version. A version that names a patch finds the table that this patch is played as: an
// earlier patch (Patches) or the release itself.
func Find(version string) (*Release, bool) {
	i := slices.IndexFunc(releases, func(r *Release) bool {
		return version == r.Version || strings.HasPrefix(version, r.Version+".")
	})
	if i < 0 {
		return nil, false
	}
	return releases[i].played(version), true
}

// Gate finds a feature gate by its name; false when the release has none of that name.
func (r *Release) Gate(name string) (*Gate, bool) {
	i := slices.IndexFunc(r.Gates, func(g Gate) bool { return g.Name == name })
	if i < 0 {
		return nil, false
	}
	return &r.Gates[i], true
}

// Configuration is the apiVersion that a configuration for this release should have; "": it reads Policies alone.
func (r *Release) Configuration() string {
	if len(r.Configurations) == 0 {
		return ""
	}
	return r.Configurations[0]
}

// lastReaders is which release was the last to read a configuration that the newest does not read.
var lastReaders = map[string]string{
	"kubescheduler.config.k8s.io/v1alpha1": "1.18",
	"kubescheduler.config.k8s.io/v1alpha2": "1.18",
	"kubescheduler.config.k8s.io/v1beta1":  "1.22",
	"kubescheduler.config.k8s.io/v1beta2":  "1.27",
	"kubescheduler.config.k8s.io/v1beta3":  "1.28",
}

// LastToKnow is the release that was the last to know a feature gate that this one does not know; false when it is no
// older one, since 1.29.
func (r *Release) LastToKnow(gate string) (string, bool) {
	for _, older := range r.older() {
		if _, knows := older.Gate(gate); knows {
			return older.Version, true
		}
	}
	return "", false
}

// FirstToKnow is the first release that knows a feature gate that this one does not know yet; false when there is none.
func (r *Release) FirstToKnow(gate string) (string, bool) {
	for _, newer := range r.newer() {
		if _, knows := newer.Gate(gate); knows {
			return newer.Version, true
		}
	}
	return "", false
}

// LastToHave is the release that was the last to have a plugin that this one does not have; false when there is none
// in this build.
func (r *Release) LastToHave(plugin string) (string, bool) {
	for _, older := range r.older() {
		if older.plugin(plugin) >= 0 {
			return older.Version, true
		}
	}
	return "", false
}

// FirstToHave is the first release that has a plugin that this one does not have yet; false when there is none.
func (r *Release) FirstToHave(plugin string) (string, bool) {
	for _, newer := range r.newer() {
		if newer.plugin(plugin) >= 0 {
			return newer.Version, true
		}
	}
	return "", false
}

// older lists the releases before this one, the newest first, up to the first release that has no table here. Which
// release was the last is not known beyond it.
func (r *Release) older() []*Release {
	i := r.place()
	end := i + 1
	for end < len(releases) && releases[end].minor() == releases[end-1].minor()-1 {
		end++
	}
	return releases[i+1 : end]
}

// newer lists the releases after this one, the oldest first, up to the first release that has no table here.
func (r *Release) newer() []*Release {
	var newer []*Release
	for i := r.place() - 1; i >= 0 && releases[i].minor() == releases[i+1].minor()+1; i-- {
		newer = append(newer, releases[i])
	}
	return newer
}

func (r *Release) minor() uint { return utilversion.MustParseGeneric(r.Version).Minor() }

// ReadsPolicy is the newest release here that reads files of kind Policy.
func ReadsPolicy() string {
	i := slices.IndexFunc(releases, func(r *Release) bool { return r.Policy != nil })
	return releases[i].Version
}

// TakesProvider is the newest release here that has algorithm providers.
func TakesProvider() string {
	i := slices.IndexFunc(releases, func(r *Release) bool { return len(r.Providers) > 0 })
	return releases[i].Version
}

// LastReader is the release that was the last to read a configuration of that apiVersion; false for one that was never
// in use, or still is.
func LastReader(apiVersion string) (string, bool) {
	last, old := lastReaders[apiVersion]
	return last, old
}
