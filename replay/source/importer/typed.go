package importer

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/diagnose"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// typed decodes into the type of a row.
func (d *decoder) typed(row *cluster.KindRow, version string, raw []byte) {
	if !d.compact {
		blankCopies(raw)
	}
	adapted := raw
	if adapt := adapters[row.Kind]; adapt != nil && version != row.Version {
		var err error
		if adapted, err = adapt(version, raw); err != nil {
			d.refuse(row, raw, []diagnose.Fault{{What: phrase.Textf("its shape is not that of %s: %s", version, err)}})
			return
		}
	}
	object, strict, err := decodeInto(row, adapted)
	if err != nil && offsets.Match(adapted) {
		adapted = withTimes(adapted)
		object, strict, err = decodeInto(row, adapted)
	}
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
		d.refuse(row, raw, []diagnose.Fault{{What: "it has no metadata.name"}})
		return
	}
	dropCopies(object)
	name := NameOf(object)
	d.warn(row, name, adapted, strict)
	d.look(row, name, object, raw)
	d.found.objects = append(d.found.objects, Object{Object: object, Source: d.place.source(name)})
}

// faultless is how the fast decoder reads: what it takes, the API server's own decoder takes without a warning, and
// makes the same object of it.
var faultless = json.JoinOptions(
	json.RejectUnknownMembers(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFunc(moment), json.UnmarshalFunc(quantity))),
)

// quantity reads one that can be worked out.
func quantity(raw []byte, q *resource.Quantity) error {
	if amount.Endless(raw) {
		return resource.ErrFormatWrong
	}
	return q.UnmarshalJSON(raw)
}

// moment reads a time as metav1.Time does, but looks at the text once where that decodes it as JSON first.
func moment(raw []byte, t *metav1.Time) error {
	plain := text.Unquote(raw)
	if raw[0] != '"' || len(plain) != len(raw)-2 {
		return t.UnmarshalJSON(raw)
	}
	at, err := time.Parse(time.RFC3339, plain)
	t.Time = at.Local()
	return err
}

// decodeInto decodes into a new object of a row, as the API server does: strict are its warnings. Only what has a fault
// needs the decoder that has the API server's words for it, at more than twice the time.
func decodeInto(row *cluster.KindRow, raw []byte) (object cluster.Object, strict []error, err error) {
	object = row.New()
	if json.Unmarshal(raw, object, faultless) == nil {
		return object, nil, nil
	}
	object = row.New()
	if err = amount.Check(raw, reflect.TypeOf(object)); err == nil {
		strict, err = kjson.UnmarshalStrict(raw, object)
	}
	return object, strict, err
}

// mend explains why an object could not be decoded. Fields that a collector blacked out are emptied and the object is
// kept; with anything else wrong it is refused, and the result is nil.
func (d *decoder) mend(row *cluster.KindRow, raw []byte, err error) cluster.Object {
	if d.compact {
		d.again = true
		return nil
	}
	if is, at := kjson.SyntaxErrorOffset(err); is {
		d.refuse(row, raw, []diagnose.Fault{{
			What: phrase.Textf("it is not well-formed JSON: %s", err), Line: text.LineOf(raw, int(at), 0),
		}})
		return nil
	}
	faults := diagnose.Faults(raw, reflect.TypeOf(row.New()).Elem())
	if len(faults) == 0 {
		d.refuse(row, raw, []diagnose.Fault{{What: phrase.OfError(err)}})
		return nil
	}
	for _, f := range faults {
		if !f.BlackedOut {
			d.refuse(row, raw, faults)
			return nil
		}
	}
	mended := bytes.Clone(raw)
	for _, f := range faults {
		blank(mended[f.Start:f.End], "null")
		d.found.problem(Problem{
			Severity: Warning, Where: d.at(f), What: phrase.Textf(
				"%s %q: %s is blacked out; it is taken as empty", strings.ToLower(string(row.Kind)),
				nameIn(text.Member(raw, "metadata")), f.Path,
			),
			like: likeness{path: string(row.Kind) + " hidden " + diagnose.WithoutIndices(f.Path)},
		})
	}
	object := row.New()
	if err := kjson.UnmarshalCaseSensitivePreserveInts(mended, object); err != nil {
		d.refuse(row, raw, []diagnose.Fault{{What: phrase.OfError(err)}})
		return nil
	}
	return object
}

func (d *decoder) refuse(row *cluster.KindRow, raw []byte, faults []diagnose.Fault) {
	if d.compact {
		d.again = true
		return
	}
	name := nameIn(text.Member(raw, "metadata"))
	for _, f := range faults {
		what := phrase.Textf("%s %q: %s; it is left out", strings.ToLower(string(row.Kind)), name, f.Sentence())
		d.found.problem(Problem{Where: d.at(f), What: what, Right: f.Right})
	}
}

// warn reports fields that the type does not have, and those that are twice in the text.
func (d *decoder) warn(row *cluster.KindRow, name string, raw []byte, strict []error) {
	if len(strict) == 0 {
		return
	}
	twice := fieldsTwice(row, raw)
	kind := strings.ToLower(string(row.Kind))
	for _, err := range strict {
		path := pathOf(err)
		p := Problem{
			Severity: Warning, Where: d.where(0), What: phrase.Textf("%s %q: unknown field %s is ignored", kind, name, path),
			like: likeness{path: diagnose.WithoutIndices(path), model: reflect.TypeOf(row.New()).Elem()},
		}
		if twice[path] {
			p.What = phrase.Textf("%s %q: field %s is there twice; the last one counts", kind, name, path)
			p.like = likeness{path: string(row.Kind) + " twice " + diagnose.WithoutIndices(path)}
		}
		if d.place.yaml {
			p.Where = d.at(diagnose.Fault{Path: path})
		}
		d.found.problem(p)
	}
}

// fieldsTwice are the paths of the fields that an object has twice. The decoder's errors have no type of their own for
// them, and so it runs again, for these alone.
func fieldsTwice(row *cluster.KindRow, raw []byte) map[string]bool {
	strict, err := kjson.UnmarshalStrict(raw, row.New(), kjson.DisallowDuplicateFields)
	if err != nil {
		return nil
	}
	paths := map[string]bool{}
	for _, e := range strict {
		paths[pathOf(e)] = true
	}
	return paths
}

// pathOf is the field that a decoder's warning is about.
func pathOf(err error) string {
	var field kjson.FieldError
	if errors.As(err, &field) {
		return field.FieldPath()
	}
	return err.Error()
}

// look checks what types cannot.
func (d *decoder) look(row *cluster.KindRow, name string, object cluster.Object, raw []byte) {
	if pod, is := object.(*corev1.Pod); is && !knownPhase(pod.Status.Phase) {
		d.found.problem(Problem{
			Severity: Warning, Where: d.where(0),
			What:  phrase.Textf("pod %q: status.phase %q does not exist; it counts as not finished", name, pod.Status.Phase),
			Right: "phases are Pending, Running, Succeeded, Failed, Unknown",
			like:  likeness{path: "phase " + string(pod.Status.Phase)},
		})
	}
	for _, path := range diagnose.BlackedOut(raw) {
		d.found.problem(Problem{
			Severity: Warning, Where: d.where(0), What: phrase.Textf(
				"%s %q: %s is blacked out; verdicts that read it are guesses", strings.ToLower(string(row.Kind)), name, path,
			),
			like: likeness{path: string(row.Kind) + " hidden " + diagnose.WithoutIndices(path)},
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
func (d *decoder) at(f diagnose.Fault) string {
	if !d.place.yaml {
		return d.where(f.Line)
	}
	if len(d.text) > searchable {
		return d.where(0)
	}
	return d.where(text.LineOfPath(d.text, d.inner+f.Path))
}

func (d *decoder) where(lines int) string { return d.place.at(lines) }

// NameOf is "namespace/name", or "name" for what has no namespace.
func NameOf(object cluster.Object) string {
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
	name := text.Unquote(text.Member(metadata, "name"))
	if ns := text.Unquote(text.Member(metadata, "namespace")); ns != "" {
		return ns + "/" + name
	}
	return name
}
