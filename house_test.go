// Package house_test holds the house to its plan: which package may import which (docs/architecture.md).
package house_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/schedstep/schedstep/"

// forbidden is what nothing in a folder, or below it, may import itself.
var forbidden = map[string][]string{
	"core": {
		"k8s.io/client-go", "k8s.io/klog", "k8s.io/kubernetes", "k8s.io/kube-scheduler/framework", "charm.land", "os",
		"math/rand", "net/http",
	},
	"replay": {"k8s.io/kubernetes", "k8s.io/kube-scheduler/framework", "charm.land"},
	"tui":    {"k8s.io/kubernetes", "k8s.io/kube-scheduler/framework", "k8s.io/client-go"},
	"serve":  {"k8s.io/kubernetes", "k8s.io/kube-scheduler/framework", "charm.land", "os/exec"},

	"cmd":      {"k8s.io/kubernetes", "k8s.io/kube-scheduler/framework"},
	"internal": {"k8s.io/kubernetes", "k8s.io/kube-scheduler/framework"},

	"tui/command": {"charm.land/bubbletea", "charm.land/bubbles"},
	"tui/prompt":  {"charm.land"},
}

// alone is what the packages of one folder import and no other.
var alone = map[string]string{
	"k8s.io/client-go": "replay/source/live", "k8s.io/klog": "replay/source/live", "github.com/prometheus": "replay/source/live",
	"golang.org/x/crypto/ssh": "serve", "github.com/minio": "internal/bucket",
}

// otherModules are folders with a go.mod of their own.
var otherModules = []string{"conformance", "examples", "host"}

// TestImportsFollowTheTable reads the imports of every package. Tests beside the code may import any package.
func TestImportsFollowTheTable(t *testing.T) {
	imported := importsOf(t)
	for _, folder := range sorted(imported) {
		if rowOf(folder) == nil {
			t.Errorf("the package %s has no row in mayImport (rooms_test.go)", folder)
		}
		allowed := permitted(folder, imported)
		for _, name := range sorted(imported[folder]) {
			if !allowed[name] && !slices.Contains(tools, name) {
				t.Errorf("%s imports %s: %q is not in the row of %s (rooms_test.go)",
					imported[folder][name], name, name, folder)
			}
		}
	}
}

// TestTheTableNamesOnlyWhatIsImported fails for a row of a package that is gone, a name that the package of its row
// does not import, a list or a member of it that no row needs, and a tool that no package imports.
func TestTheTableNamesOnlyWhatIsImported(t *testing.T) {
	imported := importsOf(t)
	through := map[string]bool{} // list, a space, and a name that a row takes from the list
	tooled := map[string]bool{}
	for _, folder := range sorted(mayImport) {
		if imported[folder] == nil {
			t.Errorf("mayImport has a row for %s, which is no package (rooms_test.go)", folder)
		}
	}
	for _, folder := range sorted(imported) {
		for _, name := range rowOf(folder) {
			_, isList := lists[name]
			if _, ok := imported[folder][name]; !ok && !isList {
				t.Errorf("the row of %s names %q, which it does not import (rooms_test.go)", folder, name)
			}
			for _, member := range members(name, imported) {
				if _, ok := imported[folder][member]; ok {
					through[name+" "+member] = true
				}
			}
		}
		for name := range imported[folder] {
			tooled[name] = true
		}
	}
	for _, list := range sorted(lists) {
		for _, member := range members(list, imported) {
			if !through[list+" "+member] {
				t.Errorf("no row needs %s of the list %s (rooms_test.go)", member, list)
			}
		}
	}
	for _, tool := range tools {
		if !tooled[tool] {
			t.Errorf("no package imports the tool %s (rooms_test.go)", tool)
		}
	}
}

// TestLibrariesStayWhereTheyBelong reads the imports of every file against forbidden and alone.
func TestLibrariesStayWhereTheyBelong(t *testing.T) {
	for folder, names := range importedBy(t) {
		for name, file := range names {
			for library, owner := range alone {
				if within(name, []string{library}) && !within(folder, []string{owner}) {
					t.Errorf("%s imports %s, which %s alone imports", file, name, owner)
				}
			}
			for top, banned := range forbidden {
				if within(folder, []string{top}) && within(name, banned) {
					t.Errorf("%s imports %s, which has no place in %s", file, name, top)
				}
			}
		}
	}
}

// questions is the folder in which each question is a package.
const questions = "replay/ask"

// rowOf is the row of a package; of a question that has none, the list of what questions may import. nil: there is
// none.
func rowOf(folder string) []string {
	if row, ok := mayImport[folder]; ok {
		return row
	}
	if path.Dir(folder) == questions {
		return []string{"@question"}
	}
	return nil
}

// members are the names in a list.
func members(list string, imported map[string]map[string]string) []string {
	if list != "@questions" {
		return lists[list]
	}
	return slices.DeleteFunc(sorted(imported), func(folder string) bool {
		return path.Dir(folder) != questions || mayImport[folder] != nil
	})
}

// permitted is the row of a package, with the members of its lists.
func permitted(folder string, imported map[string]map[string]string) map[string]bool {
	allowed := map[string]bool{}
	for _, name := range rowOf(folder) {
		allowed[name] = true
		for _, member := range members(name, imported) {
			allowed[member] = true
		}
	}
	return allowed
}

// importsOf is importedBy for the packages of this module alone: their names below the module, on both sides.
func importsOf(t *testing.T) map[string]map[string]string {
	t.Helper()
	ours := map[string]map[string]string{}
	for folder, names := range importedBy(t) {
		ours[folder] = map[string]string{}
		for full, file := range names {
			if name, ok := strings.CutPrefix(full, module); ok {
				ours[folder][name] = file
			}
		}
	}
	return ours
}

// importedBy is what each package of this module imports, outside its tests, and a file where it does.
func importedBy(t *testing.T) map[string]map[string]string {
	t.Helper()
	imported := map[string]map[string]string{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") || within(file, otherModules) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		folder := path.Dir(file)
		if imported[folder] == nil {
			imported[folder] = map[string]string{}
		}
		for _, spec := range parsed.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			imported[folder][name] = file
		}
	}
	if len(imported) < 50 {
		t.Errorf("only %d packages were looked at: is this the root of the module?", len(imported))
	}
	return imported
}

func sorted[V any](of map[string]V) []string {
	return slices.Sorted(maps.Keys(of))
}

// goFiles are the Go files of every module, with slashes, in order.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != "." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if strings.HasSuffix(file, ".go") {
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// within is whether a name is one of the tops, or lies below one.
func within(name string, tops []string) bool {
	return slices.ContainsFunc(tops, func(top string) bool { return name == top || strings.HasPrefix(name, top+"/") })
}
