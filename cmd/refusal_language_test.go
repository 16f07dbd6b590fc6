package cmd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// englishErrors are errors of this package that are made without a phrase, by the text of the call, and why.
var englishErrors = map[string]string{
	`lesson.WordsIn(language).Say("glossary-unknown", text)`: "it is in the language already",
}

// TestErrorsOfTheCommandLineAreMadeOfPhrases reads this package: an error that is made of a phrase can be printed in
// every language, and the words' own test names those that have no translation.
func TestErrorsOfTheCommandLineAreMadeOfPhrases(t *testing.T) {
	set, phrases, left := token.NewFileSet(), 0, map[string]bool{}
	packages, err := parser.ParseDir(set, ".", func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go")
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range packages["cmd"].Files {
		ast.Inspect(f, func(n ast.Node) bool {
			c, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			switch name := written(c.Fun); name {
			case "phrase.Errorf":
				phrases++
			case "fmt.Errorf", "errors.New":
				if said := written(c.Args[0]); englishErrors[said] == "" {
					t.Errorf("%s: %s(%s) is English in every language", set.Position(c.Pos()), name, said)
				} else {
					left[said] = true
				}
			}
			return true
		})
	}
	if phrases < 80 {
		t.Errorf("only %d errors are phrases", phrases)
	}
	for said := range englishErrors {
		if !left[said] {
			t.Errorf("nothing makes an error of %s any more", said)
		}
	}
}

// written is an expression as it stands in the source, as far as this test needs it.
func written(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.SelectorExpr:
		return written(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		var args []string
		for _, a := range e.Args {
			args = append(args, written(a))
		}
		return written(e.Fun) + "(" + strings.Join(args, ", ") + ")"
	}
	return ""
}

// threeWords are three English words in a row.
var threeWords = regexp.MustCompile(`[A-Za-z']+ [A-Za-z']+ [A-Za-z']+`)

// TestRefusalsAreSaidInTheLanguage gives every kind of wrong command line in Chinese.
func TestRefusalsAreSaidInTheLanguage(t *testing.T) {
	for _, line := range []string{
		"rnu", "run --nothing", "run -Z", "run --until", "run --until -1s testdata/gang.txt", "run --seed x testdata/gang.txt",
		"run --until x testdata/gang.txt", "run -o x testdata/gang.txt", "run --cycles -1 testdata/gang.txt",
		"run --report x testdata/gang.txt", "run --fail-on x testdata/gang.txt", "run --format x testdata/gang.txt",
		"run --time x testdata/gang.txt", "run --max-input x testdata/gang.txt", "run --kube-version x testdata/gang.txt",
		"run --extenders x testdata/gang.txt", "run --percentage-of-nodes-to-score 101 testdata/gang.txt",
		"run --on-hit where testdata/gang.txt", "run --break plugin testdata/gang.txt", "run --detail x testdata/gang.txt",
		"run --break node=n1 --cycles 1 testdata/gang.txt", "run --replicas a=-1 testdata/gang.txt",
		"explain", "explain nobody testdata/gang.txt", "explain default/t0 testdata/gang.txt --nearest -1",
		"whatif testdata/gang.txt", "whatif testdata/gang.txt --do nothing", "whatif testdata/gang.txt --do next --at x",
		"whatif testdata/gang.txt --do next -o x", "diff testdata/gang.txt", "diff testdata/gang.txt --a x=1",
		"diff testdata/gang.txt --a kube-version=1", "diff testdata/gang.txt --a weight=ImageLocality=0",
		"diff testdata/gang.txt --a kube-version=1.36 --fail-on x", "diff testdata/gang.txt --a kube-version=1.36 -o x",
		"export", "export cycle testdata/gang.txt --to x", "convert", "record", "record -o x --for -1s", "record -o x --max-size y",
		"shadow --for -1s", "shadow -o x", "drive --dry-run x", "drive --scheduler-name=", "learn 1 2", "learn 99",
		"lint -o x testdata/gang.txt", "releases -o x", "keys -o x", "completion", "completion x", "class --students 0",
		"class --results x", "class --memory 1", "demo a b", "demo nothing", "replay testdata/gang.txt --theme x",
		"learn --glossary nothingatall",
	} {
		got := program(t, append([]string{"--lang", "zh"}, strings.Fields(line)...)...)
		if got.code != 1 && got.code != 2 || got.err == "" {
			t.Errorf("%s: exit code %d, says %q", line, got.code, got.err)
		}
		for said := range strings.Lines(got.err) {
			if words := threeWords.FindString(said); words != "" {
				t.Errorf("%s: left in English is %q of %s", line, words, said)
			}
		}
	}
}
