package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// public are the packages whose names others may use who are not here (docs/stability.md).
var public = []string{"core/framework", "core/trace", "replay/scenario"}

// known are methods that packages of others call: fmt, errors, sort, io, encoding, pflag and Bubble Tea.
var known = strings.Fields("String Error Unwrap Is As Format GoString Len Less Swap Push Pop Read Write Close ReadAt Seek " +
	"MarshalJSON UnmarshalJSON MarshalText UnmarshalText Set Type Init Update View Open Stat ReadDir Name Enabled Handle " +
	"WithAttrs WithGroup RoundTrip ServeHTTP")

// name is an exported name of a package.
type name struct {
	folder, of, name string // of is the type of a method or field
	at               token.Position
	spare            bool // nobody has to use it: a value of an enumeration, a field that is marshalled
}

func (n name) String() string {
	full := n.name
	if n.of != "" {
		full = n.of + "." + n.name
	}
	return fmt.Sprintf("%s: %s.%s", n.at, n.folder, full)
}

// TestExportedNamesAreUsedElsewhere resolves names without types: a name of a package is used where another folder, of
// any module, selects it from the package; a method or a field, where another folder selects anything of that name. The
// tests beside a package are other users, of what the package itself uses too: a name that tests alone use is a tool of
// theirs. The packages of conformance are tools of tests.
//
// Needed all the same: a method of an interface, whatever a type that is not exported has, a field that is marshalled,
// a type that an exported name mentions, and all values of an enumeration.
func TestExportedNamesAreUsedElsewhere(t *testing.T) {
	u := newUses()
	var names []name
	for _, file := range goFiles(t) {
		_, set, parsed := read(t, file)
		folder := path.Dir(file)
		u.add(folder, strings.HasSuffix(file, "_test.go"), parsed)
		if strings.HasSuffix(file, "_test.go") || parsed.Name.Name == "main" {
			continue
		}
		for _, d := range parsed.Decls {
			names = append(names, exportedBy(set, folder, d)...)
			for _, m := range mentions(d) {
				put(u.names, folder, m)
			}
		}
	}
	declared := map[string]int{}
	for _, n := range names {
		declared[n.folder+"."+n.name]++
	}
	names = slices.DeleteFunc(names, func(n name) bool {
		return n.spare || within(n.folder, public) || u.has(n, declared[n.folder+"."+n.name])
	})
	found := make([]string, len(names))
	for i, n := range names {
		found[i] = fmt.Sprintf("%s: nobody else uses it", n)
	}
	tell(t, found, unusedNames)
}

// uses is who uses what.
type uses struct {
	names    map[string]map[string]bool // folder, name: selected from the package by another folder
	selected map[string]map[string]bool // name, folder: selected from something, or set in a literal, there
	own      map[string]int             // folder.name: how often the package itself writes it, declarations too
	beside   map[string]map[string]bool // folder, name: used by the tests beside it
	asked    map[string]bool            // methods of interfaces
}

func newUses() *uses {
	return &uses{
		names: map[string]map[string]bool{}, selected: map[string]map[string]bool{},
		own: map[string]int{}, beside: map[string]map[string]bool{}, asked: map[string]bool{},
	}
}

func put(into map[string]map[string]bool, key, value string) {
	if into[key] == nil {
		into[key] = map[string]bool{}
	}
	into[key][value] = true
}

// has is whether somebody needs a name that its package declares so many times, as a method of several types.
func (u *uses) has(n name, declared int) bool {
	itself := u.own[n.folder+"."+n.name] > declared || within(n.folder, otherModules)
	if itself && u.beside[n.folder][n.name] {
		return true
	}
	if n.of == "" {
		return u.names[n.folder][n.name]
	}
	there := u.selected[n.name]
	return u.asked[n.name] || slices.Contains(known, n.name) || len(there) > 1 || len(there) == 1 && !there[n.folder]
}

// add reads one file.
func (u *uses) add(folder string, test bool, file *ast.File) {
	imported := map[string]string{}
	for _, spec := range file.Imports {
		full, _ := strconv.Unquote(spec.Path.Value)
		if inside, ours := strings.CutPrefix(full, module); ours {
			imported[localName(spec, full)] = inside
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if test {
				put(u.beside, folder, n.Name)
			} else {
				u.own[folder+"."+n.Name]++
			}
		case *ast.SelectorExpr:
			x, _ := n.X.(*ast.Ident)
			if x == nil || imported[x.Name] == "" {
				put(u.selected, n.Sel.Name, folder)
			} else if from := imported[x.Name]; from != folder {
				put(u.names, from, n.Sel.Name)
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				put(u.selected, key.Name, folder)
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, id := range m.Names {
					u.asked[id.Name] = true
				}
			}
		}
		return true
	})
}

// exportedBy lists the exported names of a declaration: functions, types, values, and the methods and fields of
// exported types.
func exportedBy(set *token.FileSet, folder string, decl ast.Decl) []name {
	var found []name
	add := func(of string, id *ast.Ident, spare bool) {
		if id.IsExported() && (of == "" || ast.IsExported(of)) {
			found = append(found, name{folder: folder, of: of, name: id.Name, at: set.Position(id.Pos()), spare: spare})
		}
	}
	if f, ok := decl.(*ast.FuncDecl); ok {
		add(receiver(f), f.Name, false)
		return found
	}
	group := decl.(*ast.GenDecl)
	for _, spec := range group.Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			for _, id := range s.Names {
				add("", id, isEnumeration(group))
			}
		case *ast.TypeSpec:
			add("", s.Name, false)
			fields, ok := s.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range fields.Fields.List {
				for _, id := range f.Names {
					add(s.Name.Name, id, f.Tag != nil)
				}
			}
		}
	}
	return found
}

// isEnumeration is whether a group of constants counts with iota.
func isEnumeration(group *ast.GenDecl) bool {
	counts := false
	ast.Inspect(group, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		counts = counts || ok && id.Name == "iota"
		return true
	})
	return counts && group.Tok == token.CONST
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := "?"
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && of == "?" {
			of = id.Name
		}
		return true
	})
	return of
}

// mentions are the names that an exported declaration needs: the types of its parameters, results, fields and values.
func mentions(decl ast.Decl) []string {
	var found []string
	look := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.IsExported() {
				found = append(found, id.Name)
			}
			return true
		})
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() {
			look(d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				if s.Type != nil && s.Names[0].IsExported() {
					look(s.Type)
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					look(s.Type)
				}
			}
		}
	}
	return found
}
