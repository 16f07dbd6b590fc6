// Package releases builds the oracles of releases of kube-scheduler. A folder here, such as v1_36, is the module of one
// release: a program that is linked with it. That of 1.37, with which this module is linked, is cmd/oracle. The package
// knows how to build them and not what they answer.
package releases

import (
	"context"
	"fmt"
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

// Build makes the oracle of a release and returns its path. Conformance is the folder of this module, and into that of
// the program. What is up to date is left as it is; what Go has built before it keeps.
func Build(ctx context.Context, conformance, version, into string) (string, error) {
	minor, err := minorOf(version)
	if err != nil {
		return "", err
	}
	pkg := "."
	if minor == newest {
		pkg = "./cmd/oracle"
	}
	return build(ctx, conformance, minor, into, "oracle", pkg, "build")
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
	return build(ctx, conformance, minor, into, "hunter", pkg, "test", "-c", "-vet=off")
}

func minorOf(version string) (int, error) {
	var minor int
	if _, err := fmt.Sscanf(version, "1.%d", &minor); err != nil ||
		!slices.Contains(Versions(), fmt.Sprintf("1.%d", minor)) {
		return 0, fmt.Errorf("kube-scheduler %s has no oracle (%s have one)", version, strings.Join(Versions(), ", "))
	}
	return minor, nil
}

// build makes a program that is linked with a release.
func build(
	ctx context.Context, conformance string, minor int, into, what, pkg string, verb ...string,
) (string, error) {
	into, err := filepath.Abs(into)
	if err != nil {
		return "", err
	}
	program := filepath.Join(into, fmt.Sprintf("%s-1.%d", what, minor))
	module := filepath.Join(conformance, "releases", fmt.Sprintf("v1_%d", minor))
	if minor == newest {
		module = conformance
	}
	build := exec.CommandContext(ctx, "go", append(verb, "-tags", tags(minor), "-o", program, pkg)...)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s of kube-scheduler 1.%d: %w\n%s", what, minor, err, out)
	}
	return program, nil
}

// tags has one build tag for every release that the files of package oracle are compiled before.
func tags(minor int) string {
	var before []string
	for later := newest; later > minor; later-- {
		before = append(before, fmt.Sprintf("before_1_%d", later))
	}
	return strings.Join(before, ",")
}
