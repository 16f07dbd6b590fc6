package host

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	answered "github.com/schedstep/schedstep/replay/source/extender"
)

// TestAnExtenderIsAskedInTheMiddleOfACall has a real server answer while a plugin has its group tried again: the
// connection to it was made before, and is used after, outside of the bubble that the plugin runs in.
func TestAnExtenderIsAskedInTheMiddleOfACall(t *testing.T) {
	var questions atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		questions.Add(1)
		var asked extenderv1.ExtenderArgs
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(extenderv1.ExtenderFilterResult{NodeNames: asked.NodeNames})
	}))
	defer server.Close()
	c := troupeConfig(t, `extenders: [{urlPrefix: "`+server.URL+`", filterVerb: filter, nodeCacheCapable: true}],`)
	journal, _ := answered.NewJournal(nil)
	c, err := answered.Connect(t.Context(), c, journal, answered.Ask)
	if err != nil {
		t.Fatal(err)
	}
	with := endsOf(t, c)
	without := endsOf(t, troupeConfig(t, ""))
	if questions.Load() == 0 {
		t.Fatal("no question")
	}
	if with != without {
		t.Errorf("with an extender that rejects nothing\n%s\nand without\n%s", with, without)
	}
}

// endsOf is how the cycles of groupScript end, one line for each, and the notes.
func endsOf(t *testing.T, c *config.Config) string {
	t.Helper()
	p := play.NewPlayer(play.NewScheduler(c, oddStart, 0, trace.Reported), play.NewSimulated(), groupScript().Log())
	var ends []string
	for line := range strings.Lines(strings.Join(facts(p), "\n")) {
		if strings.Contains(line, "cycle ends") {
			ends = append(ends, strings.TrimSpace(line))
		}
	}
	if len(ends) == 0 {
		t.Fatal("no cycle")
	}
	return strings.Join(append(ends, p.Scheduler().GuestNotes()...), "\n")
}
