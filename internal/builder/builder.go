// Package builder makes programs that are schedstep with plugins that were written for kube-scheduler's framework: it
// writes a main.go and a go.mod, and runs the go command over them. It knows modules and packages, and nothing of
// scheduling; module host is what such a program runs plugins with, and this package does not import it.
package builder

import (
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

const (
	own  = "github.com/schedstep/schedstep"
	host = own + "/host"
	kube = host + "/kube"                       // of a program that compares
	none = "v0.0.0-00010101000000-000000000000" // the version of a module that a folder replaces
)

// Module is a module with plugins, of an exact version or in a folder.
type Module struct{ Path, Version, Folder string }

// String is the module as the command line names it.
func (m Module) String() string {
	text := m.Path
	if m.Version != "" {
		text += "@" + m.Version
	}
	if m.Folder != "" {
		text += "=" + m.Folder
	}
	return text
}

// Plugin is a plugin and the function that makes it.
type Plugin struct{ Name, Package, New string }

// String is the plugin as the command line names it.
func (p Plugin) String() string { return p.Name + "=" + p.Package + "." + p.New }

// Program is what is built.
type Program struct {
	Modules  []Module
	Plugins  []Plugin
	Schemes  []string // packages that register the types of args
	Release  string   // whose scheduler decides where neither the input nor a flag names one; "": the newest
	Kube     string   // the patch of Kubernetes whose libraries are linked: 1.37.1
	Version  string   // of schedstep, where no Checkout is given
	Checkout string   // the folder with the module of schedstep
	Compares bool     // it is schedstep-verify with the plugins in both schedulers, and not schedstep
}

var (
	exact      = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+incompatible)?$`)
	ofCommit   = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}$`) // a version that go makes of a commit without a tag
	modulePath = regexp.MustCompile(`^[A-Za-z0-9.~_-]+(/[A-Za-z0-9.~_-]+)*$`)
)

// ParseModule reads MODULE@VERSION, MODULE@VERSION=FOLDER or MODULE=FOLDER.
func ParseModule(text string) (Module, error) {
	name, folder, replaced := strings.Cut(text, "=")
	var m Module
	var versioned bool
	m.Path, m.Version, versioned = strings.Cut(name, "@")
	switch {
	case !modulePath.MatchString(m.Path):
		return m, phrase.Errorf("%q is no module (try sigs.k8s.io/scheduler-plugins@v0.35.7, or example.com/ours=../ours)",
			m.Path)
	case versioned && !exact.MatchString(m.Version):
		return m, phrase.Errorf("%q is no exact version of %s (try one like v0.35.7)", m.Version, m.Path)
	case replaced && folder == "", !replaced && !versioned:
		return m, phrase.Errorf("%s needs a version or a folder (%s@v1.2.3, or %s=FOLDER)", m.Path, m.Path, m.Path)
	case m.Path == own || m.Path == host:
		return m, phrase.Errorf("%s is schedstep itself", m.Path)
	}
	if replaced {
		at, err := filepath.Abs(folder)
		if err != nil {
			return m, err
		}
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err != nil {
			return m, phrase.Errorf("%s: there is no go.mod, so it is not the folder of a module", folder)
		}
		m.Folder = at
	}
	return m, nil
}

// ParsePlugin reads NAME=PACKAGE.FUNCTION; without FUNCTION it is New.
func ParsePlugin(text string) (Plugin, error) {
	name, of, given := strings.Cut(text, "=")
	p := Plugin{Name: name, Package: of, New: "New"}
	if !given || name == "" || strings.ContainsAny(name, " \t*") {
		return p, phrase.Errorf("%q is no plugin (try Coscheduling=sigs.k8s.io/scheduler-plugins/pkg/coscheduling.New)", text)
	}
	last := of[strings.LastIndex(of, "/")+1:]
	if dot := strings.LastIndex(last, "."); dot >= 0 && token.IsExported(last[dot+1:]) {
		p.Package, p.New = of[:len(of)-len(last)+dot], last[dot+1:]
	}
	if !modulePath.MatchString(p.Package) {
		return p, phrase.Errorf("%q is no package that could be imported", p.Package)
	}
	return p, nil
}

// Check reports what is wrong with the program as far as that is known without the go command.
func (p *Program) Check() error {
	if len(p.Modules) == 0 {
		return phrase.Errorf("there is no plugin to build in: --with MODULE@VERSION names a module that has one")
	}
	var modules []string
	for i, m := range p.Modules {
		modules = append(modules, m.Path)
		if slices.ContainsFunc(p.Modules[:i], func(o Module) bool { return o.Path == m.Path }) {
			return phrase.Errorf("module %s is given twice", m.Path)
		}
	}
	for i, plugin := range p.Plugins {
		if slices.ContainsFunc(p.Plugins[:i], func(o Plugin) bool { return o.Name == plugin.Name }) {
			return phrase.Errorf("plugin %s is given twice", plugin.Name)
		}
	}
	if p.Compares && p.Release != "" {
		return phrase.Errorf("--release does not go with --verify: the kube-scheduler to compare with is that of %s", p.Kube)
	}
	for _, name := range slices.Concat(p.packages(), p.Schemes) {
		if !slices.ContainsFunc(p.Modules, func(m Module) bool { return within(name, m.Path) }) {
			return phrase.Errorf("package %s is in no module of --with%s", name, spelling.Hint(name, modules))
		}
	}
	return nil
}

// packages are those of the plugins, each once, in order.
func (p *Program) packages() []string {
	var all []string
	for _, plugin := range p.Plugins {
		all = append(all, plugin.Package)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func within(name, module string) bool { return name == module || strings.HasPrefix(name, module+"/") }

// Output is how the program is called where no name is given.
func (p *Program) Output() string {
	first := "schedstep-"
	if p.Compares {
		first = "schedstep-verify-"
	}
	if len(p.Plugins) == 0 {
		return first + "plugins"
	}
	return first + strings.ToLower(p.Plugins[0].Name)
}

// findCheckout is the checkout of schedstep that a folder is in; "": none.
func findCheckout(folder string) string {
	for {
		if isCheckout(folder) == nil {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			return ""
		}
		folder = up
	}
}

// isCheckout reports why a folder is no checkout of schedstep.
func isCheckout(folder string) error {
	switch moduleOf(folder) {
	case own:
	case "":
		return phrase.Errorf("%s has no go.mod", folder)
	default:
		return phrase.Errorf("%s/go.mod is not that of module %s", folder, own)
	}
	if moduleOf(filepath.Join(folder, "host")) != host {
		return phrase.Errorf("%s has no folder host: it is a checkout from before plugins could be built in", folder)
	}
	return nil
}

// Resolve finds where schedstep itself comes from: the checkout that is given, else the one that the working folder is
// in where this program is no release. What go build makes in a clean checkout has the version of a commit, which no
// proxy needs to have.
func (p *Program) Resolve(given, working, version string) error {
	p.Version = version
	switch {
	case given != "":
		at, err := filepath.Abs(given)
		if err != nil {
			return err
		}
		if err := isCheckout(at); err != nil {
			return phrase.Errorf("--schedstep %s: %w", given, err)
		}
		p.Checkout = at
	case exact.MatchString(version) && !ofCommit.MatchString(version):
	default:
		p.Checkout = findCheckout(working)
		if p.Checkout == "" && !exact.MatchString(version) {
			return phrase.Errorf("this schedstep is no release, so its source is needed: --schedstep FOLDER names a checkout")
		}
	}
	return nil
}

// aliases are the names by which main.go imports packages.
func aliases(packages []string) map[string]string {
	names, taken := map[string]string{}, map[string]bool{
		"cmd": true, "host": true, "kube": true, "os": true, "main": true,
	}
	for _, full := range packages {
		name := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, strings.ToLower(path.Base(full)))
		if name == "" || name[0] <= '9' || token.IsKeyword(name) {
			name = "plugin" + name
		}
		for n, base := 2, name; taken[name]; n++ {
			name = fmt.Sprintf("%s%d", base, n)
		}
		names[full], taken[name] = name, true
	}
	return names
}

// byName orders plugins as a list of them is printed.
func byName(a, b Plugin) int {
	return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
}
