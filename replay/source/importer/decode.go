package importer

import (
	"bytes"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/diagnose"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// decoder turns one item into findings.
type decoder struct {
	batch *batch
	place place
	text  []byte // the item as written, for line numbers in YAML
	inner string // the path of the element in text, when a list was parsed in one piece: "items[3]."
	found findings
	wait  bool

	workloads Workloads
	custom    bool // Options.Custom

	nested int // arrays around the value

	compact bool // the text is a copy without white space: lines and columns in it mean nothing
	again   bool // the item has to be read as it is written
}

// maxNested is how many arrays may lie in each other: more than any file has, and few enough to be walked one by one.
const maxNested = 4

// item decodes one item of a batch; it alone touches the item's slot.
func (r *reading) item(b *batch, i int) findings {
	it := b.items[i]
	if !b.yaml {
		if found, ok := r.compacted(b, i); ok {
			return found
		}
	}
	d := &decoder{batch: b, place: b.place(it), workloads: r.o.Workloads, custom: r.o.Custom}
	raw := b.text[it.start:it.end]
	if b.yaml {
		d.text = raw
		d.yaml(raw, it)
	} else {
		d.value(raw)
	}
	if d.wait {
		b.waiting = append(b.waiting, i)
		return findings{}
	}
	return d.found
}

// compacted decodes an item from a copy of its text without the white space between the tokens, which is more than half
// of what kubectl prints, and without what no code reads. It returns false when the item has to be read as it is
// written: something is wrong with it that is reported with line and column, its kind is not known yet, or it is to be
// kept as text.
func (r *reading) compacted(b *batch, i int) (findings, bool) {
	it := b.items[i]
	raw := b.text[it.start:it.end]
	b.scratch = text.Compact(b.scratch[:0], raw, r.skips(raw))
	d := &decoder{batch: b, place: b.place(it), workloads: r.o.Workloads, custom: r.o.Custom, compact: true}
	d.value(b.scratch)
	return d.found, !d.again && !d.wait && len(d.found.configs) == 0
}

// value reads any JSON value.
func (d *decoder) value(raw []byte) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0, string(raw) == "null":
	case raw[0] == '{':
		d.object(raw)
	case raw[0] == '[' && d.nested < maxNested:
		outer := d.place
		d.nested++
		_ = text.Elements(raw, func(index, start, end int) bool {
			d.place.index = index + 1
			d.value(raw[start:end])
			return true
		})
		d.nested--
		d.place = outer
	case raw[0] == '"':
		d.said(text.Shorten(text.Unquote(raw), 200))
	default:
		d.found.leave("value that is no object", "", d.place.file.path)
	}
}

// said records as a problem a text where objects should be, as collectors leave it when a request failed.
func (d *decoder) said(words string) {
	f := d.place.file
	if !f.named && f.hint == (hint{}) && !isErrorText(words) {
		d.found.leave("text in quotes", "it is no object", f.path)
		return
	}
	d.found.problem(f.soften(Problem{
		Where: f.path, What: phrase.Textf("it holds a text, not objects: %q", words), like: likeness{path: f.path + words},
	}))
}

// head is the part of an object that identifies it.
type head struct {
	typeMeta
	metadata, items           []byte
	internal, schedulerConfig bool
}

func headOf(raw []byte) (head, error) {
	var h head
	err := text.Members(raw, func(key []byte, start, end int) bool {
		value := raw[start:end]
		switch string(key) {
		case "apiVersion":
			h.apiVersion = text.Unquote(value)
		case "kind":
			h.kind = text.Unquote(value)
		case "metadata":
			h.metadata = value
		case "items":
			h.items = value
		case "schedulerConfig":
			h.schedulerConfig = true
		case "Items", "Spec", "ObjectMeta":
			h.internal = true
		}
		return true
	})
	return h, err
}

func (d *decoder) object(raw []byte) {
	h, err := headOf(raw)
	if err != nil && d.compact {
		d.again = true
		return
	}
	if err != nil {
		d.found.problem(d.place.file.soften(Problem{
			Where: d.where(0), What: phrase.Textf("an object is not well-formed and is left out: %s", diagnose.Syntax(raw)),
		}))
		return
	}
	whole := d.place.index < 0
	switch {
	case whole && (len(d.batch.doc.lists) > 0 || string(h.items) == "null") && !d.batch.doc.arrays:
		d.envelope(h, raw)
		return
	case h.kind == "" && d.version(raw):
		return
	case h.kind == "" && d.podInfo(raw):
		return
	case h.kind == "" && d.snapshot(raw):
		return
	case h.kind == "" && h.internal:
		d.internal(raw)
		return
	case h.kind == "":
		if h.typeMeta = d.guessKind(raw, h); d.wait || h.kind == "" {
			return
		}
	}
	d.kind(h, raw)
}

// kind reads an object whose kind is known.
func (d *decoder) kind(h head, raw []byte) {
	if h.items != nil && strings.HasSuffix(h.kind, "List") {
		d.list(h)
		return
	}
	if h.kind == "Status" {
		answer := text.Unquote(text.Member(raw, "message"))
		d.found.problem(Problem{
			Where: d.where(0), What: phrase.Textf("it holds an answer of the API server, not objects: %q", answer),
		})
		return
	}
	if d.config(h, raw) {
		return
	}
	row, version := d.rowOf(h)
	switch {
	case row == nil && h.kind == eventKind && d.event(raw):
		return
	case row == nil:
		d.holder(h, raw)
		d.foreign(h, raw)
		return
	case d.isLeftAlone(h):
		d.found.leave(h.kind, WhyNoPods, d.place.file.path)
		return
	}
	d.found.kinds = append(d.found.kinds, string(row.Kind))
	if !reads(row, version) {
		versions := append([]string{row.Version}, row.Older...)
		d.found.problem(Problem{
			Where: d.where(0), What: phrase.Textf(
				"%s %q: unsupported apiVersion %s; it is left out", strings.ToLower(h.kind),
				nameIn(h.metadata), h.apiVersion,
			),
			Right: phrase.Textf("supported: %s", strings.Join(versions, ", ")), like: likeness{path: h.kind + h.apiVersion},
		})
		return
	}
	d.typed(row, version, raw)
}

// foreign counts a kind that is not in the table, or reports that it is one with a wrong name.
func (d *decoder) foreign(h head, raw []byte) {
	row := nearKind(h.typeMeta)
	if row == nil && d.keepCustom(h, raw) {
		return
	}
	if row == nil {
		d.found.leave(h.kind, whyLeft(h.kind), d.place.file.path)
		return
	}
	d.found.problem(Problem{
		Where: d.where(0),
		What:  phrase.Textf("apiVersion %s has no kind %s; %q is left out", h.apiVersion, h.kind, nameIn(h.metadata)),
		Right: phrase.Textf("apiVersion: %s, kind: %s", apiVersion(row), string(row.Kind)),
		like:  likeness{path: h.apiVersion + " " + h.kind},
	})
}
