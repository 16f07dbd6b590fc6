package cmd_test

import (
	"strings"
	"testing"
)

// TestBuildPrintsTheFiles builds nothing: the plugin is found in its source, and main.go and go.mod are printed.
func TestBuildPrintsTheFiles(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	got := program(t, "build", "--with", "example.com/gang=../examples/gang", "--print", "--release", "1.35")
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.err)
	}
	for _, want := range []string{
		"==> main.go <==", `cmd.WithPlugin(host.Plugin("Gang", gang.New))`, `cmd.WithRelease("1.35")`, "==> go.mod <==",
		"\texample.com/gang => ", "\tk8s.io/api => k8s.io/api v0.37.1",
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in\n%s", want, got.out)
		}
	}
}

// TestBuildPrintsTheFilesOfAProgramThatCompares is about --verify.
func TestBuildPrintsTheFilesOfAProgramThatCompares(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	got := program(t, "build", "--with", "example.com/gang=../examples/gang", "--print", "--verify")
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.err)
	}
	for _, want := range []string{
		`"github.com/schedstep/schedstep/host/kube"`, `kube.Plugin{Name: "Gang", New: gang.New}`,
		"\tgithub.com/schedstep/schedstep/conformance v0.0.0",
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in\n%s", want, got.out)
		}
	}
}

func TestBuildRefusesWhatCannotBe(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	gang := "example.com/gang=../examples/gang"
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "there is no plugin to build in", nil},
		{2, "--with: \"latest\" is no exact version of example.com/gang", []string{"--with", "example.com/gang@latest"}},
		{2, "--plugin: \"Gang\" is no plugin", []string{"--with", gang, "--plugin", "Gang"}},
		{2, "--release: ", []string{"--with", gang, "--release", "0.9"}},
		{2, "--release does not go with --verify", []string{"--with", gang, "--release", "1.35", "--verify"}},
		{2, "--config goes with --check", []string{"--with", gang, "--config", "x.yaml"}},
		{2, "is in no module of --with", []string{"--with", gang, "--plugin", "Gang=example.com/other.New"}},
		{2, "testdata has no go.mod", []string{"--with", gang, "--schedstep", "testdata"}},
		{1, "is module example.com/gang, and not", []string{"--with", "example.com/x=../examples/gang"}},
		{1, "is not in the module cache", []string{"--with", "example.com/none@v1.2.3"}},
		{2, "takes no arguments", []string{"gang"}},
	} {
		got := program(t, append([]string{"build"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.err, c.want) {
			t.Errorf("build %v: exit code %d, %swant %d, %q", c.args, got.code, got.err, c.code, c.want)
		}
	}
}

// TestTwoPlaysWithoutPluginsAreTheSame plays a demo twice. Plugins that differ are found by the tests of module host.
func TestTwoPlaysWithoutPluginsAreTheSame(t *testing.T) {
	got := program(t, "plugins", "../core/testdata/rejected_then_woken.txt", "-q")
	if got.code != 0 || !strings.HasPrefix(got.out, "two plays are the same: ") {
		t.Errorf("exit code %d: %s%s", got.code, got.out, got.err)
	}
	if got := program(t, "plugins", "-o", "xml"); got.code != 2 {
		t.Errorf("-o xml: exit code %d", got.code)
	}
}
