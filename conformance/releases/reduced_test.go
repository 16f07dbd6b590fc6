//go:build reduced

package releases_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/releases"
	"github.com/schedstep/schedstep/core/release"
)

// reduced are inputs in cmd/testdata/reduced that a fault of kube-scheduler shows, the last release that has the fault
// and the first in which it is fixed (docs/reduced.md).
var reduced = []struct{ file, with, without string }{
	{"kk-110175", "1.31", "1.32"},
	{"kk-115587", "1.29", "1.30"},
	{"kk-121755", "1.29", "1.30"},
	{"kk-122626", "1.30", "1.31"},
	{"kk-126502", "1.31", "1.32"},
	{"kk-127584", "1.31.2", "1.31"},
	{"kk-127868", "1.31", "1.32"},
	{"kk-128431", "1.31.2", "1.31"},
	{"kk-129058", "1.32", "1.33"},
	{"kk-129138", "1.32", "1.33"},
	{"kk-131310", "1.33", "1.34"},
	{"kk-132037", "1.32", "1.33"},
	{"kk-133390", "1.33.5", "1.33"},
	{"kk-134393", "1.35", "1.36"},
	{"kk-135023", "1.34.1", "1.34"},
	{"kk-135392", "1.35", "1.36"},
	{"kk-135394", "1.35", "1.36"},
	{"kk-138917", "1.36", "1.37"},
	{"kk-138952", "1.36", "1.37"},
	{"kk-139016", "1.35", "1.36"},
	{"kk-139057", "1.36", "1.37"},
	{"kk-139161", "1.36", "1.37"},
	{"kk-139363", "1.36.1", "1.36"},
	{"kk-140046", "1.36", "1.37"},
	{"kk-141526", "1.36", "1.37"},
}

// TestReducedInputsFailWithTheFaultAndPassWithoutIt has schedstep reduce each input to a Go test, and runs it with
// k8s.io/kubernetes of both releases: it has to fail with the one and to pass with the other. The first run compiles
// nine releases, which takes half an hour on two cores, so it has a build tag of its own.
func TestReducedInputsFailWithTheFaultAndPassWithoutIt(t *testing.T) {
	folder := t.TempDir()
	schedstep := filepath.Join(folder, "schedstep")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", schedstep, "./cmd/schedstep")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	overlays := map[string]map[string]string{} // by release
	for _, r := range reduced {
		input := filepath.Join("../../cmd/testdata/reduced", r.file+".txt")
		code, err := exec.CommandContext(t.Context(), schedstep, "reduce", input, "-q", "-o", "go", "--differs",
			r.with+".."+r.without).Output()
		if err != nil {
			t.Fatalf("%s: %v", r.file, err)
		}
		named := strings.Replace(string(code), "func TestReduced(", "func "+nameOf(r.file)+"(", 1)
		path := filepath.Join(folder, strings.ReplaceAll(r.file, "-", "_")+"_test.go")
		if err := os.WriteFile(path, []byte(named), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{r.with, r.without} {
			if overlays[version] == nil {
				overlays[version] = map[string]string{}
			}
			module, _ := moduleOf(t, version)
			overlays[version][filepath.Join(module, "reduced", filepath.Base(path))] = path
		}
	}
	programs := map[string]string{}
	for _, r := range reduced {
		for _, version := range []string{r.with, r.without} {
			if programs[version] == "" {
				programs[version] = compiled(t, folder, version, overlays[version])
			}
			out, err := exec.CommandContext(t.Context(), programs[version], "-test.run", "^"+nameOf(r.file)+"$").CombinedOutput()
			if fails := err != nil; fails != (version == r.with) {
				t.Errorf("%s under %s: it fails is %t\n%s", r.file, version, fails, out)
			}
			if version == r.with && !strings.Contains(string(out), "want") {
				t.Errorf("%s under %s fails for another reason:\n%s", r.file, version, out)
			}
		}
	}
}

func nameOf(file string) string { return "TestReduced_" + strings.ReplaceAll(file, "-", "_") }

// moduleOf is the folder of the module that is linked with a release, and the patch of it that is asked for, or "".
func moduleOf(t *testing.T, version string) (folder, patch string) {
	t.Helper()
	r, _ := release.Find(version)
	if of := r.Next(); r.IsPatch() {
		r, patch = of, version
	}
	folder, err := filepath.Abs(releases.Module("..", r.Version))
	if err != nil {
		t.Fatal(err)
	}
	return folder, patch
}

// compiled builds the tests of a package that is only in an overlay, in the module of a release.
func compiled(t *testing.T, folder, version string, overlay map[string]string) string {
	t.Helper()
	listing, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list, program := filepath.Join(folder, version+".json"), filepath.Join(folder, version+".test")
	if err := os.WriteFile(list, listing, 0o600); err != nil {
		t.Fatal(err)
	}
	module, patch := moduleOf(t, version)
	flags := []string{"test", "-vet=off", "-c", "-overlay", list, "-o", program}
	if patch != "" {
		patched, err := releases.Patched(t.Context(), module, patch, folder)
		if err != nil {
			t.Fatal(err)
		}
		flags = append(flags, "-mod=mod", "-modfile="+patched)
	}
	build := exec.CommandContext(t.Context(), "go", append(flags, "./reduced")...)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", version, err, out)
	}
	return program
}
