package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	widest  = 120 // columns of a line; a tab is one, as golangci-lint counts
	beside  = 40  // columns of code beside the strings of a line of text
	longest = 60  // lines of a function, from its func to its last brace
)

// The faults that are not fixed yet; these numbers only ever get smaller.
const (
	wideLines     = 0
	longFunctions = 0
	unusedNames   = 0
)

// TestLinesFitAPage reads every line of Go of every module. Data may be wider: a row of a table (an element of a
// composite literal on a line of its own), and a line of text, which without its strings is short. A directive of the
// compiler has to be one line.
func TestLinesFitAPage(t *testing.T) {
	var wide []string
	for _, file := range goFiles(t) {
		text, set, parsed := read(t, file)
		var data map[int]bool
		for i, line := range strings.Split(text, "\n") {
			if columns(line) <= widest {
				continue
			}
			if data == nil {
				data = linesOfData(text, set, parsed)
			}
			if !data[i+1] && !strings.HasPrefix(line, "//go:") {
				wide = append(wide, fmt.Sprintf("%s:%d has %d columns, and %d is the most", file, i+1, columns(line), widest))
			}
		}
	}
	tell(t, wide, wideLines)
}

// TestFunctionsFitAPage counts the lines of every function of every module. The table of a long test stands before it.
func TestFunctionsFitAPage(t *testing.T) {
	var long []string
	for _, file := range goFiles(t) {
		_, set, parsed := read(t, file)
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > longest {
				long = append(long, fmt.Sprintf(
					"%s: %s has %d lines, and %d is the most", set.Position(f.Pos()), f.Name.Name, n, longest,
				))
			}
		}
	}
	tell(t, long, longFunctions)
}

// tell logs what a test found, and fails it when that is more than was left over.
func tell(t *testing.T, found []string, leftOver int) {
	t.Helper()
	for _, f := range found {
		t.Log(f)
	}
	if len(found) > leftOver {
		t.Errorf("%d places, and %d were left over", len(found), leftOver)
	}
}

func TestDataIsToldFromCode(t *testing.T) {
	source := strings.Join([]string{
		"package x",
		"var table = []row{",
		"\t{1, 2},",
		"\t\"key\": {3, 4},",
		"\tcall(5), call(6),",
		"}",
		"var text = `first",
		"second",
		"third` + call(7)",
		"func f() { call(row{1, 2}) }",
		"var s = call(the(many), names(that), stand(before), the(string), \"short\")",
	}, "\n")
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, "x.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	data := linesOfData(source, set, parsed)
	for line, want := range map[int]bool{3: true, 4: true, 5: false, 7: true, 8: true, 9: true, 10: false, 11: false} {
		if data[line] != want {
			t.Errorf("line %d is data: %v, want %v", line, data[line], want)
		}
	}
}

func read(t *testing.T, file string) (string, *token.FileSet, *ast.File) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), set, parsed
}

func columns(line string) int { return utf8.RuneCountInString(line) }

// linesOfData are the lines of a file that may be wide: rows, and text.
func linesOfData(text string, set *token.FileSet, file *ast.File) map[int]bool {
	data, strung := map[int]bool{}, map[int]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			at := set.Position(n.Pos()).Line
			for i, part := range strings.Split(n.Value, "\n") {
				if n.Kind == token.STRING {
					strung[at+i] += utf8.RuneCountInString(part)
				}
			}
		case *ast.CompositeLit:
			for _, row := range rows(set, n) {
				data[row] = true
			}
		}
		return true
	})
	for i, line := range strings.Split(text, "\n") {
		code := strings.TrimLeft(line, "\t")
		if strung[i+1] > 0 && utf8.RuneCountInString(code)-strung[i+1] <= beside {
			data[i+1] = true
		}
	}
	return data
}

// rows are the lines between the braces of a composite literal that hold one of its elements, whole.
func rows(set *token.FileSet, table *ast.CompositeLit) []int {
	line := func(p token.Pos) int { return set.Position(p).Line }
	begun := map[int]int{}
	for _, e := range table.Elts {
		begun[line(e.Pos())]++
	}
	var found []int
	for _, e := range table.Elts {
		at := line(e.Pos())
		if begun[at] == 1 && line(e.End()) == at && at > line(table.Lbrace) && at < line(table.Rbrace) {
			found = append(found, at)
		}
	}
	return found
}
