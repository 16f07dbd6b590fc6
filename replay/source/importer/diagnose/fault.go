// Package diagnose describes what is wrong with the JSON of an API object: which values do not fit their fields and
// what would, which field a misspelt one was meant to be, what a collector blacked out. It is called when decoding
// failed or warned; it does not decide whether an object is kept.
package diagnose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	kjson "sigs.k8s.io/json"

	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// Fault is one value that does not fit its field, or with What alone, what is wrong with the whole object.
type Fault struct {
	Path       string      // "spec.containers[0].resources.requests.cpu"
	What       phrase.Text // why it does not fit, as the end of a sentence
	Right      phrase.Text // what would; empty when What has it
	Start, End int         // its place in the object's text
	Line       int         // lines below the object's first
	BlackedOut bool        // a collector wrote over it

	found string // the value as written
}

// Sentence is "spec.replicas "two" is not a whole number".
func (f Fault) Sentence() phrase.Text {
	if f.Path == "" {
		return f.What
	}
	return phrase.Textf("%s %s %s", f.Path, f.found, f.What)
}

// Faults finds every value of an object that does not fit a type. It is called only when decoding failed: the decoder
// stops at the first such value and names no field when the field's type parses itself.
func Faults(raw []byte, model reflect.Type) []Fault {
	b := finder{raw: raw}
	b.value(0, len(raw), model, "")
	for i := range b.faults {
		b.faults[i].Line = bytes.Count(raw[:b.faults[i].Start], []byte{'\n'})
	}
	return b.faults
}

type finder struct {
	raw    []byte
	faults []Fault
}

func (b *finder) value(start, end int, model reflect.Type, path string) {
	raw := b.raw[start:end]
	if string(raw) == "null" || path == "metadata.managedFields" {
		return
	}
	if model.Kind() == reflect.Pointer {
		b.value(start, end, model.Elem(), path)
		return
	}
	if parses, is := reflect.New(model).Interface().(json.Unmarshaler); is {
		_, isAmount := parses.(*resource.Quantity)
		if isAmount && amount.Endless(raw) || parses.UnmarshalJSON(raw) != nil {
			b.fault(start, end, path, wanted(model))
		}
		return
	}
	switch model.Kind() {
	case reflect.Struct:
		b.members(start, end, path, func(key string) reflect.Type { return fieldType(model, key) })
	case reflect.Map:
		b.members(start, end, path, func(string) reflect.Type { return model.Elem() })
	case reflect.Slice:
		b.slice(start, end, model, path)
	default:
		if kjson.UnmarshalCaseSensitivePreserveInts(raw, reflect.New(model).Interface()) != nil {
			b.fault(start, end, path, wanted(model))
		}
	}
}

func (b *finder) members(start, end int, path string, typeOf func(string) reflect.Type) {
	raw := b.raw[start:end]
	err := text.Members(raw, func(key []byte, from, to int) bool {
		if model := typeOf(string(key)); model != nil {
			b.value(start+from, start+to, model, strings.TrimPrefix(path+"."+string(key), "."))
		}
		return true
	})
	if err != nil {
		b.fault(start, end, path, "is not a map of names to values")
	}
}

func (b *finder) slice(start, end int, model reflect.Type, path string) {
	raw := b.raw[start:end]
	if model.Elem().Kind() == reflect.Uint8 {
		if json.Unmarshal(raw, &[]byte{}) != nil {
			b.fault(start, end, path, "is not base64 text")
		}
		return
	}
	err := text.Elements(raw, func(index, from, to int) bool {
		b.value(start+from, start+to, model.Elem(), fmt.Sprintf("%s[%d]", path, index))
		return true
	})
	if err != nil {
		b.fault(start, end, path, "is not a list")
	}
}

func (b *finder) fault(start, end int, path string, what phrase.Text) {
	raw := b.raw[start:end]
	b.faults = append(b.faults, Fault{
		Path: path, What: what, Right: remedy(raw, what, path),
		Start: start, End: end, BlackedOut: bytes.Contains(raw, []byte(blackMark)),
		found: text.Shorten(string(bytes.Join(bytes.Fields(raw), []byte{' '})), 60),
	})
}

// fieldType is the type behind a JSON name, also of inlined structs; nil if there is none.
func fieldType(model reflect.Type, name string) reflect.Type {
	for i := range model.NumField() {
		field := model.Field(i)
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name && tag != "" {
			return field.Type
		}
		if field.Anonymous && tag == "" && field.Type.Kind() == reflect.Struct {
			if inner := fieldType(field.Type, name); inner != nil {
				return inner
			}
		}
	}
	return nil
}

// under is the type of what a pointer, a list or a map holds.
func under(model reflect.Type) reflect.Type {
	for model.Kind() == reflect.Pointer || model.Kind() == reflect.Slice {
		model = model.Elem()
	}
	return model
}

// index is a list index in a path.
var index = regexp.MustCompile(`\[\d+\]`)

// WithoutIndices is a path without indices: the same field of all elements.
func WithoutIndices(path string) string { return index.ReplaceAllString(path, "[]") }

// Syntax describes what is wrong with the JSON of an object.
func Syntax(raw []byte) string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err.Error()
	}
	return text.ErrShape.Error()
}
