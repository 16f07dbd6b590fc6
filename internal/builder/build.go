package builder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Refusal is a sentence with lines of a list below it, which are the same in every language.
type Refusal struct {
	error
	Lines []string
}

// Unwrap is the sentence.
func (r *Refusal) Unwrap() error { return r.error }

// Work is a folder in which a program is built.
type Work struct {
	Program *Program
	Folder  string

	folders map[string]string // by path of the module: where its source is
}

// Prepare finds the source of the modules, and their plugins where none is given, and writes the files.
func (w *Work) Prepare(ctx context.Context) error {
	if err := w.Program.Check(); err != nil {
		return err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return phrase.Errorf("building needs the go command on the PATH, of Go 1.26 or later (https://go.dev/dl)")
	}
	if err := os.MkdirAll(w.Folder, 0o750); err != nil {
		return err
	}
	if err := w.write(File{"go.mod", w.Program.goMod()}, File{"go.sum", sums(w.checkouts())}); err != nil {
		return err
	}
	if err := w.locate(ctx); err != nil {
		return err
	}
	if err := w.choose(); err != nil {
		return err
	}
	from := w.checkouts()
	for _, m := range w.Program.Modules {
		from = append(from, w.folders[m.Path])
	}
	return w.write(append(w.Program.Files(), File{"go.sum", sums(from)})...)
}

// checkouts are the folders of schedstep's own modules.
func (w *Work) checkouts() []string {
	if w.Program.Checkout == "" {
		return nil
	}
	at := func(folder string) string { return filepath.Join(w.Program.Checkout, folder) }
	return []string{w.Program.Checkout, at("host"), at("conformance")}
}

func (w *Work) write(files ...File) error {
	for _, f := range files {
		text := []byte(f.Text)
		if strings.HasSuffix(f.Name, ".go") {
			formatted, err := format.Source(text)
			if err != nil {
				return err
			}
			text = formatted
		}
		if err := os.WriteFile(filepath.Join(w.Folder, f.Name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// run runs the go command in the folder. The output is its standard output; an error is an *exec.ExitError with what it
// wrote to its standard error.
func (w *Work) run(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...) //nolint:gosec // with arguments that were checked
	c.Dir = w.Folder
	c.Env = append(os.Environ(), "GOWORK=off")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	err := c.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		exit.Stderr = said.Bytes()
	}
	return out.Bytes(), err
}

// locate finds where the source of each module is.
func (w *Work) locate(ctx context.Context) error {
	w.folders = map[string]string{}
	for _, m := range w.Program.Modules {
		if m.Folder != "" {
			if is := moduleOf(m.Folder); is != m.Path {
				return phrase.Errorf("%s is module %s, and not %s", m.Folder, is, m.Path)
			}
			w.folders[m.Path] = m.Folder
			continue
		}
		out, err := w.run(ctx, "mod", "download", "-json", m.String())
		var of struct{ Dir, Error string }
		if json.Unmarshal(out, &of) == nil && of.Dir != "" {
			w.folders[m.Path] = of.Dir
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var exit *exec.ExitError
		if of.Error == "" && errors.As(err, &exit) {
			of.Error = string(exit.Stderr)
		}
		if of.Error == "" && err != nil {
			return err
		}
		if strings.Contains(of.Error, "GOPROXY=off") {
			return phrase.Errorf("%s is not in the module cache, and GOPROXY=off forbids to fetch it", m.String())
		}
		return phrase.Errorf("%s cannot be fetched: %s", m.String(), oneLine(of.Error))
	}
	return nil
}

// moduleOf is the module of a folder, as its go.mod names it; "": it is none.
func moduleOf(folder string) string {
	text, _ := os.ReadFile(filepath.Join(folder, "go.mod")) //nolint:gosec // a folder of the user's own
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`)
		}
	}
	return ""
}

// choose takes the plugin of each module where none is given.
func (w *Work) choose() error {
	if len(w.Program.Plugins) > 0 {
		return nil
	}
	var chosen []Plugin
	for _, m := range w.Program.Modules {
		found, err := Find(m.Path, w.folders[m.Path])
		if err != nil {
			return err
		}
		if len(found) > 1 {
			lines := make([]string, len(found))
			for i, p := range found {
				lines[i] = "--plugin " + p.String()
			}
			return &Refusal{phrase.Errorf("%s has %d plugins; choose some with --plugin", m.Path, len(found)), lines}
		}
		chosen = append(chosen, found...)
	}
	if len(chosen) == 0 {
		return phrase.Errorf("no plugin was found: no package has both a constant Name and a function " +
			"New(context.Context, runtime.Object, framework.Handle) (framework.Plugin, error); --plugin NAME=PACKAGE.New names one")
	}
	w.Program.Plugins = chosen
	return w.Program.Check()
}

// Build compiles and links the program.
func (w *Work) Build(ctx context.Context, output string) error {
	at, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	_, err = w.run(ctx, "build", "-mod=mod", "-ldflags=-checklinkname=0", "-o", at, ".")
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return w.explain(string(exit.Stderr))
	}
	return err
}

// Registered is a plugin as the program that was built has it.
type Registered struct {
	Name   string   `json:"name"`
	Points []string `json:"points,omitempty"`
	Wrong  string   `json:"wrong,omitempty"` // why it could not be made without args
}

// Verify runs the program that was built, and returns its plugins. A plugin that is not among them is an error.
func (w *Work) Verify(ctx context.Context, output string) ([]Registered, error) {
	at, err := filepath.Abs(output)
	if err != nil {
		return nil, err
	}
	args := []string{"plugins", "-o", "json"}
	if w.Program.Compares {
		args = []string{"--plugins"}
	}
	c := exec.CommandContext(ctx, at, args...) //nolint:gosec // it was built here
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		if text := oneLine(said.String()); text != "" {
			return nil, phrase.Errorf("the program was built and does not start: %s", text)
		}
		return nil, phrase.Errorf("the program was built and does not start: %s", err.Error())
	}
	var all []Registered
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		return nil, err
	}
	for _, p := range w.Program.Plugins {
		if !slices.ContainsFunc(all, func(r Registered) bool { return r.Name == p.Name }) {
			return nil, phrase.Errorf("the program was built and has no plugin %s", p.Name)
		}
	}
	return all, nil
}

func oneLine(text string) string {
	return strings.TrimPrefix(strings.Join(strings.Fields(text), " "), "error: ")
}
