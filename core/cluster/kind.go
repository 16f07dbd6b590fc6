package cluster

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is the kind of an object, as its API names it.
type Kind string

// KindRow is what is known of a kind before there is any object of it. The rows of kindTable are the one list of kinds:
// recordings, the import of dumps, redaction, scenarios, the notes about what an input lacks, and the informers of a
// live cluster take from a row what they need. Rows are shared: never write to one.
type KindRow struct {
	Kind Kind
	// Group and Version are those of the type that New makes. The group of the core API is "".
	Group, Version string
	// Older versions of the same kind, newest first, which package importer turns into Version.
	Older []string
	// OlderGroup once served the kind in place of Group.
	OlderGroup string
	// plural is the resource's name in the paths of the API.
	plural string
	// Short are further names that people and files give the resource.
	Short []string
	// Namespaced objects have a namespace.
	Namespaced bool
	// New makes an object with nothing in it, not even its TypeMeta.
	New func() Object
	// Reader is what reads objects of the kind.
	Reader Reader
	// wakes is what kube-scheduler's queue calls the resource; "" for a kind whose events wake no pod by themselves.
	wakes Resource
	// Guess is what kube-scheduler's default profile cannot know without the kind, as the end of a sentence; "" when it
	// does not read the kind.
	Guess string
	// Need selects the pods for which verdicts are guesses without the kind.
	Need Need
	// Private fields are emptied by redaction.
	Private []PrivateField
}

// Reader is what reads the objects of a kind.
type Reader uint8

// The readers.
const (
	ReadByScheduler Reader = iota // kube-scheduler itself
	ReadByAdmission               // the API server, when it admits a pod
	ReadByNobody                  // only controllers, which schedstep has none of
	ReadToCompare                 // nothing in a cluster; it shows what a scheduler has decided
)

// Need is the set of pods that depend on a kind.
type Need uint8

// The needs. The zero value is no pod at all.
const (
	NeededByNoPod Need = iota
	NeededByEveryPod
	NeededForPriorities         // pods that name a PriorityClass and carry no number
	NeededForNamespaceSelectors // pods with such a selector in an affinity term
	NeededForClaims             // pods to place that mount a claim
	NeededForDevices            // pods to place that use devices
	NeededForGroups             // pods to place that are members of a group
	// pods to place that are owned by an object of the kind and have no constraints of their own
	NeededForOwners
	NeededForLabels     // pods to place that have labels and no constraints of their own
	NeededForPreemption // pods to place that outrank a pod on a node
)

// PrivateField is a field that redaction empties.
type PrivateField struct {
	Path string // by JSON names, with [] for every element of a list
	Why  string
}

// GroupVersion is that of the type New makes.
func (r *KindRow) GroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: r.Group, Version: r.Version}
}

// GroupVersionResource is what an informer for the kind is registered with.
func (r *KindRow) GroupVersionResource() schema.GroupVersionResource {
	return r.GroupVersion().WithResource(r.plural)
}

// Blank is an object with nothing in it but its kind and the version.
func (r *KindRow) Blank() Object {
	o := r.New()
	if r == customRow { // its objects know their own
		return o
	}
	o.GetObjectKind().SetGroupVersionKind(r.GroupVersion().WithKind(string(r.Kind)))
	return o
}

// IsCalled reports whether name is one of the resource's names: "pods", "pod", "po". Names are in lower case without
// dashes.
func (r *KindRow) IsCalled(name string) bool {
	return name == r.plural || name == strings.ToLower(string(r.Kind)) || slices.Contains(r.Short, name)
}

// KindRows lists every kind that any part of schedstep reads, in the order in which the objects of a dump arrive: what
// others refer to comes first, pods come last.
func KindRows() []*KindRow { return slices.Clone(kindTable) }

// RowOf finds the row of a kind; nil when there is none. Kinds of CustomResourceDefinitions share one.
func RowOf(k Kind) *KindRow {
	if k.IsCustom() {
		return customRow
	}
	return rowByKind[k]
}

// Kinds lists the kinds that kube-scheduler reads, in the order of KindRows.
func Kinds() []Kind {
	var kinds []Kind
	for _, row := range kindTable {
		if row.Reader == ReadByScheduler {
			kinds = append(kinds, row.Kind)
		}
	}
	return kinds
}

// KindOf returns the kind of an object; false for a kind that the scheduler does not read and that does not record its
// decisions.
func KindOf(o Object) (Kind, bool) {
	if k, custom := customKind(o); custom {
		return k, true
	}
	k, ok := kindByType[reflect.TypeOf(o)]
	return k, ok
}

// How rows are found.
var (
	rowByKind  = rowsByKind(append(KindRows(), eventRow))
	kindByType = kindsByType(append(KindRows(), eventRow))
)

func rowsByKind(rows []*KindRow) map[Kind]*KindRow {
	m := make(map[Kind]*KindRow, len(rows))
	for _, row := range rows {
		m[row.Kind] = row
	}
	return m
}

// kindsByType holds the kinds that happen in a log.
func kindsByType(rows []*KindRow) map[reflect.Type]Kind {
	m := make(map[reflect.Type]Kind, len(rows))
	for _, row := range rows {
		if row.Reader == ReadByScheduler || row.Reader == ReadToCompare {
			m[reflect.TypeOf(row.New())] = row.Kind
		}
	}
	return m
}
