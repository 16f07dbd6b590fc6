// Package gates_test holds the table of feature gates in core/release to the gates that kube-scheduler 1.37.1 registers
// and reads.
package gates_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // registers the gates

	"github.com/schedstep/schedstep/core/release"
)

// registered is the gates as the kube-scheduler binary has them without flags: its options use this registry, whose
// versions decide which of a gate's defaults counts.
func registered(t *testing.T) featuregate.MutableVersionedFeatureGate {
	t.Helper()
	registry := compatibility.DefaultComponentGlobalsRegistry
	if err := registry.SetFallback(); err != nil {
		t.Fatal(err)
	}
	if errs := registry.Validate(); len(errs) > 0 {
		t.Fatal(errs)
	}
	version := registry.EffectiveVersionFor(basecompatibility.DefaultKubeComponent)
	if version.EmulationVersion().String() != "1.37" || version.MinCompatibilityVersion().String() != "1.36" {
		t.Fatalf("kube-scheduler emulates %s and is compatible with %s", version.EmulationVersion(),
			version.MinCompatibilityVersion())
	}
	if registry.FeatureGateFor(basecompatibility.DefaultKubeComponent) != utilfeature.DefaultFeatureGate {
		t.Fatal("kube-scheduler's plugins ask another feature gate than the registry sets")
	}
	return utilfeature.DefaultMutableFeatureGate
}

func TestEveryDefaultIsKubeSchedulers(t *testing.T) {
	real := registered(t)
	known := real.GetAll()
	for _, gate := range release.Newest().Gates {
		name := featuregate.Feature(gate.Name)
		spec, is := known[name]
		switch {
		case !is:
			t.Errorf("kube-scheduler 1.37.1 has no feature gate %s", gate.Name)
		case real.Enabled(name) != gate.On:
			t.Errorf("%s is %t by default in kube-scheduler 1.37.1, and %t in our table", gate.Name,
				real.Enabled(name), gate.On)
		case spec.Default != gate.On:
			t.Errorf("%s: this test runs with %t, and its default is %t", gate.Name, real.Enabled(name), spec.Default)
		case spec.LockToDefault && gate.Offers:
			t.Errorf("%s is locked to %t in kube-scheduler 1.37.1, and our table offers both", gate.Name, spec.Default)
		case spec.LockToDefault != gate.Locked:
			t.Errorf("%s: locked is %t in kube-scheduler 1.37.1, and %t in our table", gate.Name, spec.LockToDefault,
				gate.Locked)
		}
	}
}

func TestNeededGatesAreKubeSchedulers(t *testing.T) {
	needs := registered(t).Dependencies()
	for _, gate := range release.Newest().Gates {
		if !gate.Offers {
			continue
		}
		for _, needed := range needs[featuregate.Feature(gate.Name)] {
			on := slices.ContainsFunc(release.Newest().Gates, func(k release.Gate) bool {
				return k.Name == string(needed) && k.On && !k.Offers
			})
			if !on && !slices.Contains(gate.Needs, string(needed)) {
				t.Errorf("%s needs %s, and our table does not say so", gate.Name, needed)
			}
		}
	}
}

// TestEveryGateThatKubeSchedulerReadsIsInTheTable reads the source: every features.X in pkg/scheduler.
func TestEveryGateThatKubeSchedulerReadsIsInTheTable(t *testing.T) {
	read := gatesRead(t)
	if len(read) < 30 {
		t.Fatalf("found only %d gates in the source of pkg/scheduler: %v", len(read), read)
	}
	var table []string
	for _, gate := range release.Newest().Gates {
		table = append(table, gate.Name)
		if _, is := read[gate.Name]; !is {
			t.Errorf("our table has %s, which kube-scheduler 1.37.1 does not read", gate.Name)
		}
	}
	for name, file := range read {
		if !slices.Contains(table, name) {
			t.Errorf("kube-scheduler 1.37.1 reads %s (%s), and our table does not name it", name, file)
		}
	}
}

// gatesRead is every feature gate that a file of pkg/scheduler names, with one such file.
func gatesRead(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "pkg", "scheduler")
	read := map[string]string{}
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testing":
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		as := map[string]bool{}
		for _, i := range file.Imports {
			if strings.HasSuffix(strings.Trim(i.Path.Value, `"`), "/features") {
				name := "features"
				if i.Name != nil {
					name = i.Name.Name
				}
				as[name] = true
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selector, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			of, is := selector.X.(*ast.Ident)
			if _, gate := known[featuregate.Feature(selector.Sel.Name)]; is && gate && as[of.Name] {
				read[selector.Sel.Name] = strings.TrimPrefix(path, root+"/")
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return read
}
