package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// yamlStream reads documents between "---" lines. A list in block style, as kubectl prints it, is cut into its items by
// indentation, so that they are parsed in parallel; a document that does not survive this is parsed in one piece.
func (r *reading) yamlStream(in *bufio.Reader, f *file) {
	var all bytes.Buffer
	all.Grow(int(f.size) + bytes.MinRead)
	_, err := all.ReadFrom(in)
	text := all.Bytes()
	first, line := true, 1
	for len(text) > 0 {
		doc, rest := cutDocument(text)
		if hasContent(doc) {
			if !first {
				r.formats["YAML stream"] = true
			}
			first = false
			r.yamlDocument(&document{file: f, line: line, text: doc})
		}
		line += bytes.Count(text[:len(text)-len(rest)], []byte{'\n'})
		text = rest
	}
	if err != nil {
		r.submit(r.note(Problem{Where: fmt.Sprintf("%s line %d", f.path, line), What: "reading stopped: " +
			err.Error() + "; everything before it is kept"}))
	}
}

// cutDocument returns the text up to the next document marker, and what follows it. What stands behind the marker on
// its line belongs to the document after it, and is returned with it.
func cutDocument(text []byte) (doc, rest []byte) {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		switch {
		case isMarker(line, "---"):
			return text[:at], text[at+3:]
		case isMarker(line, "..."):
			return text[:at], text[end:]
		}
		at = end
	}
	return text, nil
}

func isMarker(line []byte, marker string) bool {
	return len(line) >= 3 && string(line[:3]) == marker && (len(line) == 3 || isSpace(line[3]))
}

// lineEnd is the place after the line break that ends the line at i.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// hasContent reports whether anything but white space and comments is there.
func hasContent(doc []byte) bool {
	for line := range bytes.Lines(doc) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return true
		}
	}
	return false
}

func (r *reading) yamlDocument(doc *document) {
	r.seeYAML(doc)
	if outer, items := cutItems(doc.text); items != nil {
		r.yamlItems(doc, outer, items)
		return
	}
	b := &batch{doc: doc, yaml: true, final: true, text: doc.text}
	start := beginning(doc.text)
	b.items = []item{{start: start, end: len(doc.text), index: -1, line: lineOf(doc.text, start, doc.line)}}
	r.submit(b)
}

// beginning is the place of the first line that says something: a document's line is that one.
func beginning(text []byte) int {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if line := bytes.TrimSpace(text[at:end]); len(line) > 0 && line[0] != '#' {
			return at
		}
		at = end
	}
	return 0
}

func (r *reading) seeYAML(doc *document) {
	if start := bytes.TrimSpace(doc.text); len(start) > 0 && start[0] == '{' {
		r.formats["KYAML"] = true
		return
	}
	r.formats["YAML"] = true
}

// yamlItems submits a list's items. The lines around them say of which kind they are.
func (r *reading) yamlItems(doc *document, outer []byte, items []item) {
	if raw, err := yaml.YAMLToJSON(outer); err == nil {
		if h, err := headOf(raw); err == nil {
			doc.list = h.typeMeta
		}
		doc.lists = []string{"items"}
		b := &batch{doc: doc, text: raw, final: true}
		b.add(0, -1, doc.line)
		r.submit(b)
	}
	for i := range items {
		items[i].line += doc.line
	}
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].end-items[0].start < batchSize {
			n++
		}
		r.submit(&batch{doc: doc, key: "items", known: doc.list, final: true, yaml: true, text: doc.text, items: items[:n]})
		items = items[n:]
	}
}

// cutItems finds the elements of a top-level "items:" in block style. outer is the document with an empty list in their
// place. items is nil when the document has another form.
func cutItems(text []byte) (outer []byte, items []item) {
	head := itemsLine(text)
	if head < 0 {
		return nil, nil
	}
	indent, start, at, line := -1, -1, head, bytes.Count(text[:head], []byte{'\n'})
	for at < len(text) {
		end := lineEnd(text, at)
		depth, blank := indentation(text[at:end])
		dash := !blank && (text[at+depth] == '-' && (at+depth+1 == end || isSpace(text[at+depth+1])))
		if indent < 0 && !blank {
			if !dash {
				return nil, nil
			}
			indent = depth
		}
		if !blank && (depth < indent || depth == indent && !dash) {
			break
		}
		if dash && depth == indent {
			if start >= 0 {
				items[len(items)-1].end = at
			}
			start = at
			items = append(items, item{start: at, index: len(items) + 1, line: line})
		}
		at = end
		line++
	}
	if len(items) < 2 {
		return nil, nil
	}
	items[len(items)-1].end = at
	outer = append(outer, text[:head-1]...)
	outer = append(append(outer, " []\n"...), text[at:]...)
	return outer, items
}

// itemsLine is the place after the line "items:", or -1.
func itemsLine(text []byte) int {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if line := bytes.TrimRight(text[at:end], " \t\r\n"); string(line) == "items:" && end < len(text) &&
			end == at+len("items:\n") {
			return end
		}
		at = end
	}
	return -1
}

// indentation counts spaces; a line of white space or a comment is blank and belongs to whatever is around it.
func indentation(line []byte) (depth int, blank bool) {
	for depth < len(line) && line[depth] == ' ' {
		depth++
	}
	rest := bytes.TrimSpace(line[depth:])
	return depth, len(rest) == 0 || rest[0] == '#'
}

// yaml reads a document, or an item with its dash.
func (d *decoder) yaml(text []byte, it item) {
	raw, twice, err := toJSON(text)
	if err != nil {
		d.batch.torn = true
		d.found.problem(d.badYAML(text, err))
		return
	}
	if twice != "" {
		line, complaint := lineAndComplaint(twice)
		d.found.problem(Problem{Severity: Warning, Where: d.where(line), What: complaint + "; the last one counts"})
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
	_ = eachElement(raw, func(_, start, end int) bool {
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

// toJSON converts with duplicate keys refused, and then, if that was all that was wrong, without; twice is the
// complaint.
func toJSON(text []byte) (raw []byte, twice string, err error) {
	if raw, ok := blockJSON(text); ok {
		return raw, "", nil
	}
	raw, err = yaml.YAMLToJSONStrict(text)
	if err == nil || !strings.Contains(err.Error(), "already set") {
		return raw, "", err
	}
	twice = yamlComplaint(err)
	raw, err = yaml.YAMLToJSON(text)
	return raw, twice, err
}

// badYAML explains a document that is no YAML.
func (d *decoder) badYAML(text []byte, err error) Problem {
	line, complaint := lineAndComplaint(yamlComplaint(err))
	line = min(line, bytes.Count(bytes.TrimRight(text, "\n"), []byte{'\n'}))
	p := Problem{Where: d.place.at(line), What: "this is not YAML: " + complaint + "; it is left out"}
	switch {
	case bytes.Contains(text, []byte("{{")):
		p.What, p.Right = "a template that was not rendered; it is left out", "helm template prints the manifests of a chart"
		p.like = likeness{path: "template"}
	case strings.Contains(complaint, "cannot start any token") && bytes.IndexByte(text, '\t') >= 0:
		p.Right = "indent with spaces, not tabs"
	}
	return p
}

// yamlComplaint is the first sentence of a parser's error.
func yamlComplaint(err error) string {
	text := err.Error()
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		text = inner.Error()
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "error converting YAML to JSON: "), "yaml: ")
	if _, after, cut := strings.Cut(text, "unmarshal errors:\n"); cut {
		text = after
	}
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(text)
}

var lineNumber = regexp.MustCompile(`^line (\d+): `)

// lineAndComplaint takes "line 3: ..." apart; the line is counted from 0.
func lineAndComplaint(text string) (line int, complaint string) {
	found := lineNumber.FindStringSubmatch(text)
	if found == nil {
		return 0, text
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		return 0, text
	}
	return max(line-1, 0), text[len(found[0]):]
}
