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
)

// read are the versions whose sources were read for the course, beside those of the glossary.
var read = map[string]string{
	"1.5": "v1.5.8", "1.17": "v1.17.17", "1.22": "v1.22.17", "1.23": "v1.23.17", "1.24": "v1.24.17", "1.25": "v1.25.16",
	"1.35": "v1.35.4", "1.36": "v1.36.3",
}

// TestClaimsOfTheCourseHaveTheirPlacesInTheSources opens every file that the course names for a claim about the release
// that this module links. SCHEDSTEP_SOURCES=all has it open those of the other releases too, which are downloaded.
func TestClaimsOfTheCourseHaveTheirPlacesInTheSources(t *testing.T) {
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	version, folder := linked(t)
	g := glossary.In(lesson.English)
	versions, folders := map[string]string{}, map[string]string{version: folder}
	for release, v := range read {
		versions[release] = v
	}
	for _, r := range g.Releases {
		versions[r.Name] = r.Read
	}
	opened := 0
	for _, l := range course {
		for _, s := range l.Sources() {
			v, known := versions[s.Release]
			if !known {
				t.Errorf("%s/%s: nothing is known of release %s", s.Lesson, s.Page, s.Release)
				continue
			}
			if folders[v] == "" && os.Getenv("SCHEDSTEP_SOURCES") == "all" {
				folders[v] = downloaded(t, v)
			}
			if folders[v] == "" {
				continue
			}
			opened++
			if file := filepath.Join(folders[v], filepath.FromSlash(s.File)); !has(t, file, s.Name) {
				t.Errorf("%s/%s: %s %s declares no %s", s.Lesson, s.Page, v, s.File, s.Name)
			}
		}
	}
	if opened == 0 {
		t.Error("no source was opened")
	}
}

// downloaded is the folder in which Go keeps a version of k8s.io/kubernetes.
func downloaded(t *testing.T, version string) string {
	t.Helper()
	in := t.TempDir()
	if err := os.WriteFile(filepath.Join(in, "go.mod"), []byte("module sources\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	get := exec.CommandContext(t.Context(), "go", "mod", "download", "k8s.io/kubernetes@"+version)
	get.Dir, get.Env = in, append(os.Environ(), "GOFLAGS=-mod=mod")
	if out, err := get.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(cache)), "k8s.io", "kubernetes@"+version)
}

// has reports whether a file of Go declares a name at its top: a function, called Name or Type.Name, a type, a constant
// or a variable. Another file has to contain it.
func has(t *testing.T, file, name string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return false
	}
	if !strings.HasSuffix(file, ".go") {
		return strings.Contains(string(text), name)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return false
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if nameOf(d) == name {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if specified(s, name) {
					return true
				}
			}
		}
	}
	return false
}

// specified reports whether a specification declares a name.
func specified(s ast.Spec, name string) bool {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Name.Name == name
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.Name == name {
				return true
			}
		}
	}
	return false
}
