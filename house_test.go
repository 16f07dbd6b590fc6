// Package house_test holds the house to its plan: who may import whom (docs/architecture.md).
package house_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/schedstep/schedstep/"

// mayImport is the table: a room, and the rooms it may import besides itself. A room is a folder with all below it;
// the longest match holds.
var mayImport = map[string][]string{
	"internal":        {},
	"core/trace":      {},
	"core/cluster":    {"core/trace"},
	"core/queue":      {"core/trace", "core/cluster"},
	"core/framework":  {"core/trace", "core/cluster", "core/queue"},
	"core/preemption": {"core/trace", "core/cluster", "core/queue", "core/framework"},
	"core/plugins":    {"core/trace", "core/cluster", "core/queue", "core/framework", "core/preemption"},
	"core/release": {
		"core/trace", "core/cluster", "core/queue", "core/framework", "core/preemption", "core/plugins",
	},
	"core/config": {
		"core/trace", "core/cluster", "core/queue", "core/framework", "core/preemption", "core/plugins", "core/release",
	},

	"replay/importer":           {"core", "replay/importer/text", "replay/importer/diagnose"},
	"replay/importer/text":      {},
	"replay/importer/diagnose":  {"replay/importer/text"},
	"replay/importer/admission": {"core", "replay/importer"},
	"replay/importer/templates": {"core/cluster", "replay/importer"},

	"core":             {"core/trace", "core/cluster", "core/queue", "core/framework", "core/preemption"},
	"replay/recording": {"core"},
	"replay/extender":  {"core"},
	"replay/scenario":  {"core", "replay"},
	"replay/demo":      {},
	"replay/outside":   {},
	"replay/live":      {"core", "replay", "replay/importer", "replay/recording"},
	"replay/input": {
		"core", "replay", "replay/recording", "replay/importer", "replay/scenario", "replay/extender", "replay/demo",
	},
	"replay/lint": {"core/cluster"},
	"replay/prose": {
		"core/trace", "core/cluster", "core/queue", "replay/session", "replay/remedy", "replay/compare", "replay/room",
		"replay/diff", "replay/inside",
	},
	"replay/inside":      {"core/cluster"},
	"replay/report":      {"core", "core/trace", "core/cluster", "replay", "replay/page", "replay/room", "replay/trend"},
	"replay/trend":       {"core/trace", "core/cluster", "replay", "replay/room"},
	"replay/room":        {"core/trace", "core/cluster"},
	"replay/page":        {},
	"tui/picture":        {"tui/layout"},
	"replay/compare":     {"core", "replay"},
	"replay/diff":        {"core", "replay"},
	"replay/slice":       {"core/cluster", "core/trace", "replay"},
	"replay/remedy":      {"core/cluster", "core/queue", "core/trace", "replay/session", "replay"},
	"replay/session":     {"core", "replay", "replay/input"},
	"replay/predict":     {"core/trace", "replay/session", "replay/prose", "replay/lesson"},
	"replay/narrator":    {"core/trace", "replay/session", "replay/prose", "replay/lesson"},
	"replay/glossary":    {"replay/lesson"},
	"replay/lesson":      {"core", "replay", "replay/input", "replay/extender", "replay/session"},
	"replay":             {"core"},
	"internal/build":     {"core"},
	"internal/golden":    {},
	"internal/law":       {},
	"internal/pty":       {},
	"internal/apiserver": {"core"},
	"internal/pictures":  {"core", "replay", "tui", "themes"},
	"themes":             {},
	"tui/layout":         {},
	"tui/widget":         {"themes", "tui/layout"},
	"tui/panel": {
		"core/trace", "replay/session", "replay/prose", "replay/lesson", "replay/narrator", "replay", "themes",
		"tui/widget", "tui/layout",
	},
	"tui/command": {
		"core/trace", "core/cluster", "internal/spelling", "replay/session", "replay/predict", "replay/prose",
		"replay/remedy", "replay/diff", "replay",
		"tui/panel", "core", "replay/page", "replay/report",
		"tui/widget",
	},
	"tui/editor": {},
	"tui/prompt": {
		"replay/session", "replay/lesson", "replay/narrator", "replay/predict", "replay/prose", "tui/command",
		"tui/widget", "tui/editor",
	},
	"tui/screen": {
		"core/trace", "replay/session", "replay/lesson", "replay/predict", "themes", "tui/command", "tui/panel", "tui/widget",
		"tui/layout", "tui/editor",
		"tui/picture",
	},
	"replay/class": {"replay/lesson", "replay/predict"},
	"serve":        {"internal/words"},
	"tui/classroom": {
		"replay/class", "replay/lesson", "replay/predict", "replay/session", "serve", "themes", "tui/command", "tui/layout",
		"tui/screen", "tui/widget",
	},
	"cmd": {"core", "replay", "tui", "themes", "serve"},
}

// tools are rooms that every other may import; they import nothing of ours.
var tools = []string{"internal"}

// forbidden is what nothing in a room may import, itself or through files of its own.
var forbidden = map[string][]string{
	"core":   {"k8s.io/client-go", "k8s.io/klog", "k8s.io/kubernetes", "charm.land", "os", "math/rand", "net/http"},
	"replay": {"k8s.io/kubernetes", "charm.land"},
	"tui":    {"k8s.io/kubernetes", "k8s.io/client-go"},
	"serve":  {"k8s.io/kubernetes", "charm.land", "os/exec"},

	"tui/command": {"charm.land/bubbletea", "charm.land/bubbles"},
	"tui/prompt":  {"charm.land"},
}

// alone is what one room imports and no other.
var alone = map[string]string{
	"k8s.io/client-go": "replay/live", "k8s.io/klog": "replay/live", "github.com/prometheus": "replay/live",
	"golang.org/x/crypto/ssh": "serve",
}

// otherModules are folders with a go.mod of their own.
var otherModules = []string{"conformance", "examples"}

// TestImportsFollowTheTable reads every file's imports; tests beside the code may use any room of core and replay.
func TestImportsFollowTheTable(t *testing.T) {
	files := 0
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") || !strings.Contains(file, "/") || within(file, otherModules) {
			continue
		}
		files++
		checkFile(t, file)
	}
	if files < 50 {
		t.Errorf("only %d files were looked at: is this the root of the module?", files)
	}
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

func checkFile(t *testing.T, file string) {
	t.Helper()
	room := roomOf(path.Dir(file))
	if room == "" {
		t.Errorf("%s is in no room of the plan", file)
		return
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if inside, ours := strings.CutPrefix(name, module); ours {
			if target := roomOf(inside); target != room && !within(target, tools) && !within(target, mayImport[room]) {
				t.Errorf("%s imports %s: %s may import %v", file, inside, room, mayImport[room])
			}
			continue
		}
		for library, owner := range alone {
			if within(name, []string{library}) && room != owner {
				t.Errorf("%s imports %s, which %s alone imports", file, name, owner)
			}
		}
		for top, banned := range forbidden {
			if within(room, []string{top}) && within(name, banned) {
				t.Errorf("%s imports %s, which has no place in %s", file, name, top)
			}
		}
	}
}

// roomOf is the longest entry of the table that holds a folder.
func roomOf(folder string) string {
	for ; folder != "."; folder = path.Dir(folder) {
		if _, ok := mayImport[folder]; ok {
			return folder
		}
	}
	return ""
}

func within(name string, tops []string) bool {
	return slices.ContainsFunc(tops, func(top string) bool { return name == top || strings.HasPrefix(name, top+"/") })
}
