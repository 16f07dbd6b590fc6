package importer

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
)

// kind reads an object whose kind is known.
func (d *decoder) kind(h head, raw []byte) {
	if h.items != nil && strings.HasSuffix(h.kind, "List") {
		d.list(h)
		return
	}
	if h.kind == "Status" {
		d.found.problem(Problem{
			Where: d.where(0),
			What:  fmt.Sprintf("it holds an answer of the API server, not objects: %q", unquote(memberOf(raw, "message"))),
		})
		return
	}
	if d.config(h, raw) {
		return
	}
	row, version := rowOf(h.typeMeta)
	if row == nil {
		d.foreign(h)
		return
	}
	d.found.kinds = append(d.found.kinds, string(row.Kind))
	if !reads(row, version) {
		versions := append([]string{row.Version}, row.Older...)
		d.found.problem(Problem{
			Where: d.where(0), What: fmt.Sprintf(
				"%s %q: apiVersion %s is not one that is read; it is left out", strings.ToLower(h.kind),
				nameIn(h.metadata), h.apiVersion,
			),
			Right: "versions that are: " + strings.Join(versions, ", "), like: likeness{path: h.kind + h.apiVersion},
		})
		return
	}
	d.typed(row, version, raw)
}

// foreign counts a kind that is not in the table, or tells that it is one with a wrong name.
func (d *decoder) foreign(h head) {
	row := nearKind(h.typeMeta)
	if row == nil {
		d.found.leave(h.kind, whyLeft(h.kind), d.place.file.path)
		return
	}
	d.found.problem(Problem{
		Where: d.where(0),
		What:  fmt.Sprintf("apiVersion %s has no kind %s; %q is left out", h.apiVersion, h.kind, nameIn(h.metadata)),
		Right: fmt.Sprintf("apiVersion: %s, kind: %s", apiVersion(row), string(row.Kind)),
		like:  likeness{path: h.apiVersion + " " + h.kind},
	})
}

// list reads a list inside a list, or inside one YAML document.
func (d *decoder) list(h head) {
	meta := typeMeta{apiVersion: h.apiVersion, kind: strings.TrimSuffix(h.kind, "List")}
	if row, _ := rowOf(meta); row != nil {
		d.found.kinds = append(d.found.kinds, string(row.Kind))
	}
	outer, inner, known := d.place, d.inner, d.batch.known
	d.batch.known, d.place.inner = h.typeMeta, true
	_ = eachElement(h.items, func(index, start, end int) bool {
		d.place.index = index + 1
		d.inner = fmt.Sprintf("%sitems[%d].", inner, index)
		d.value(h.items[start:end])
		return true
	})
	d.place, d.inner, d.batch.known = outer, inner, known
}

// envelope reads what was around the items of a list.
func (d *decoder) envelope(h head, raw []byte) {
	doc := d.batch.doc
	row, _ := rowOf(typeMeta{apiVersion: h.apiVersion, kind: strings.TrimSuffix(h.kind, "List")})
	if h.kind == "" && row == nil {
		row = d.place.file.hint.row
	}
	switch {
	case h.internal:
		d.internal()
	case row != nil && h.items != nil:
		d.found.kinds = append(d.found.kinds, string(row.Kind))
	case h.kind == "" && (h.items == nil || h.schedulerConfig):
		for _, key := range doc.lists {
			d.found.kinds = append(d.found.kinds, listKeys[key])
		}
		if h.schedulerConfig || len(doc.lists) > 2 {
			d.found.formats = append(d.found.formats, exportFormat)
		}
	case h.kind != "" && (h.items == nil || !strings.HasSuffix(h.kind, "List")):
		d.kind(h, raw)
	}
	if config := memberOf(raw, "schedulerConfig"); config != nil && string(config) != "null" {
		d.found.configs = append(
			d.found.configs, Config{Raw: withTypeMeta(config), Source: d.place.file.path + " schedulerConfig"},
		)
	}
}

// internal tells of Go's field names in place of the API's.
func (d *decoder) internal() {
	d.found.problem(Problem{
		Where: d.place.file.path,
		What:  `it holds kubectl's internal types ("Items", "Spec", no kind), as kubectl 1.8 and older printed them; these objects are left out`,
		Right: "write it again with a newer kubectl, or with kubectl get -o json",
		like:  likeness{path: "internal " + d.place.file.path},
	})
}

// deduce finds the kind of an object that does not say it: from its list, the file's name, its shape.
func (d *decoder) deduce(raw []byte, h head) typeMeta {
	b := d.batch
	if kind := listKeys[b.key]; kind != "" {
		if !b.final {
			d.wait = true
			return typeMeta{}
		}
		if b.doc.list.kind != "" { // a field of some object, which happens to be called like this
			return typeMeta{}
		}
		if h.metadata == nil {
			d.unknown(h)
			return typeMeta{}
		}
		return typeMeta{apiVersion: apiVersion(cluster.RowOf(cluster.Kind(kind))), kind: kind}
	}
	if kind, is := strings.CutSuffix(b.known.kind, "List"); is && kind != "" {
		return typeMeta{apiVersion: b.known.apiVersion, kind: kind}
	}
	if b.key == "items" && !b.final {
		d.wait = true
		return typeMeta{}
	}
	if left := d.place.file.hint.left; left != "" {
		return typeMeta{apiVersion: "v1", kind: left}
	}
	named, shaped := d.place.file.hint.row, shapeRow(raw)
	switch {
	case shaped != nil:
		return typeMeta{apiVersion: apiVersion(shaped), kind: string(shaped.Kind)}
	case named != nil && h.metadata != nil:
		return typeMeta{apiVersion: apiVersion(named), kind: string(named.Kind)}
	}
	d.unknown(h)
	return typeMeta{}
}

// unknown tells of an object without kind.
func (d *decoder) unknown(h head) {
	f := d.place.file
	if h.metadata == nil && !f.named {
		d.found.leave("value without kind", "it is no Kubernetes object", f.path)
		return
	}
	d.found.problem(Problem{
		Where: d.where(0),
		What:  "an object without kind, and neither the file's name nor its fields tell which; it is left out",
		Right: "kubectl get ... -o json writes kind and apiVersion into each object, or call the file nodes.json, pods.json",
		like:  likeness{path: "unknown " + f.path},
	})
}
