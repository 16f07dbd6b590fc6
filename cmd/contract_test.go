package cmd_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/trace"
)

// inputs are command lines that together meet every outcome that a document can hold.
func inputs() map[string][]string {
	return map[string][]string{
		"every field":       {"testdata/every_field.yaml", "--until", "10m"},
		"half the nodes":    {"testdata/every_field.yaml", "--percentage-of-nodes-to-score", "50"},
		"support bundle":    {samples + "sbctl-bundle", "testdata/probe.yaml"},
		"open-simulator":    {samples + "open-simulator"},
		"documentation":     {samples + "k8s-website", "testdata/every_field.yaml"},
		"charts":            {samples + "helm-rendered", "testdata/every_field.yaml"},
		"kwok":              {samples + "kwok", "testdata/every_field.yaml"},
		"simulator exports": {samples + "kube-scheduler-simulator", "testdata/every_field.yaml"},
	}
}

// required are the members every document has, whatever its outcome.
var required = []string{
	"apiVersion", "kind", "number", "time", "profile", "entity", "outcome", "node", "nominatedNode", "message",
	"reported", "prefilter", "nodes", "tied", "tieBreak", "preemption", "queue", "hash",
}

func TestEveryDocumentKeepsTheContract(t *testing.T) {
	outcomes := map[trace.Outcome]int{}
	for name, args := range inputs() {
		t.Run(name, func(t *testing.T) {
			for _, d := range documents(t, args...) {
				outcomes[d.Outcome]++
				for _, wrong := range breaches(d) {
					t.Errorf("cycle %d, %s/%s: %s", d.Number, d.Entity.Namespace, d.Entity.Name, wrong)
				}
			}
		})
	}
	if outcomes["Scheduled"] == 0 || outcomes["Unschedulable"] == 0 {
		t.Errorf("the inputs meet too little: %v", outcomes)
	}
}

// documents runs an input and reads what it prints, refusing members that the contract does not name.
func documents(t *testing.T, args ...string) []trace.Document {
	t.Helper()
	p := program(t, append([]string{"run", "-o", "jsonl", "-q"}, args...)...)
	decoder := json.NewDecoder(strings.NewReader(p.out))
	var all []trace.Document
	for {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal(raw, &members); err != nil {
			t.Fatal(err)
		}
		for _, member := range required {
			if _, ok := members[member]; !ok {
				t.Errorf("document %d has no %q", len(all)+1, member)
			}
		}
		var d trace.Document
		strict := json.NewDecoder(strings.NewReader(string(raw)))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&d); err != nil {
			t.Fatal(err)
		}
		if d.Number != int64(len(all)+1) {
			t.Errorf("document %d is of cycle %d", len(all)+1, d.Number)
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		t.Fatalf("no document: %s", p.err)
	}
	return all
}

// breaches lists where a document breaks the contract, or contradicts itself.
func breaches(d trace.Document) []string {
	var wrong []string
	say := func(format string, args ...string) {
		values := make([]interface{}, len(args))
		for i := range args {
			values[i] = args[i]
		}
		wrong = append(wrong, fmt.Sprintf(format, values...))
	}
	if d.APIVersion != "schedstep.dev/v1" || d.Kind != "Cycle" {
		say("it is %s %s", d.APIVersion, d.Kind)
	}
	if len(d.Hash) != 64 {
		say("hash %q is no SHA-256", d.Hash)
	}
	if d.Time.IsZero() || d.Profile == "" || d.Entity.Type != "pod" || d.Entity.Name == "" || d.Entity.Attempt < 1 {
		say("who was tried, when and by which profile is not said")
	}
	outcomes := []trace.Outcome{"Scheduled", "Unschedulable", "Preempting", "Waiting", "Error", "Skipped"}
	if !slices.Contains(outcomes, d.Outcome) {
		say("outcome %q", string(d.Outcome))
	}
	if want := fmt.Sprintf(
		"Successfully assigned %s/%s to %s", d.Entity.Namespace, d.Entity.Name, d.Node,
	); d.Outcome == "Scheduled" && d.Message != want {
		say("message %q", d.Message)
	}
	for _, v := range d.PreFilter {
		if _, known := trace.CodeNamed(v.Code); !known || v.Plugin == "" {
			say("PreFilter %s answers %q", v.Plugin, v.Code)
		}
	}
	evaluated, feasible := 0, 0
	for _, n := range d.Nodes {
		if n.Evaluated {
			evaluated++
		}
		if n.Feasible {
			feasible++
		}
		if reason := nodeBreach(n, d.Reported.Scored); reason != "" {
			say("node %s: %s", n.Name, reason)
		}
	}
	if evaluated != d.Reported.Evaluated || feasible != d.Reported.Feasible {
		say("the nodes do not add up to what is reported")
	}
	return wrong
}

// nodeBreach is where a node breaks the contract; "" when nowhere.
func nodeBreach(n trace.NodeDocument, scored bool) string {
	for _, f := range n.Filters {
		code, known := trace.CodeNamed(f.Code)
		if !known || code == trace.Success || len(f.Reasons) == 0 {
			return fmt.Sprintf("%s answers %q %q", f.Plugin, f.Code, f.Reasons)
		}
	}
	named := slices.ContainsFunc(n.Filters, func(f trace.VerdictDocument) bool { return f.Plugin == n.FirstFailure })
	switch {
	case n.Feasible && (!n.Evaluated || len(n.Filters) > 0 || n.FirstFailure != ""):
		return "feasible, and not evaluated or not passed"
	case n.Evaluated && !n.Feasible && !named:
		return fmt.Sprintf("firstFailure %q is none of its filters", n.FirstFailure)
	case !n.Evaluated && n.FirstFailure != "":
		return "not evaluated, and a first failure"
	case (n.Total != nil) != (n.Feasible && scored):
		return "a total without scoring, or scoring without a total"
	}
	sum := int64(0)
	for _, s := range n.Scores {
		if sum += s.Weighted; s.Weighted != s.Normalized*s.Weight || s.Normalized < 0 || s.Normalized > 100 {
			return fmt.Sprintf("%s weighs %d times %d and not %d", s.Plugin, s.Normalized, s.Weight, s.Weighted)
		}
	}
	if n.Total != nil && *n.Total != sum {
		return fmt.Sprintf("total %d is not %d", *n.Total, sum)
	}
	return ""
}

func TestTwoRunsPrintIdenticalHashes(t *testing.T) {
	for name, args := range inputs() {
		t.Run(name, func(t *testing.T) {
			if first, second := hashes(t, args...), hashes(t, args...); !slices.Equal(first, second) {
				t.Errorf("%v and then %v", first, second)
			}
		})
	}
}

func TestARecordingReplaysToTheHashesOfItsSource(t *testing.T) {
	for name, args := range inputs() {
		if len(args) > 1 && strings.HasPrefix(args[1], "-") {
			args = args[:1]
		}
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"all.schedstep", "all.jsonl"} {
				file = t.TempDir() + "/" + file
				program(t, append([]string{"convert", "-q", "-o", file}, args...)...)
				if want, got := hashes(t, args...), hashes(t, file); !slices.Equal(want, got) {
					t.Errorf("the source has %v, its recording %v", want, got)
				}
			}
		})
	}
}

func hashes(t *testing.T, args ...string) []string {
	t.Helper()
	var all []string
	for _, d := range documents(t, args...) {
		all = append(all, d.Hash)
	}
	return all
}

func TestJSONIsAListOfTheCyclesWithASummary(t *testing.T) {
	for name, args := range inputs() {
		t.Run(name, func(t *testing.T) {
			lines := documents(t, args...)
			p := program(t, append([]string{"run", "-o", "json", "-q"}, args...)...)
			var list struct {
				APIVersion, Kind string
				Items            []trace.Document
				Summary          struct {
					Cycles   int
					Unplaced int
					Says     string
				}
			}
			if err := json.Unmarshal([]byte(p.out), &list); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(lines, list.Items); diff != "" {
				t.Error(diff)
			}
			if list.APIVersion != "schedstep.dev/v1" || list.Kind != "CycleList" || list.Summary.Cycles != len(lines) {
				t.Errorf("%s %s with %d cycles, want a list of %d", list.APIVersion, list.Kind, list.Summary.Cycles, len(lines))
			}
			if p.code == 3 && list.Summary.Unplaced == 0 || p.code == 0 && list.Summary.Unplaced > 0 || list.Summary.Says == "" {
				t.Errorf("exit code %d and %d unplaced pods: %s", p.code, list.Summary.Unplaced, list.Summary.Says)
			}
		})
	}
}
