package record_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/tables/record"
)

type row struct {
	test   string
	node   object
	labels map[string]struct{}
	why    error
}

type object struct {
	Name string `json:"name"`
}

// double is a function as it is called in a test, and writes that down.
func double(n int) int {
	done := record.Start("double", nil, n)
	done(2 * n)
	return 2 * n
}

func TestACallIsWrittenUnderItsRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	t.Setenv(record.Variable, path)
	record.Enter("some_test.go", "TestSome", "", nil, row{test: "first"})
	double(2)
	record.Enter("some_test.go", "TestSome", "", nil, row{test: "second"})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []record.Line
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var l record.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if len(lines) != 3 || lines[1].Call == nil || lines[2].Case == nil {
		t.Fatalf("%d lines: %s", len(lines), text)
	}
	if call := lines[1].Call; call.Function != "double" || call.Before[0] != 2.0 || call.Results[0] != 4.0 {
		t.Errorf("the call is %+v", call)
	}
	if lines[0].Case.Row != 0 || lines[2].Case.Row != 1 {
		t.Errorf("the rows are %d and %d", lines[0].Case.Row, lines[2].Case.Row)
	}
}

func TestAValueIsWrittenAsWhatItIsOutside(t *testing.T) {
	have := record.Plain(&row{
		test: "x", node: object{"n1"}, labels: map[string]struct{}{"b": {}, "a": {}}, why: errors.New("no room"),
	})
	want := map[string]any{
		"test": "x", "node": map[string]any{"name": "n1"}, "labels": []string{"a", "b"},
		"why": map[string]any{"error": "no room"},
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("%v is written, not %v", have, want)
	}
}
