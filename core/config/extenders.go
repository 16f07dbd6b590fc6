package config

import (
	"regexp"
	"strconv"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/address"
)

// IsExtenderName reports whether a URL prefix is only a name, and leads to no server.
func IsExtenderName(prefix string) bool { return bareName.MatchString(prefix) }

var bareName = regexp.MustCompile(`^extender-\d+$`)

// extenderName is what facts, messages and recordings call the extender at a place of a file, counted from 0.
// kube-scheduler calls it by its URL prefix, which may hold a password, a token and the address of a server: such a
// prefix gives way to the place.
func extenderName(place int, prefix string) string {
	if IsExtenderName(prefix) || address.IsHarmless(prefix) {
		return prefix
	}
	return "extender-" + strconv.Itoa(place+1)
}

// inTurn is the order in which extenders are called, with their names: those whose failures are ignored come last.
func inTurn(given []configv1.Extender) (all []configv1.Extender, names []string) {
	for _, ignored := range []bool{false, true} {
		for i, e := range given {
			if e.Ignorable == ignored {
				all, names = append(all, e), append(names, extenderName(i, e.URLPrefix))
			}
		}
	}
	return all, names
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
func extendersOf(given []configv1.Extender, names []string) []framework.Extender {
	var all []framework.Extender
	for i := range given {
		e := &given[i]
		one := framework.Extender{
			Name: names[i], Weight: e.Weight, Ignorable: e.Ignorable,
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
