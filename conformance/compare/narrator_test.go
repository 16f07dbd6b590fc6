package compare_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/narrator"
)

// TestNarratorNamesFunctionsThatAreThere reads the files of kube-scheduler that the narrator names.
func TestNarratorNamesFunctionsThatAreThere(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", "k8s.io/kubernetes")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	version, folder, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !strings.HasPrefix(version, "v"+narrator.Release+".") {
		t.Fatalf("the narrator tells of %s, and this module links %s", narrator.Release, version)
	}
	for _, s := range narrator.Sources() {
		if !declares(t, filepath.Join(folder, "pkg", "scheduler", filepath.FromSlash(s.File)), s.Function) {
			t.Errorf("%s: pkg/scheduler/%s of %s has no function %s", s.Phase, s.File, version, s.Function)
		}
	}
}

// declares says whether a file has a function, called Name or Type.Name.
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
