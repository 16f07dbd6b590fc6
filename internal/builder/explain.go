package builder

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// complaint is a line of the compiler about a place in a file.
type complaint struct {
	pkg, file string
	line      int
	text      string
}

var (
	place   = regexp.MustCompile(`^(.+\.go):(\d+)(?::\d+)?: (.+)$`)
	lacking = regexp.MustCompile(`(?:no required module provides package|does not contain package|package) (\S+?)(?:;|:| is not in std|$)`)
	fetched = regexp.MustCompile(`GOPROXY=off|: reading http`)
	kubeOf  = regexp.MustCompile(`(?m)^\s*(?:require )?k8s\.io/kubernetes (v\S+)`)
	fwkOf   = regexp.MustCompile(`(?m)^\s*(?:require )?k8s\.io/kube-scheduler (v\S+)`)
)

// mostSaid is how many lines of the compiler are printed.
const mostSaid = 12

// explain is the output of the go command as one sentence with the places.
func (w *Work) explain(said string) error {
	found := w.complaints(said)
	if len(found) == 0 {
		return w.refusal(said)
	}
	if wrong := w.about(found[0]); wrong != nil {
		return wrong
	}
	if first := found[0]; first.pkg == "" { // nothing was compiled: a package of an import is missing
		if fetched.MatchString(first.text) {
			return phrase.Errorf("a module that %s imports cannot be fetched: %s", first.file, first.text)
		}
		return phrase.Errorf("%s imports what is not there: %s", first.file, first.text)
	}
	var lines []string
	packages := map[string]bool{}
	for _, c := range found {
		packages[c.pkg] = true
		if len(lines) < mostSaid {
			lines = append(lines, c.file+":"+strconv.Itoa(c.line)+": "+c.text)
		}
	}
	if more := len(found) - len(lines); more > 0 {
		lines = append(lines, "... +"+strconv.Itoa(more))
	}
	if m, made := w.madeFor(found[0].pkg); made != "" {
		return &Refusal{phrase.Errorf("%s does not compile with Kubernetes %s, whose libraries this schedstep links; "+
			"%s is made for %s", found[0].pkg, w.Program.Kube, m, made), lines}
	}
	return &Refusal{phrase.Errorf("%s does not compile with Kubernetes %s, whose libraries this schedstep links",
		found[0].pkg, w.Program.Kube), lines}
}

// complaints are the lines about places in files, with the package that they are about.
func (w *Work) complaints(said string) []complaint {
	var all []complaint
	pkg := ""
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\n")
		if rest, is := strings.CutPrefix(line, "# "); is {
			pkg = rest
			continue
		}
		m := place.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		file := m[1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(w.Folder, file)
		}
		if _, err := os.Stat(file); err != nil {
			file = m[1] // as the go command shortens it
		}
		all = append(all, complaint{pkg: pkg, file: w.shown(file), line: n, text: m[3]})
	}
	return all
}

// shown is a file below the folder of a module, with the module in place of the folder where that is in the cache.
func (w *Work) shown(file string) string {
	for _, m := range w.Program.Modules {
		if below, is := strings.CutPrefix(file, w.folders[m.Path]+string(filepath.Separator)); is && m.Folder == "" {
			return m.Path + "/" + filepath.ToSlash(below)
		}
	}
	return file
}

// about is the error for a complaint about main.go, whose lines are the flags; nil: it is about another file.
func (w *Work) about(c complaint) error {
	if filepath.Base(c.file) != "main.go" || c.pkg != "schedstep.built/program" && filepath.Dir(c.file) != w.Folder {
		return nil
	}
	text, _ := os.ReadFile(filepath.Join(w.Folder, "main.go"))
	lines := strings.Split(string(text), "\n")
	if c.line > len(lines) {
		return nil
	}
	at := lines[c.line-1]
	if missing := lacking.FindStringSubmatch(c.text); missing != nil {
		return phrase.Errorf("there is no package %s in the modules of --with", missing[1])
	}
	for _, p := range w.Program.Plugins {
		switch {
		case !strings.Contains(at, strconv.Quote(p.Name)):
		case strings.Contains(c.text, "undefined") || strings.Contains(c.text, "not exported"):
			return phrase.Errorf("--plugin %s: package %s has no function %s", p.String(), p.Package, p.New)
		default:
			return phrase.Errorf("--plugin %s: %s.%s is no func(context.Context, runtime.Object, framework.Handle) "+
				"(framework.Plugin, error): %s", p.String(), p.Package, p.New, c.text)
		}
	}
	return nil
}

// madeFor is the module of a package, and the version of Kubernetes that it requires; "": it requires none.
func (w *Work) madeFor(pkg string) (module, kubernetes string) {
	pkg, _, _ = strings.Cut(pkg, " ")
	for _, m := range w.Program.Modules {
		if !within(pkg, m.Path) {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(w.folders[m.Path], "go.mod"))
		for _, r := range []struct {
			of   *regexp.Regexp
			name string
		}{{kubeOf, "k8s.io/kubernetes"}, {fwkOf, "k8s.io/kube-scheduler"}} {
			if made := r.of.FindSubmatch(text); made != nil {
				return m.Path, r.name + " " + string(made[1])
			}
		}
	}
	return "", ""
}

// refusal is the error for output of the go command from before it compiled anything.
func (w *Work) refusal(said string) error {
	if strings.Contains(said, "GOPROXY=off") {
		return phrase.Errorf("a module is not in the module cache, and GOPROXY=off forbids to fetch it: %s", oneLine(said))
	}
	return phrase.Errorf("go build failed: %s", oneLine(said))
}
