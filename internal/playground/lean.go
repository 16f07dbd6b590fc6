package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// cut is what of a module the program is built without: what no page calls, and what the linker keeps all the same.
type cut struct {
	module string
	files  []string                              // whole files: patterns of path.Match
	decls  map[string]func(of, name string) bool // of files: methods (of is the receiver), functions, variables
	texts  map[string][]string                   // of files: a text and what is there instead of it, and so on
}

// cuts are chosen for size alone: docs/decisions/0058-a-small-playground.md has what each of them is worth.
var cuts = []cut{
	// A template is executed here, so that the linker keeps every exported method of every type.
	{module: "github.com/google/cel-go", files: []string{"cel/prompt.go"}},
	// No page reads or writes protobuf, but core/cluster compares specs of pods by their wire format, and a recording
	// has affinities in it.
	{
		module: "k8s.io/api",
		files:  []string{"*/*/types_swagger_doc_generated.go"},
		decls: map[string]func(of, name string) bool{
			"core/v1/generated.pb.go":          reading,
			"apps/*/generated.pb.go":           wire,
			"authentication/*/generated.pb.go": wire,
			"batch/*/generated.pb.go":          wire,
			"events/*/generated.pb.go":         wire,
			"node/*/generated.pb.go":           wire,
			"policy/*/generated.pb.go":         wire,
			"resource/*/generated.pb.go":       wire,
			"scheduling/*/generated.pb.go":     wire,
			"storage/*/generated.pb.go":        wire,
		},
	},
	// A table of every character there is, which takes a tenth of a second to make; without it widths are looked up.
	{module: "github.com/mattn/go-runewidth", texts: map[string][]string{"runewidth.go": {
		"\tinitStrictWidthLUT()\n\thandleEnv()", "\thandleEnv()",
		"return int(strictWidthLUT[1][r])", "return runeWidthNoLUT(r, true, true)",
		"return int(strictWidthLUT[0][r])", "return runeWidthNoLUT(r, false, true)",
	}}},
	// The default transport brings TLS along.
	{
		module: "k8s.io/apimachinery",
		decls: map[string]func(of, name string) bool{"pkg/util/net/http.go": func(_, name string) bool {
			return slices.Contains([]string{
				"defaultTransport", "SetOldTransportDefaults", "SetTransportDefaults", "configureHTTP2Transport",
				"allowsHTTP2", "readIdleTimeoutSeconds", "pingTimeoutSeconds",
			}, name)
		}},
	},
}

// wire is whether a method reads or writes protobuf.
func wire(of, name string) bool {
	return of != "" && slices.Contains([]string{"Marshal", "MarshalTo", "MarshalToSizedBuffer", "Size", "Unmarshal"}, name)
}

// reading is whether a method reads protobuf, other than of an affinity between pods.
func reading(of, name string) bool {
	return name == "Unmarshal" &&
		!slices.Contains([]string{"PodAffinity", "PodAntiAffinity", "PodAffinityTerm", "WeightedPodAffinityTerm"}, of)
}

// lean writes a go.mod into the folder under which the program is built with copies of modules that lack the cuts.
func lean(folder string) (modfile string, err error) {
	modfile = filepath.Join(folder, "go.mod")
	for from, to := range map[string]string{"go.mod": modfile, "go.sum": filepath.Join(folder, "go.sum")} {
		text, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", err
		}
	}
	for _, c := range cuts {
		from, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", c.module).Output()
		if err != nil {
			return "", fmt.Errorf("go list -m %s: %w", c.module, err)
		}
		to := filepath.Join(folder, filepath.FromSlash(c.module))
		if err := c.copied(strings.TrimSpace(string(from)), to); err != nil {
			return "", fmt.Errorf("%s: %w", c.module, err)
		}
		edit := exec.Command("go", "mod", "edit", "-replace", c.module+"="+to, modfile)
		if text, err := edit.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go mod edit: %w\n%s", err, text)
		}
	}
	return modfile, nil
}

// copied writes a module without its tests and without what is cut. Each cut has to be there: a module that moved what
// was cut is complained about.
func (c cut) copied(from, to string) error {
	found := map[string]bool{}
	err := filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at, _ := filepath.Rel(from, file) // below from: it was walked
		switch {
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, at), 0o700)
		case strings.HasSuffix(at, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text, err = c.shortened(filepath.ToSlash(at), text, found)
		if err != nil || text == nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, at), text, 0o600)
	})
	if err != nil {
		return err
	}
	for _, pattern := range slices.Concat(c.files, slices.Sorted(maps.Keys(c.decls)), slices.Sorted(maps.Keys(c.texts))) {
		if !found[pattern] {
			return fmt.Errorf("there is no file %s", pattern)
		}
	}
	return nil
}

// shortened is a file without what is cut of it; nil: the whole file is cut. It notes the patterns that it has found.
func (c cut) shortened(at string, text []byte, found map[string]bool) ([]byte, error) {
	for _, pattern := range c.files {
		if is, _ := path.Match(pattern, at); is {
			found[pattern] = true
			return nil, nil
		}
	}
	for pattern, drop := range c.decls {
		if is, _ := path.Match(pattern, at); !is {
			continue
		}
		found[pattern] = true
		var err error
		if text, err = without(text, drop); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	for pair := range slices.Chunk(c.texts[at], 2) {
		found[at] = true
		if !bytes.Contains(text, []byte(pair[0])) {
			return nil, fmt.Errorf("%s: there is no %q", at, pair[0])
		}
		text = bytes.ReplaceAll(text, []byte(pair[0]), []byte(pair[1]))
	}
	return text, nil
}

// without is the text of a file without some declarations, and without imports that only these used.
func without(text []byte, drop func(of, name string) bool) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	var kept bytes.Buffer
	from, any := 0, false
	for _, d := range parsed.Decls {
		if of, name := named(d); name == "" || !drop(of, name) {
			continue
		}
		kept.Write(text[from:at(d.Pos())])
		from, any = at(d.End()), true
	}
	if !any {
		return nil, fmt.Errorf("nothing of what is cut is there")
	}
	kept.Write(text[from:])
	return imported(kept.Bytes())
}

// named is the name of a function with its receiver, or of a variable that is declared alone.
func named(d ast.Decl) (of, name string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			of = strings.TrimPrefix(types(d.Recv.List[0].Type), "*")
		}
		return of, d.Name.Name
	case *ast.GenDecl:
		if v, is := d.Specs[0].(*ast.ValueSpec); is && len(d.Specs) == 1 {
			return "", v.Names[0].Name
		}
	}
	return "", ""
}

// types is a receiver's type as text.
func types(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + types(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// imported is a file without the imports that it does not use.
func imported(text []byte) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, is := n.(*ast.SelectorExpr); is {
			if x, is := s.X.(*ast.Ident); is {
				used[x.Name] = true
			}
		}
		return true
	})
	for _, i := range slices.Backward(parsed.Imports) {
		name := path.Base(strings.Trim(i.Path.Value, `"`))
		if i.Name != nil {
			name = i.Name.Name
		}
		if !used[name] && name != "_" && name != "v2" {
			from, to := files.Position(i.Pos()).Offset, files.Position(i.End()).Offset
			text = slices.Concat(text[:from], text[to:])
		}
	}
	return text, nil
}
