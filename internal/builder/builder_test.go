package builder_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/builder"
)

// folder is one with files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	at := t.TempDir()
	for name, text := range files {
		path := filepath.Join(at, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

func TestModulesAreRead(t *testing.T) {
	at := folder(t, map[string]string{"go.mod": "module example.com/gang\n"})
	for text, want := range map[string]builder.Module{
		"example.com/gang@v1.2.3":               {Path: "example.com/gang", Version: "v1.2.3"},
		"example.com/gang=" + at:                {Path: "example.com/gang", Folder: at},
		"example.com/gang@v1.2.3-rc.1=" + at:    {Path: "example.com/gang", Version: "v1.2.3-rc.1", Folder: at},
		"sigs.k8s.io/scheduler-plugins@v0.35.7": {Path: "sigs.k8s.io/scheduler-plugins", Version: "v0.35.7"},
	} {
		if got, err := builder.ParseModule(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestWrongModulesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"example.com/gang":                      "needs a version or a folder",
		"example.com/gang@latest":               "no exact version",
		"example.com/gang@":                     "no exact version",
		"example.com/gang=":                     "needs a version or a folder",
		"example.com/gang=" + t.TempDir():       "there is no go.mod",
		"":                                      "is no module",
		"a b@v1.0.0":                            "is no module",
		"github.com/schedstep/schedstep@v1.0.0": "is schedstep itself",
	} {
		if _, err := builder.ParseModule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestPluginsAreRead(t *testing.T) {
	for text, want := range map[string]builder.Plugin{
		"Gang=example.com/gang":         {Name: "Gang", Package: "example.com/gang", New: "New"},
		"Gang=example.com/gang.New":     {Name: "Gang", Package: "example.com/gang", New: "New"},
		"Gang=example.com/x/v2.NewGang": {Name: "Gang", Package: "example.com/x/v2", New: "NewGang"},
		"Gang=gopkg.in/gang.v1":         {Name: "Gang", Package: "gopkg.in/gang.v1", New: "New"},
		"Gang=gopkg.in/gang.v1.Make":    {Name: "Gang", Package: "gopkg.in/gang.v1", New: "Make"},
	} {
		if got, err := builder.ParsePlugin(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "Gang", "=example.com/gang", "Gang=", "A B=example.com/gang", "Gang=a b.New"} {
		if got, err := builder.ParsePlugin(text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestAProgramThatCannotBeIsRefused(t *testing.T) {
	gang := builder.Module{Path: "example.com/gang", Version: "v1.0.0"}
	plugin := builder.Plugin{Name: "Gang", Package: "example.com/gang", New: "New"}
	for want, p := range map[string]builder.Program{
		"there is no plugin to build in": {},
		"is given twice":                 {Modules: []builder.Module{gang, gang}},
		"plugin Gang is given twice":     {Modules: []builder.Module{gang}, Plugins: []builder.Plugin{plugin, plugin}},
		`is in no module of --with (did you mean "example.com/gang"?)`: {
			Modules: []builder.Module{gang}, Plugins: []builder.Plugin{{Name: "G", Package: "example.com/gan", New: "New"}},
		},
		"package example.com/scheme is in no module": {
			Modules: []builder.Module{gang}, Schemes: []string{"example.com/scheme"},
		},
	} {
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

const factory = `package gang

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	framework "k8s.io/kube-scheduler/framework"
)

const Name = "Gang"

func New(_ context.Context, _ runtime.Object, h framework.Handle) (framework.Plugin, error) { return nil, nil }
`

func TestPluginsAreFoundInTheSource(t *testing.T) {
	at := folder(t, map[string]string{
		"go.mod": "module example.com/all\n", "gang/gang.go": factory,
		"gang/gang_test.go":  strings.Replace(factory, `"Gang"`, `"Test"`, 1),
		"main/main.go":       strings.Replace(factory, "package gang", "package main", 1),
		"internal/x/x.go":    factory,
		"other/go.mod":       "module example.com/other\n",
		"other/gang.go":      factory,
		"named/named.go":     strings.Replace(factory, `const Name = "Gang"`, `const Name string = "Other"`, 1),
		"unnamed/unnamed.go": strings.Replace(factory, "const Name", "const Title", 1),
		"broken/broken.go":   "package broken func",
		"method/method.go":   strings.Replace(factory, "func New", "type T struct{}\n\nfunc (T) New", 1),
	})
	found, err := builder.Find("example.com/all", at)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range found {
		got = append(got, p.String())
	}
	want := "Gang=example.com/all/gang.New Other=example.com/all/named.New"
	if strings.Join(got, " ") != want {
		t.Errorf("found %v, want %s", got, want)
	}
}

// TestGoModPinsWhatHostPins holds the list of Kubernetes' own modules to the go.mod of module host, which every program
// that is built links.
func TestGoModPinsWhatHostPins(t *testing.T) {
	text, err := os.ReadFile("../../host/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	replaced := regexp.MustCompile(`(?m)^\tk8s\.io/\S+ => k8s\.io/\S+ v\S+$`)
	p := builder.Program{Kube: release.Newest().Patch, Checkout: "/x"}
	made := ""
	for _, f := range p.Files() {
		if f.Name == "go.mod" {
			made = f.Text
		}
	}
	want, got := replaced.FindAllString(string(text), -1), replaced.FindAllString(made, -1)
	if len(want) == 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("go.mod replaces\n%s\nand that of host\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := "k8s.io/kubernetes v" + release.Newest().Patch; !strings.Contains(string(text), want) {
		t.Errorf("host does not require %s", want)
	}
}

func TestFilesOfAReleaseNameItsVersion(t *testing.T) {
	p := builder.Program{
		Kube: "1.37.1", Version: "v0.9.0", Release: "1.35",
		Modules: []builder.Module{{Path: "example.com/gang", Version: "v1.0.0"}},
		Plugins: []builder.Plugin{
			{Name: "Gang", Package: "example.com/gang", New: "New"}, {Name: "Cmd", Package: "example.com/gang/cmd", New: "Make"},
		},
		Schemes: []string{"example.com/gang/scheme"},
	}
	files := p.Files()
	for _, want := range []string{
		`host.Plugin("Gang", gang.New)`, `host.Plugin("Cmd", cmd2.Make)`, `cmd2 "example.com/gang/cmd"`,
		`_ "example.com/gang/scheme"`, `cmd.WithRelease("1.35")`, `cmd.WithModule("example.com/gang")`,
	} {
		if !strings.Contains(files[0].Text, want) {
			t.Errorf("main.go has no %s:\n%s", want, files[0].Text)
		}
	}
	for _, want := range []string{
		"github.com/schedstep/schedstep v0.9.0\n", "github.com/schedstep/schedstep/host v0.9.0\n",
		"example.com/gang v1.0.0\n", "exclude (",
	} {
		if !strings.Contains(files[1].Text, want) {
			t.Errorf("go.mod has no %q:\n%s", want, files[1].Text)
		}
	}
}

func TestWhereSchedstepComesFrom(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := folder(t, map[string]string{"go.mod": "module example.com/gang\n"})
	commented := folder(t, map[string]string{
		"go.mod": "// A fork.\n\nmodule github.com/schedstep/schedstep // ours\n", "core/core.go": "package core\n",
		"host/go.mod": "module github.com/schedstep/schedstep/host\n",
	})
	for _, c := range []struct{ given, working, version, checkout, wrong string }{
		{"", filepath.Join(commented, "core"), "development", commented, ""},
		{commented, elsewhere, "v0.9.0", commented, ""},
		{"", elsewhere, "v0.9.0", "", ""},
		{"", filepath.Join(root, "core"), "development", root, ""},
		{root, elsewhere, "v0.9.0", root, ""},
		{"", filepath.Join(root, "core"), "v0.9.0", "", ""},
		{"", filepath.Join(root, "core"), "v0.0.0-20261127153041-3b7f0c24614e", root, ""},
		{"", filepath.Join(root, "core"), "v0.9.1-0.20261127153041-3b7f0c24614e", root, ""},
		{"", elsewhere, "v0.0.0-20261127153041-3b7f0c24614e", "", ""},
		{"", elsewhere, "development", "", "--schedstep FOLDER names a checkout"},
		{elsewhere, root, "development", "", "is not that of module github.com/schedstep/schedstep"},
		{t.TempDir(), root, "development", "", "has no go.mod"},
	} {
		var p builder.Program
		err := p.Resolve(c.given, c.working, c.version)
		if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) || c.wrong == "" && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil && p.Checkout != c.checkout {
			t.Errorf("%+v: the checkout is %q", c, p.Checkout)
		}
	}
}

// work is a program with the module of a folder, prepared.
func work(t *testing.T, at string, plugins ...builder.Plugin) (*builder.Work, error) {
	t.Helper()
	t.Setenv("GOPROXY", "off")
	p := &builder.Program{
		Kube: "1.37.1", Checkout: "/nowhere", Plugins: plugins,
		Modules: []builder.Module{{Path: "example.com/gang", Folder: at}},
	}
	w := &builder.Work{Program: p, Folder: t.TempDir()}
	return w, w.Prepare(t.Context())
}

func TestSeveralPluginsMustBeChosen(t *testing.T) {
	at := folder(t, map[string]string{
		"go.mod": "module example.com/gang\n", "a/a.go": factory, "b/b.go": strings.Replace(factory, `"Gang"`, `"Other"`, 1),
	})
	_, err := work(t, at)
	var refusal *builder.Refusal
	if !errors.As(err, &refusal) || len(refusal.Lines) != 2 ||
		refusal.Lines[0] != "--plugin Gang=example.com/gang/a.New" {
		t.Errorf("got %v", err)
	}
}

func TestNoPluginIsRefused(t *testing.T) {
	at := folder(t, map[string]string{"go.mod": "module example.com/gang\n", "a/a.go": "package a\n"})
	if _, err := work(t, at); err == nil || !strings.Contains(err.Error(), "no plugin was found") {
		t.Errorf("got %v", err)
	}
}

func TestAFolderOfAnotherModuleIsRefused(t *testing.T) {
	at := folder(t, map[string]string{"go.mod": "module example.com/other\n"})
	if _, err := work(t, at); err == nil || !strings.Contains(err.Error(), "is module example.com/other, and not") {
		t.Errorf("got %v", err)
	}
}

func TestWithoutTheGoCommandItSaysWhatIsMissing(t *testing.T) {
	at := folder(t, map[string]string{"go.mod": "module example.com/gang\n", "a/a.go": factory})
	t.Setenv("PATH", t.TempDir())
	if _, err := work(t, at); err == nil || !strings.Contains(err.Error(), "needs the go command on the PATH") {
		t.Errorf("got %v", err)
	}
}

func TestAModuleThatIsNotCachedIsNamed(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	p := &builder.Program{
		Kube: "1.37.1", Checkout: "/nowhere", Modules: []builder.Module{{Path: "example.com/gang", Version: "v1.2.3"}},
	}
	err := (&builder.Work{Program: p, Folder: t.TempDir()}).Prepare(t.Context())
	want := "example.com/gang@v1.2.3 is not in the module cache, and GOPROXY=off"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}
