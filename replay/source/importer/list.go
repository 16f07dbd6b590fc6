package importer

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// list reads a list inside a list, or inside one YAML document.
func (d *decoder) list(h head) {
	meta := typeMeta{apiVersion: h.apiVersion, kind: strings.TrimSuffix(h.kind, "List")}
	if row, _ := rowOf(meta); row != nil {
		d.found.kinds = append(d.found.kinds, string(row.Kind))
	}
	if d.nested == maxNested {
		d.found.problem(Problem{
			Where: d.where(0),
			What:  phrase.Textf("lists lie in each other more than %d deep; what is below is left out", maxNested),
			like:  likeness{path: "deep " + d.place.file.path},
		})
		return
	}
	d.nested++
	defer func() { d.nested-- }()
	outer, inner, known := d.place, d.inner, d.batch.known
	d.batch.known, d.place.inner = h.typeMeta, true
	_ = text.Elements(h.items, func(index, start, end int) bool {
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
	case h.internal && len(doc.lists) > 0: // its items were read
	case h.internal:
		d.internal(raw)
	case row != nil && h.items != nil && (h.kind == "" || strings.HasSuffix(h.kind, "List")):
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
	if config := text.Member(raw, "schedulerConfig"); config != nil && string(config) != "null" {
		d.found.configs = append(
			d.found.configs, Config{Raw: withTypeMeta(config), Source: d.place.file.path + " schedulerConfig"},
		)
	}
}
