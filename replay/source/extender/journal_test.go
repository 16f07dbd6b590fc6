package extender_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/extender"
)

// moody rejects another node at each call, and scores the nodes by the number of calls: each answer differs.
func moody(calls *int) http.Handler {
	mux := http.NewServeMux()
	read := func(r *http.Request) []string {
		var a extenderv1.ExtenderArgs
		_ = json.NewDecoder(r.Body).Decode(&a)
		*calls++
		return *a.NodeNames
	}
	mux.HandleFunc("/f", func(w http.ResponseWriter, r *http.Request) {
		names := read(r)
		result := extenderv1.ExtenderFilterResult{NodeNames: &[]string{}, FailedNodes: extenderv1.FailedNodesMap{}}
		for i, name := range names {
			if i == *calls%len(names) {
				result.FailedNodes[name] = fmt.Sprintf("mood %d", *calls)
				continue
			}
			*result.NodeNames = append(*result.NodeNames, name)
		}
		_ = json.NewEncoder(w).Encode(result)
	})
	mux.HandleFunc("/p", func(w http.ResponseWriter, r *http.Request) {
		var list extenderv1.HostPriorityList
		for i, name := range read(r) {
			list = append(list, extenderv1.HostPriority{Host: name, Score: int64((i + *calls) % 11)})
		}
		_ = json.NewEncoder(w).Encode(list)
	})
	return mux
}

// hashes plays five pods on four nodes and returns the hash of each cycle.
func hashes(t *testing.T, c *config.Config) []string {
	t.Helper()
	begin := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	var script source.Script
	for i := range 4 {
		script = append(script, source.Timed{
			At: begin, Event: cluster.Event{Action: cluster.Add, Object: apiNode(fmt.Sprintf("n%d", i))},
		})
	}
	for i := range 5 {
		script = append(script, source.Timed{
			At: begin, Event: cluster.Event{Action: cluster.Add, Object: apiPod(fmt.Sprintf("web%d", i))},
		})
	}
	s := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: begin,
		Detail: trace.Full,
	})
	player := play.NewPlayer(s, play.NewSimulated(), script.Log())
	var printer trace.Printer
	var out []string
	for {
		step, ok := player.Step()
		if !ok {
			return out
		}
		if cycle, is := trace.Fold(step.Facts); is {
			d, err := printer.Print(cycle)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Extenders) == 0 {
				t.Errorf("cycle %d tells of no extender", d.Number)
			}
			out = append(out, d.Hash)
		}
	}
}

const moodySettings = "filterVerb: f, prioritizeVerb: p, weight: 2, nodeCacheCapable: true"

func TestASecondRunNeedsNoServerAndGivesTheSameHashes(t *testing.T) {
	calls := 0
	server := httptest.NewServer(moody(&calls))
	defer server.Close()
	c := configured(t, server.URL, moodySettings)
	first, _ := extender.NewJournal(nil)
	c, err := extender.Connect(t.Context(), c, first, extender.Ask)
	if err != nil {
		t.Fatal(err)
	}
	want := hashes(t, c)
	asked := calls
	if again := hashes(t, c); !cmp.Equal(want, again) || calls != asked {
		t.Errorf("the same journal asked %d times more; hashes (-want +got):\n%s", calls-asked, cmp.Diff(want, again))
	}
	server.Close()

	var recorded []json.RawMessage
	for _, e := range first.Entries() {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		recorded = append(recorded, text)
	}
	second, wrong := extender.NewJournal(recorded)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	if c, err = extender.Connect(t.Context(), c, second, extender.Recorded); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, hashes(t, c)); diff != "" {
		t.Errorf("from the record (-want +got):\n%s", diff)
	}
	if second.Missed() != 0 {
		t.Errorf("%d answers were missed", second.Missed())
	}
}

func TestWhatIsNotRecordedIsMissedInASentence(t *testing.T) {
	c := configured(t, "http://gpu.example", moodySettings)
	j, _ := extender.NewJournal(nil)
	c, err := extender.Connect(t.Context(), c, j, extender.Recorded)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Profiles[0].Extenders[0].Ask(question(framework.CallFilter)).Failure
	want := "extender http://gpu.example: its answer to filter for pod default/web in cycle 1 is not recorded, and no server is asked"
	if got != want || j.Missed() != 1 || len(j.Entries()) != 0 {
		t.Errorf("got %q, %d missed, %d kept", got, j.Missed(), len(j.Entries()))
	}
}

func TestARecordThatCannotBeReadIsLeftOutInASentence(t *testing.T) {
	j, wrong := extender.NewJournal(
		[]json.RawMessage{[]byte(`{"cycle":"three"}`), []byte(`{"extender":"http://x","call":"bind","answer":{}}`)},
	)
	if len(wrong) != 1 ||
		!strings.HasPrefix(wrong[0].String(), "recorded answer 1 of an extender cannot be read, left out: ") ||
		len(j.Entries()) != 1 {
		t.Errorf("%q, %d entries", wrong, len(j.Entries()))
	}
}

// scripted gives one answer, whatever the question.
type scripted struct{ answer framework.Answer }

func (s scripted) Ask(framework.Question) framework.Answer { return s.answer }

// TestARecordedAnswerIsTheAnswer is the law of the journal: what comes out of a recording is what went in.
func TestARecordedAnswerIsTheAnswer(t *testing.T) {
	names := rapid.SampledFrom([]string{"n1", "n2", "mars"})
	law.Check(t, func(r *rapid.T) {
		q := question(rapid.SampledFrom(
			[]framework.Call{framework.CallFilter, framework.CallPrioritize, framework.CallPreempt, framework.CallBind},
		).Draw(r, "call"))
		given := framework.Answer{
			Nodes: rapid.SliceOfN(names, 1, 4).Draw(r, "nodes"), Described: rapid.Bool().Draw(r, "described"),
		}
		if rapid.Bool().Draw(r, "failed") {
			given = framework.Answer{Failure: rapid.String().Draw(r, "failure")}
		}
		for _, node := range rapid.SliceOfNDistinct(names, 0, 3, rapid.ID[string]).Draw(r, "scored") {
			given.Scores = append(given.Scores, framework.NodeScore{Node: node, Score: rapid.Int64().Draw(r, "score")})
		}
		c := configured(t, "http://x", everyVerb)
		j, _ := extender.NewJournal(nil)
		c = extender.ConnectTo(c, j, map[string]framework.Line{"http://x": scripted{given}})
		if got := c.Profiles[0].Extenders[0].Ask(q); !cmp.Equal(given, got) {
			r.Fatalf("the first time (-want +got):\n%s", cmp.Diff(given, got))
		}
		text, err := json.Marshal(j.Entries()[0])
		if err != nil {
			r.Fatal(err)
		}
		j, _ = extender.NewJournal([]json.RawMessage{text})
		c = extender.ConnectTo(c, j, nil)
		got := c.Profiles[0].Extenders[0].Ask(q)
		given.Failure = strings.ToValidUTF8(given.Failure, "\ufffd")
		if !cmp.Equal(given, got) {
			r.Fatalf("from %s (-want +got):\n%s", text, cmp.Diff(given, got))
		}
	})
}

// counted answers with a score that goes up with each call.
type counted struct{ asked *int64 }

func (c counted) Ask(framework.Question) framework.Answer {
	*c.asked++
	return framework.Answer{Scores: []framework.NodeScore{{Node: "n1", Score: *c.asked}}}
}

func TestTheSameQuestionInAnotherCycleIsAskedAnewWhileSomebodyAnswers(t *testing.T) {
	c := configured(t, "http://x", everyVerb)
	j, _ := extender.NewJournal(nil)
	var asked int64
	c = extender.ConnectTo(c, j, map[string]framework.Line{"http://x": counted{&asked}})
	score := func(cycle int64) int64 {
		q := question(framework.CallPrioritize)
		q.Cycle = cycle
		return c.Profiles[0].Extenders[0].Ask(q).Scores[0].Score
	}
	got := []int64{score(2), score(2), score(4), score(2), score(4)}
	c = extender.ConnectTo(c, j, nil)
	got = append(got, score(1), score(2), score(3), score(4), score(9))
	if diff := cmp.Diff([]int64{1, 1, 2, 1, 2, 1, 1, 1, 2, 2}, got); diff != "" {
		t.Errorf("cycles 2 2 4 2 4, then without anybody 1 2 3 4 9 (-want +got):\n%s", diff)
	}
}
