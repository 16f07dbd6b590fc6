package releases_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/replay/learn/narrator"
	"github.com/schedstep/schedstep/replay/session/inside"
)

// TestNarratorNamesFunctionsOfTheRelease reads the source of each release, and looks there for the files and functions
// that the narrator names when that release is played; the releases that have no oracle are always looked at.
func TestNarratorNamesFunctionsOfTheRelease(t *testing.T) {
	for _, version := range append(asked(), "1.10", "1.6") {
		t.Run(version, func(t *testing.T) {
			table, is := release.Find(version)
			places := narrator.Sources(version)
			if !is || len(places) == 0 {
				t.Fatalf("the narrator names nothing of %s", version)
			}
			folder := sourceOf(t, "v"+table.Patch)
			for _, s := range places {
				if !declares(t, filepath.Join(folder, filepath.FromSlash(s.File)), s.Function) {
					t.Errorf("%s: %s of %s has no function %s", s.Phase, s.File, table.Patch, s.Function)
				}
			}
		})
	}
}

// TestTheStartIsThatOfTheRelease reads the source of each release, and looks there for the functions that the narrator
// names for its cache and its start; the releases that have no oracle are always read.
func TestTheStartIsThatOfTheRelease(t *testing.T) {
	for _, version := range append(asked(), "1.10", "1.6") {
		t.Run(version, func(t *testing.T) {
			table, is := release.Find(version)
			if !is {
				t.Fatalf("there is no table of %s", version)
			}
			folder := sourceOf(t, "v"+table.Patch)
			for _, p := range inside.Places(version) {
				if !declares(t, filepath.Join(folder, filepath.FromSlash(p.File)), p.Name) {
					t.Errorf("%s of %s has no %s", p.File, table.Patch, p.Name)
				}
			}
			start, _ := inside.StartOf(version)
			fields := namesIn(t, filepath.Join(folder, filepath.FromSlash(start.Parts.Type.File)), start.Parts.Type.Name)
			for _, part := range start.Parts.Fields {
				if !slices.Contains(fields, part.Name) {
					t.Errorf("%s of %s has no field %s: %v", start.Parts.Type, table.Patch, part.Name, fields)
				}
			}
			for _, step := range start.Steps {
				if step.Stage != inside.Queue || start.Queue == nil {
					continue
				}
				asked := namesIn(t, filepath.Join(folder, filepath.FromSlash(step.Place.File)), "SchedulingQueue")
				if !slices.Equal(asked, start.Queue) {
					t.Errorf("the queue of %s is asked for %v, and here for %v", table.Patch, asked, start.Queue)
				}
			}
		})
	}
}

// sourceOf is the folder with the source of a version of Kubernetes, which Go fetches unless it is here.
func sourceOf(t *testing.T, version string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "k8s.io/kubernetes@"+version).Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", version, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil || module.Dir == "" {
		t.Fatalf("%s: %v: %s", version, err, out)
	}
	return module.Dir
}

// declares reports whether a file has a function, called Name or Type.Name, or a type.
func declares(t *testing.T, file, function string) bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return false
	}
	of, name, method := strings.Cut(function, ".")
	if !method {
		of, name = "", of
	}
	for _, d := range parsed.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Name.Name == name && receiver(f) == of {
			return true
		}
		if g, is := d.(*ast.GenDecl); is && slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
			of, is := s.(*ast.TypeSpec)
			return is && of.Name.Name == function
		}) {
			return true
		}
	}
	return false
}

// namesIn are the names of the fields of a structure, or of the methods of an interface, without what it embeds.
func namesIn(t *testing.T, file, name string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		of, is := n.(*ast.TypeSpec)
		if !is || of.Name.Name != name {
			return true
		}
		list := &ast.FieldList{}
		switch of := of.Type.(type) {
		case *ast.StructType:
			list = of.Fields
		case *ast.InterfaceType:
			list = of.Methods
		}
		for _, field := range list.List {
			for _, n := range field.Names {
				names = append(names, n.Name)
			}
		}
		return false
	})
	return names
}

// receiver is the type of a method; "" of a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, is := of.(*ast.StarExpr); is {
		of = pointer.X
	}
	if name, is := of.(*ast.Ident); is {
		return name.Name
	}
	return ""
}
