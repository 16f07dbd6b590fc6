package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	configv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/release"
)

// KeptMember is a member of a configuration file that Kept leaves in it, with the reason.
type KeptMember struct {
	Path string // by JSON names, with [] for every element of a list; what ends in ** stays with all below it
	Why  string
}

const (
	keptVersion   = "which release reads the file"
	keptNames     = "names that pods and other members refer to"
	keptSettings  = "settings of the scheduler"
	keptArgs      = "args that a plugin of kube-scheduler reads"
	keptOwn       = "args of a plugin of your own: only the plugin knows what they mean, so put no secret there"
	keptExtenders = "what an extender is asked for; a name takes the place of its URL, and fixed words that of its verbs"
)

// KeptMembers are the members of a configuration that decide where a pod goes: all that stays of one in a recording. A
// configuration is of one of the versions that some release reads, or a Policy.
func KeptMembers() []KeptMember {
	var all []KeptMember
	add := func(why string, paths ...string) {
		for _, path := range paths {
			all = append(all, KeptMember{path, why})
		}
	}
	add(keptVersion, "apiVersion", "kind")
	add(keptSettings, "parallelism", "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds",
		"hardPodAffinitySymmetricWeight", "alwaysCheckAllPredicates", "disablePreemption", "bindTimeoutSeconds")
	add(keptNames, "algorithmSource.provider", "predicates[].name", "priorities[].name")
	add(keptSettings, "priorities[].weight")
	add(keptArgs, "predicates[].argument.serviceAffinity.labels[]", "predicates[].argument.labelsPresence.labels[]",
		"predicates[].argument.labelsPresence.presence", "priorities[].argument.serviceAntiAffinity.label",
		"priorities[].argument.labelPreference.label", "priorities[].argument.labelPreference.presence",
		"priorities[].argument.requestedToCapacityRatioArguments.shape[].utilization",
		"priorities[].argument.requestedToCapacityRatioArguments.shape[].score",
		"priorities[].argument.requestedToCapacityRatioArguments.resources[].name",
		"priorities[].argument.requestedToCapacityRatioArguments.resources[].weight")
	for _, of := range []string{"", "profiles[]."} {
		add(keptNames, of+"schedulerName", of+"plugins.POINT.enabled[].name", of+"plugins.POINT.disabled[].name",
			of+"pluginConfig[].name")
		add(keptSettings, of+"plugins.POINT.enabled[].weight", of+"plugins.POINT.disabled[].weight")
		for _, path := range keptArguments {
			add(keptArgs, of+"pluginConfig[].args."+path)
		}
		add(keptOwn, of+"pluginConfig[].args.**")
	}
	add(keptSettings, "profiles[].percentageOfNodesToScore")
	for _, path := range []string{
		"urlPrefix", "filterVerb", "prioritizeVerb", "preemptVerb", "bindVerb", "weight", "nodeCacheCapable", "ignorable",
		"managedResources[].name", "managedResources[].ignoredByScheduler",
	} {
		add(keptExtenders, "extenders[]."+path)
	}
	return all
}

// keptArguments are the args of the plugins of kube-scheduler, of all releases together.
var keptArguments = []string{
	"apiVersion", "kind", "minCandidateNodesPercentage", "minCandidateNodesAbsolute", "filterTimeout", "bindingTimeout",
	"hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods", "addedAffinity.**", "resources[].name",
	"resources[].weight", "ignoredResources[]", "ignoredResourceGroups[]", "scoringStrategy.type",
	"scoringStrategy.resources[].name", "scoringStrategy.resources[].weight",
	"scoringStrategy.requestedToCapacityRatio.shape[].utilization",
	"scoringStrategy.requestedToCapacityRatio.shape[].score", "defaultConstraints[].**", "defaultingType",
	"bindTimeoutSeconds", "shape[].utilization", "shape[].score", "presentLabels[]", "absentLabels[]",
	"presentLabelsPreference[]", "absentLabelsPreference[]", "affinityLabels[]", "antiAffinityLabelsPreference[]",
}

// keeper is a place of a configuration: the members below it that stay.
type keeper struct {
	below map[string]*keeper // nil: a value that is no object stays
	whole bool               // all below it stays
}

// keepers is the tree of KeptMembers. The args of a plugin of one's own have a place beside it.
var keepers, ownKeeper = plantKeepers(), &keeper{whole: true}

func plantKeepers() *keeper {
	points := []string{multiPoint.field, "unreserve"}
	for _, s := range sections {
		points = append(points, s.field)
	}
	root := &keeper{}
	for _, m := range KeptMembers() {
		if m.Why == keptOwn {
			continue
		}
		if !strings.Contains(m.Path, "POINT") {
			root.plant(m.Path)
			continue
		}
		for _, point := range points {
			root.plant(strings.Replace(m.Path, "POINT", point, 1))
		}
	}
	return root
}

func (k *keeper) plant(path string) {
	for part := range strings.SplitSeq(path, ".") {
		if part == "**" {
			k.whole = true
			return
		}
		name := strings.TrimSuffix(part, "[]")
		if k.below == nil {
			k.below = map[string]*keeper{}
		}
		if k.below[name] == nil {
			k.below[name] = &keeper{}
		}
		k = k.below[name]
	}
}

// keep is what stays of a value; false when nothing does.
func (k *keeper) keep(value any) (any, bool) {
	if k.whole {
		return value, true
	}
	switch value := value.(type) {
	case []any:
		left := make([]any, 0, len(value))
		for _, element := range value {
			if stays, does := k.keep(element); does {
				left = append(left, stays)
			}
		}
		return left, true
	case map[string]any:
		if k.below == nil {
			return nil, false
		}
		left := map[string]any{}
		for name, member := range value {
			below := k.below[name]
			if below == nil {
				continue
			}
			if name == "args" && !ofKubeScheduler(value["name"]) {
				below = ownKeeper
			}
			if stays, does := below.keep(member); does {
				left[name] = stays
			}
		}
		return left, true
	}
	return value, k.below == nil || value == nil
}

// ofKubeScheduler reports whether some release has a plugin of that name.
func ofKubeScheduler(name any) bool {
	for _, version := range release.Versions() {
		r, _ := release.Find(version)
		if slices.ContainsFunc(r.Plugins, func(p release.Plugin) bool { return p.Name == name }) {
			return true
		}
	}
	return false
}

// Kept is a configuration, or a Policy, with KeptMembers alone, as JSON: it decides as the whole one does. Of an
// extender, a name takes the place of the URL, so that it cannot be called. A text that is no configuration leaves
// nothing. Keeping twice is keeping once.
func Kept(text []byte) []byte {
	document := members(text)
	if document == nil {
		return nil
	}
	given := document["extenders"]
	delete(document, "extenders")
	left, _ := keepers.keep(document)
	kept, is := left.(map[string]any)
	if !is {
		return nil
	}
	if given != nil {
		extenders := make([]any, len(listed(given)))
		for i, one := range listed(given) {
			extenders[i] = keptExtender(i, one)
		}
		kept["extenders"] = extenders
	}
	out, err := json.Marshal(kept)
	if err != nil {
		panic(fmt.Sprintf("config: what is kept of a configuration cannot be written: %v", err))
	}
	return out
}

// members are the members of a configuration as its text has them; nil when it has none.
func members(text []byte) map[string]any {
	first, _, err := firstDocument(text, release.Newest())
	if err != nil {
		return nil
	}
	asJSON, err := yaml.YAMLToJSON(first)
	if err != nil {
		return nil
	}
	var document map[string]any
	numbers := json.NewDecoder(bytes.NewReader(asJSON))
	numbers.UseNumber()
	if numbers.Decode(&document) != nil {
		return nil
	}
	return document
}

// SameExtenders reports whether two configurations may name the same extenders: with the same settings, and at the same
// URLs where both have URLs. Answers that were recorded under the one serve the other then.
func SameExtenders(one, other []byte) bool {
	all, others := listed(members(one)["extenders"]), listed(members(other)["extenders"])
	if len(all) != len(others) {
		return false
	}
	for i := range all {
		prefix, otherPrefix := urlPrefix(all[i]), urlPrefix(others[i])
		kept, otherKept := keptExtender(i, all[i]), keptExtender(i, others[i])
		delete(kept, "urlPrefix")
		delete(otherKept, "urlPrefix")
		if !reflect.DeepEqual(kept, otherKept) ||
			prefix != otherPrefix && !IsExtenderName(prefix) && !IsExtenderName(otherPrefix) {
			return false
		}
	}
	return true
}

func listed(value any) []any {
	list, _ := value.([]any)
	return list
}

func urlPrefix(extender any) string {
	given, _ := extender.(map[string]any)
	for name, value := range given {
		if text, is := value.(string); is && strings.EqualFold(name, "urlPrefix") {
			return text
		}
	}
	return ""
}

// keptExtender is what stays of one extender of a file.
func keptExtender(place int, given any) map[string]any {
	var e configv1.Extender
	own, _ := given.(map[string]any)
	own = maps.Clone(own)
	for name := range own {
		if strings.EqualFold(name, "httpTimeout") || strings.EqualFold(name, "tlsConfig") {
			delete(own, name) // a Policy writes the first as a number
		}
	}
	if text, err := json.Marshal(own); err != nil || json.Unmarshal(text, &e) != nil {
		return map[string]any{"urlPrefix": extenderName(place, "")}
	}
	kept := map[string]any{"urlPrefix": extenderName(place, e.URLPrefix)}
	for _, verb := range []struct{ name, given, kept string }{
		{"filterVerb", e.FilterVerb, "filter"},
		{"prioritizeVerb", e.PrioritizeVerb, "prioritize"},
		{"preemptVerb", e.PreemptVerb, "preempt"},
		{"bindVerb", e.BindVerb, "bind"},
	} {
		if verb.given != "" {
			kept[verb.name] = verb.kept
		}
	}
	if e.Weight != 0 {
		kept["weight"] = e.Weight
	}
	for name, is := range map[string]bool{"nodeCacheCapable": e.NodeCacheCapable, "ignorable": e.Ignorable} {
		if is {
			kept[name] = true
		}
	}
	if len(e.ManagedResources) > 0 {
		kept["managedResources"] = e.ManagedResources
	}
	return kept
}
