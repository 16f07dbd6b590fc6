package importer

import (
	"bytes"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// lastApplied is the annotation in which kubectl keeps a copy of the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Members of objects that schedstep does not read. Of an object that an API server has stored, the API server has
// checked them; one that a person has written is read whole, and every fault in it is reported.
var (
	copies = text.NewSkips(map[string]byte{"managedFields": '[', lastApplied: '"'})
	unread = text.NewSkips(map[string]byte{
		"managedFields": '[', lastApplied: '"', "env": '[', "envFrom": '[', "volumeMounts": '[', "projected": '{',
		"command": '[', "args": '[', "podIPs": '[', "hostIPs": '[',
		"lifecycle": '{', "livenessProbe": '{', "readinessProbe": '{', "startupProbe": '{', "state": '{', "lastState": '{',
	})
)

// skips are the members of an object that are left out before it is decoded.
func (r *reading) skips(raw []byte) text.Skips {
	if !r.o.Whole && bytes.Contains(raw, []byte(`"containers"`)) && bytes.Contains(raw, []byte(`"resourceVersion"`)) {
		return unread
	}
	return copies
}

// dropCopies drops what no reader of the object wants: the owners of its fields, and kubectl's copy of the object.
func dropCopies(object cluster.Object) {
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

// blankCopies empties managedFields and the last-applied annotation in the text, in place: they are often half of an
// object, and every other byte keeps its place.
func blankCopies(raw []byte) {
	if !bytes.Contains(raw, []byte(`"managedFields"`)) && !bytes.Contains(raw, []byte(lastApplied)) {
		return
	}
	metadata := text.Member(raw, "metadata")
	if managed := text.Member(metadata, "managedFields"); len(managed) >= len("null") {
		blank(managed, "null")
	}
	if copied := text.Member(text.Member(metadata, "annotations"), lastApplied); len(copied) > 0 && copied[0] == '"' {
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
