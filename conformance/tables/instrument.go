// Package tables takes the cases of upstream's own table tests out of kube-scheduler 1.6 and 1.10. The tests are not
// read but run: the sources of the release (package sources) are copied, each predicate, each priority and some
// functions of the scheduler write down what tests give them and what they answer (package record), and each row of a
// table records that it begins. Since the tests pass, what is written down is what they expect.
package tables

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed record/record.go
var recorder []byte

const (
	// newer makes a file one of a later Go than its module, which must keep what a loop variable was before 1.22.
	newer          = "//go:build go1.21\n\n"
	recorderFolder = "third_party/schedsteprecord"
	recorderImport = `; import record "k8s.io/kubernetes/` + recorderFolder + `"`
)

// watched are the functions that are written down in each package beside predicates and priorities.
var watched = map[string][]string{
	"core": {
		"selectHost", "findNodesThatFit", "PrioritizeNodes", "selectNodesForPreemption", "pickOneNodeForPreemption",
		"nodesWherePreemptionMightHelp", "Schedule", "Preempt", "Error", "Add", "AddIfNotPresent",
		"AddUnschedulableIfNotPresent", "Pop", "Update", "Delete", "MoveAllToActiveQueue", "AssignedPodAdded",
		"AssignedPodUpdated", "WaitingPodsForNode", "WaitingPods", "addOrUpdate",
	},
	"algorithm/predicates": {"getMaxVols"},
}

// rows are the names of the variables that have a row of a table.
var rows = []string{"test", "tt", "tc", "testCase"}

// instrument makes the packages of a scheduler, whose folder is given, write down their tests.
func instrument(kubernetes, scheduler string) error {
	folder := filepath.Join(kubernetes, recorderFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "record.go"), append([]byte(newer), recorder...), 0o644); err != nil {
		return err
	}
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(kubernetes, scheduler, pkg, "*.go"))
		if err != nil {
			return err
		}
		for _, path := range files {
			if err := rewrite(path, pkg); err != nil {
				return err
			}
		}
	}
	return nil
}

// packages are the packages of the scheduler whose tests are run, in this order.
var packages = []string{"algorithm/predicates", "algorithm/priorities", "core", "algorithmprovider/defaults"}

// An edit is a text that goes to a place in a file.
type edit struct {
	at   int
	text string
}

// source is a file of Go that is changed.
type source struct {
	text  []byte
	files *token.FileSet
	edits []edit
	tail  strings.Builder
}

func rewrite(path, pkg string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s := &source{text: text, files: token.NewFileSet()}
	file, err := parser.ParseFile(s.files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		switch {
		case !is || f.Body == nil:
		case strings.HasSuffix(path, "_test.go"):
			if err := alone(f); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			s.enter(f, pkg+"/"+filepath.Base(path))
		case predicate(f) || priority(f) || slices.Contains(watched[pkg], f.Name.Name):
			s.wrap(f)
		}
	}
	if len(s.edits) == 0 {
		return nil
	}
	s.insert(file.Name.End(), recorderImport)
	return os.WriteFile(path, s.written(), 0o644)
}

// alone refuses a test, or a helper of tests, that starts a goroutine and is no case for that reason: what such a test
// writes down goes by chance.
func alone(f *ast.FuncDecl) error {
	var starts bool
	ast.Inspect(f.Body, func(n ast.Node) bool {
		_, is := n.(*ast.GoStmt)
		starts = starts || is
		return !starts
	})
	if starts && leftOut[f.Name.Name] == "" {
		return fmt.Errorf("%s starts a goroutine, so what it writes down goes by chance: leave it out", f.Name.Name)
	}
	return nil
}

func (s *source) insert(at token.Pos, text string) {
	s.edits = append(s.edits, edit{s.files.Position(at).Offset, text})
}

func (s *source) written() []byte {
	slices.SortStableFunc(s.edits, func(a, b edit) int { return a.at - b.at })
	var out []byte
	at := 0
	for _, e := range s.edits {
		out = append(append(out, s.text[at:e.at]...), e.text...)
		at = e.at
	}
	return append(append(out, s.text[at:]...), s.tail.String()...)
}

// enter makes a test record that it begins, and that each row of its table does.
func (s *source) enter(f *ast.FuncDecl, file string) {
	if f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
		return
	}
	call := fmt.Sprintf(" record.Enter(%q, %q, %q, %%s, %%s);", file, f.Name.Name, gates(f.Body))
	s.insert(f.Body.Lbrace+1, fmt.Sprintf(call, "nil", "nil"))
	ast.Inspect(f.Body, func(n ast.Node) bool {
		loop, is := n.(*ast.RangeStmt)
		if !is {
			return true
		}
		if row, is := loop.Value.(*ast.Ident); is && slices.Contains(rows, row.Name) {
			key := "nil"
			if named, is := loop.Key.(*ast.Ident); is && named.Name != "_" {
				key = named.Name
			}
			s.insert(loop.Body.Lbrace+1, fmt.Sprintf(call, key, row.Name))
		}
		return true
	})
}

// gates are the feature gates that a test sets, as it writes them.
func gates(body *ast.BlockStmt) string {
	var set []string
	ast.Inspect(body, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) != 1 {
			return true
		}
		method, is := call.Fun.(*ast.SelectorExpr)
		if !is || method.Sel.Name != "Set" {
			return true
		}
		text, is := call.Args[0].(*ast.BasicLit)
		if is && text.Kind == token.STRING && strings.Contains(text.Value, "=true") {
			set = append(set, strings.Trim(text.Value, "\"`"))
		}
		return true
	})
	return strings.Join(set, ",")
}

// The suffix that a function has when another writes down what it answers.
const unrecorded = "Unrecorded"

// wrap gives a function another name, and its own to one that calls it and records its arguments and results.
func (s *source) wrap(f *ast.FuncDecl) {
	var signature, given, names []string
	for i, p := range fields(f.Type.Params) {
		name := fmt.Sprintf("p%d", i)
		_, many := p.kind.(*ast.Ellipsis)
		signature = append(signature, name+" "+s.of(p.kind))
		if names = append(names, name); many {
			names[i] += "..."
		}
		// What was computed before from the same cluster adds nothing to the cluster.
		if p.name != "meta" && p.name != "mataData" {
			given = append(given, name)
		}
	}
	var kinds, results []string
	for i, r := range fields(f.Type.Results) {
		kinds, results = append(kinds, s.of(r.kind)), append(results, fmt.Sprintf("r%d", i))
	}
	receiver, on, value := "", "", "nil"
	if f.Recv != nil {
		receiver, on, value = "(p "+s.of(f.Recv.List[0].Type)+") ", "p.", "p"
	}
	call := on + f.Name.Name + unrecorded + "(" + strings.Join(names, ", ") + ")"
	if len(results) > 0 {
		call = strings.Join(results, ", ") + " := " + call
	}
	fmt.Fprintf(&s.tail, "\nfunc %s%s(%s) (%s) {\n\tdone := record.Start(%s)\n\t%s\n\tdone(%s)\n\treturn %s\n}\n",
		receiver, f.Name.Name, strings.Join(signature, ", "), strings.Join(kinds, ", "),
		strings.Join(append([]string{fmt.Sprintf("%q, %s", f.Name.Name, value)}, given...), ", "),
		call, strings.Join(results, ", "), strings.Join(results, ", "))
	s.insert(f.Name.End(), unrecorded)
}

// field is one parameter or result.
type field struct {
	name string
	kind ast.Expr
}

func fields(of *ast.FieldList) []field {
	var list []field
	if of == nil {
		return nil
	}
	for _, f := range of.List {
		if len(f.Names) == 0 {
			list = append(list, field{kind: f.Type})
		}
		for _, name := range f.Names {
			list = append(list, field{name.Name, f.Type})
		}
	}
	return list
}

func (s *source) of(e ast.Expr) string {
	return string(s.text[s.files.Position(e.Pos()).Offset:s.files.Position(e.End()).Offset])
}

// predicate is a function from a pod and a node to whether it fits, why not, and an error.
func predicate(f *ast.FuncDecl) bool {
	in, out := kinds(f.Type.Params), kinds(f.Type.Results)
	return len(in) == 3 && in[0] == "Pod" && in[2] == "NodeInfo" && slices.Equal(out, []string{
		"bool", "PredicateFailureReason", "error",
	})
}

// priority is a function from a pod and a node to a score, one that changes the scores of all nodes, or one from a pod
// and all nodes to their scores.
func priority(f *ast.FuncDecl) bool {
	in, out := kinds(f.Type.Params), kinds(f.Type.Results)
	if len(in) == 0 || in[0] != "Pod" || len(out) == 0 {
		return false
	}
	return slices.Equal(out, []string{"HostPriority", "error"}) ||
		slices.Equal(out, []string{"HostPriorityList", "error"}) || len(in) == 4 && in[3] == "HostPriorityList"
}

// kinds are the names of types without their package and without what makes a pointer, a list or a map of them.
func kinds(of *ast.FieldList) []string {
	var list []string
	for _, f := range fields(of) {
		list = append(list, kind(f.kind))
	}
	return list
}

func kind(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.StarExpr:
		return kind(t.X)
	case *ast.ArrayType:
		return kind(t.Elt)
	case *ast.MapType:
		return kind(t.Value)
	default:
		return ""
	}
}
