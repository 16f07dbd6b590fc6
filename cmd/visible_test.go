package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"sigs.k8s.io/yaml"
)

// hidden is a name in which characters control a terminal, or turn the direction of what is read.
const hidden = "web\u007f\u0085\u009b31m\u202e\u2066\U000e0041"

func TestDocumentsHoldNoCharacterThatHides(t *testing.T) {
	name, err := json.Marshal(hidden)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "in.json")
	text := `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":` + string(name) +
		`},"spec":{"containers":[{"name":"c","image":"x"}]}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"json", "jsonl", "yaml"} {
		printed := program(t, "run", path, "-q", "-o", format)
		if printed.code != 3 {
			t.Fatalf("-o %s: exit %d: %s", format, printed.code, printed.err)
		}
		for _, r := range printed.out {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("-o %s prints %U", format, r)
			}
		}
		var document any
		parse := func(text []byte, into any) error { return yaml.Unmarshal(text, into) }
		if format != "yaml" {
			parse = json.Unmarshal
		}
		if err := parse([]byte(strings.TrimPrefix(printed.out, "---\n")), &document); err != nil {
			t.Fatalf("-o %s: %v", format, err)
		}
		if back, err := json.Marshal(document); err != nil || !strings.Contains(string(back), hidden) {
			t.Errorf("-o %s: the name is not in it, %v:\n%s", format, err, back)
		}
	}
}

func TestErrorsCannotControlTheTerminal(t *testing.T) {
	for _, args := range [][]string{
		{"run", "no\x1b[31m\u009bsuch\x07file"}, {"run", "--format", "\x1b]0;x\x07"}, {"explain", "\x1b[2J", "no\x7ffile"},
	} {
		ended := program(t, args...)
		if ended.code == 0 || strings.ContainsAny(ended.err, "\x1b\x07\x7f\u009b") {
			t.Errorf("%q: exit %d, %q", args, ended.code, ended.err)
		}
	}
}

// TestNothingInFindingsControlsTheTerminal runs lint on a label with a mark of direction, as table and as data.
func TestNothingInFindingsControlsTheTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	text := "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n" +
		"{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {nodeSelector: {disk: \"a\\u202eb\"}, containers: [{name: c, image: i}]}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{"json": `a\u202eb`, "table": "disk=a"} {
		got := program(t, "lint", file, "-o", format)
		if strings.ContainsRune(got.out, '\u202e') || !strings.Contains(got.out, want) {
			t.Errorf("-o %s prints %q\n%s", format, got.out, got.err)
		}
	}
}

// TestKeysAreATableForAPerson holds the two forms of the keys apart.
func TestKeysAreATableForAPerson(t *testing.T) {
	table, document := program(t, "keys"), program(t, "keys", "-o", "markdown")
	if strings.Contains(table.out, "|---|") || !strings.Contains(table.out, "MOVE THROUGH THE REPLAY\n  space ") {
		t.Errorf("the table is\n%s", table.out)
	}
	if !strings.HasPrefix(document.out, "# Keys and commands\n") {
		t.Errorf("the document is\n%s", document.out)
	}
}
