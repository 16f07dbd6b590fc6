package compare_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/learn/glossary"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/narrator"
)

// TestNarratorNamesFunctionsThatAreThere reads the files of kube-scheduler that the narrator names.
func TestNarratorNamesFunctionsThatAreThere(t *testing.T) {
	version, folder := linked(t)
	for _, s := range narrator.Sources(narrator.Release) {
		if !declares(t, filepath.Join(folder, filepath.FromSlash(s.File)), s.Function) {
			t.Errorf("%s: %s of %s has no function %s", s.Phase, s.File, version, s.Function)
		}
	}
}

// TestGlossaryNamesFunctionsThatAreThere does the same with the glossary's text about the newest release.
func TestGlossaryNamesFunctionsThatAreThere(t *testing.T) {
	version, folder := linked(t)
	g := glossary.In(lesson.English)
	newest := len(g.Releases) - 1
	if g.Releases[newest].Read != version {
		t.Fatalf("the glossary was made with %s, and this module links %s", g.Releases[newest].Read, version)
	}
	for _, e := range g.Entries {
		file, function, _ := strings.Cut(e.Places[newest], " ")
		if file == "" {
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(file))
		if _, err := os.Stat(path); err != nil || function != "" && !declares(t, path, function) {
			t.Errorf("%s: %s has no %s", e.Name, version, e.Places[newest])
		}
	}
}

// linked is the kube-scheduler that this module links: its version, and the folder of its source.
func linked(t *testing.T) (version, folder string) {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", "k8s.io/kubernetes")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	version, folder, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	if !strings.HasPrefix(version, "v"+narrator.Release+".") {
		t.Fatalf("the narrator tells of %s, and this module links %s", narrator.Release, version)
	}
	return version, folder
}

// declares reports whether a file has a function, called Name or Type.Name.
func declares(t *testing.T, file, function string) bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return false
	}
	for _, d := range parsed.Decls {
		if f, is := d.(*ast.FuncDecl); is && nameOf(f) == function {
			return true
		}
	}
	return false
}

// nameOf is a function as Name or Type.Name.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if pointer, is := of.(*ast.StarExpr); is {
		of = pointer.X
	}
	if name, is := of.(*ast.Ident); is {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
