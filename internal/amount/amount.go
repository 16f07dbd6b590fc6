// Package amount reads the quantities of Kubernetes, and finds those that cannot be worked out: resource.ParseQuantity
// makes a number of a hundred million digits of 1e-99999999, and nothing stops it. It knows no kinds and no units.
package amount

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/internal/phrase"
)

// mostOfAnExponent is how many digits one may have: 1e9999 is beyond any amount.
const mostOfAnExponent = 4

// Parse is resource.ParseQuantity for quantities with an exponent that can be worked out.
func Parse(text string) (resource.Quantity, error) {
	if Endless(text) {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(text)
}

// Endless reports whether the exponent of a quantity has too many digits to be worked out. The text may be in quotes.
func Endless[Text string | []byte](text Text) bool {
	digits, counted := 0, 0 // counted without zeros in front
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
			if c != '0' {
				counted = digits
			}
		case c|0x20 == 'e':
			return counted > mostOfAnExponent
		case c != '"' && c != '+' && c != '-':
			return false
		}
	}
	return false
}

// Check looks for an endless quantity in an object in JSON, before anything decodes it into the model. The error names
// the field of the first one.
func Check(raw []byte, model reflect.Type) error {
	if !MayBeEndless(raw) {
		return nil
	}
	var object any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil {
		return nil // the decoder of the model reports what is wrong
	}
	return within(object, model, "")
}

// MayBeEndless reports whether somewhere in the JSON stands what may be a number with a long exponent, and nothing
// else.
func MayBeEndless(raw []byte) bool {
	for i := 1; i < len(raw)-mostOfAnExponent; i++ {
		if raw[i]|0x20 != 'e' || !isPartOfNumber(raw[i-1]) {
			continue
		}
		end, begin := i+1, i-1
		for end < len(raw) && isPartOfNumber(raw[end]) {
			end++
		}
		if end-i <= mostOfAnExponent {
			continue
		}
		for begin > 0 && isPartOfNumber(raw[begin-1]) {
			begin--
		}
		if !isLetter(raw[max(begin-1, 0)]) && (end == len(raw) || !isLetter(raw[end])) {
			return true
		}
	}
	return false
}

func isPartOfNumber(c byte) bool { return c >= '0' && c <= '9' || c == '.' || c == '+' || c == '-' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

var (
	quantityType    = reflect.TypeFor[resource.Quantity]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
)

func within(value any, model reflect.Type, path string) error {
	for model.Kind() == reflect.Pointer {
		model = model.Elem()
	}
	switch {
	case model == quantityType:
		if text := fmt.Sprint(value); Endless(text) {
			return phrase.Errorf("%s: %q is not a quantity: its exponent has more than %d digits", path, text, mostOfAnExponent)
		}
		return nil
	case reflect.PointerTo(model).Implements(unmarshalerType):
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if of := memberType(model, key); of != nil {
				if err := within(value[key], of, strings.TrimPrefix(path+"."+key, ".")); err != nil {
					return err
				}
			}
		}
	case []any:
		if model.Kind() != reflect.Slice {
			return nil
		}
		for i := range value {
			if err := within(value[i], model.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// memberType is the type behind a key of a map or a JSON name of a struct, also of inlined structs; nil if there is
// none.
func memberType(model reflect.Type, key string) reflect.Type {
	switch model.Kind() {
	case reflect.Map:
		return model.Elem()
	case reflect.Struct:
		for i := range model.NumField() {
			field := model.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if strings.EqualFold(name, key) && name != "" {
				return field.Type
			}
			if name == "" && (field.Anonymous || strings.Contains(options, "inline")) && field.Type.Kind() == reflect.Struct {
				if of := memberType(field.Type, key); of != nil {
					return of
				}
			}
		}
	}
	return nil
}
