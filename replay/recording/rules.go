package recording

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
)

// Rule takes one field out of the objects of a kind. Everything no rule names is kept: names, namespaces, labels,
// owners, requests, images and their sizes, and the names of what a pod mounts.
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
	{"storageclass.kubernetes.io/is-default-class", "which class a claim without one gets"},
	{"storageclass.beta.kubernetes.io/is-default-class", "which class a claim without one gets"},
	{"kubernetes.io/azure-file-resource-group", "the handle of a migrated volume"},
	{"resource.kubernetes.io/", "DynamicResources: claims made for extended resources"},
	{"scheduler.alpha.kubernetes.io/", "affinity, tolerations and avoidance before they had fields"},
}

// Rules is everything that redaction takes out, kind by kind in the order of cluster.Kinds.
func Rules() []Rule {
	var rules []Rule
	for _, kind := range cluster.Kinds() {
		for _, f := range slices.Concat(everyObject, cluster.RowOf(kind).Private) {
			rules = append(rules, Rule{Kind: kind, Field: f.Path, Why: f.Why})
		}
	}
	return rules
}

// everyObject is what is taken out of the objects of every kind.
var everyObject = []cluster.PrivateField{
	{Path: "metadata.managedFields", Why: noise},
	{Path: "metadata.selfLink", Why: noise},
}

const noise = "bookkeeping of the API server"
