package cmd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThePageOfAPodGroupAsData compares the page of a gang with testdata/gang.json, and the cycle in it with the cycle
// that run prints, without the grounds of scores, which run does not print.
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

// TestAGangThatLostItsPodsIsNotWaitedFor deletes pods of a gang after it was bound, and pods of one that waits.
func TestAGangThatLostItsPodsIsNotWaitedFor(t *testing.T) {
	const begins = "gates GenericWorkload=true\nnode n1 cpu=4\npodgroup train gang=3\n"
	pods := func(count int) (all string) {
		for i := range count {
			all += fmt.Sprintf("pod t%d cpu=1 group=train\n", i)
		}
		return all
	}
	for name, test := range map[string]struct{ story, says string }{
		"bound": {
			begins + pods(3) + "run\ndelete pod t1\ndelete pod t0\n", "It has fewer pods now than it needs: 2 pods are missing.",
		},
		"never there": {begins + pods(2), "It is not tried before they come: 1 pod is missing."},
		"left before": {
			begins + pods(3) + "delete pod t1\n", "It is not tried before they come: 1 pod is missing.",
		},
	} {
		file := filepath.Join(t.TempDir(), "story.txt")
		if err := os.WriteFile(file, []byte(test.story), 0o600); err != nil {
			t.Fatal(err)
		}
		p := program(t, "explain", "podgroup/train", file)
		if !strings.Contains(p.out, test.says) {
			t.Errorf("%s: want %q:\n%s%s", name, test.says, p.out, p.err)
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
