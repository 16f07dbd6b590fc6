package importer

import (
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// yamlItems submits a list's items. The lines around them hold their kind; it returns false when these make no sense
// without the items.
func (r *reading) yamlItems(doc *document, outer []byte, items []text.Item) bool {
	raw, twice, wrong := text.YAMLToJSON(outer)
	if wrong != nil || twice != nil {
		return false
	}
	if h, err := headOf(raw); err == nil {
		doc.list = h.typeMeta
	}
	doc.lists = []string{"items"}
	around := &batch{doc: doc, text: raw, final: true}
	around.add(0, -1, doc.line)
	r.submit(around)
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
	return true
}

// rejoin parses in one piece the sections whose parts did not stand alone: an anchor in one item and its alias in
// another, or a text that looks like the beginning of an item or of a document. If the whole makes no sense either, the
// parts stay as they are.
func (r *reading) rejoin() {
	torn := map[*section]bool{}
	for _, b := range r.batches {
		if b.torn && b.section != nil {
			torn[b.section] = true
		}
	}
	for _, b := range r.batches {
		if !torn[b.section] {
			continue
		}
		delete(torn, b.section)
		if whole, ok := r.whole(b.section); ok {
			r.replace(b.section, whole)
		}
	}
}

func (r *reading) whole(s *section) (findings, bool) {
	written := s.stream.Text[s.start:s.stream.Section(s.start)]
	_, twice, wrong := text.YAMLToJSON(written)
	if wrong != nil || twice != nil && s.parts > 1 {
		return findings{}, false
	}
	b := &batch{
		doc: &document{file: s.file, line: s.line, text: written}, yaml: true, final: true, text: written,
		items: []item{{start: 0, end: len(written), index: -1, line: s.line}},
	}
	return r.item(b, 0), true
}

// replace puts what the whole section gave in the place of what its parts gave.
func (r *reading) replace(s *section, whole findings) {
	for _, b := range r.batches {
		if b.section != s {
			continue
		}
		for i := range b.found {
			b.found[i] = findings{}
		}
		if len(b.found) > 0 {
			b.found[0], whole = whole, findings{}
		}
		b.waiting = nil
	}
}
