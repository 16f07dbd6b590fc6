package importer

import (
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/replay/importer/text"
)

// yamlItems submits a list's items. The lines around them say of which kind they are.
func (r *reading) yamlItems(doc *document, outer []byte, items []text.Item) {
	if raw, err := yaml.YAMLToJSON(outer); err == nil {
		if h, err := headOf(raw); err == nil {
			doc.list = h.typeMeta
		}
		doc.lists = []string{"items"}
		b := &batch{doc: doc, text: raw, final: true}
		b.add(0, -1, doc.line)
		r.submit(b)
	}
	run := func() *batch {
		return &batch{doc: doc, key: "items", known: doc.list, final: true, yaml: true, text: doc.text}
	}
	b := run()
	for i, it := range items {
		if len(b.items) > 0 && it.End-b.items[0].start >= batchSize {
			r.submit(b)
			b = run()
		}
		b.items = append(b.items, item{start: it.Start, end: it.End, index: i + 1, line: doc.line + it.Line})
	}
	r.submit(b)
}

// rejoin parses in one piece the documents whose items did not stand alone: an anchor in one item and its alias in
// another, or a text that looks like the beginning of an item. If the whole is no YAML either, the items stay as they
// are.
func (r *reading) rejoin() {
	torn := map[*document]bool{}
	for _, b := range r.batches {
		if b.torn && b.key == "items" {
			torn[b.doc] = true
		}
	}
	for _, b := range r.batches {
		if !torn[b.doc] || b.key != "items" {
			continue
		}
		if whole, ok := r.whole(b.doc); ok {
			r.replace(b.doc, whole)
		}
		delete(torn, b.doc)
	}
}

func (r *reading) whole(doc *document) (findings, bool) {
	if _, _, wrong := text.YAMLToJSON(doc.text); wrong != nil {
		return findings{}, false
	}
	lists := doc.lists
	doc.lists = nil
	b := &batch{
		doc: doc, yaml: true, final: true, text: doc.text,
		items: []item{{start: 0, end: len(doc.text), index: -1, line: doc.line}},
	}
	found := r.item(b, 0)
	doc.lists = lists
	return found, true
}

// replace puts what the whole document gave in the place of what its items gave.
func (r *reading) replace(doc *document, whole findings) {
	for _, b := range r.batches {
		if b.doc != doc || b.key != "items" {
			continue
		}
		for i := range b.found {
			b.found[i] = findings{}
		}
		b.found[0], whole = whole, findings{}
	}
}
