package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// said are the folders whose texts are translated, and so are those of the questions below replay/ask. What is not
// among them is English in every language.
var said = []string{
	"cmd", "internal/bucket", "internal/builder", "internal/spelling", "internal/words", "replay/ask",
	"replay/session/cause", "replay/learn/lesson", "replay/source/live", "replay/ask/page", "replay/learn/predict", "replay/ask/prose", "replay/ask/reduce", "replay/ask/remedy", "replay/ask/report",
	"replay/session", "replay/ask/sweep", "replay/ask/sweep/job", "replay/session/trend", "replay/ask/workload", "serve", "tui/classroom", "tui/command",
	"tui/panel", "tui/prompt", "tui/screen", "tui/view",
}

// use is where a text stands in the source.
type use struct {
	text string
	at   token.Position
}

// reader collects the texts of one folder that are passed to a Language.
type reader struct {
	set    *token.FileSet
	consts map[string]ast.Expr
	uses   []use
	keys   bool // Say takes keys, of the words that lessons have
	data   bool // only phrases count: the folder makes data, and its errors are English
}

// texts are those of all folders, with where each is found first.
func texts(t *testing.T) map[string]token.Position {
	t.Helper()
	all := map[string]token.Position{}
	for _, folder := range slices.Concat(said, inRooms(t, true), inRooms(t, false)) {
		r := &reader{
			set: token.NewFileSet(), consts: map[string]ast.Expr{}, keys: folder == "replay/learn/lesson",
			data: !isSaid(folder),
		}
		packages, err := parser.ParseDir(r.set, filepath.Join("../..", folder), func(f fs.FileInfo) bool {
			return !strings.HasSuffix(f.Name(), "_test.go")
		}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range packages {
			for _, f := range p.Files {
				r.keepConsts(f)
			}
			for _, f := range p.Files {
				ast.Inspect(f, r.visit)
			}
		}
		for _, u := range r.uses {
			if _, known := all[u.text]; !known {
				u.at.Filename = path.Join(folder, filepath.Base(u.at.Filename))
				all[u.text] = u.at
			}
		}
	}
	return all
}

// isSaid reports whether people read the texts of a folder in their language.
func isSaid(folder string) bool {
	return slices.Contains(said, folder) || path.Dir(folder) == "replay/ask"
}

// inRooms are the other folders of the core and the replay: the questions, or else those in which facts, evidence and
// notes are made, as phrases.
func inRooms(t *testing.T, questions bool) []string {
	t.Helper()
	var all []string
	for _, room := range []string{"core", "replay"} {
		err := filepath.WalkDir(filepath.Join("../..", room), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			folder := strings.TrimPrefix(filepath.ToSlash(name), "../../")
			if !slices.Contains(said, folder) && isSaid(folder) == questions {
				all = append(all, folder)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func (r *reader) keepConsts(f *ast.File) {
	for _, d := range f.Decls {
		g, is := d.(*ast.GenDecl)
		if !is || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for i := range v.Values {
				r.consts[v.Names[i].Name] = v.Values[i]
			}
		}
	}
}

// constant is the text of an expression; false: it is made when the program runs.
func (r *reader) constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, left := r.constant(e.X)
		y, right := r.constant(e.Y)
		return x + y, left && right && e.Op == token.ADD
	case *ast.Ident:
		if value, there := r.consts[e.Name]; there {
			return r.constant(value)
		}
	}
	return "", false
}

// blank is a verb of package fmt, with its flags.
var blank = regexp.MustCompile(`%[-+# 0-9.\[\]]*[a-zA-Z%]`)

// between are texts without words: what stands between the parts of a list, or of a sentence.
var between = []string{", ", "; ", ": ", ".", "%[1]s %[2]s"}

// hasWords reports whether there is anything to translate in a text.
func hasWords(text string) bool {
	if slices.Contains(between, text) {
		return true
	}
	return regexp.MustCompile(`[A-Za-z]{2}|\ba `).MatchString(blank.ReplaceAllString(text, ""))
}

// key matches the keys of the words of lessons, which have files of their own.
var key = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)

func (r *reader) add(e ast.Expr) {
	if text, is := r.constant(e); is && hasWords(text) && !key.MatchString(text) {
		r.uses = append(r.uses, use{text, r.set.Position(e.Pos())})
	}
}

// tables are fields whose values are translated when the row of the table is shown.
var tables = []string{"does", "hint", "Does", "rule", "about", "Short", "Long", "Help"}

// rows are types of tables whose rows have no names of fields; their texts are those with a space.
var rows = []string{"motion", "place", "hint", "answer", "column"}

// lists are tables whose texts are those with a space.
var lists = []string{"manual", "topics", "places", "aboutProgram", "deskKeys"}

func (r *reader) visit(n ast.Node) bool {
	if c, is := n.(*ast.CallExpr); r.data {
		if is {
			r.phrase(c)
		}
		return true
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		r.call(n)
	case *ast.KeyValueExpr:
		if key, is := n.Key.(*ast.Ident); is && slices.Contains(tables, key.Name) {
			r.add(n.Value)
		}
	case *ast.CompositeLit:
		r.row(n)
	case *ast.ValueSpec:
		if name := n.Names[0].Name; slices.Contains(lists, name) || strings.HasSuffix(name, "Words") {
			r.table(n)
		} else if strings.HasPrefix(name, "text") {
			for _, value := range n.Values {
				r.list(value)
			}
		}
	}
	return true
}

// phrase takes the formats of a phrase.
func (r *reader) phrase(c *ast.CallExpr) {
	f, is := c.Fun.(*ast.SelectorExpr)
	if !is || of(f) != "phrase" {
		return
	}
	switch f.Sel.Name {
	case "New", "Textf":
		r.add(c.Args[0])
	case "Count":
		for _, form := range c.Args[1:3] {
			if text, is := r.constant(form); is {
				r.uses = append(r.uses, use{"%d " + text, r.set.Position(c.Pos())})
			}
		}
	}
}

// call takes the texts that a Language is given, and the usage of a flag.
func (r *reader) call(c *ast.CallExpr) {
	f, is := c.Fun.(*ast.SelectorExpr)
	if !is || len(c.Args) == 0 {
		return
	}
	if of, is := f.X.(*ast.Ident); is && (of.Name == "fmt" || of.Name == "words" || of.Name == "strings") {
		return
	}
	if of, is := f.X.(*ast.SelectorExpr); is && strings.EqualFold(of.Sel.Name, "words") {
		return // those of lessons, which have keys
	}
	r.phrase(c)
	switch name := f.Sel.Name; {
	case name == "Say" && r.keys:
	case name == "Say" || name == "sayf" || name == "Of" || name == "Errorf":
		r.add(c.Args[0])
	case name == "Each":
		for _, title := range c.Args {
			r.add(title)
		}
	case name == "Count" && len(c.Args) == 2:
		if noun, is := r.constant(c.Args[1]); is {
			r.uses = append(r.uses, use{"%d " + noun + "s", r.set.Position(c.Pos())})
		}
	case name == "CountOf" && len(c.Args) == 3:
		if nouns, is := r.constant(c.Args[2]); is {
			r.uses = append(r.uses, use{"%d " + nouns, r.set.Position(c.Pos())})
		}
	case name == "Sentence" && len(c.Args) == 3:
		r.add(c.Args[1])
		r.add(c.Args[2])
	case strings.Contains(name, "Var") && len(c.Args) >= 3:
		r.add(c.Args[len(c.Args)-1])
	}
}

// list takes a text, or every text of a list of them.
func (r *reader) list(e ast.Expr) {
	if list, is := e.(*ast.CompositeLit); is {
		for _, text := range list.Elts {
			if indexed, is := text.(*ast.KeyValueExpr); is {
				text = indexed.Value
			}
			r.add(text)
		}
		return
	}
	r.add(e)
}

// of is the name before the point.
func of(f *ast.SelectorExpr) string {
	if name, is := f.X.(*ast.Ident); is {
		return name.Name
	}
	return ""
}

func (r *reader) row(c *ast.CompositeLit) {
	element, is := c.Type.(*ast.Ident)
	if of, list := c.Type.(*ast.ArrayType); list {
		if element, is = of.Elt.(*ast.Ident); is && slices.Contains(rows, element.Name) {
			for _, e := range c.Elts {
				if row, is := e.(*ast.CompositeLit); is {
					r.texts(row, element.Name)
				}
			}
		}
		return
	}
	if is && slices.Contains(rows, element.Name) {
		r.texts(c, element.Name)
	}
}

// texts are those of a row. Of a hint and an answer the first is a key, not a text; of a column it is the title.
func (r *reader) texts(row *ast.CompositeLit, of string) {
	for i, e := range row.Elts {
		text, is := r.constant(e)
		if is && (strings.Contains(text, " ") || i == 1 && of != "motion" || i == 0 && of == "column") {
			r.add(e)
		}
	}
}

// table takes the texts of a table of words and sentences: those with a space, except for examples.
func (r *reader) table(v *ast.ValueSpec) {
	for _, value := range v.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			if list, is := n.(*ast.CompositeLit); is {
				if a, is := list.Type.(*ast.ArrayType); is {
					if of, is := a.Elt.(*ast.Ident); is && of.Name == "string" {
						return false
					}
				}
			}
			if e, is := n.(ast.Expr); is {
				if text, is := r.constant(e); is {
					if strings.Contains(text, " ") {
						r.add(e)
					}
					return false
				}
			}
			return true
		})
	}
}
