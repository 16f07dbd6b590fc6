package importer

import (
	"bytes"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// yamlDocument reads one document. A list in block style, as kubectl prints it, is cut into its items by indentation,
// so that they are parsed in parallel; what does not survive this is parsed in one piece.
func (r *reading) yamlDocument(doc *document) {
	r.seeYAML(doc)
	if outer, items := text.CutList(doc.text); items != nil && r.yamlItems(doc, outer, items) {
		return
	}
	b := &batch{doc: doc, yaml: true, final: true, text: doc.text}
	b.items = []item{{start: 0, end: len(doc.text), index: -1, line: doc.line}}
	r.submit(b)
}

func (r *reading) seeYAML(doc *document) {
	if start := bytes.TrimSpace(doc.text); len(start) > 0 && start[0] == '{' {
		r.formats["KYAML"] = true
		return
	}
	r.formats["YAML"] = true
}

// yaml reads a document, or an item with its dash.
func (d *decoder) yaml(written []byte, it item) {
	raw, twice, wrong := text.YAMLToJSON(written)
	if wrong != nil {
		d.batch.torn = true
		d.found.problem(d.badYAML(written, wrong))
		return
	}
	if twice != nil {
		d.found.problem(Problem{
			Severity: Warning, Where: d.where(twice.Line), What: phrase.Textf("%s; the last one counts", twice.What),
		})
	}
	if it.index > 0 {
		d.value(element(raw))
		return
	}
	if raw[0] != '{' && raw[0] != '[' {
		d.scalar(raw)
		return
	}
	d.value(raw)
}

// element is the one element of a JSON array.
func element(raw []byte) []byte {
	var only []byte
	_ = text.Elements(raw, func(_, start, end int) bool {
		only = raw[start:end]
		return true
	})
	return only
}

// scalar is a document of one word or sentence: an error text, most often.
func (d *decoder) scalar(raw []byte) {
	if raw[0] == '"' {
		d.value(raw)
		return
	}
	d.found.leave("value that is no object", "", d.place.file.path)
}

// badYAML explains a document that is no YAML.
func (d *decoder) badYAML(written []byte, wrong *text.Complaint) Problem {
	line := min(wrong.Line, bytes.Count(bytes.TrimRight(written, "\n"), []byte{'\n'}))
	p := d.place.file.soften(
		Problem{Where: d.place.at(line), What: phrase.Textf("this is not YAML: %s; it is left out", wrong.What)},
	)
	switch {
	case bytes.Contains(written, []byte("{{")):
		p.What, p.Right = "a template that was not rendered; it is left out", "helm template prints the manifests of a chart"
		p.like = likeness{path: "template"}
	case strings.Contains(wrong.What, "cannot start any token") && bytes.IndexByte(written, '\t') >= 0:
		p.Right = "indent with spaces, not tabs"
	}
	return p
}
