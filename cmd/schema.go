package cmd

import (
	_ "embed" // fields.json
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/builder"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/ask/plan"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/ask/sweep"
	"github.com/schedstep/schedstep/replay/source/live"
)

// printed is what a command prints as JSON: a value of one of these types.
type printed struct {
	command string
	types   []reflect.Type
}

// documentsOf are all commands that print JSON.
func documentsOf() []printed {
	return []printed{
		{"run", []reflect.Type{
			reflect.TypeFor[cycleList](), reflect.TypeFor[trace.Document](), reflect.TypeFor[report.Report](),
			reflect.TypeFor[agreementPage](),
		}},
		{"explain", []reflect.Type{
			reflect.TypeFor[podPage](), reflect.TypeFor[groupPage](), reflect.TypeFor[workloadPage](),
		}},
		{"whatif", []reflect.Type{reflect.TypeFor[tried]()}},
		{"plan drain", []reflect.Type{reflect.TypeFor[plan.Plan]()}},
		{"plan lose", []reflect.Type{reflect.TypeFor[[]plan.Lost]()}},
		{"plan capacity", []reflect.Type{reflect.TypeFor[plan.Capacity](), reflect.TypeFor[plan.Bought]()}},
		{"plan room", []reflect.Type{reflect.TypeFor[plan.Room]()}},
		{"plan pack", []reflect.Type{reflect.TypeFor[plan.Packed]()}},
		{"plan upgrade", []reflect.Type{reflect.TypeFor[plan.Upgraded]()}},
		{"diff", []reflect.Type{reflect.TypeFor[diff.Report]()}},
		{"bisect", []reflect.Type{reflect.TypeFor[bisected]()}},
		{"sweep report", []reflect.Type{reflect.TypeFor[sweep.Report]()}},
		{"lint", []reflect.Type{reflect.TypeFor[[]finding]()}},
		{"shadow", []reflect.Type{reflect.TypeFor[agreementPage]()}},
		{"drive", []reflect.Type{reflect.TypeFor[live.Written]()}},
		{"plugins", []reflect.Type{reflect.TypeFor[[]builder.Registered](), reflect.TypeFor[parted]()}},
	}
}

// cycleList is what run -o json prints.
type cycleList struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"` // CycleList
	Items      []trace.Document `json:"items"`
	Summary    *runTotal        `json:"summary"`
}

func schemaCommand(s Streams) *cobra.Command {
	var names []string
	for _, d := range documentsOf() {
		names = append(names, d.command)
	}
	return &cobra.Command{
		Use:   "schema [COMMAND]",
		Short: "Print the JSON Schema of what a command prints as JSON",
		Long: `schema prints the JSON Schema (draft 2020-12) of what COMMAND prints with -o json, jsonl or yaml. It
is made from the types that are printed. Without COMMAND it prints one object with the schema of
each command. The shape is stable: members are added, and none changes its meaning.

The commands: ` + strings.Join(names, ", ") + `.`,
		Example: `  schedstep schema explain > explain.schema.json
  schedstep schema plan drain`,
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				all := map[string]*jsonschema.Schema{}
				for _, d := range documentsOf() {
					all[d.command] = schemaOf(d)
				}
				return writeData(s.Out, all, "json")
			}
			name := strings.Join(args, " ")
			at := slices.Index(names, name)
			if at < 0 {
				return usageError{phrase.Errorf("schema: %q prints no JSON%s", name, spelling.HintName(name, names))}
			}
			return writeData(s.Out, schemaOf(documentsOf()[at]), "json")
		},
	}
}

// fieldsText has the comments of the types and the fields that the schemas are of, by their names in Go. A test keeps
// it as the source has them.
//
//go:embed fields.json
var fieldsText []byte

// fieldOf names a type, or a field of it, in fields.json.
func fieldOf(t reflect.Type, field string) string {
	name := strings.TrimPrefix(t.PkgPath(), "github.com/schedstep/schedstep/") + "." + t.Name()
	if field != "" {
		name += "." + field
	}
	return name
}

// schemaOf is the schema of what a command prints. It allows members that it does not name, as a later release may add
// some.
func schemaOf(d printed) *jsonschema.Schema {
	var comments map[string]string
	must(json.Unmarshal(fieldsText, &comments))
	types := map[string]reflect.Type{}
	reflector := &jsonschema.Reflector{
		Anonymous: true, AllowAdditionalProperties: true,
		LookupComment: func(t reflect.Type, field string) string { return comments[fieldOf(t, field)] },
		Namer: func(t reflect.Type) string {
			name := strings.TrimPrefix(t.String(), "cmd.")
			types[name] = t
			return name
		},
		Mapper: asText,
	}
	all := &jsonschema.Schema{
		Version: jsonschema.Version, Title: "schedstep " + d.command, Definitions: jsonschema.Definitions{},
	}
	for _, t := range d.types {
		one := reflector.ReflectFromType(t)
		for name, def := range one.Definitions {
			all.Definitions[name] = def
		}
		one.Version, one.Definitions = "", nil
		all.AnyOf = append(all.AnyOf, one)
	}
	for name, def := range all.Definitions {
		if def.Properties != nil {
			nullable(def, types[name])
		}
	}
	return all
}

// asText maps the types that are written as a text.
func asText(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[phrase.Phrase](), reflect.TypeFor[words.Language]():
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// nullable has the members of a definition be null where the type can: pointers that are not left out.
func nullable(def *jsonschema.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		of := f.Type
		if f.Anonymous && name == "" {
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			nullable(def, of)
			continue
		}
		property, is := def.Properties.Get(name)
		if !is || of.Kind() != reflect.Pointer || strings.Contains(rest, "omitempty") {
			continue
		}
		about := property.Description
		property.Description = ""
		def.Properties.Set(name, &jsonschema.Schema{
			Description: about, AnyOf: []*jsonschema.Schema{property, {Type: "null"}},
		})
	}
}
