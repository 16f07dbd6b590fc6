package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// Gates are feature gates of one release as a user sets them. The zero value is the defaults of the newest release. A
// gate becomes another Profile; no plugin reads one.
type Gates struct {
	of  *release.Release // nil: the newest
	set map[string]bool
}

// ParseGates reads gates as kube-scheduler's --feature-gates takes them: NAME=true|false, separated by commas. The
// error joins one sentence for each thing that is wrong: a gate kube-scheduler does not read, a setting whose behaviour
// this build does not have, a gate without those it needs.
func ParseGates(text string) (Gates, error) { return ParseGatesOf(release.Newest(), text) }

// ParseGatesOf is ParseGates for a release of kube-scheduler.
func ParseGatesOf(r *release.Release, text string) (Gates, error) {
	g := Gates{of: r, set: map[string]bool{}}
	var errs reasons
	for _, setting := range strings.Split(text, ",") {
		if setting = strings.TrimSpace(setting); setting == "" {
			continue
		}
		if err := g.read(setting); err != nil {
			errs = append(errs, err)
		}
	}
	for i := range r.Gates {
		gate := &r.Gates[i]
		if !gate.Offers || !g.On(gate.Name) {
			continue
		}
		for _, needed := range gate.Needs {
			if !g.On(needed) {
				errs = append(errs, phrase.Errorf("feature gate %s=true needs %s=true", gate.Name, needed))
			}
		}
	}
	if len(errs) > 0 {
		return Gates{}, errs
	}
	return g, nil
}

func (g *Gates) read(setting string) error {
	name, value, has := strings.Cut(setting, "=")
	on, err := strconv.ParseBool(value)
	if !has || err != nil {
		return phrase.Errorf("feature gate %q: want NAME=true or NAME=false", setting)
	}
	gate, known := g.Release().Gate(name)
	switch {
	case !known:
		return unknownGate(g.Release(), name)
	case gate.Locked && on != gate.On:
		return phrase.Errorf(
			"feature gate %s=%t: kube-scheduler %s locks it to %t", name, on, g.Release().Version, gate.On,
		)
	case !gate.Offers && on != gate.On:
		return phrase.Errorf(
			"feature gate %s=%t: this build has kube-scheduler's behaviour with %s=%t only", name, on, name, gate.On,
		)
	}
	if before, again := g.set[name]; again && before != on {
		return phrase.Errorf("feature gate %s is set to true and to false", name)
	}
	g.set[name] = on
	return nil
}

func unknownGate(r *release.Release, name string) error {
	if last, old := r.LastToKnow(name); old {
		return phrase.Errorf("feature gate %q: kube-scheduler %s was the last to know it; this is %s", name, last, r.Version)
	}
	if first, later := r.FirstToKnow(name); later {
		return phrase.Errorf("feature gate %q: kube-scheduler %s is the first to know it; this is %s", name, first, r.Version)
	}
	if those := knowing(name); len(those) > 0 { // and between them and this one are releases that have no table here
		return phrase.Errorf(
			"feature gate %q: it is known to kube-scheduler %s; this is %s", name, strings.Join(those, ", "), r.Version,
		)
	}
	names := make([]string, len(r.Gates))
	for i := range r.Gates {
		names[i] = r.Gates[i].Name
	}
	hint := spelling.Hint(name, names)
	if count := len(Settings(r)); hint.IsZero() && count > 0 {
		hint = phrase.New(" (this build has both settings of %d gates; completion of --feature-gates lists them)", count)
	}
	return phrase.Errorf("feature gate %q decides nothing in kube-scheduler %s%s", name, r.Version, hint)
}

// knowing lists the releases that know a feature gate, the newest first.
func knowing(gate string) []string {
	return slices.DeleteFunc(release.Versions(), func(version string) bool {
		r, _ := release.Find(version)
		_, knows := r.Gate(gate)
		return !knows
	})
}

// Settings are the settings of feature gates that a release can be given and does not have by default, as NAME=true or
// NAME=false, in the order of the names.
func Settings(r *release.Release) []string {
	var all []string
	for i := range r.Gates {
		if gate := &r.Gates[i]; gate.Offers {
			all = append(all, fmt.Sprintf("%s=%t", gate.Name, !gate.On))
		}
	}
	return all
}

// Release is the release of kube-scheduler whose gates these are.
func (g Gates) Release() *release.Release {
	if g.of == nil {
		return release.Newest()
	}
	return g.of
}

// On reports whether a gate is on, by its setting or else by the release's default. A gate the release does not have is
// off.
func (g Gates) On(name string) bool {
	if on, set := g.set[name]; set {
		return on
	}
	gate, known := g.Release().Gate(name)
	return known && gate.On
}

// String is the gates that were set, sorted, as ParseGates reads them.
func (g Gates) String() string {
	var settings []string
	for name, on := range g.set {
		settings = append(settings, fmt.Sprintf("%s=%t", name, on))
	}
	slices.Sort(settings)
	return strings.Join(settings, ",")
}

// groups is what the gates make of pod groups.
func (g Gates) groups() framework.GroupRules {
	return framework.GroupRules{
		Together: g.On("GenericWorkload"), ByPlacement: g.On("TopologyAwareWorkloadScheduling"),
		OwnPolicy: g.On("PodGroupPreemptionPolicy"),
	}
}

// behaviour is the release's, with what the gates make of it.
func (g Gates) behaviour() framework.Behaviour {
	b := g.Release().Behaviour
	if ranked := g.Release().Ranked; ranked != nil && g.On("PodPriority") {
		b.Queue = *ranked
	}
	if g.On("EnableEquivalenceClassCache") {
		b.Equivalence = g.Release().Equivalence
	}
	if g.groups().ByPlacement {
		b.Groups.Search = framework.OnPlacements{}
	}
	requests := &b.Reading.Requests
	requests.PodLevelRequestsUncounted = !g.On("PodLevelResources")
	requests.PodLevelStatusUncounted = !g.On("InPlacePodLevelResourcesVerticalScaling")
	if !g.On("InPlacePodVerticalScaling") {
		requests.Resize = cluster.AsSpecified
	}
	b.Reading.AffinityFromAnnotation = g.On("AffinityInAnnotations")
	b.Reading.Unstored = g.unstored()
	b.Reading.NoClassForResource = !g.On("DRAExtendedResource")
	if !g.On("NodeDeclaredFeatures") {
		b.Reading.Unseen |= cluster.UpdateNodeDeclaredFeature
	}
	if !g.On("DynamicResourceAllocation") {
		b.Reading.Unseen |= cluster.UpdatePodGeneratedResourceClaim
	}
	b.WaitingPodNotNominated = !g.On("NominatedNodeNameForExpectation")
	b.VictimsDeletedInCycle = !g.On("SchedulerAsyncPreemption")
	if windowed, is := b.Queue.Backoff.(queue.WindowedBackoff); is && g.off("SchedulerPopFromBackoffQ") {
		b.Queue.Backoff = queue.ExactBackoff{Every: windowed.Window, Count: windowed.Count}
		b.Queue.GatesRunAfterBackoff = true
	}
	if !g.On("DRADeviceTaintRules") {
		b.Reading.Unread = append(slices.Clone(b.Reading.Unread), cluster.KindDeviceTaintRule)
	}
	if g.groups().OwnPolicy {
		b.Groups.Policy = framework.GroupDecides{}
	}
	return b
}

// unstored is what pods lose while the gates are off that have it stored. A release that has not the gate any more
// stores it.
func (g Gates) unstored() cluster.Unstored {
	return cluster.Unstored{
		Spread: g.off("EvenPodsSpread"), PreemptionPolicy: g.off("NonPreemptingPriority"), Overhead: g.off("PodOverhead"),
	}
}

// off reports whether the release has a gate and it is off.
func (g Gates) off(name string) bool {
	_, has := g.Release().Gate(name)
	return has && !g.On(name)
}

// turnedOff reports whether a gate is off that the release has on by default.
func (g Gates) turnedOff(name string) bool {
	gate, has := g.Release().Gate(name)
	return has && gate.On && !g.On(name)
}

// devices is what the gates make of devices.
func (g Gates) devices() dynamicresources.Gates {
	return dynamicresources.Gates{
		FractionalRanges: g.On("DRAFractionalCapacityRange"), NoPartitionableDevices: !g.On("DRAPartitionableDevices"),
		NoDeviceTaints: !g.On("DRADeviceTaints"), NoBindingConditions: !g.On("DRADeviceBindingConditions"),
		NoConsumableCapacity: !g.On("DRAConsumableCapacity"),
		ListAttributes:       g.On("DRAListTypeAttributes"), DerivedAttributes: g.On("DRADerivedAttributes"),
		CompatibilityGroups:    g.On("DRADeviceCompatibilityGroups"),
		OptionalNodeOperations: g.On("DRAOptionalNodeOperations"),
	}
}

// ways is what plugins of the release do, with what the gates make of it.
func (g Gates) ways() release.Ways {
	w := g.Release().Ways
	w.NodeResources.NoDeviceClassHint = !g.On("DRAExtendedResource")
	w.NodeResources.NoScaleDownHint = !g.On("InPlacePodVerticalScaling")
	w.NodeVolumeLimits.DriverPresenceUnchecked = !g.On("VolumeLimitScaling")
	w.VolumeBinding.AttributesClassRejected = !g.On("VolumeAttributesClass")
	w.VolumeBinding.StorageNotScored = !g.On("StorageCapacityScoring")
	w.TaintToleration.TolerationsCompare = g.On("TaintTolerationComparisonOperators")
	w.PodTopologySpread.TolerationsCompare = w.TaintToleration.TolerationsCompare
	w.PodTopologySpread.LabelKeysIgnored = g.off("MatchLabelKeysInPodTopologySpread")
	w.DefaultPreemption.RegistersNoEvent = g.turnedOff("SchedulerAsyncPreemption")
	w.InterPodAffinity.HostnameIsOneNode = g.On("InterPodAffinityHostnameFastPath")
	return w
}

// enable reports whether a plugin is in the default set.
func (g Gates) enable(p *release.Plugin) bool {
	return p.In == release.Always || p.In == release.ByGate && g.On(p.Gate) ||
		p.In == release.WithoutGate && !g.On(p.Gate)
}
