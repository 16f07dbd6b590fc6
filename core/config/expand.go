package config

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schedstep/schedstep/core/framework"
)

// Expansion is which plugins one profile runs at which extension point, those that this build does not judge included.
type Expansion struct {
	SchedulerName string
	// Points are in the order a pod meets them; every extension point is there, if only with no plugins.
	Points []Asked
}

// Asked is the plugins of one extension point, in the order in which they run.
type Asked struct {
	Point   framework.Point
	Plugins []Enabled
}

// Enabled is one plugin at one extension point.
type Enabled struct {
	Name   string
	Weight int32 // what its scores count for; 0 at points that do not score
}

// At is the plugins that run at a point, in order.
func (e Expansion) At(p framework.Point) []Enabled {
	for _, a := range e.Points {
		if a.Point == p {
			return a.Plugins
		}
	}
	return nil
}

// expand spreads multiPoint over the extension points and builds what can be judged; everywhere is the percentage of
// nodes to score for profiles without their own.
func (p *profile) expand(everywhere int32) (*framework.Profile, Expansion, reasons) {
	expansion := Expansion{SchedulerName: p.name}
	var errs reasons
	for _, s := range sections {
		names, wrong := p.spread(s)
		errs = append(errs, wrong...)
		weights, wrong := p.weights(s)
		errs = append(errs, wrong...)
		asked := Asked{Point: s.point}
		for _, name := range names {
			asked.Plugins = append(asked.Plugins, Enabled{Name: name, Weight: weights[name]})
		}
		expansion.Points = append(expansion.Points, asked)
	}
	errs = append(errs, p.checkCounts(expansion)...)
	errs = append(errs, p.checkWishes(expansion)...)
	if len(errs) > 0 {
		return nil, expansion, errs
	}
	judged, wrong := p.build(expansion)
	judged.Percentage = everywhere
	if p.percentage != nil {
		judged.Percentage = *p.percentage
	}
	return judged, expansion, wrong
}

// spread is the plugins of one extension point: first those of its own set that multiPoint enables too, then what only
// multiPoint enables, then the rest of its own set.
func (p *profile) spread(s section) ([]string, reasons) {
	own, errs := p.ownNames(s)
	set := s.of(&p.plugins)
	if disables(*set, everything) {
		return own, errs
	}
	var first, spread []string
	for _, m := range p.known.release.InOrder(s.point, p.plugins.MultiPoint.Enabled) {
		r, known := p.known.find(m.Name)
		switch {
		case !known || !r.At(s.point) || disables(*set, m.Name):
		case slices.Contains(own, m.Name):
			first = append(first, m.Name)
		case slices.Contains(spread, m.Name):
			errs = append(errs, field.Invalid(p.at.Child("plugins", "multiPoint", "enabled"), m.Name,
				fmt.Sprintf("is enabled twice for %s", s.field)))
		default:
			spread = append(spread, m.Name)
		}
	}
	var names, rest []string
	for _, name := range own {
		if slices.Contains(first, name) {
			names = append(names, name)
			continue
		}
		rest = append(rest, name)
	}
	return slices.Concat(names, spread, rest), errs
}

// ownNames is what the set of one extension point enables, in its order.
func (p *profile) ownNames(s section) ([]string, reasons) {
	var names []string
	var errs reasons
	for i, plugin := range s.of(&p.plugins).Enabled {
		at := p.at.Child("plugins", s.field, "enabled").Index(i - p.preset[s.field]).Child("name")
		r, known := p.known.find(plugin.Name)
		switch {
		case !known:
			panic("config: an unknown plugin passed the check of names: " + plugin.Name)
		case !r.At(s.point):
			errs = append(errs, field.Invalid(
				at, plugin.Name, fmt.Sprintf("has no part in %s (%s at %v)", s.field, r.asker(), r.Points),
			))
		case slices.Contains(names, plugin.Name):
			errs = append(errs, field.Invalid(at, plugin.Name, "is enabled twice"))
		default:
			names = append(names, plugin.Name)
		}
	}
	return names, errs
}

// weights is what the scores of each plugin of a point count for: the point's own set goes before multiPoint, and
// nothing or 0 is 1. nil at points that do not score.
func (p *profile) weights(s section) (map[string]int32, reasons) {
	if s.point != framework.Score && s.point != framework.PlacementScore {
		return nil, nil
	}
	weights := make(map[string]int32)
	var total int64
	for _, plugin := range slices.Concat(s.of(&p.plugins).Enabled, p.plugins.MultiPoint.Enabled) {
		r, known := p.known.find(plugin.Name)
		_, seen := weights[plugin.Name]
		if !known || !r.At(s.point) || seen {
			continue
		}
		weight := r.weight()
		if plugin.Weight != nil && *plugin.Weight != 0 {
			weight = *plugin.Weight
		}
		weights[plugin.Name] = weight
		highest := int64(weight) * p.known.release.Behaviour.Scale.Max
		if room := math.MaxInt64 - total; highest > room { // room wraps around when a negative weight comes first
			at := p.at.Child("plugins", s.field)
			return weights, reasons{field.Invalid(at, total, "total score of Score plugins could overflow (no weights below 0)")}
		}
		total += highest
	}
	return weights, nil
}

// checkCounts refuses a profile with too many or too few plugins where the number matters.
func (p *profile) checkCounts(e Expansion) reasons {
	var errs reasons
	at := p.at.Child("plugins")
	if n := len(e.At(framework.QueueSort)); n != 1 {
		errs = append(errs, field.Invalid(
			at.Child("queueSort"), n, fmt.Sprintf("exactly one queue sort plugin is needed for profile %q", p.name),
		))
	}
	if len(e.At(framework.Bind)) == 0 {
		errs = append(errs, field.Required(at.Child("bind"), fmt.Sprintf(
			"at least one bind plugin is needed for profile %q (DefaultBinder is kube-scheduler's)", p.name,
		)))
	}
	if n := len(e.At(framework.PlacementGenerate)); n > 1 {
		errs = append(errs, field.Invalid(at.Child("placementGenerate"), n, fmt.Sprintf(
			"at most one placement generate plugin is allowed for profile %q", p.name,
		)))
	}
	return errs
}
