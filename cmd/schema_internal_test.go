package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
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
