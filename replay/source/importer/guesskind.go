package importer

import (
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
)

// guessKind finds the kind of an object that has none: from its list, the file's name, its shape.
func (d *decoder) guessKind(raw []byte, h head) typeMeta {
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
			d.unknown(h, raw)
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
	d.unknown(h, raw)
	return typeMeta{}
}

// unknown reports an object without kind.
func (d *decoder) unknown(h head, raw []byte) {
	f := d.place.file
	if h.metadata == nil && !f.named {
		d.found.leave("value without kind", "it is no Kubernetes object", f.path)
		return
	}
	if hasKey(raw, "t") && hasKey(raw, "a") && hasKey(raw, "o") {
		d.found.problem(Problem{
			Where: d.where(0), What: "an event of a recording whose first line is missing; it is left out",
			Right: "the first line is the recording's header", like: likeness{path: "headless " + f.path},
		})
		return
	}
	if hasKey(raw, "protoPayload") {
		d.found.problem(Problem{
			Where: d.where(0), What: "an entry of Google Cloud's log, written as YAML; it is left out",
			Right: "gcloud logging read ... --format=json writes a log that is read", like: likeness{path: "entry " + f.path},
		})
		return
	}
	d.found.problem(Problem{
		soft: "file whose objects say no kind", file: f.path,
		Where: d.where(0),
		What:  "an object without kind, and neither the file's name nor its fields tell which; it is left out",
		Right: "kubectl get ... -o json writes kind and apiVersion into each object, or call the file nodes.json, pods.json",
		like:  likeness{path: "unknown " + f.path},
	})
}
