package importer

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// adapters rewrite the JSON of an older version whose shape differs.
var adapters = map[cluster.Kind]func(version string, raw []byte) ([]byte, error){
	cluster.KindResourceSlice:         adaptSlice,
	cluster.KindResourceClaimTemplate: adaptTemplate,
	cluster.KindResourceClaim:         adaptClaim,
}

// finishers complete an object that came in an older version.
var finishers = map[cluster.Kind]func(object cluster.Object){
	"Deployment":                 selectByTemplate,
	"DaemonSet":                  selectByTemplate,
	cluster.KindReplicaSet:       selectByTemplate,
	cluster.KindStatefulSet:      selectByTemplate,
	cluster.KindDisruptionBudget: keepEmptySelector,
}

// apiVersion is the typed object's.
func apiVersion(row *cluster.KindRow) string { return row.GroupVersion().String() }

// reads reports whether objects of a version are understood. No version at all is taken for the newest.
func reads(k *cluster.KindRow, version string) bool {
	return version == "" || version == k.Version || slices.Contains(k.Older, version)
}

// rowOf finds a kind; group is ignored when apiVersion is empty.
func rowOf(meta typeMeta) (row *cluster.KindRow, version string) {
	return rowAmong(cluster.KindRows(), meta)
}

func rowAmong(rows []*cluster.KindRow, meta typeMeta) (row *cluster.KindRow, version string) {
	group, version, slash := strings.Cut(meta.apiVersion, "/")
	if !slash {
		group, version = "", meta.apiVersion
	}
	for _, k := range rows {
		if string(k.Kind) == meta.kind && (group == k.Group || meta.apiVersion == "" || slash && group == k.OlderGroup) {
			return k, version
		}
	}
	return nil, ""
}

// nearKind finds the kind that was meant by one written in other letters, or under another of Kubernetes' own groups.
// Kinds of other projects may share a name and are not meant.
func nearKind(meta typeMeta) *cluster.KindRow {
	group, _, _ := strings.Cut(meta.apiVersion, "/")
	if !strings.Contains(meta.apiVersion, "/") {
		group = ""
	}
	for _, k := range cluster.KindRows() {
		if strings.EqualFold(string(k.Kind), meta.kind) && (!strings.Contains(group, ".") || group == k.Group) {
			return k
		}
	}
	return nil
}

// rowNamed finds a kind by the name of a file or folder.
func rowNamed(name string) *cluster.KindRow {
	for _, k := range cluster.KindRows() {
		if k.IsCalled(name) {
			return k
		}
	}
	return nil
}

// WhyNoPods is why workloads of a running cluster are left out.
const WhyNoPods = "left to the pods they have; --from-templates makes those that are missing"

// whyLeft is the reason for leaving out a kind that is not in the table.
func whyLeft(kind string) phrase.Text {
	if kind == "ResourcePatch" {
		return whyPatch
	}
	if isWorkload(kind) || kind == "PodTemplate" {
		return "no pods are made from its template"
	}
	return ""
}

// absent lists the kinds the default profile reads and the input did not hold.
func absent(held []string) []Absence {
	var list []Absence
	for _, k := range cluster.KindRows() {
		if k.Guess != "" && !slices.Contains(held, string(k.Kind)) {
			list = append(list, Absence{Kind: string(k.Kind), Guess: k.Guess})
		}
	}
	return list
}
