package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// strictly is the schema that the program prints for a command, with no members allowed that it does not name.
func strictly(t *testing.T, command ...string) *jsonschema.Schema {
	t.Helper()
	p := program(t, append([]string{"schema"}, command...)...)
	if p.code != 0 {
		t.Fatalf("schema %v: code %d\n%s", command, p.code, p.err)
	}
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(p.out))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", closed(schema)); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// closed forbids other members wherever a schema names some.
func closed(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		if _, names := s["properties"].(map[string]any); names {
			s["additionalProperties"] = false
		}
		for _, of := range s {
			closed(of)
		}
	case []any:
		for _, of := range s {
			closed(of)
		}
	}
	return schema
}

// validated checks what a command prints, and returns it.
func validated(t *testing.T, schema *jsonschema.Schema, args ...string) any {
	t.Helper()
	p := program(t, args...)
	if p.code != 0 && p.code != 3 || p.out == "" {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(p.out))
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v: %v", args, err)
	}
	return value
}

// stories are inputs of every sort: cases, demos, scenarios.
func stories(t *testing.T) []string {
	t.Helper()
	var all []string
	for pattern, step := range map[string]int{
		"testdata/cases/*.yaml": 1, "../replay/source/demo/*.schedstep": 1, "../core/testdata/*.txt": 6,
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no file (%v)", pattern, err)
		}
		for i := 0; i < len(files); i += step {
			all = append(all, files[i])
		}
	}
	return all
}

func TestRunAndExplainPrintWhatTheirSchemasSay(t *testing.T) {
	run, explain, lint := strictly(t, "run"), strictly(t, "explain"), strictly(t, "lint")
	pods, changes, causes, lints, reports := 0, 0, 0, 0, 0
	for _, file := range stories(t) {
		if validated(t, lint, "lint", "-o", "json", "-q", file) != nil {
			lints++
		}
		if validated(t, run, "run", "-o", "json", "-q", "--report", "json", file) != nil {
			reports++
		}
		list, is := validated(t, run, "run", "-o", "json", "-q", file).(map[string]any)
		if !is {
			continue
		}
		seen := map[string]bool{}
		items, _ := list["items"].([]any)
		for _, item := range items {
			cycle, _ := item.(map[string]any)
			entity, _ := cycle["entity"].(map[string]any)
			text, _ := json.Marshal(entity["name"])
			word := strings.Trim(string(text), `"`)
			if entity["type"] == "podgroup" {
				word = "podgroup/" + word
			}
			if seen[word] || len(seen) > 3 || cycle["outcome"] == "Scheduled" && len(seen) > 0 {
				continue
			}
			seen[word] = true
			page, is := validated(t, explain, "explain", word, "-o", "json", "-q", file).(map[string]any)
			if !is {
				continue
			}
			pods++
			some, _ := page["changes"].([]any)
			changes += len(some)
			some, _ = page["causes"].([]any)
			causes += len(some)
		}
	}
	t.Logf("%d pages, %d changes, %d causes, %d lints, %d reports", pods, changes, causes, lints, reports)
	if lints < 40 || reports < 40 {
		t.Errorf("%d findings and %d reports are too few to show anything", lints, reports)
	}
	if pods < 60 || changes < 60 || causes < 5 {
		t.Errorf("%d pages, %d changes and %d causes are too few to show anything", pods, changes, causes)
	}
}

func TestTheOtherCommandsPrintWhatTheirSchemasSay(t *testing.T) {
	plans := filesOf(t, "testdata/script/plan.txtar")
	spread, labels := "testdata/cases/tainted-domain.yaml", "testdata/cases/label-of-the-selector.yaml"
	for command, lines := range map[string][]string{
		"explain": {
			"deploy/web " + spread, "sts/es-data " + labels, "ds/agent " + "testdata/cases/daemonset-pod.yaml",
			"podgroup/train testdata/gang.txt",
		},
		"whatif":     {"--do 'add-node x like kind-worker0' " + spread},
		"diff":       {"--a kube-version=1.31 --b kube-version=1.37 " + spread, "--a kube-version=1.19 --b weight=ImageLocality=5 " + labels},
		"bisect":     {"testdata/cases/release-1.35-mixed-claims.txt"},
		"plan drain": {"kind-worker0 " + spread, "n1 " + plans("cluster.yaml")},
		"plan lose":  {"node=kind-worker0 " + spread, "--each kubernetes.io/hostname " + spread},
		"plan capacity": {
			"web " + spread, "web --want 9 --minimize nodes --templates " + plans("offers.yaml", "cluster.yaml"),
			"--templates " + plans("offers.yaml", "cluster.yaml", "big.yaml"),
		},
		"plan room": {"big " + plans("cluster.yaml", "big.yaml"), "web --want 5 " + plans("cluster.yaml"), "web --want 4 " + plans("cluster.yaml")},
		"plan pack": {plans("cluster.yaml"), "n1 " + plans("cluster.yaml")},
		"plan upgrade": {
			"n1 n2 n3 --kubelet 1.37.1 " + plans("cluster.yaml"),
			"n3 --max-surge 0 --max-unavailable 1 " + plans("cluster.yaml"),
		},
		"plugins":      {"", spread},
		"shadow":       {followed(t)},
		"sweep report": {swept(t, "--vary", "nodes.jobs-1=0,2")},
	} {
		schema := strictly(t, strings.Fields(command)...)
		for _, line := range lines {
			args := append(strings.Fields(command), words(line)...)
			if args = append(args, "-o", "json"); command != "sweep report" {
				args = append(args, "-q")
			}
			if validated(t, schema, args...) == nil {
				t.Errorf("%v prints nothing: %s", args, program(t, args...).err)
			}
		}
	}
}

// filesOf writes the files of a script, and returns how a command line names some of them.
func filesOf(t *testing.T, script string) func(names ...string) string {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	marks := fileMark.FindAllStringSubmatchIndex(string(text), -1)
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		if err := os.WriteFile(filepath.Join(folder, string(text[m[2]:m[3]])), text[m[1]:end], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(names ...string) string {
		for i := range names {
			names[i] = filepath.Join(folder, names[i])
		}
		return strings.Join(names, " ")
	}
}

func TestSchemaOfAnUnknownCommandIsRefused(t *testing.T) {
	p := program(t, "schema", "explian")
	if p.code != 2 || !strings.Contains(p.err, `did you mean "explain"?`) {
		t.Errorf("code %d, %s", p.code, p.err)
	}
	if p = program(t, "schema"); p.code != 0 || !json.Valid([]byte(p.out)) {
		t.Errorf("code %d: not JSON", p.code)
	}
}
