package config

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/phrase"
)

// profile is one profile of a document, decoded and completed with defaults, not yet expanded.
type profile struct {
	at         *field.Path
	known      *catalogue
	name       string
	behaviour  framework.Behaviour
	percentage *int32 // nil: that of the document for all profiles
	plugins    configv1.Plugins
	args       arguments
	rawArgs    map[string]string           // args as JSON by plugin, as given
	places     map[string]*field.Path      // of the entries of pluginConfig by plugin
	ignored    []string                    // resources that NodeResourcesFit ignores for extenders
	fitArgs    *field.Path                 // where the args of NodeResourcesFit are given; nil: nowhere
	guests     map[string]framework.Plugin // of NewGuest, by name, that the profile enables
	preset     map[string]int              // how many plugins of a point the file does not list, by field
}

func profilePath(i int) *field.Path { return field.NewPath("profiles").Index(i) }

// readProfile completes a profile and judges everything about it that does not depend on the other profiles.
func readProfile(
	at *field.Path, given *configv1.KubeSchedulerProfile, known *catalogue, g Gates, of *configuration,
) (*profile, []phrase.Text, reasons) {
	p := &profile{at: at, known: known, percentage: given.PercentageOfNodesToScore, rawArgs: make(map[string]string)}
	p.behaviour, p.args.policy = g.behaviour(), of.policy
	if of.all {
		p.behaviour.Rejection = framework.EveryFailure{}
	}
	p.args.groups, p.args.devices, p.args.preemption = g.groups(), g.devices(), known.release.PreemptionOrder
	p.args.ways = g.ways()
	if of.hardWeight != 0 {
		p.args.interPodAffinity.HardPodAffinityWeight = &of.hardWeight
	}
	p.args.batching = g.On("OpportunisticBatching")
	if given.SchedulerName != nil {
		p.name = *given.SchedulerName
	}
	if given.Plugins != nil {
		p.plugins = *given.Plugins
	}
	errs := validatePercentage(at.Child("percentageOfNodesToScore"), p.percentage)
	warnings, wrong := p.checkPlugins()
	errs = append(errs, wrong...)
	more, wrong := p.readArgs(given.PluginConfig)
	errs = append(errs, wrong...)
	errs = append(errs, p.meetGuests()...)
	if of.byPoint {
		p.presets(g)
	} else {
		p.plugins = p.known.mergeDefaults(p.plugins, g)
	}
	return p, append(warnings, more...), errs
}

// checkPlugins judges the names and weights of a profile's own plugin sets.
func (p *profile) checkPlugins() (warnings []phrase.Text, errs reasons) {
	for _, s := range append([]section{multiPoint}, sections...) {
		set, at := s.of(&p.plugins), p.at.Child("plugins", s.field)
		for i, plugin := range set.Enabled {
			at := at.Child("enabled").Index(i)
			if _, known := p.known.find(plugin.Name); !known {
				errs = append(errs, field.Invalid(at.Child("name"), plugin.Name, p.known.whyUnknown(plugin.Name)))
			}
			if plugin.Weight != nil && *plugin.Weight < 0 {
				warnings = append(warnings, phrase.Textf(
					"%s: with weight %d, %s prefers what it would otherwise avoid", at, *plugin.Weight, plugin.Name,
				))
			}
		}
		for i, plugin := range set.Disabled {
			if _, known := p.known.find(plugin.Name); !known && plugin.Name != everything {
				warnings = append(
					warnings,
					phrase.Textf("%s: nothing to disable: %q %s", at.Child("disabled").Index(i), plugin.Name, p.known.whyUnknown(
						plugin.Name,
					)),
				)
			}
		}
	}
	return warnings, errs
}

// enables reports whether a set of the profile names the plugin, so that it will run.
func (p *profile) enables(name string) bool {
	named := func(plugin configv1.Plugin) bool { return plugin.Name == name }
	return slices.ContainsFunc(append([]section{multiPoint}, sections...), func(s section) bool {
		return slices.ContainsFunc(s.of(&p.plugins).Enabled, named)
	})
}

// readArgs decodes, completes and judges the args of every plugin. Args for a plugin that is not
// enabled are judged too, except those of NodeResourcesFit (1.37).
func (p *profile) readArgs(given []configv1.PluginConfig) (warnings []phrase.Text, errs reasons) {
	places := make(map[string]*field.Path, len(given))
	p.places = places
	broken := make(map[string]bool)
	for i, c := range given {
		at := p.at.Child("pluginConfig").Index(i)
		if first, again := places[c.Name]; again {
			errs = append(errs, phrase.Errorf("%s: Duplicate value: %q has its args in %s already", at, c.Name, first))
			continue
		}
		places[c.Name] = at
		p.rawArgs[c.Name] = string(c.Args.Raw)
		r, known := p.known.find(c.Name)
		switch {
		case known && r.outside != nil: // judged when the plugin is built
		case !known && p.enables(c.Name):
			errs = append(errs, field.Invalid(at.Child("name"), c.Name, p.known.whyUnknown(c.Name)))
		case !known:
			warnings = append(warnings, phrase.Textf(
				"%s: %q %s; kube-scheduler ignores its args", at.Child("name"), c.Name, p.known.whyUnknown(c.Name),
			))
		case p.args.of(c.Name) == nil || !p.known.release.TakesArgs(c.Name):
			warnings = append(warnings, phrase.Textf(
				"%s: %s takes no args, and kube-scheduler ignores these", at.Child("args"), c.Name,
			))
		case len(c.Args.Raw) > 0:
			wrong := p.args.read(at.Child("args"), p.known.release, c.Name, c.Args.Raw)
			wrong = append(wrong, p.strange(at.Child("args"), c.Name, c.Args.Raw)...)
			broken[c.Name] = len(wrong) > 0
			errs = append(errs, wrong...)
		}
	}
	p.args.setDefaults()
	for i := range p.known.rows {
		name := p.known.rows[i].Name
		at, has := places[name]
		if name == "NodeResourcesFit" { // kube-scheduler judges these when it builds the plugin
			if has {
				p.fitArgs = at.Child("args")
			}
			continue
		}
		if has && !broken[name] {
			errs = append(errs, p.args.validate(at.Child("args"), name)...)
		}
	}
	return warnings, errs
}
