package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	kjson "sigs.k8s.io/json"
)

// fault is one value that does not fit its field.
type fault struct {
	path       string // "spec.containers[0].resources.requests.cpu"
	found      string // the value as written
	what       string // why it does not fit
	right      string // what would
	start, end int    // its place in the object's text
	line       int    // lines below the object's first
	hidden     bool   // a collector blacked it out
}

func (f fault) sentence() string {
	if f.path == "" {
		return f.what
	}
	return fmt.Sprintf("%s %s %s", f.path, f.found, f.what)
}

// likeness is what makes two problems one. The zero value is like nothing.
type likeness struct {
	path     string
	model    reflect.Type // the type whose fields a hint may be taken from
	severity Severity
}

// blame finds every value of an object that does not fit a type. It is asked only when decoding failed: the decoder
// stops at the first such value and names no field when the field's type parses itself.
func blame(raw []byte, model reflect.Type) []fault {
	b := blamer{raw: raw}
	b.value(0, len(raw), model, "")
	for i := range b.faults {
		b.faults[i].line = bytes.Count(raw[:b.faults[i].start], []byte{'\n'})
	}
	return b.faults
}

type blamer struct {
	raw    []byte
	faults []fault
}

func (b *blamer) value(start, end int, model reflect.Type, path string) {
	raw := b.raw[start:end]
	if string(raw) == "null" || path == "metadata.managedFields" {
		return
	}
	if model.Kind() == reflect.Pointer {
		b.value(start, end, model.Elem(), path)
		return
	}
	if parses, is := reflect.New(model).Interface().(json.Unmarshaler); is {
		if parses.UnmarshalJSON(raw) != nil {
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

func (b *blamer) members(start, end int, path string, typeOf func(string) reflect.Type) {
	raw := b.raw[start:end]
	err := eachMember(raw, func(key []byte, from, to int) bool {
		if model := typeOf(string(key)); model != nil {
			b.value(start+from, start+to, model, strings.TrimPrefix(path+"."+string(key), "."))
		}
		return true
	})
	if err != nil {
		b.fault(start, end, path, "is not a map of names to values")
	}
}

func (b *blamer) slice(start, end int, model reflect.Type, path string) {
	raw := b.raw[start:end]
	if model.Elem().Kind() == reflect.Uint8 {
		if json.Unmarshal(raw, &[]byte{}) != nil {
			b.fault(start, end, path, "is not base64 text")
		}
		return
	}
	err := eachElement(raw, func(index, from, to int) bool {
		b.value(start+from, start+to, model.Elem(), fmt.Sprintf("%s[%d]", path, index))
		return true
	})
	if err != nil {
		b.fault(start, end, path, "is not a list")
	}
}

func (b *blamer) fault(start, end int, path, what string) {
	raw := b.raw[start:end]
	b.faults = append(b.faults, fault{
		path: path, found: cutText(string(bytes.Join(bytes.Fields(raw), []byte{' '})), 60), what: what,
		right: remedy(raw, what, path),
		start: start, end: end, hidden: bytes.Contains(raw, []byte(hiddenMark)),
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

// flat is a path without indices: the same field of all elements.
func flat(path string) string { return index.ReplaceAllString(path, "[]") }

// unquote is the text of a JSON string, and the JSON of anything else.
func unquote(raw []byte) string {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// syntax says what is wrong with the JSON of an object.
func syntax(raw []byte) string {
	var t tree
	if err := json.Unmarshal(raw, &t); err != nil {
		return err.Error()
	}
	return errShape.Error()
}
