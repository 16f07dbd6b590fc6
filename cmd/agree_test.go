package cmd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

// pageAsData is what is read of the JSON of explain.
type pageAsData struct {
	Message string
	Node    string
	Causes  []struct{ Says string }
	Place   struct{ Node string }
	Changes []struct {
		Node     string
		Commands []string
		Changes  []struct{ Says, Command string }
	}
}

// changeOnPage is a line of a page that lists a set of changes.
var changeOnPage = regexp.MustCompile(`(?m)^  \d+\. (.*): it comes to (\S+)$`)

// TestPlacesThatTellTheSameAgree draws small clusters with a pod that may fit nowhere. Cause, message, node and changes
// are the same in the page of explain, its JSON, its markdown, at the prompt, in the pane Why and at the end of run.
func TestPlacesThatTellTheSameAgree(t *testing.T) {
	t.Parallel()
	waiting, caused, offered := 0, 0, 0
	law.CheckCostly(t, func(r *rapid.T) {
		text := drawnCluster(r)
		file := filepath.Join(t.TempDir(), "story.txt")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			r.Fatal(err)
		}
		var data pageAsData
		if err := json.Unmarshal([]byte(program(t, "explain", "web", file, "-o", "json").out), &data); err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		page := program(t, "explain", "web", file).out
		causesAgree(r, &data, page)
		changesAgree(r, &data, page)
		runAgrees(t, r, &data, file)
		if markdown := program(t, "explain", "web", file, "-o", "markdown").out; !strings.Contains(markdown, page) {
			r.Errorf("markdown has\n%s\nand the command line\n%s", markdown, page)
		}
		if said := atPrompt(t, file, "explain web"); !strings.Contains(said, page) {
			r.Errorf("the prompt has\n%s\nand the command line\n%s", said, page)
		}
		if list := atPrompt(t, file, "changes web"); data.Place.Node == "" &&
			!slices.Equal(changeOnPage.FindAllString(list, -1), changeOnPage.FindAllString(page, -1)) {
			r.Errorf("changes has\n%s\nand explain\n%s", list, page)
		}
		in, err := input.ReadScenario("test", strings.NewReader(text))
		if err != nil {
			r.Fatal(err)
		}
		s := session.New(in.Play(config.Default(), 0, trace.Reported), session.About{Title: "test"})
		s.Move(context.Background(), session.Continue, session.Forward, nil)
		if tried := s.GotoCycle(t.Context(), 1, nil).Reason != session.NotFound; tried {
			whyOfPod(t, s, s.Frame(), "default/web")
		}
		if t.Failed() || r.Failed() {
			r.Fatalf("of\n%s", text)
		}
		if data.Place.Node == "" {
			waiting++
			caused, offered = caused+len(data.Causes), offered+len(data.Changes)
		}
	})
	law.Met(t, waiting >= 8 && caused >= 2 && offered >= 15, "%d pods waited, with %d causes and %d changes", waiting,
		caused, offered)
}

// causesAgree: the page has each cause of the data, and its message.
func causesAgree(r *rapid.T, data *pageAsData, page string) {
	for _, c := range data.Causes {
		if !strings.Contains(strings.ToLower(page), strings.ToLower(c.Says)) {
			r.Errorf("the data have the cause %q, and the page has\n%s", c.Says, page)
		}
	}
	if data.Message != "" && !strings.Contains(page, data.Message) {
		r.Errorf("the data have the message %q, and the page has\n%s", data.Message, page)
	}
	if data.Place.Node != data.Node {
		r.Errorf("its cycle ended on %q, and it is on %q", data.Node, data.Place.Node)
	}
}

// changesAgree: the page has the sets of the data in their order, with the nodes and the commands.
func changesAgree(r *rapid.T, data *pageAsData, page string) {
	lines := changeOnPage.FindAllStringSubmatch(page, -1)
	if len(lines) != len(data.Changes) {
		r.Errorf("the data have %d sets of changes, and the page has %d:\n%s", len(data.Changes), len(lines), page)
		return
	}
	for i, set := range data.Changes {
		if lines[i][2] != set.Node {
			r.Errorf("set %d: the data have node %s, and the page has %s", i+1, set.Node, lines[i][2])
		}
		for _, c := range set.Changes {
			if !strings.Contains(lines[i][1], c.Says) {
				r.Errorf("set %d: the data have %q, and the page has %q", i+1, c.Says, lines[i][1])
			}
		}
		for _, command := range set.Commands {
			if !strings.Contains(page, command) {
				r.Errorf("set %d: the data have %q, and the page has\n%s", i+1, command, page)
			}
		}
	}
}

// runAgrees: run ends with the same message, and counts the pod as one that was not placed where it has no node.
func runAgrees(t *testing.T, r *rapid.T, data *pageAsData, file string) {
	t.Helper()
	all := program(t, "run", file, "-o", "wide")
	waits := strings.Contains(all.out+all.err, " not placed")
	if waits != (data.Place.Node == "") {
		r.Errorf("web is on %q, and run ends so:\n%s%s", data.Place.Node, all.out, all.err)
	}
	if gated := strings.Contains(all.out, "default/web"); !gated {
		return // no cycle has tried it
	}
	if message := lastMessages(t, file)["default/web"]; data.Place.Node == "" && message != data.Message {
		r.Errorf("run has the message %q, and explain %q", message, data.Message)
	}
}

// drawnCluster is a small cluster in which a pod web may fit nowhere, by more than one reason.
func drawnCluster(r *rapid.T) string {
	var b strings.Builder
	b.WriteString("# A drawn cluster.\n\n")
	nodes := rapid.IntRange(1, 4).Draw(r, "nodes")
	for n := range nodes {
		fmt.Fprintf(&b, "node n%d zone=%s cpu=%d memory=8Gi", n, rapid.SampledFrom([]string{"a", "b"}).Draw(r, "zone"),
			rapid.IntRange(1, 3).Draw(r, "cpu"))
		for _, extra := range []string{" taint=gpu=true:NoSchedule", " unschedulable", " labels=disk=ssd"} {
			if rapid.IntRange(0, 3).Draw(r, "has"+extra) == 0 {
				b.WriteString(extra)
			}
		}
		b.WriteString("\n")
	}
	for p := range rapid.IntRange(0, 4).Draw(r, "pods") {
		fmt.Fprintf(&b, "pod old-%d node=n%d cpu=%dm labels=app=%s\n", p, rapid.IntRange(0, nodes-1).Draw(r, "where"),
			500*rapid.IntRange(1, 4).Draw(r, "used"), rapid.SampledFrom([]string{"web", "db"}).Draw(r, "app"))
	}
	fmt.Fprintf(&b, "pod web cpu=%dm labels=app=web", 500*rapid.IntRange(1, 8).Draw(r, "wanted"))
	for _, wish := range []string{
		" node-selector=disk=ssd", " anti-affinity=app=web@zone", " spread=app=web@zone", " gate=quota",
	} {
		if rapid.IntRange(0, 3).Draw(r, "wants"+wish) == 0 {
			b.WriteString(wish)
		}
	}
	return b.String() + "\n"
}
