package screen

import (
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/tui/command"
)

// textYours is the heading over the keys of the user's own file.
const textYours = "Yours"

// asKey stands before the name of another key whose action a key takes: "key w".
const asKey = "key "

// Rebind is the keys of a person's file: each key with the command lines that it carries out, or "key w" for what w
// does, or nothing for a key that is to do nothing. Keys are named as in docs/keys.md.
type Rebind map[string]string

// ParseKeys reads a file of keys: YAML, a key and what it does on each line.
func ParseKeys(text []byte) (Rebind, error) {
	var keys Rebind
	if err := yaml.UnmarshalStrict(text, &keys); err != nil {
		return nil, phrase.Errorf("it is not KEY: COMMAND on each line: %w", err)
	}
	_, err := rebound(bindings(), keys)
	return keys, err
}

// rebound are the rows with the keys of the user. What these keys did before is gone.
func rebound(rows []binding, keys Rebind) ([]binding, error) {
	was := rows
	rows = slices.Clone(rows)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if k == "ctrl+c" {
			return nil, phrase.Errorf("ctrl+c always quits")
		}
		for i := range rows {
			rows[i].keys = slices.DeleteFunc(slices.Clone(rows[i].keys), func(o string) bool { return o == k })
		}
	}
	rows = slices.DeleteFunc(rows, func(b binding) bool { return len(b.keys) == 0 })
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		b, err := boundAs(was, k, keys[k])
		switch {
		case err != nil:
			return nil, phrase.Errorf("%s: %w", k, err)
		case b.does != "":
			rows = append(rows, b)
		}
	}
	return rows, nil
}

func boundAs(rows []binding, key, to string) (binding, error) {
	if other, is := strings.CutPrefix(to, asKey); is {
		at := slices.IndexFunc(rows, func(b binding) bool { return slices.Contains(b.keys, other) })
		if at < 0 {
			return binding{}, phrase.Errorf("no key is called %q (schedstep keys lists them)", other)
		}
		b := rows[at]
		b.keys = []string{key}
		return b, nil
	}
	for _, line := range command.Split(to) {
		if _, _, err := command.Parse(line.Text); err != nil {
			return binding{}, err
		}
	}
	return binding{keys: []string{key}, group: textYours, does: to, line: to, unable: (*app).busy}, nil
}
