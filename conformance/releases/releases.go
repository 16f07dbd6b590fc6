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
		versions = append(versions, fmt.Sprintf("1.%d", minor))
	}
	for _, minor := range before {
		versions = append(versions, fmt.Sprintf("1.%d", minor))
	}
	return versions
}

// Build makes the oracle of a release, or of one patch of it such as 1.31.2, and returns its path. Conformance is the
// folder of this module, and into that of the program. What is up to date is left as it is; what Go has built before it
// keeps.
func Build(ctx context.Context, conformance, version, into string) (string, error) {
	minor, of := 0, version
	if n, _ := fmt.Sscanf(version, "1.%d", &minor); n == 1 {
		of = fmt.Sprintf("1.%d", minor)
	}
	if !slices.Contains(Versions(), of) {
		return "", fmt.Errorf("kube-scheduler %s has no oracle (%s have one)", version, strings.Join(Versions(), ", "))
	}
	into, err := filepath.Abs(into)
	if err != nil {
		return "", err
	}
	program := filepath.Join(into, "oracle-"+version)
	module, pkg := Module(conformance, of), "."
	if minor == newest {
		pkg = "./cmd/oracle"
	}
	flags := []string{"build", "-tags", tags(minor), "-o", program}
	if version != of {
		patched, err := Patched(ctx, module, version, into)
		if err != nil {
			return "", err
		}
		flags = append(flags, "-mod=mod", "-modfile="+patched)
	}
	build := exec.CommandContext(ctx, "go", append(flags, pkg)...)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("oracle of kube-scheduler %s: %w\n%s", version, err, out)
	}
	return program, nil
}

// Module is the folder of the module that is linked with a release.
func Module(conformance, version string) string {
	if version == fmt.Sprintf("1.%d", newest) {
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
