package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedstep/schedstep/replay/source/live"
)

// updateFields has TestFieldsAreCommentedAsInTheSource write fields.json: go test ./cmd -run FieldsAreCommented
// -update-fields.
var updateFields = flag.Bool("update-fields", false, "write fields.json")

func TestFieldsAreCommentedAsInTheSource(t *testing.T) {
	want := map[string]string{}
	source := map[string]map[string]string{} // by package
	for _, name := range namesInSchemas() {
		folder, rest, _ := strings.Cut(name, ".")
		if source[folder] == nil {
			source[folder] = commentsIn(t, filepath.Join("..", folder))
		}
		if text := source[folder][rest]; text != "" {
			want[name] = text
		}
	}
	if *updateFields {
		text, err := json.MarshalIndent(want, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("\\u0026"), []byte("&"))
		if err := os.WriteFile("fields.json", append(text, '\n'), 0o644); err != nil { //nolint:gosec // a source file
			t.Fatal(err)
		}
		return
	}
	var have map[string]string
	if err := json.Unmarshal(fieldsText, &have); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("fields.json is not as the source (make generate):\n%s", diff)
	}
	if len(want) < 100 {
		t.Errorf("only %d fields have a comment", len(want))
	}
}

func TestEveryCommandThatPrintsJSONHasASchema(t *testing.T) {
	var print []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		is := false
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			is = is || (f.Name == "output" || f.Name == "report") && slices.ContainsFunc(valuesOf(c, f), isJSON)
		})
		if is {
			_, name, _ := strings.Cut(c.CommandPath(), " ")
			print = append(print, name)
		}
		for _, of := range c.Commands() {
			walk(of)
		}
	}
	walk(newRoot("schedstep", Streams{Out: io.Discard, Err: io.Discard}, nil))
	var have []string
	for _, d := range documentsOf() {
		have = append(have, d.command)
	}
	slices.Sort(print)
	slices.Sort(have)
	if diff := cmp.Diff(print, have); diff != "" {
		t.Errorf("the commands that print JSON, and those with a schema:\n%s", diff)
	}
}

// valuesOf are the values that a shell is offered for a flag, and the words of its usage.
func valuesOf(c *cobra.Command, f *pflag.Flag) []string {
	values := strings.FieldsFunc(f.Usage, func(r rune) bool { return !unicode.IsLetter(r) })
	if offered, is := c.GetFlagCompletionFunc(f.Name); is {
		more, _ := offered(c, nil, "")
		values = append(values, more...)
	}
	return values
}

func isJSON(value string) bool { return value == "json" || value == "jsonl" }

func TestAWriteIsPrintedAsItsSchemaSays(t *testing.T) {
	var out bytes.Buffer
	log := &writeLog{to: &out, lines: true}
	log.tell(live.Written{Wish: "bind shop/web to n1", Requests: []string{"POST /api/v1"}, DryRun: true})
	log.tell(live.Written{Wish: "bind shop/web to n1", Fault: "conflict"})
	at := slices.IndexFunc(documentsOf(), func(d printed) bool { return d.command == "drive" })
	schema, err := json.Marshal(schemaOf(documentsOf()[at]))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%q", lines)
	}
	for _, line := range append(lines, `{"At": 1}`) {
		if err := validate(t, schema, line); (err != nil) != (line == `{"At": 1}`) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func validate(t *testing.T, schema []byte, text string) error {
	t.Helper()
	read, err := validator.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("schema.json", read); err != nil {
		t.Fatal(err)
	}
	value, err := validator.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("schema.json").Validate(value)
}

// namesInSchemas are the types and fields that the schemas are of.
func namesInSchemas() []string {
	var names []string
	r := &jsonschema.Reflector{
		Anonymous: true, Mapper: asText,
		LookupComment: func(t reflect.Type, field string) string {
			if strings.HasPrefix(t.PkgPath(), "github.com/schedstep/schedstep/") {
				names = append(names, fieldOf(t, field))
			}
			return ""
		},
		Namer: func(t reflect.Type) string { return t.String() },
	}
	for _, d := range documentsOf() {
		for _, of := range d.types {
			r.ReflectFromType(of)
		}
	}
	return names
}

// commentsIn are the comments of the types of a package and of their fields, each on one line.
func commentsIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := parser.ParseDir(token.NewFileSet(), folder, func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go")
	}, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range files {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				general, is := d.(*ast.GenDecl)
				if !is {
					continue
				}
				for _, s := range general.Specs {
					if of, is := s.(*ast.TypeSpec); is {
						about := of.Doc
						if about == nil {
							about = general.Doc
						}
						found[of.Name.Name] = onOneLineOf(about)
						fieldsIn(of, found)
					}
				}
			}
		}
	}
	return found
}

func fieldsIn(of *ast.TypeSpec, found map[string]string) {
	structure, is := of.Type.(*ast.StructType)
	if !is {
		return
	}
	for _, field := range structure.Fields.List {
		text := onOneLineOf(field.Doc)
		if text == "" {
			text = onOneLineOf(field.Comment)
		}
		for _, name := range field.Names {
			found[of.Name.Name+"."+name.Name] = text
		}
	}
}

func onOneLineOf(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
