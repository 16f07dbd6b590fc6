package recording

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
)

// Rule takes one field out of the objects of a kind.
type Rule struct {
	Kind  cluster.Kind
	Field string // with [] for every element of a list
	Why   string
}

// annotations lists, by the beginnings of their names, the annotations that are kept: what some scheduler has read. All
// others are taken out, kubectl's last-applied first of all.
var annotations = []struct{ prefix, why string }{
	{"pv.kubernetes.io/", "VolumeBinding: how a claim and a volume were bound"},
	{"volume.kubernetes.io/", "VolumeBinding: the node selected for a claim, its provisioner"},
	{"volume.beta.kubernetes.io/", "VolumeBinding: the class and the provisioner of old claims and volumes"},
	{"volume.alpha.kubernetes.io/", "VolumeBinding before 1.6: class and node affinity of old volumes"},
	{"storage.alpha.kubernetes.io/migrated-plugins", "NodeVolumeLimits, VolumeBinding: what a CSINode has migrated"},
	{cluster.DefaultClassAnnotation, "which class a claim without one gets"},
	{"storageclass.beta.kubernetes.io/is-default-class", "which class a claim without one gets"},
	{"kubernetes.io/azure-file-resource-group", "the handle of a migrated volume"},
	{"resource.kubernetes.io/", "DynamicResources: claims made for extended resources"},
	{"scheduler.alpha.kubernetes.io/affinity", "affinity before it had a field"},
	{"scheduler.alpha.kubernetes.io/tolerations", "tolerations before they had a field"},
	{"scheduler.alpha.kubernetes.io/taints", "taints before they had a field"},
	{"scheduler.alpha.kubernetes.io/preferAvoidPods", "NodePreferAvoidPods: owners whose pods a node avoids"},
}

// Rules is everything that redaction takes out, kind by kind in the order of cluster.Kinds: what is known to be
// private, and text that is not in KeptText.
func Rules() []Rule {
	var rules []Rule
	kept := map[cluster.Kind][]string{}
	for _, k := range KeptText() {
		kept[k.Kind] = append(kept[k.Kind], k.Field)
	}
	for _, kind := range append(cluster.Kinds(), cluster.KindEvent) {
		unread := unkept(kind, kept[kind])
		gone := func(path string) bool {
			return slices.ContainsFunc(unread, func(r Rule) bool {
				return path == r.Field || strings.HasPrefix(path, r.Field+".") || strings.HasPrefix(path, r.Field+"[]")
			})
		}
		for _, f := range slices.Concat(everyObject, cluster.RowOf(kind).Private) {
			if !gone(f.Path) {
				rules = append(rules, Rule{Kind: kind, Field: f.Path, Why: f.Why})
			}
		}
		rules = append(rules, unread...)
	}
	return rules
}

// everyObject is what is taken out of the objects of every kind.
var everyObject = []cluster.PrivateField{
	{Path: "metadata.managedFields", Why: noise},
	{Path: "metadata.selfLink", Why: noise},
}

const noise = "bookkeeping of the API server"
