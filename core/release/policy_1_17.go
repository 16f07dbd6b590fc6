package release

import "slices"

// policy1_17 is the content of the registries of 1.17 (algorithmprovider/defaults and
// framework/plugins/default_registry.go): PodFitsPorts is known and never runs, for it is not among the predicates that
// have an order.
func policy1_17() *Policy {
	p := policy1_19()
	p.ArgumentForAnyName, p.aliasesUnknown, p.CheckAllIgnored = true, true, true
	p.RatioOfCPUAndMemory, p.HardWeightIgnored = true, true
	p.Predicates = slices.DeleteFunc(p.Predicates, func(of Predicate) bool { return of.Name == "EvenPodsSpread" })
	p.Predicates = append(p.Predicates, Predicate{Name: "PodFitsPorts"})
	p.Priorities = slices.DeleteFunc(p.Priorities, func(of Priority) bool { return of.Name == "EvenPodsSpreadPriority" })
	for i := range p.Priorities {
		if p.Priorities[i].Plugin == "SelectorSpread" {
			p.Priorities[i].Plugin = "DefaultPodTopologySpread"
		}
	}
	p.Priorities = append(p.Priorities, Priority{Name: ratioByDefault, Plugin: ratioByDefault},
		Priority{Name: ServiceSpreading, Plugin: ServiceSpreading})
	return p
}
