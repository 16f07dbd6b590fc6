package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/former"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// barePolicy turns a Policy of a release before the framework into a profile: its predicates and priorities are the
// plugins, under the names that the Policy gives them (CreateFromConfig, 1.10).
type barePolicy struct {
	policyReader
	gates Gates
	rows  []row    // predicates and priorities with an argument
	own   []Plugin // plugins of this build that kube-scheduler does not have
}

// readBarePolicy is the configuration that is equal to a Policy.
func readBarePolicy(file *policyFile, g Gates, own []Plugin) (*configuration, reasons) {
	p := &barePolicy{policyReader: policyReader{release: g.Release(), knows: g.Release().Policy}, gates: g, own: own}
	p.checkFields(file)
	p.plugins.MultiPoint.Disabled = []configv1.Plugin{{Name: everything}}
	for i := range p.release.Plugins {
		if of := &p.release.Plugins[i]; !p.isPredicate(of.Name) && !of.At(framework.Score) && g.enable(of) {
			p.enable(of.Name, of.Points, nil)
		}
	}
	p.barePredicates(file.Predicates)
	p.barePriorities(file.Priorities, len(file.Extenders) > 0)
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	c := &configuration{
		document: &configv1.KubeSchedulerConfiguration{
			Profiles: []configv1.KubeSchedulerProfile{{Plugins: &p.plugins}},
		},
		policy: true, all: file.AlwaysCheckAllPredicates, warnings: p.warnings, rows: p.rows,
		hardWeight: file.HardPodAffinitySymmetricWeight,
	}
	for _, e := range file.Extenders {
		c.document.Extenders = append(c.document.Extenders, e.Extender)
	}
	return c, nil
}

// checkFields refuses what the release does not know.
func (p *barePolicy) checkFields(file *policyFile) {
	if file.AlwaysCheckAllPredicates && !p.knows.ReadsCheckAll {
		p.refuse(field.NewPath("alwaysCheckAllPredicates"), fmt.Sprintf(
			"kube-scheduler %s does not know it, and checks all predicates anyway (%s knows it)", p.release.Version,
			p.release.FirstPolicy(func(later *release.Policy) bool { return later.ReadsCheckAll }),
		))
	}
	switch w := file.HardPodAffinitySymmetricWeight; {
	case w != 0 && !p.knows.ReadsHardWeight:
		p.refuse(field.NewPath("hardPodAffinitySymmetricWeight"), fmt.Sprintf(
			"it is a flag of kube-scheduler %s (%s reads it from a Policy)", p.release.Version,
			p.release.FirstPolicy(func(later *release.Policy) bool { return later.ReadsHardWeight }),
		))
	case w < 0 || w > 100:
		p.errs = append(p.errs, field.Invalid(
			field.NewPath("hardPodAffinitySymmetricWeight"), w, "must be in the range 1-100",
		))
	}
}

// isPredicate reports whether a plugin of the table is a predicate: the plugins at Filter are, and no others.
func (p *barePolicy) isPredicate(name string) bool { return p.plugin(name).At(framework.Filter) }

// tabled are the names of the predicates, or of the priorities, that a Policy may use in this release. Some of the
// predicates among them never run.
func (p *barePolicy) tabled(point framework.Point) []string {
	var names []string
	for i := range p.release.Plugins {
		of := &p.release.Plugins[i]
		if of.At(point) && (of.Gate == "" || p.gates.enable(of)) {
			names = append(names, of.Name)
		}
	}
	if point == framework.Filter {
		names = append(names, p.knows.Unasked...)
	}
	return names
}

// defaults are the names of the predicates, or of the priorities, that run where the Policy has no list of them.
func (p *barePolicy) defaults(point framework.Point) []string {
	var names []string
	for i := range p.release.Plugins {
		if of := &p.release.Plugins[i]; of.At(point) && p.gates.enable(of) {
			names = append(names, of.Name)
		}
	}
	return names
}

// barePredicates enables predicates, in the order in which they run.
func (p *barePolicy) barePredicates(given []predicatePolicy) {
	var names []string
	if given == nil {
		names = p.defaults(framework.Filter)
	}
	for i := range given {
		if name := p.barePredicate(field.NewPath("predicates").Index(i), &given[i]); name != "" {
			names = append(names, name)
		}
	}
	for _, name := range p.mandatory() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if p.knows.RunsOnlyOrder {
		names = p.ordered(names)
	}
	var enabled []string
	for _, name := range names {
		if slices.Contains(enabled, name) {
			continue
		}
		enabled = append(enabled, name)
		p.enable(name, p.rowOf(name).Points, nil)
	}
}

// mandatory are the predicates that always run.
func (p *barePolicy) mandatory() []string {
	var names []string
	for _, name := range p.knows.Mandatory {
		if of := p.plugin(name); p.gates.enable(of) {
			names = append(names, name)
		}
	}
	if p.gates.On("TaintNodesByCondition") {
		names = append(names, "PodToleratesNodeTaints")
	}
	return names
}

// ordered is the predicates in their fixed order. Those of other names never run, and no message reports that.
func (p *barePolicy) ordered(names []string) []string {
	var kept []string
	for _, name := range names {
		if !slices.Contains(p.knows.Order, name) {
			p.warnings = append(p.warnings, phrase.Textf(
				"predicates: kube-scheduler %s never asks %q: it asks predicates in a fixed order in which that name is not "+
					"(%s)", p.release.Version, name, strings.Join(p.knows.Order, ", "),
			))
		}
	}
	for _, name := range p.knows.Order {
		if slices.Contains(names, name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// barePredicate is the name under which an entry runs; "" when it is refused.
func (p *barePolicy) barePredicate(at *field.Path, given *predicatePolicy) string {
	switch a := given.Argument; {
	case a == nil:
		return p.bareName(at, given.Name, "predicate", framework.Filter)
	case (a.ServiceAffinity == nil) == (a.LabelsPresence == nil):
		p.refuse(at.Child("argument"), "exactly one of serviceAffinity and labelsPresence is needed")
		return ""
	case a.ServiceAffinity != nil:
		p.add(formerRow(given.Name, framework.Filter, 0, former.ServiceAffinityOf(given.Name, a.ServiceAffinity.Labels)))
	default:
		p.add(formerRow(
			given.Name, framework.Filter, 0,
			former.LabelsPresenceOf(given.Name, a.LabelsPresence.Labels, a.LabelsPresence.Presence),
		))
	}
	return given.Name
}

// barePriorities enables priorities; the last entry of a name counts. Where there are no priorities and no extenders,
// EqualPriority runs, which gives every node the same score.
func (p *barePolicy) barePriorities(given []priorityPolicy, extended bool) {
	weights, names := map[string]int32{}, []string(nil)
	if given == nil {
		names = p.defaults(framework.Score)
		for _, name := range names {
			weights[name] = p.plugin(name).Weight
		}
	}
	for i := range given {
		of, at := &given[i], field.NewPath("priorities").Index(i)
		if of.Weight <= 0 || of.Weight >= math.MaxInt32/priorityMax {
			p.refuse(at.Child("weight"), fmt.Sprintf("%d is no positive weight, or too large", of.Weight))
		}
		if name := p.barePriority(at, of); name != "" {
			names = append(names, name)
			weights[name] = int32(of.Weight)
		}
	}
	if len(names) == 0 && !extended {
		names, weights = []string{"EqualPriority"}, map[string]int32{"EqualPriority": 1}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		weight := weights[name]
		p.enable(name, []framework.Point{framework.Score}, &weight)
	}
}

const priorityMax = 10

// barePriority is the name under which an entry runs; "" when it is refused.
func (p *barePolicy) barePriority(at *field.Path, given *priorityPolicy) string {
	a := given.Argument
	switch {
	case a == nil:
		return p.bareName(at, given.Name, "priority", framework.Score)
	case a.Ratio != nil:
		p.refuse(at.Child("argument", "requestedToCapacityRatioArguments"), fmt.Sprintf(
			"kube-scheduler %s does not know it (%s knows it)", p.release.Version,
			p.release.FirstPolicy(func(later *release.Policy) bool {
				return slices.Contains(later.PriorityNames(), release.RatioPriority)
			}),
		))
		return ""
	case (a.ServiceAntiAffinity == nil) == (a.LabelPreference == nil):
		p.refuse(at.Child("argument"), "exactly one of serviceAntiAffinity and labelPreference is needed")
		return ""
	case a.ServiceAntiAffinity != nil:
		p.add(formerRow(
			given.Name, framework.Score, int32(given.Weight), former.AntiAffinityOf(given.Name, a.ServiceAntiAffinity.Label),
		))
	default:
		p.add(formerRow(
			given.Name, framework.Score, int32(given.Weight),
			former.LabelPreferenceOf(given.Name, a.LabelPreference.Label, a.LabelPreference.Presence),
		))
	}
	return given.Name
}

// add keeps a row; a later one of the same name takes its place.
func (p *barePolicy) add(r row) {
	if i := slices.IndexFunc(p.rows, func(own row) bool { return own.Name == r.Name }); i >= 0 {
		p.rows[i] = r
		return
	}
	p.rows = append(p.rows, r)
}

// rowOf is the row of a plugin: one that the Policy made, one of this build, or one of the release.
func (p *barePolicy) rowOf(name string) *row {
	if i := slices.IndexFunc(p.rows, func(own row) bool { return own.Name == name }); i >= 0 {
		return &p.rows[i]
	}
	for i := range p.own {
		if own := &p.own[i]; own.name == name {
			r := own.row()
			r.Points = slices.DeleteFunc(slices.Clone(r.Points), func(point framework.Point) bool {
				return point != framework.PreFilter && point != framework.Filter
			})
			return &r
		}
	}
	return &row{Plugin: *p.plugin(name)}
}

// bareName is the name of a predicate or priority that the release has, that the Policy made before, or that is a
// plugin of this build; "" when it is refused.
func (p *barePolicy) bareName(at *field.Path, given, what string, point framework.Point) string {
	names := p.tabled(point)
	if slices.Contains(names, given) ||
		slices.ContainsFunc(p.rows, func(own row) bool { return own.Name == given && own.At(point) }) ||
		slices.ContainsFunc(p.own, func(own Plugin) bool {
			return own.name == given && slices.Contains(own.points, point)
		}) {
		return given
	}
	why := "is no " + what + " of kube-scheduler " + p.release.Version
	switch first, later := p.release.FirstToName(given); {
	case later:
		why += fmt.Sprintf(" (kube-scheduler %s knows it)", first)
	default:
		if hint := spelling.Hint(given, names).String(); hint != "" {
			why += hint
		} else {
			why += " (those are " + strings.Join(names, ", ") + ")"
		}
	}
	p.errs = append(p.errs, field.Invalid(at.Child("name"), given, why))
	return ""
}
