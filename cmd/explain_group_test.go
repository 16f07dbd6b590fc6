package cmd_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThePageOfAPodGroupAsData holds the page of a gang to testdata/gang.json, and the cycle in it to the one that run
// prints, which does not say what the scores rest on.
func TestThePageOfAPodGroupAsData(t *testing.T) {
	decoded := func(text string) map[string]any {
		t.Helper()
		var members map[string]any
		if err := json.Unmarshal([]byte(text), &members); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return members
	}
	p := program(t, "explain", "podgroup/train", "testdata/gang.txt", "-o", "jsonl")
	page := decoded(p.out)
	if p.code != 3 || p.err != "" {
		t.Errorf("exit code %d: %s", p.code, p.err)
	}
	cycle := decoded(program(t, "run", "-q", "testdata/gang.txt", "-o", "jsonl").out)
	delete(cycle, "hash")
	withoutGrounds(page["cycle"])
	if diff := cmp.Diff(any(cycle), page["cycle"]); diff != "" {
		t.Errorf("the cycle (-run +explain):\n%s", diff)
	}
	delete(page, "cycle")
	want, err := os.ReadFile("testdata/gang.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decoded(string(want)), page); diff != "" {
		t.Errorf("the page without its cycle (-want +got):\n%s", diff)
	}
	for _, format := range []string{"json", "yaml", "name"} {
		if p := program(t, "explain", "podgroup/train", "testdata/gang.txt", "-o", format); p.code != 3 || p.out == "" {
			t.Errorf("-o %s: exit code %d: %s", format, p.code, p.err)
		}
	}
}

// withoutGrounds removes the evidence of every score in a decoded document.
func withoutGrounds(value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			withoutGrounds(item)
		}
	case map[string]any:
		if _, is := v["normalized"]; is {
			delete(v, "evidence")
		}
		for _, member := range v {
			withoutGrounds(member)
		}
	}
}
