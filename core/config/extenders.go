package config

import (
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
)

// inTurn is the order in which extenders are called: those whose failures are ignored come last.
func inTurn(given []configv1.Extender) []configv1.Extender {
	var first, last []configv1.Extender
	for _, e := range given {
		if e.Ignorable {
			last = append(last, e)
		} else {
			first = append(first, e)
		}
	}
	return append(first, last...)
}

// ignoredResources are the resources that no extender wants kube-scheduler to judge by.
func ignoredResources(given []configv1.Extender) []string {
	var names []string
	for i := range given {
		for _, r := range given[i].ManagedResources {
			if r.IgnoredByScheduler {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

// extendersOf is what a profile has to know of extenders.
func extendersOf(given []configv1.Extender) []framework.Extender {
	var all []framework.Extender
	for i := range given {
		e := &given[i]
		one := framework.Extender{
			Name: e.URLPrefix, Weight: e.Weight, Ignorable: e.Ignorable,
			Filters: e.FilterVerb != "", Prioritizes: e.PrioritizeVerb != "", Preempts: e.PreemptVerb != "",
			Binds: e.BindVerb != "",
		}
		for _, r := range e.ManagedResources {
			one.Managed = append(one.Managed, r.Name)
		}
		all = append(all, one)
	}
	return all
}
