// Package releases builds the oracles of releases of kube-scheduler. A folder here, such as v1_36, is the module of one
// release: a program that is linked with it. That of 1.37, with which this module is linked, is cmd/oracle. The package
// knows how to build them and not what they answer.
package releases

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	oldest = 29
	newest = 37
)

// before are the minor versions of releases before those, which have an oracle of their own.
var before = []int{19, 17}

// Versions lists the releases that have an oracle, the newest first.
func Versions() []string {
	var versions []string
	for minor := newest; minor >= oldest; minor-- {
		versions = append(versions, of(minor))
	}
	for _, minor := range before {
		versions = append(versions, of(minor))
	}
	return versions
}

// Build makes the oracle of a release, or of one patch of it such as 1.31.2, and returns its path. Conformance is the
// folder of this module, and into that of the program. What is up to date is left as it is; what Go has built before it
// keeps.
func Build(ctx context.Context, conformance, version, into string) (string, error) {
	minor, err := minorOf(version)
	if err != nil {
		return "", err
	}
	pkg := "."
	if minor == newest {
		pkg = "./cmd/oracle"
	}
	return build(ctx, program{conformance, version, into, "oracle", pkg}, "build")
}

// BuildHunter makes the hunter for a release from 1.29 on, as Build makes its oracle: the tests of
// conformance/hunt/real.
func BuildHunter(ctx context.Context, conformance, version, into string) (string, error) {
	minor, err := minorOf(version)
	if err != nil {
		return "", err
	}
	if minor < oldest {
		return "", fmt.Errorf("kube-scheduler %s is older than the hunter's client, which is that of 1.%d", version, oldest)
	}
	const pkg = "github.com/schedstep/schedstep/conformance/hunt/real"
	return build(ctx, program{conformance, version, into, "hunter", pkg}, "test", "-c", "-vet=off")
}

// minorOf is the minor version of a release, or of a patch.
func minorOf(version string) (int, error) {
	var minor int
	if _, err := fmt.Sscanf(version, "1.%d", &minor); err != nil || !slices.Contains(Versions(), of(minor)) {
		return 0, fmt.Errorf("kube-scheduler %s has no oracle (%s have one)", version, strings.Join(Versions(), ", "))
	}
	return minor, nil
}

// of is the release of a minor version.
func of(minor int) string { return fmt.Sprintf("1.%d", minor) }

// program is what is built, of which release, and into which folder.
type program struct{ conformance, version, into, what, pkg string }

// build makes a program that is linked with a release or a patch of it.
func build(ctx context.Context, p program, verb ...string) (string, error) {
	minor, err := minorOf(p.version)
	if err != nil {
		return "", err
	}
	into, err := filepath.Abs(p.into)
	if err != nil {
		return "", err
	}
	path, module := filepath.Join(into, p.what+"-"+p.version), Module(p.conformance, of(minor))
	args := append(verb, "-tags", tags(minor), "-o", path)
	if p.version != of(minor) {
		patched, err := Patched(ctx, module, p.version, into)
		if err != nil {
			return "", err
		}
		args = append(args, "-mod=mod", "-modfile="+patched)
	}
	build := exec.CommandContext(ctx, "go", append(args, p.pkg)...)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s of kube-scheduler %s: %w\n%s", p.what, p.version, err, out)
	}
	return path, nil
}

// Module is the folder of the module that is linked with a release.
func Module(conformance, version string) string {
	if version == of(newest) {
		return conformance
	}
	return filepath.Join(conformance, "releases", "v"+strings.ReplaceAll(version, ".", "_"))
}

// Patched writes a go.mod into a folder, beside a go.sum, for -modfile: that of the module of a release with another
// patch of k8s.io/kubernetes. Its staging modules stay those of the release, for no fault that a table has lies in one.
func Patched(ctx context.Context, module, version, into string) (string, error) {
	if err := os.MkdirAll(into, 0o750); err != nil {
		return "", err
	}
	path := filepath.Join(into, "oracle-"+version+".mod")
	for from, to := range map[string]string{"go.mod": path, "go.sum": strings.TrimSuffix(path, "mod") + "sum"} {
		text, err := os.ReadFile(filepath.Join(module, from))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", err
		}
	}
	const kubernetes = "k8s.io/kubernetes"
	edit := exec.CommandContext(ctx, "go", "mod", "edit", "-replace="+kubernetes+"="+kubernetes+"@v"+version, path)
	if out, err := edit.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go.mod of kube-scheduler %s: %w\n%s", version, err, out)
	}
	return path, nil
}

// tags has one build tag for every release that the files of package oracle are compiled before.
func tags(minor int) string {
	var before []string
	for later := newest; later > minor; later-- {
		before = append(before, fmt.Sprintf("before_1_%d", later))
	}
	return strings.Join(before, ",")
}
