// Command policies takes the files of kind Policy, with the plugins and extenders that are expected of them, out of
// upstream's compatibility test of a release (pkg/scheduler/apis/config/testing/compatibility_test.go), and writes them
// as JSON: inputs and results, as facts.
//
//	go run ./cmd/policies v1.19.16 > ../core/config/testdata/policies_1_19.json
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Case is one Policy, and the plugins that it enables.
type Case struct {
	Name   string `json:"name"`
	Policy string `json:"policy"`
	// Plugins are by extension point, as in FilterPlugin.
	Plugins map[string][]Plugin `json:"plugins"`
	// Prioritizers are the priorities that are no plugins yet (1.17).
	Prioritizers []string `json:"prioritizers,omitempty"`
	// Extenders have the fields of upstream's type that are text, a number or a truth value.
	Extenders []map[string]any `json:"extenders,omitempty"`
}

// Plugin is one plugin at one extension point.
type Plugin struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight,omitempty"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: policies VERSION, such as v1.19.16")
		os.Exit(2)
	}
	cases, err := extract(os.Args[1])
	if err == nil {
		out := json.NewEncoder(os.Stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", " ")
		err = out.Encode(cases)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "policies:", err)
		os.Exit(1)
	}
}

func extract(version string) ([]Case, error) {
	command := exec.CommandContext(context.Background(), "go", "mod", "download", "-json", "k8s.io/kubernetes@"+version)
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", version, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return nil, err
	}
	path := filepath.Join(module.Dir, "pkg/scheduler/apis/config/testing/compatibility_test.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Name.Name != "TestCompatibility_v1_Scheduler" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if of, is := n.(*ast.CompositeLit); is {
				if c, is := caseOf(of); is {
					cases = append(cases, c)
					return false
				}
			}
			return true
		})
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s has no case", path)
	}
	return cases, nil
}

// caseOf is the case that a literal is; false where it has no JSON.
func caseOf(of *ast.CompositeLit) (Case, bool) {
	c := Case{Plugins: map[string][]Plugin{}}
	has := false
	for _, e := range of.Elts {
		pair, is := e.(*ast.KeyValueExpr)
		if !is {
			continue
		}
		switch key, _ := pair.Key.(*ast.Ident); {
		case key == nil:
		case key.Name == "name":
			c.Name = text(pair.Value)
		case key.Name == "JSON":
			c.Policy, has = text(pair.Value), true
		case key.Name == "wantPlugins":
			for _, point := range pair.Value.(*ast.CompositeLit).Elts {
				at := point.(*ast.KeyValueExpr)
				c.Plugins[text(at.Key)] = plugins(at.Value.(*ast.CompositeLit))
			}
		case key.Name == "wantPrioritizers":
			for _, name := range pair.Value.(*ast.CallExpr).Args {
				c.Prioritizers = append(c.Prioritizers, text(name))
			}
		case key.Name == "wantExtenders":
			for _, e := range pair.Value.(*ast.CompositeLit).Elts {
				c.Extenders = append(c.Extenders, plain(e.(*ast.CompositeLit)))
			}
		case key.Name == "featureGates":
			c.Name += " with feature gates"
		}
	}
	return c, has
}

// plain is the fields of a literal that are text, a number or a truth value.
func plain(of *ast.CompositeLit) map[string]any {
	fields := map[string]any{}
	for _, e := range of.Elts {
		pair := e.(*ast.KeyValueExpr)
		name := pair.Key.(*ast.Ident).Name
		switch value := pair.Value.(type) {
		case *ast.Ident:
			fields[name] = value.Name == "true"
		case *ast.BasicLit:
			if fields[name] = text(value); value.Kind == token.INT {
				fields[name], _ = strconv.ParseInt(value.Value, 10, 64)
			}
		}
	}
	return fields
}

func plugins(of *ast.CompositeLit) []Plugin {
	list := []Plugin{}
	for _, e := range of.Elts {
		var p Plugin
		for _, field := range e.(*ast.CompositeLit).Elts {
			pair := field.(*ast.KeyValueExpr)
			if pair.Key.(*ast.Ident).Name == "Name" {
				p.Name = text(pair.Value)
			} else {
				p.Weight, _ = strconv.ParseInt(pair.Value.(*ast.BasicLit).Value, 10, 64)
			}
		}
		list = append(list, p)
	}
	return list
}

// text is a string as Go has it, with the space of JSON's indentation made short.
func text(of ast.Expr) string {
	literal, is := of.(*ast.BasicLit)
	if !is {
		return ""
	}
	s, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(s), " ")
}
