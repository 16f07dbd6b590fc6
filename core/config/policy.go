package config

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// policyKind is the kind of the files that configured kube-scheduler before profiles did.
const policyKind = "Policy"

// policyFile is a Policy of v1 (k8s.io/kube-scheduler/config/v1, 1.19). A list that is missing is not an empty one.
type policyFile struct {
	metav1.TypeMeta                `json:",inline"`
	Predicates                     []predicatePolicy `json:"predicates"`
	Priorities                     []priorityPolicy  `json:"priorities"`
	Extenders                      []policyExtender  `json:"extenders"`
	HardPodAffinitySymmetricWeight int32             `json:"hardPodAffinitySymmetricWeight"`
	AlwaysCheckAllPredicates       bool              `json:"alwaysCheckAllPredicates"`
}

type predicatePolicy struct {
	Name     string             `json:"name"`
	Argument *predicateArgument `json:"argument"`
}

type predicateArgument struct {
	ServiceAffinity *struct {
		Labels []string `json:"labels"`
	} `json:"serviceAffinity"`
	LabelsPresence *struct {
		Labels   []string `json:"labels"`
		Presence bool     `json:"presence"`
	} `json:"labelsPresence"`
}

type priorityPolicy struct {
	Name     string            `json:"name"`
	Weight   int64             `json:"weight"`
	Argument *priorityArgument `json:"argument"`
}

type priorityArgument struct {
	ServiceAntiAffinity *struct {
		Label string `json:"label"`
	} `json:"serviceAntiAffinity"`
	LabelPreference *struct {
		Label    string `json:"label"`
		Presence bool   `json:"presence"`
	} `json:"labelPreference"`
	Ratio *struct {
		Shape     []configv1.UtilizationShapePoint `json:"shape"`
		Resources []configv1.ResourceSpec          `json:"resources,omitempty"`
	} `json:"requestedToCapacityRatioArguments"`
}

// policyExtender is an extender as a Policy has it. Its fields may be written in capitals and small letters alike, and
// unknown ones are passed over.
type policyExtender struct{ configv1.Extender }

// UnmarshalJSON reads an httpTimeout in nanoseconds; in a KubeSchedulerConfiguration it is a text such as 5s.
func (e *policyExtender) UnmarshalJSON(data []byte) error {
	own := struct {
		*configv1.Extender
		HTTPTimeout time.Duration `json:"httpTimeout"`
	}{Extender: &e.Extender}
	err := json.Unmarshal(data, &own)
	e.HTTPTimeout = metav1.Duration{Duration: own.HTTPTimeout}
	return err
}

// DeepCopyObject makes a runtime.Object of it; it is never called.
func (p *policyFile) DeepCopyObject() runtime.Object { of := *p; return &of }

// policyReader turns a Policy into the one profile that kube-scheduler makes of it.
type policyReader struct {
	release  *release.Release
	knows    *release.Policy
	plugins  configv1.Plugins
	args     formerArgs
	errs     reasons
	warnings []phrase.Text
}

// readPolicy is the configuration that is equal to a Policy.
func readPolicy(asJSON []byte, g Gates, own []Plugin) (*configuration, reasons) {
	file, r := new(policyFile), g.Release()
	if errs := decodeStrict(nil, asJSON, file); len(errs) > 0 {
		return nil, errs
	}
	if r.Policy.NamesArePlugins {
		return readBarePolicy(file, g, own)
	}
	p := &policyReader{release: r, knows: r.Policy}
	if w := file.HardPodAffinitySymmetricWeight; w < 0 || w > 100 {
		p.errs = append(p.errs, field.Invalid(
			field.NewPath("hardPodAffinitySymmetricWeight"), w, "not in valid range [0-100]",
		))
	}
	predicates, priorities := p.predicates(file.Predicates), p.priorities(file.Priorities)
	p.asked(predicates, priorities)
	c := &configuration{
		document: &configv1.KubeSchedulerConfiguration{
			Profiles: []configv1.KubeSchedulerProfile{{Plugins: &p.plugins}},
		},
		policy: true, all: file.AlwaysCheckAllPredicates && !r.Policy.CheckAllIgnored,
	}
	if !r.TakesArgs("InterPodAffinity") && !r.Policy.HardWeightIgnored {
		c.hardWeight = file.HardPodAffinitySymmetricWeight
	}
	for _, e := range file.Extenders {
		c.document.Extenders = append(c.document.Extenders, e.Extender)
	}
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	if file.AlwaysCheckAllPredicates && !c.all {
		p.warnings = append(p.warnings, phrase.Textf(
			"alwaysCheckAllPredicates: kube-scheduler %s reads it, and asks plugins until one rejects the node all the same",
			r.Version,
		))
	}
	if file.HardPodAffinitySymmetricWeight != 0 && r.Policy.HardWeightIgnored {
		p.warnings = append(p.warnings, phrase.Textf(
			"hardPodAffinitySymmetricWeight: kube-scheduler %s reads it, and scores with 1 all the same", r.Version,
		))
	}
	c.warnings = p.warnings
	c.document.Profiles[0].PluginConfig = p.pluginConfig(file, c.document.Extenders)
	return c, nil
}

// predicates are the names in a Policy, its own or those that are always there.
func (p *policyReader) predicates(given []predicatePolicy) map[string]bool {
	names := map[string]bool{}
	for _, of := range p.knows.Predicates {
		if of.Mandatory || given == nil && of.Default {
			names[of.Name] = true
		}
	}
	for i, of := range given {
		if name := p.predicate(field.NewPath("predicates").Index(i), &of); name != "" {
			names[name] = true
		}
	}
	return names
}

// predicate is the name that one entry stands for; its argument goes to the plugin. "" when it is refused.
func (p *policyReader) predicate(at *field.Path, given *predicatePolicy) string {
	a := given.Argument
	if a != nil && (a.ServiceAffinity == nil) == (a.LabelsPresence == nil) {
		p.refuse(at.Child("argument"), "exactly one of serviceAffinity and labelsPresence is needed")
		return ""
	}
	name, known := p.named(at, given.Name, "predicate", p.knows.PredicateNames(), a != nil)
	switch {
	case a == nil || known && !p.knows.ArgumentForAnyName:
		return name
	case a.ServiceAffinity != nil:
		own := &p.args.serviceAffinity
		own.AffinityLabels = append(own.AffinityLabels, a.ServiceAffinity.Labels...)
		return release.ServiceAffinityPredicate
	case a.LabelsPresence.Presence:
		p.args.nodeLabel.PresentLabels = append(p.args.nodeLabel.PresentLabels, a.LabelsPresence.Labels...)
	default:
		p.args.nodeLabel.AbsentLabels = append(p.args.nodeLabel.AbsentLabels, a.LabelsPresence.Labels...)
	}
	return release.LabelsPredicate
}

// priorities are the names in a Policy with their weights, its own or those that are always there.
func (p *policyReader) priorities(given []priorityPolicy) map[string]int32 {
	weights := map[string]int32{}
	for _, of := range p.knows.Priorities {
		if given == nil && of.Default > 0 {
			weights[of.Name] = of.Default
		}
	}
	labels, services, ratios := int64(0), int64(0), 0
	for i, of := range given {
		at := field.NewPath("priorities").Index(i)
		if of.Weight <= 0 || of.Weight >= math.MaxInt64/10 {
			p.refuse(at.Child("weight"), fmt.Sprintf("%d is no positive weight, or too large", of.Weight))
		}
		if a := of.Argument; a != nil {
			p.sameWeight(at, "labelPreference", a.LabelPreference != nil, of.Weight, &labels)
			p.sameWeight(at, "serviceAntiAffinity", a.ServiceAntiAffinity != nil, of.Weight, &services)
			if a.Ratio != nil {
				if ratios++; ratios > 1 {
					p.refuse(at, "requestedToCapacityRatioArguments are given already")
				}
			}
		}
		if of.Name == "EqualPriority" { // the same for every node
			continue
		}
		if name := p.priority(at, &of); name != "" {
			weights[name] = int32(of.Weight)
		}
	}
	return weights
}

// sameWeight wants all priorities with the same argument to have one weight, for one plugin stands for them.
func (p *policyReader) sameWeight(at *field.Path, argument string, has bool, weight int64, before *int64) {
	if !has {
		return
	}
	if *before != 0 && *before != weight {
		p.refuse(at.Child("weight"), fmt.Sprintf(
			"%d: another priority with %s has weight %d, and all of them need the same", weight, argument, *before,
		))
	}
	*before = weight
}

// priority is the name that one entry stands for; its argument goes to the plugin. "" when it is refused.
func (p *policyReader) priority(at *field.Path, given *priorityPolicy) string {
	a := given.Argument
	if a != nil {
		arguments := 0
		for _, has := range []bool{a.ServiceAntiAffinity != nil, a.LabelPreference != nil, a.Ratio != nil} {
			if has {
				arguments++
			}
		}
		if arguments != 1 {
			p.refuse(at.Child("argument"), "exactly one of serviceAntiAffinity, labelPreference and "+
				"requestedToCapacityRatioArguments is needed")
			return ""
		}
	}
	name, known := p.named(at, given.Name, "priority", p.knows.PriorityNames(), a != nil)
	switch {
	case a == nil || known && !p.knows.ArgumentForAnyName:
		return name
	case a.ServiceAntiAffinity != nil:
		own := &p.args.serviceAffinity
		own.AntiAffinityLabelsPreference = append(own.AntiAffinityLabelsPreference, a.ServiceAntiAffinity.Label)
		return release.ServicePriority
	case a.Ratio != nil:
		p.args.ratio.Shape, p.args.ratio.Resources = a.Ratio.Shape, a.Ratio.Resources
		if len(a.Ratio.Resources) == 0 && p.knows.RatioOfCPUAndMemory {
			p.args.ratio.Resources = []configv1.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}
		}
		p.errs = append(p.errs, p.args.validate(
			at.Child("argument", "requestedToCapacityRatioArguments"), "RequestedToCapacityRatio",
		)...)
		return release.RatioPriority
	case a.LabelPreference.Presence:
		own := &p.args.nodeLabel
		own.PresentLabelsPreference = append(own.PresentLabelsPreference, a.LabelPreference.Label)
	default:
		own := &p.args.nodeLabel
		own.AbsentLabelsPreference = append(own.AbsentLabelsPreference, a.LabelPreference.Label)
	}
	return release.LabelPriority
}

// asked lists the plugins at their extension points, in the order in which predicates and priorities run.
func (p *policyReader) asked(predicates map[string]bool, priorities map[string]int32) {
	p.plugins.MultiPoint.Disabled = []configv1.Plugin{{Name: everything}}
	for _, name := range p.knows.Besides {
		p.enable(name, p.plugin(name).Points, nil)
	}
	brought := map[string]string{}
	for _, of := range p.knows.Predicates {
		if !predicates[of.Name] {
			continue
		}
		for _, name := range of.Plugins {
			if other, twice := brought[name]; twice {
				p.refuse(field.NewPath("predicates"), fmt.Sprintf(
					"%s and %s both stand for the plugin %s, and kube-scheduler %s does not start with both", other, of.Name,
					name, p.release.Version,
				))
				continue
			}
			brought[name] = of.Name
			p.enable(name, p.plugin(name).PredicatePoints(), nil)
		}
	}
	for _, of := range p.knows.Priorities {
		weight, is := priorities[of.Name]
		if !is {
			continue
		}
		switch of.Name {
		case release.LabelPriority:
			weight *= p.times(of.Name, len(p.args.nodeLabel.PresentLabelsPreference)+
				len(p.args.nodeLabel.AbsentLabelsPreference))
		case release.ServicePriority:
			weight *= p.times(of.Name, len(p.args.serviceAffinity.AntiAffinityLabelsPreference))
		case release.RatioPriority:
			p.times(of.Name, len(p.args.ratio.Shape))
		}
		p.enable(of.Plugin, p.plugin(of.Plugin).PriorityPoints(), &weight)
	}
}

// times is how many entries a plugin stands for. It refuses a plugin that stands for none: then an entry has the
// plugin's own name.
func (p *policyReader) times(name string, entries int) int32 {
	if entries == 0 {
		p.refuse(field.NewPath("priorities"), fmt.Sprintf(
			"%s is the name of a plugin: kube-scheduler %s does not read the argument of an entry of that name, and does not "+
				"start; call the entry otherwise", name, p.release.Version,
		))
	}
	return int32(entries)
}

func (p *policyReader) plugin(name string) *release.Plugin {
	i := slices.IndexFunc(p.release.Plugins, func(of release.Plugin) bool { return of.Name == name })
	return &p.release.Plugins[i]
}

// enable makes a plugin run at some points; a weight is of Score.
func (p *policyReader) enable(name string, points []framework.Point, weight *int32) {
	for _, s := range sections {
		if !slices.Contains(points, s.point) {
			continue
		}
		set, plugin := s.of(&p.plugins), configv1.Plugin{Name: name}
		if s.point == framework.Score {
			plugin.Weight = weight
		}
		set.Enabled = append(set.Enabled, plugin)
	}
}

// pluginConfig is the args of the plugins.
func (p *policyReader) pluginConfig(file *policyFile, extenders []configv1.Extender) []configv1.PluginConfig {
	var all []configv1.PluginConfig
	add := func(name string, args any) {
		raw, err := json.Marshal(args)
		if err != nil {
			panic(fmt.Sprintf("config: the args of %s cannot be written: %v", name, err))
		}
		all = append(all, configv1.PluginConfig{Name: name, Args: runtime.RawExtension{Raw: raw}})
	}
	add("NodeLabel", &p.args.nodeLabel)
	add("ServiceAffinity", &p.args.serviceAffinity)
	if len(p.args.ratio.Shape) > 0 {
		add("RequestedToCapacityRatio", &p.args.ratio)
	}
	if weight := file.HardPodAffinitySymmetricWeight; weight != 0 && p.release.TakesArgs("InterPodAffinity") {
		add("InterPodAffinity", map[string]int32{"hardPodAffinityWeight": weight})
	}
	if ignored := ignoredResources(extenders); len(ignored) > 0 && p.release.TakesArgs("NodeResourcesFit") {
		add("NodeResourcesFit", map[string][]string{"ignoredResources": ignored})
	}
	return all
}

func (p *policyReader) refuse(at *field.Path, why string) {
	p.errs = append(p.errs, phrase.Errorf("%s: %s", at, why))
}

// named is a name without its alias, and whether kube-scheduler knows it, in which case it does not read the argument.
// One that it does not know and that has no argument is refused.
func (p *policyReader) named(
	at *field.Path, given, what string, names []string, argued bool,
) (name string, known bool) {
	name = p.knows.Named(given)
	known = slices.Contains(names, name)
	switch {
	case known && argued && !p.knows.ArgumentForAnyName:
		p.warnings = append(p.warnings, phrase.Textf(
			"%s: kube-scheduler %s knows %q by its name and does not read its argument", at.Child("argument"),
			p.release.Version, given,
		))
	case !known && !argued:
		why := "is no " + what + " of kube-scheduler " + p.release.Version
		if hint := spelling.Hint(given, names).String(); hint != "" {
			why += hint
		} else {
			why += " (those are " + strings.Join(names, ", ") + ")"
		}
		p.errs = append(p.errs, field.Invalid(at.Child("name"), given, why))
		name = ""
	}
	return name, known
}
