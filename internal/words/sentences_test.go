package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/words"
)

// system are sentences of the operating system, which errors quote.
var system = map[string]bool{"no such file or directory": true, "permission denied": true}

// TestEverySentenceOfDataIsStillSaid names the rows of sentences.yaml that are no text of the program any more: facts,
// what plugins compare, findings, notes and errors are made of the very formats that the file translates. A number with
// its noun stands in the program without the number.
func TestEverySentenceOfDataIsStillSaid(t *testing.T) {
	said := constants(t)
	for _, l := range words.Languages()[1:] {
		for sentence := range heard(t, l) {
			if !said[sentence] && !said[strings.TrimPrefix(sentence, "%d ")] && !system[sentence] {
				t.Errorf("%s: nothing says %q", l, sentence)
			}
		}
	}
}

// constants are the texts of the program, those of constants that are put together included.
func constants(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, room := range []string{"core", "replay", "internal", "cmd", "tui", "serve"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			r := &reader{consts: map[string]ast.Expr{}}
			r.keepConsts(file)
			ast.Inspect(file, func(n ast.Node) bool {
				e, is := n.(ast.Expr)
				if !is {
					return true
				}
				text, is := r.constant(e)
				all[text] = true
				_, sum := e.(*ast.BinaryExpr)
				return !is || !sum
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	themes, err := filepath.Glob(filepath.Join("..", "..", "themes", "*.yaml")) // data, each with a text about it
	if err != nil || len(themes) == 0 {
		t.Fatalf("%d themes, %v", len(themes), err)
	}
	for _, name := range themes {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, value, _ := strings.Cut(line, ": ")
			all[strings.Trim(strings.TrimSpace(value), `"`)] = true
		}
	}
	return all
}
