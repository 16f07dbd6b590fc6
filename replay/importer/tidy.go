package importer

import (
	"bytes"

	"github.com/schedstep/schedstep/core/cluster"
)

// lastApplied is the annotation in which kubectl keeps a copy of the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// tidy drops what no reader of the object wants.
func tidy(object cluster.Object) {
	object.SetManagedFields(nil)
	annotations := object.GetAnnotations()
	if _, has := annotations[lastApplied]; !has {
		return
	}
	delete(annotations, lastApplied)
	if len(annotations) == 0 {
		annotations = nil
	}
	object.SetAnnotations(annotations)
}

// slim empties managedFields and the last-applied annotation in the text, in place: they are often half of an object,
// and every other byte keeps its place.
func slim(raw []byte) {
	if !bytes.Contains(raw, []byte(`"managedFields"`)) && !bytes.Contains(raw, []byte(lastApplied)) {
		return
	}
	metadata := memberOf(raw, "metadata")
	if managed := memberOf(metadata, "managedFields"); len(managed) >= len("null") {
		blank(managed, "null")
	}
	if copied := memberOf(memberOf(metadata, "annotations"), lastApplied); len(copied) > 0 && copied[0] == '"' {
		blank(copied, `""`)
	}
}

// blank overwrites a value and keeps its length and its lines.
func blank(value []byte, with string) {
	copy(value, with)
	for i := len(with); i < len(value); i++ {
		if value[i] != '\n' {
			value[i] = ' '
		}
	}
}
