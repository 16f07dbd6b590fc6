package importer

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// structured are quantities as internal types had them once: {"Amount":"4","Format":"DecimalSI"}.
var structured = regexp.MustCompile(`\{\s*"Amount":\s*"([^"]*)",\s*"Format":\s*"[^"]*"\s*\}`)

// internal reads an object with Go's field names in the place of the API's, as kubectl printed it up to 1.13 where it
// did not convert: {"name":"web","Spec":{"NodeName":"n1",...},"Status":{...}}, without kind and apiVersion. The names
// differ in the case of letters, which encoding/json does not mind, and the metadata lie in the object itself.
func (d *decoder) internal(raw []byte) {
	row := internalRow(raw)
	if row == nil {
		row = d.place.file.hint.row
	}
	metadata := text.Member(raw, "ObjectMeta")
	if metadata == nil {
		metadata = raw
	}
	if row == nil {
		d.refuseInternal("their kind is not known by their fields, nor by the name of the file")
		return
	}
	d.found.kinds = append(d.found.kinds, string(row.Kind))
	object := row.New()
	whole := map[string]json.RawMessage{"metadata": metadata}
	for _, part := range []string{"Spec", "Status"} {
		if value := text.Member(raw, part); value != nil {
			whole[strings.ToLower(part)] = structured.ReplaceAll(value, []byte(`"$1"`))
		}
	}
	written, err := json.Marshal(whole)
	if err == nil {
		err = amount.Check(written, reflect.TypeOf(object))
	}
	if err == nil {
		err = json.Unmarshal(written, object)
	}
	if err != nil {
		d.refuseInternal(err.Error())
		return
	}
	object.GetObjectKind().SetGroupVersionKind(row.GroupVersion().WithKind(string(row.Kind)))
	if object.GetName() == "" {
		d.refuseInternal("one has no name")
		return
	}
	dropCopies(object)
	name := NameOf(object)
	d.look(row, name, object, raw)
	d.found.objects = append(d.found.objects, Object{Object: object, Source: d.place.source(name)})
	d.found.problem(Problem{
		Severity: Notice, Where: d.place.file.path,
		What: `it holds kubectl's internal types ("Items", "Spec", no kind), as kubectl up to 1.13 printed them; ` +
			"they are read",
		like: likeness{path: "internal read " + d.place.file.path},
	})
}

// internalRow finds the kind by fields that only one has.
func internalRow(raw []byte) *cluster.KindRow {
	spec, status := text.Member(raw, "Spec"), text.Member(raw, "Status")
	switch {
	case hasKey(spec, "Containers"):
		return cluster.RowOf(cluster.KindPod)
	case hasKey(status, "NodeInfo"), hasKey(status, "Allocatable"):
		return cluster.RowOf(cluster.KindNode)
	}
	return nil
}

// refuseInternal reports internal types that cannot be read.
func (d *decoder) refuseInternal(why string) {
	if d.compact {
		d.again = true
		return
	}
	d.found.problem(d.place.file.soften(Problem{
		Where: d.place.file.path,
		What: phrase.Textf(
			`it holds kubectl's internal types ("Items", "Spec", no kind); these objects are left out: %s`, why,
		),
		Right: "write it again with a newer kubectl, or with kubectl get -o json",
		like:  likeness{path: "internal " + d.place.file.path},
	}))
}
