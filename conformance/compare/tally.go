package compare

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/oracle"
)

// Tally counts what was compared. The zero value is ready.
type Tally struct {
	Cases    int
	Cycles   int
	Placed   int
	Tied     int // placed, with several best hosts
	Chance   int // placed where upstream chooses by the order of a map
	Unplaced int
	Errors   int // cycles that ended with an error on both sides
	Nodes    int // framework verdicts: node by node, the first failure
	Events   int // events of the cluster that went into both

	Preemptions       int // cycles in which both looked for whom to evict
	Candidates        int // nodes with victims
	Refusals          int // nodes tried in vain
	NominatedByChance int // where another candidate was as good

	plugins map[string]*Row
}

// Row counts one plugin's answers.
type Row struct {
	PreFilters int // answers of PreFilter
	Skips      int // of them Skip
	NodeSets   int // of them with a node set
	Passes     int // verdicts Success or Skip
	Fails      int // other verdicts
	Scores     int
	NonZero    int // of them with a raw score other than 0
	HintsQueue int
	HintsSkip  int
	Reasons    map[string]int // how often each reason was given, without its details
}

// Row is what was counted for a plugin; zero for one nobody asked.
func (t *Tally) Row(plugin string) Row {
	if row := t.plugins[plugin]; row != nil {
		return *row
	}
	return Row{}
}

// Plugins are those that answered, sorted.
func (t *Tally) Plugins() []string { return slices.Sorted(maps.Keys(t.plugins)) }

func (t *Tally) of(plugin string) *Row {
	if t.plugins == nil {
		t.plugins = map[string]*Row{}
	}
	if t.plugins[plugin] == nil {
		t.plugins[plugin] = &Row{Reasons: map[string]int{}}
	}
	return t.plugins[plugin]
}

func (r *Row) verdict(v oracle.Verdict) {
	if v.Code == "Success" || v.Code == "Skip" {
		r.Passes++
		return
	}
	r.Fails++
	r.reasons(v)
}

func (r *Row) reasons(v oracle.Verdict) {
	for _, reason := range v.Reasons {
		r.Reasons[general(reason)]++
	}
}

// details are what differs between two uses of one reason.
var details = regexp.MustCompile(`"[^"]*"|\[[^]]*\]|\{[^}]*\}|[a-z]+-\d{3}\S*|\d+`)

// general is a reason without its details.
func general(reason string) string { return details.ReplaceAllString(reason, "*") }

func (r *Row) preFilter(v oracle.PreFilterVerdict) {
	r.PreFilters++
	if v.Code == "Skip" {
		r.Skips++
	}
	if v.Nodes != nil {
		r.NodeSets++
	}
	r.reasons(v.Verdict)
}

func (r *Row) score(s oracle.PluginScore) {
	r.Scores++
	if s.Raw != 0 {
		r.NonZero++
	}
}

func (r *Row) hint(queue bool) {
	if queue {
		r.HintsQueue++
		return
	}
	r.HintsSkip++
}

// String is the table of all plugins, then their reasons.
func (t *Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d cases, %d events, %d cycles: %d placed (%d among equals, %d by map order upstream), %d unschedulable, %d errors; %d nodes judged\n",
		t.Cases, t.Events, t.Cycles, t.Placed, t.Tied, t.Chance, t.Unplaced, t.Errors, t.Nodes)
	fmt.Fprintf(&b, "%d preemptions: %d candidates, %d nodes refused, %d nominated among equals\n", t.Preemptions, t.Candidates, t.Refusals, t.NominatedByChance)
	line := "%-32s %9v %9v %9v %9v %9v %9v %9v %9v %9v\n"
	fmt.Fprintf(&b, line, "plugin", "prefilter", "skips", "node sets", "passes", "fails", "scores", "not 0", "hint yes", "hint no")
	for _, name := range t.Plugins() {
		r := t.plugins[name]
		fmt.Fprintf(&b, line, name, r.PreFilters, r.Skips, r.NodeSets, r.Passes, r.Fails, r.Scores, r.NonZero, r.HintsQueue, r.HintsSkip)
	}
	for _, name := range t.Plugins() {
		for _, reason := range slices.Sorted(maps.Keys(t.plugins[name].Reasons)) {
			fmt.Fprintf(&b, "%-32s %9d %s\n", name, t.plugins[name].Reasons[reason], reason)
		}
	}
	return b.String()
}
