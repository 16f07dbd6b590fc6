package importer

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"

	"github.com/schedstep/schedstep/core/cluster"
)

// decoder turns one item into findings.
type decoder struct {
	batch *batch
	place place
	text  []byte // the item as written, for line numbers in YAML
	inner string // the path of the element in text, when a list was parsed in one piece: "items[3]."
	found findings
	wait  bool

	nested int // arrays around the value

	squeezed bool // the text is a copy without white space: lines and columns in it mean nothing
	again    bool // the item has to be read as it is written
}

// maxNested is how many arrays may lie in each other: more than anyone writes, and few enough to be walked one by one.
const maxNested = 4

// item decodes one item of a batch; it alone touches the item's slot.
func (r *reading) item(b *batch, i int) findings {
	it := b.items[i]
	if !b.yaml {
		if found, ok := r.squeezed(b, i); ok {
			return found
		}
	}
	d := &decoder{batch: b, place: b.place(it)}
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
		_ = eachElement(raw, func(index, start, end int) bool {
			d.place.index = index + 1
			d.value(raw[start:end])
			return true
		})
		d.nested--
		d.place = outer
	case raw[0] == '"':
		d.said(cutText(unquote(raw), 200))
	default:
		d.found.leave("value that is no object", "", d.place.file.path)
	}
}

// said tells of a text where objects should be, as collectors leave it when a request failed.
func (d *decoder) said(text string) {
	f := d.place.file
	if !f.named && f.hint == (hint{}) && !isErrorText(text) {
		d.found.leave("text in quotes", "it is no object", f.path)
		return
	}
	d.found.problem(Problem{
		Where: f.path, What: fmt.Sprintf("it holds a text, not objects: %q", text), like: likeness{path: f.path + text},
	})
}

// head is what an object says about itself.
type head struct {
	typeMeta
	metadata, items           []byte
	internal, schedulerConfig bool
}

func headOf(raw []byte) (head, error) {
	var h head
	err := eachMember(raw, func(key []byte, start, end int) bool {
		value := raw[start:end]
		switch string(key) {
		case "apiVersion":
			h.apiVersion = unquote(value)
		case "kind":
			h.kind = unquote(value)
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
	if err != nil && d.squeezed {
		d.again = true
		return
	}
	if err != nil {
		d.found.problem(Problem{Where: d.where(0), What: "an object is not well-formed and is left out: " + syntax(raw)})
		return
	}
	whole := d.place.index < 0
	switch {
	case whole && (len(d.batch.doc.lists) > 0 || string(h.items) == "null") && !d.batch.doc.arrays:
		d.envelope(h, raw)
		return
	case d.batch.key == "Items": // the envelope tells of them
		return
	case h.kind == "" && h.internal:
		d.internal()
		return
	case h.kind == "":
		if h.typeMeta = d.deduce(raw, h); d.wait || h.kind == "" {
			return
		}
	}
	d.kind(h, raw)
}

// typed decodes into the type of a row.
func (d *decoder) typed(row *cluster.KindRow, version string, raw []byte) {
	slim(raw)
	object := row.New()
	adapted := raw
	if adapt := adapters[row.Kind]; adapt != nil && version != row.Version {
		var err error
		if adapted, err = adapt(version, raw); err != nil {
			d.refuse(row, raw, []fault{{what: "its shape is not that of " + version + ": " + err.Error()}})
			return
		}
	}
	strict, err := kjson.UnmarshalStrict(adapted, object)
	if err != nil {
		if object = d.mend(row, adapted, err); object == nil {
			return
		}
	}
	if finish := finishers[row.Kind]; finish != nil && version != "" && version != row.Version {
		finish(object)
	}
	object.GetObjectKind().SetGroupVersionKind(row.GroupVersion().WithKind(string(row.Kind)))
	if object.GetName() == "" && object.GetGenerateName() == "" {
		d.refuse(row, raw, []fault{{what: "it has no metadata.name"}})
		return
	}
	tidy(object)
	name := nameOf(object)
	for _, e := range strict {
		d.warn(row, name, e)
	}
	d.look(row, name, object, raw)
	d.found.objects = append(d.found.objects, Object{Object: object, Source: d.place.source(name)})
}

// mend explains why an object could not be decoded. Fields that a collector blacked out are emptied and the object is
// kept; with anything else wrong it is refused, and the result is nil.
func (d *decoder) mend(row *cluster.KindRow, raw []byte, err error) cluster.Object {
	if d.squeezed {
		d.again = true
		return nil
	}
	if is, at := kjson.SyntaxErrorOffset(err); is {
		d.refuse(row, raw, []fault{{what: "it is not well-formed JSON: " + err.Error(), line: lineOf(raw, int(at), 0)}})
		return nil
	}
	faults := blame(raw, reflect.TypeOf(row.New()).Elem())
	if len(faults) == 0 {
		d.refuse(row, raw, []fault{{what: err.Error()}})
		return nil
	}
	for _, f := range faults {
		if !f.hidden {
			d.refuse(row, raw, faults)
			return nil
		}
	}
	mended := bytes.Clone(raw)
	for _, f := range faults {
		blank(mended[f.start:f.end], "null")
		d.found.problem(Problem{
			Severity: Warning, Where: d.at(f), What: fmt.Sprintf(
				"%s %q: %s is blacked out; it is taken as empty", strings.ToLower(string(row.Kind)),
				nameIn(memberOf(raw, "metadata")), f.path,
			),
			like: likeness{path: string(row.Kind) + " hidden " + flat(f.path)},
		})
	}
	object := row.New()
	if err := kjson.UnmarshalCaseSensitivePreserveInts(mended, object); err != nil {
		d.refuse(row, raw, []fault{{what: err.Error()}})
		return nil
	}
	return object
}

func (d *decoder) refuse(row *cluster.KindRow, raw []byte, faults []fault) {
	if d.squeezed {
		d.again = true
		return
	}
	name := nameIn(memberOf(raw, "metadata"))
	for _, f := range faults {
		what := fmt.Sprintf("%s %q: %s; it is left out", strings.ToLower(string(row.Kind)), name, f.sentence())
		d.found.problem(Problem{Where: d.at(f), What: what, Right: f.right})
	}
}

// warn tells of a field the type does not have, or has twice in the text.
func (d *decoder) warn(row *cluster.KindRow, name string, err error) {
	p := Problem{Severity: Warning, Where: d.where(0)}
	path := err.Error()
	var field kjson.FieldError
	if errors.As(err, &field) {
		path = field.FieldPath()
	}
	kind := strings.ToLower(string(row.Kind))
	if strings.HasPrefix(err.Error(), "duplicate") {
		p.What = fmt.Sprintf("%s %q: field %s is there twice; the last one counts", kind, name, path)
		p.like = likeness{path: string(row.Kind) + " twice " + flat(path)}
	} else {
		p.What = fmt.Sprintf("%s %q: unknown field %s is ignored", kind, name, path)
		p.like = likeness{path: flat(path), model: reflect.TypeOf(row.New()).Elem()}
	}
	if d.place.yaml {
		p.Where = d.at(fault{path: path})
	}
	d.found.problem(p)
}

// look checks what types cannot.
func (d *decoder) look(row *cluster.KindRow, name string, object cluster.Object, raw []byte) {
	if pod, is := object.(*corev1.Pod); is && !knownPhase(pod.Status.Phase) {
		d.found.problem(Problem{
			Severity: Warning, Where: d.where(0),
			What:  fmt.Sprintf("pod %q: status.phase %q does not exist; it counts as not finished", name, pod.Status.Phase),
			Right: "phases are Pending, Running, Succeeded, Failed, Unknown",
			like:  likeness{path: "phase " + string(pod.Status.Phase)},
		})
	}
	for _, path := range hiddenPaths(raw) {
		d.found.problem(Problem{
			Severity: Warning, Where: d.where(0), What: fmt.Sprintf(
				"%s %q: %s is blacked out; verdicts that read it are guesses", strings.ToLower(string(row.Kind)), name, path,
			),
			like: likeness{path: string(row.Kind) + " hidden " + flat(path)},
		})
	}
}

func knownPhase(phase corev1.PodPhase) bool {
	switch phase {
	case "", corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed, corev1.PodUnknown:
		return true
	}
	return false
}

// searchable is how long a text may be that is searched for the line of a field: the search splits it into lines.
const searchable = 1 << 20

// at is where a fault lies.
func (d *decoder) at(f fault) string {
	if !d.place.yaml {
		return d.where(f.line)
	}
	if len(d.text) > searchable {
		return d.where(0)
	}
	return d.where(yamlLine(d.text, d.inner+f.path))
}

func (d *decoder) where(lines int) string { return d.place.at(lines) }

// nameOf is "namespace/name", or "name" for what has no namespace.
func nameOf(object cluster.Object) string {
	name := object.GetName()
	if name == "" {
		name = object.GetGenerateName() + "*"
	}
	if object.GetNamespace() == "" {
		return name
	}
	return object.GetNamespace() + "/" + name
}

// nameIn is nameOf for an object that could not be decoded.
func nameIn(metadata []byte) string {
	name := unquote(memberOf(metadata, "name"))
	if ns := unquote(memberOf(metadata, "namespace")); ns != "" {
		return ns + "/" + name
	}
	return name
}
