package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// spoken are the rooms whose errors a person meets on the screen or at the prompt.
var spoken = []string{"replay/learn/predict", "tui/classroom", "tui/command", "tui/panel", "tui/prompt", "tui/screen"}

// sentence is two words in a row: less is the name of what failed, before the error itself.
var sentence = regexp.MustCompile(`[A-Za-z']{2,} [A-Za-z']+`)

// TestErrorsOfTheScreenAreMadeOfPhrases reads these rooms: an error that is made of a phrase can be translated, and the
// test above names those that have no translation.
func TestErrorsOfTheScreenAreMadeOfPhrases(t *testing.T) {
	phrases := 0
	for _, room := range spoken {
		set := token.NewFileSet()
		packages, err := parser.ParseDir(set, filepath.Join("..", "..", room), func(f fs.FileInfo) bool {
			return !strings.HasSuffix(f.Name(), "_test.go")
		}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range packages {
			ast.Inspect(p, func(n ast.Node) bool {
				c, is := n.(*ast.CallExpr)
				if !is {
					return true
				}
				f, is := c.Fun.(*ast.SelectorExpr)
				if !is {
					return true
				}
				switch of(f) + "." + f.Sel.Name {
				case "phrase.Errorf":
					phrases++
				case "fmt.Errorf", "errors.New":
					text, is := c.Args[0].(*ast.BasicLit)
					if is && sentence.MatchString(blank.ReplaceAllString(text.Value, "")) {
						t.Errorf("%s: %s is English in every language", set.Position(c.Pos()), text.Value)
					}
				}
				return true
			})
		}
	}
	if phrases < 20 {
		t.Errorf("only %d errors are phrases", phrases)
	}
}
