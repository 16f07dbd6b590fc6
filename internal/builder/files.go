package builder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File is a file of the program.
type File struct{ Name, Text string }

// staging are the modules that Kubernetes keeps in its own repository. k8s.io/kubernetes requires them without a
// version, so that what links it names one.
var staging = []string{
	"api", "apiextensions-apiserver", "apimachinery", "apiserver", "cli-runtime", "client-go", "cloud-provider",
	"cluster-bootstrap", "code-generator", "component-base", "component-helpers", "controller-manager", "cri-api",
	"cri-client", "cri-streaming", "csi-translation-lib", "dynamic-resource-allocation", "endpointslice", "externaljwt",
	"kms", "kube-aggregator", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubectl", "kubelet", "metrics",
	"mount-utils", "pod-security-admission", "sample-apiserver", "sample-cli-plugin", "sample-controller", "streaming",
}

// Files are main.go and go.mod.
func (p *Program) Files() []File {
	return []File{{"main.go", p.main()}, {"go.mod", p.goMod()}}
}

func (p *Program) main() string {
	var b strings.Builder
	if p.Compares {
		b.WriteString("// Command main is schedstep-verify with plugins that were written for kube-scheduler's framework, in " +
			"both\n// schedulers. \"schedstep build --verify\" wrote it.\npackage main\n\nimport (\n\t\"os\"\n\n")
		fmt.Fprintf(&b, "\t%q\n\n", kube)
	} else {
		b.WriteString("// Command main is schedstep with plugins that were written for kube-scheduler's framework. " +
			"\"schedstep build\"\n// wrote it.\npackage main\n\nimport (\n\t\"os\"\n\n")
		fmt.Fprintf(&b, "\t%q\n\t%q\n\n", own+"/cmd", host)
	}
	names := aliases(p.packages())
	for _, full := range p.packages() {
		fmt.Fprintf(&b, "\t%s %q\n", names[full], full)
	}
	for _, full := range p.Schemes {
		fmt.Fprintf(&b, "\t_ %q\n", full)
	}
	if p.Compares {
		b.WriteString(")\n\nfunc main() {\n\tos.Exit(kube.Main(\n")
		for _, plugin := range p.Plugins {
			fmt.Fprintf(&b, "\t\tkube.Plugin{Name: %q, New: %s.%s},\n", plugin.Name, names[plugin.Package], plugin.New)
		}
		b.WriteString("\t))\n}\n")
		return b.String()
	}
	b.WriteString(")\n\nfunc main() {\n\tos.Exit(cmd.Main(\n")
	for _, m := range p.Modules {
		fmt.Fprintf(&b, "\t\tcmd.WithModule(%q),\n", m.Path)
	}
	if p.Release != "" {
		fmt.Fprintf(&b, "\t\tcmd.WithRelease(%q),\n", p.Release)
	}
	for _, plugin := range p.Plugins {
		fmt.Fprintf(&b, "\t\tcmd.WithPlugin(host.Plugin(%q, %s.%s)),\n", plugin.Name, names[plugin.Package], plugin.New)
	}
	b.WriteString("\t))\n}\n")
	return b.String()
}

func (p *Program) goMod() string {
	var b strings.Builder
	b.WriteString("module schedstep.built/program\n\ngo 1.26.0\n\ngodebug default=go1.26\n\nrequire (\n")
	ours := p.Version
	if p.Checkout != "" {
		ours = none
	}
	fmt.Fprintf(&b, "\t%s %s\n\t%s %s\n", own, ours, host, ours)
	if p.Compares {
		fmt.Fprintf(&b, "\t%s/conformance %s\n", own, ours)
	}
	fmt.Fprintf(&b, "\tk8s.io/kubernetes v%s\n", p.Kube)
	for _, m := range p.Modules {
		version := m.Version
		if version == "" {
			version = none
		}
		fmt.Fprintf(&b, "\t%s %s\n", m.Path, version)
	}
	b.WriteString(")\n\n")
	if p.Checkout == "" { // host names its neighbours in the repository by no version
		fmt.Fprintf(&b, "exclude (\n\t%s %s\n\t%s %s\n)\n\n", own, none, own+"/conformance", none)
	}
	b.WriteString("replace (\n")
	if p.Checkout != "" {
		fmt.Fprintf(&b, "\t%s => %s\n", own, quoted(p.Checkout))
		for _, folder := range []string{"conformance", "host"} {
			fmt.Fprintf(&b, "\t%s/%s => %s\n", own, folder, quoted(filepath.Join(p.Checkout, folder)))
		}
	}
	for _, m := range p.Modules {
		if m.Folder != "" {
			fmt.Fprintf(&b, "\t%s => %s\n", m.Path, quoted(m.Folder))
		} else { // another module may require a later one
			fmt.Fprintf(&b, "\t%s => %s %s\n", m.Path, m.Path, m.Version)
		}
	}
	b.WriteString("\n")
	_, minor, _ := strings.Cut(p.Kube, ".")
	for _, name := range staging {
		fmt.Fprintf(&b, "\tk8s.io/%s => k8s.io/%s v0.%s\n", name, name, minor)
	}
	b.WriteString(")\n")
	return b.String()
}

// quoted is a path for go.mod, which must not look like a module.
func quoted(folder string) string {
	if strings.ContainsAny(folder, " \t\"'`()") {
		return strconv.Quote(folder)
	}
	return folder
}

// sums is a go.sum of all that is known in those of folders, so that no checksum has to come from the network.
func sums(folders []string) string {
	var lines []string
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, "go.sum")) //nolint:gosec // of a module
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	slices.Sort(lines)
	return strings.TrimSpace(strings.Join(slices.Compact(lines), "\n")) + "\n"
}
