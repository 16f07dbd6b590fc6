package builder

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// working is a Work with one module in the cache, which was made for 1.35, and a main.go.
func working(t *testing.T) *Work {
	t.Helper()
	cache, at := t.TempDir(), t.TempDir()
	p := &Program{
		Kube: "1.37.1", Modules: []Module{{Path: "example.com/gang", Version: "v1.0.0"}},
		Plugins: []Plugin{{Name: "Gang", Package: "example.com/gang", New: "Make"}},
	}
	w := &Work{Program: p, Folder: at, folders: map[string]string{"example.com/gang": cache}}
	for path, text := range map[string]string{
		filepath.Join(cache, "go.mod"):  "module example.com/gang\n\nrequire (\n\tk8s.io/kubernetes v1.35.7\n)\n",
		filepath.Join(cache, "gang.go"): "package gang\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.write(p.Files()...); err != nil {
		t.Fatal(err)
	}
	return w
}

// lineOf is the number of the first line of main.go that has a text.
func lineOf(t *testing.T, w *Work, text string) string {
	t.Helper()
	main, err := os.ReadFile(filepath.Join(w.Folder, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(main), text)
	if !found {
		t.Fatalf("no %s in %s", text, main)
	}
	return strconv.Itoa(strings.Count(before, "\n") + 1)
}

func TestWhatDoesNotCompileIsNamedWithTheLine(t *testing.T) {
	w := working(t)
	file := filepath.Join(w.folders["example.com/gang"], "gang.go")
	said := "# example.com/gang\n" + file + ":3:9: undefined: framework.QueuedPodInfo\n" +
		file + ":4:1: h.Old undefined (type framework.Handle has no field or method Old)\n"
	err := w.explain(said)
	want := "example.com/gang does not compile with Kubernetes 1.37.1, whose libraries this schedstep links; " +
		"example.com/gang is made for k8s.io/kubernetes v1.35.7"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var refusal *Refusal
	if !errors.As(err, &refusal) || len(refusal.Lines) != 2 ||
		refusal.Lines[0] != "example.com/gang/gang.go:3: undefined: framework.QueuedPodInfo" {
		t.Errorf("got %+v", refusal)
	}
}

func TestALongListIsCut(t *testing.T) {
	w := working(t)
	err := w.explain("# example.com/gang\n" + strings.Repeat("gang.go:1:1: no\n", 20))
	var refusal *Refusal
	if !errors.As(err, &refusal) || len(refusal.Lines) != mostSaid+1 || refusal.Lines[mostSaid] != "... +8" {
		t.Errorf("got %+v", refusal)
	}
}

func TestErrorsOfMainAreErrorsOfTheFlags(t *testing.T) {
	w := working(t)
	plugin, imported := lineOf(t, w, `"Gang"`), lineOf(t, w, `gang "example.com`)
	for said, want := range map[string]string{
		"# schedstep.built/program\n./main.go:" + plugin + ":40: undefined: gang.Make\n": "--plugin Gang=example.com/gang.Make: " +
			"package example.com/gang has no function Make",
		"# schedstep.built/program\n./main.go:" + plugin + ":40: cannot use gang.Make (value of type func())\n": "is no func(" +
			"context.Context, runtime.Object, framework.Handle) (framework.Plugin, error): cannot use",
		"main.go:" + imported + ":2: module example.com/gang@latest found (v1.0.0), but does not contain package " +
			"example.com/gang/x\n": "there is no package example.com/gang/x in the modules of --with",
	} {
		if err := w.explain(said); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", said, err, want)
		}
	}
}

func TestWhatCannotBeFetchedIsNamed(t *testing.T) {
	w := working(t)
	for said, want := range map[string]string{
		"../gang/cache.go:26:2: example.com/far@v0.1.0: reading https://proxy/far.zip: 403 Forbidden\n": "cannot be fetched: " +
			"example.com/far@v0.1.0",
		"../gang/cache.go:26:2: no required module provides package example.com/far\n": "imports what is not there",
		"go: example.com/far@v0.1.0: module lookup disabled by GOPROXY=off\n":          "GOPROXY=off forbids to fetch it",
		"go: updates to go.mod needed\n":                                               "go build failed: go: updates",
	} {
		if err := w.explain(said); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", said, err, want)
		}
	}
}
