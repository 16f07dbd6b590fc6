package tables

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/tables/record"
)

// said is a run of a test with two rows, of which the second has the answer.
func said(answer string) []record.Line {
	of := func(row int, answer string) []record.Line {
		begins := &record.Case{
			File: "core/some_test.go", Function: "TestSome", Row: row, Entry: map[string]any{"name": "a"},
		}
		return []record.Line{{Case: begins}, {Call: &record.Call{Function: "Pop", Results: []any{answer}}}}
	}
	return append(of(0, "n1"), of(1, answer)...)
}

func TestACaseThatGoesByChanceIsAnError(t *testing.T) {
	files, _, err := settled(append(said("n2"), said("n2")...))
	if err != nil || len(files) != 1 || len(files[0].Cases) != 2 {
		t.Errorf("two runs that say the same: %v, %v", files, err)
	}
	_, _, err = settled(append(said("n2"), said("n3")...))
	if err == nil || !strings.Contains(err.Error(), "TestSome, row 1, goes by chance") {
		t.Errorf("two runs that differ: %v", err)
	}
}

func TestATestWithGoroutinesIsRefused(t *testing.T) {
	const text = `package p
func TestSome() { go func() {}() }
func TestPriorityQueue_Pop() { go func() {}() }
func TestOther() {}
`
	file, err := parser.ParseFile(token.NewFileSet(), "some_test.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f := d.(*ast.FuncDecl)
		if err := alone(f); (err != nil) != (f.Name.Name == "TestSome") {
			t.Errorf("%s: %v", f.Name.Name, err)
		}
	}
}
