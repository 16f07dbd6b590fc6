package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lucky is what no test calls, package by package, and why. A benchmark may read the clock.
var lucky = map[string]map[string]string{
	"pgregory.net/rapid": {
		"Check": "call law.Check", "MakeCheck": "call law.Check", "MakeFuzz": "call law.Check",
	},
	"time":         clock,
	"crypto/rand":  {"*": "draw from a seed"},
	"hash/maphash": {"*": "draw from a seed"},
	"math/rand":    {"*": "use math/rand/v2 with a seed"},
	"math/rand/v2": {"*": "draw from rand.New with a seed"},
	"context":      {"WithTimeout": "count, or wait for an event", "WithDeadline": "count, or wait for an event"},
	"testing":      {"Short": "test the same at all times"},
}

var clock = map[string]string{
	"Now": "pass a time", "Since": "make it a benchmark", "Until": "make it a benchmark",
	"Sleep": "wait for an event", "After": "wait for an event", "AfterFunc": "wait for an event",
	"Tick": "wait for an event", "NewTimer": "wait for an event", "NewTicker": "wait for an event",
}

// seeded are the names of math/rand/v2 that make a source out of a seed.
var seeded = []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "PCG", "ChaCha8", "Source", "Zipf"}

// TestNoTestDependsOnLuck reads every test of every module: none draws without a seed, reads the clock of the machine,
// sleeps, or leaves itself out. Inside testing/synctest the clock is virtual, and a file that imports it may use time.
// conformance/e2e runs real programs, which take their time.
func TestNoTestDependsOnLuck(t *testing.T) {
	tests := 0
	for _, file := range goFiles(t) {
		if !strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/law/") {
			continue
		}
		tests++
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range luckIn(parsed) {
			t.Errorf("%s: %s", set.Position(found.at), found.what)
		}
	}
	if tests < 100 {
		t.Errorf("only %d files of tests were read", tests)
	}
}

func TestLuckIsFound(t *testing.T) {
	for source, want := range map[string]int{
		`import "time"; func TestX(t *testing.T) { _ = time.Now() }`:                                1,
		`import "time"; func BenchmarkX(b *testing.B) { _ = time.Now() }`:                           0,
		`import clock "time"; func f() { clock.Sleep(1) }`:                                          1,
		`import "time"; import _ "testing/synctest"; func f() { time.Sleep(1) }`:                    0,
		`import "math/rand/v2"; func f() { rand.N(3); rand.New(rand.NewPCG(1, 2)).IntN(3) }`:        1,
		`import "pgregory.net/rapid"; func f() { rapid.Check(nil, nil); rapid.Int().Example(7) }`:   1,
		`import "pgregory.net/rapid"; func f() { rapid.Int().Example() }`:                           1,
		`func TestX(t *testing.T) { t.Skip() }; func BenchmarkX(b *testing.B) { b.Skipf("today") }`: 2,
		`import "time"; func f() { _ = time.Second }`:                                               0,
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "x_test.go", "package x; "+source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := luckIn(parsed); len(got) != want {
			t.Errorf("%s: found %v, want %d", source, got, want)
		}
	}
}

type luck struct {
	at   token.Pos
	what string
}

// luckIn looks at every selector of a file: package.Name for the table, and x.Skip or x.Example() of any x.
func luckIn(file *ast.File) []luck {
	imported := map[string]string{}
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		imported[localName(spec, name)] = name
	}
	virtual := slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == `"testing/synctest"`
	})
	var found []luck
	for _, decl := range file.Decls {
		timed := virtual || measures(decl)
		ast.Inspect(decl, func(n ast.Node) bool {
			var what string
			switch n := n.(type) {
			case *ast.CallExpr:
				what = unlucky(n, imported)
			case *ast.SelectorExpr:
				if x, _ := n.X.(*ast.Ident); x != nil && !(timed && imported[x.Name] == "time") {
					what = insteadOf(imported[x.Name], n.Sel.Name)
				}
			}
			if what != "" {
				found = append(found, luck{n.Pos(), what})
			}
			return true
		})
	}
	return found
}

// unlucky is what is wrong with the call of a method: a test that leaves itself out, or an example of no seed.
func unlucky(call *ast.CallExpr, imported map[string]string) string {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, _ := s.X.(*ast.Ident); x != nil && imported[x.Name] != "" {
		return ""
	}
	switch s.Sel.Name {
	case "Skip", "Skipf", "SkipNow":
		return s.Sel.Name + ": a test that is left out shows nothing"
	case "Example":
		if len(call.Args) == 0 {
			return "Example: give it a seed"
		}
	}
	return ""
}

// insteadOf is what a test does in place of using a name of a package; empty if it may use it.
func insteadOf(from, name string) string {
	instead, listed := lucky[from][name]
	if all, whole := lucky[from]["*"]; whole && !(from == "math/rand/v2" && slices.Contains(seeded, name)) {
		instead, listed = all, true
	}
	if !listed {
		return ""
	}
	return name + " of " + from + ": " + instead
}

// localName is what a file calls a package that it imports.
func localName(spec *ast.ImportSpec, of string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	parts := strings.Split(of, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		return parts[len(parts)-2]
	}
	return last
}

// measures is whether a function takes a *testing.B.
func measures(decl ast.Decl) bool {
	f, ok := decl.(*ast.FuncDecl)
	return ok && slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		star, _ := p.Type.(*ast.StarExpr)
		if star == nil {
			return false
		}
		s, _ := star.X.(*ast.SelectorExpr)
		return s != nil && s.Sel.Name == "B"
	})
}
