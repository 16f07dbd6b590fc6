package recording

import (
	"reflect"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// place leads to one field of a struct: fields by their index, -1 for every element of a list.
type place [][]int

// placeOf finds a path such as "spec.containers[].env[].value" by JSON names; the error names the part that the type
// does not have.
func placeOf(t reflect.Type, path string) (place, error) {
	var p place
	for part := range strings.SplitSeq(path, ".") {
		name, isList := strings.CutSuffix(part, "[]")
		t = pointedTo(t)
		if t.Kind() != reflect.Struct {
			return nil, phrase.Errorf("%s: %s has no fields, so no %q", path, t, name)
		}
		index, inner, ok := fieldNamed(t, name)
		if !ok {
			return nil, phrase.Errorf("%s: %s has no field %q", path, t, name)
		}
		p, t = append(p, index), inner
		if isList {
			if t.Kind() != reflect.Slice {
				return nil, phrase.Errorf("%s: %q is no list", path, name)
			}
			p, t = append(p, everyElement), t.Elem()
		}
	}
	return p, nil
}

// everyElement is the step into the elements of a list.
var everyElement = []int(nil)

// fieldNamed finds a field by its JSON name, those of embedded structs included.
func fieldNamed(t reflect.Type, name string) ([]int, reflect.Type, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name {
			return f.Index, f.Type, true
		}
		if f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct {
			if index, inner, ok := fieldNamed(f.Type, name); ok {
				return append([]int{i}, index...), inner, true
			}
		}
	}
	return nil, nil, false
}

func pointedTo(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// empty sets the field to its zero value, in every element of every list on the way; nil pointers have no fields.
func (p place) empty(v reflect.Value) {
	for i, step := range p {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return
			}
			v = v.Elem()
		}
		if step != nil {
			v = v.FieldByIndex(step)
			continue
		}
		for j := range v.Len() {
			p[i+1:].empty(v.Index(j))
		}
		return
	}
	v.SetZero()
}
