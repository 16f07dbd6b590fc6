package builder

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Find lists the plugins in the packages of a module: of each package with a constant Name that is a text, the exported
// function with the form of a plugin's factory; of several New, else the first.
func Find(module, folder string) ([]Plugin, error) {
	var found []Plugin
	err := filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if at != folder && skipped(at, d.Name()) {
			return filepath.SkipDir
		}
		below, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		found = append(found, inPackage(path.Join(module, filepath.ToSlash(below)), at)...)
		return nil
	})
	slices.SortFunc(found, byName)
	return found, err
}

// skipped reports whether a folder holds no package that could be imported.
func skipped(at, name string) bool {
	if slices.Contains([]string{"vendor", "testdata", "internal", "node_modules"}, name) ||
		strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(at, "go.mod"))
	return err == nil
}

// inPackage lists the plugins of one package.
func inPackage(full, folder string) []Plugin {
	files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	var makers []string
	name := ""
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil || parsed.Name.Name == "main" {
			continue
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if isFactory(d) {
					makers = append(makers, d.Name.Name)
				}
			case *ast.GenDecl:
				name = nameIn(d, name)
			}
		}
	}
	if name == "" || len(makers) == 0 {
		return nil
	}
	if slices.Contains(makers, "New") {
		makers = []string{"New"}
	}
	return []Plugin{{Name: name, Package: full, New: makers[0]}}
}

// isFactory reports whether a function has the form func(context.Context, runtime.Object, framework.Handle)
// (framework.Plugin, error), whatever the packages are called.
func isFactory(f *ast.FuncDecl) bool {
	if f.Recv != nil || !f.Name.IsExported() || f.Type.TypeParams != nil || f.Type.Results == nil {
		return false
	}
	in, out := typesOf(f.Type.Params), typesOf(f.Type.Results)
	return slices.Equal(in, []string{"Context", "Object", "Handle"}) && slices.Equal(out, []string{"Plugin", "error"})
}

// typesOf are the last names of the types in a list.
func typesOf(list *ast.FieldList) []string {
	var names []string
	for _, field := range list.List {
		name := "?"
		switch t := field.Type.(type) {
		case *ast.SelectorExpr:
			name = t.Sel.Name
		case *ast.Ident:
			name = t.Name
		}
		for range max(len(field.Names), 1) {
			names = append(names, name)
		}
	}
	return names
}

// nameIn is the value of the constant Name in a declaration, else what is known.
func nameIn(d *ast.GenDecl, known string) string {
	if d.Tok != token.CONST {
		return known
	}
	for _, spec := range d.Specs {
		value, is := spec.(*ast.ValueSpec)
		if !is {
			continue
		}
		for i, name := range value.Names {
			if name.Name != "Name" || i >= len(value.Values) {
				continue
			}
			if literal, is := value.Values[i].(*ast.BasicLit); is {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					return text
				}
			}
		}
	}
	return known
}
