package themes

import (
	"encoding/json"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/spelling"
)

// sheet is one theme file, checked but not yet laid over the theme it extends.
type sheet struct {
	file       string // for errors
	about      string
	extends    string
	appearance Appearance
	colours    map[string]color.RGBA
	roles      map[string]string // unparsed: their colours may be defined by a sheet above this one
}

var sheetFields = []string{"about", "appearance", "colors", "extends", "roles"}

// decodeSheet reads a theme file strictly: an unknown or repeated key is an error.
func decodeSheet(file string, data []byte) (sheet, error) {
	var fields map[string]json.RawMessage
	if err := yaml.UnmarshalStrict(data, &fields); err != nil {
		return sheet{}, fmt.Errorf("theme file %s: not a YAML mapping of %s: %w", file, strings.Join(sheetFields, ", "), err)
	}
	s := sheet{file: file}
	for _, key := range sortedKeys(fields) {
		if err := s.set(key, fields[key]); err != nil {
			return sheet{}, fmt.Errorf("theme file %s: %w", file, err)
		}
	}
	return s, nil
}

func (s *sheet) set(key string, value json.RawMessage) error {
	switch key {
	case "about":
		return decodeText(key, value, &s.about)
	case "extends":
		return decodeText(key, value, &s.extends)
	case "appearance":
		return s.setAppearance(value)
	case "colors":
		return s.setColours(value)
	case "roles":
		return s.setRoles(value)
	}
	return fmt.Errorf(
		"unknown field %q%s; the fields are %s", key, spelling.Hint(key, sheetFields), strings.Join(sheetFields, ", "),
	)
}

func (s *sheet) setAppearance(value json.RawMessage) error {
	var word string
	if err := decodeText("appearance", value, &word); err != nil {
		return err
	}
	switch word {
	case "dark":
		s.appearance = Dark
	case "light":
		s.appearance = Light
	default:
		return fmt.Errorf("appearance: %q is neither dark nor light", word)
	}
	return nil
}

func (s *sheet) setColours(value json.RawMessage) error {
	texts, err := decodeTexts("colors", value)
	if err != nil {
		return err
	}
	s.colours = make(map[string]color.RGBA, len(texts))
	for _, key := range sortedKeys(texts) {
		if _, taken := attributeNamed(key); taken || key == "none" || strings.HasPrefix(key, "#") ||
			len(strings.Fields(key)) != 1 {
			return fmt.Errorf("colors: %q cannot be the name of a colour (one word, other than none, %s)", key, strings.Join(
				attributeNames, ", ",
			))
		}
		if s.colours[key], err = parseHex(texts[key]); err != nil {
			return fmt.Errorf("colors: %s: %w", key, err)
		}
	}
	return nil
}

func (s *sheet) setRoles(value json.RawMessage) error {
	texts, err := decodeTexts("roles", value)
	if err != nil {
		return err
	}
	for _, key := range sortedKeys(texts) {
		if _, known := roleNamed(key); !known {
			return fmt.Errorf("roles: unknown role %q%s; the roles are %s", key, spelling.Hint(key, roleNames[:]), strings.Join(
				roleNames[:], ", ",
			))
		}
	}
	s.roles = texts
	return nil
}

func decodeTexts(field string, value json.RawMessage) (map[string]string, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(value, &raw); err != nil {
		return nil, fmt.Errorf("%s: %s is not a mapping of names to text", field, shorten(value))
	}
	texts := make(map[string]string, len(raw))
	for _, key := range sortedKeys(raw) {
		var text string
		if err := decodeText(field+": "+key, raw[key], &text); err != nil {
			return nil, err
		}
		texts[key] = text
	}
	return texts, nil
}

func decodeText(field string, value json.RawMessage, into *string) error {
	err := json.Unmarshal(value, into)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %s is not text (put it in quotes)", field, shorten(value))
	case strings.TrimSpace(*into) == "":
		return fmt.Errorf("%s: has no value (quote colours: \"#56B4E9\", because # begins a comment)", field)
	}
	return nil
}

func shorten(value json.RawMessage) string {
	const most = 40
	if len(value) <= most {
		return string(value)
	}
	return strings.ToValidUTF8(string(value[:most]), "") + "..."
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
