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
	CutShort int // of them those in which kube-scheduler ended its own process; nothing after that is compared
	Cycles   int
	Placed   int
	Tied     int // placed, with several best hosts
	Chance   int // placed where upstream chooses by the order of a map
	Unplaced int
	Errors   int // cycles that ended with an error on both sides
	Hinted   int `json:"Hinted"` // cycles to which the scores of an earlier one gave a node
	Reused   int // of them those that took it
	Nodes    int // framework verdicts: node by node, the first failure
	Events   int // events of the cluster that went into both

	Groups  int // cycles of pod groups, which are not among Cycles
	Members int // tries of their members, which are

	Preemptions       int // cycles in which both looked for victims
	Candidates        int // nodes with victims
	Refusals          int // nodes tried in vain
	NominatedByChance int // where another candidate was as good

	Rows map[string]*Row // by plugin
}

// Run is a range of seeds that one test has compared, as files keep it.
type Run struct {
	Test        string
	From, To    int            // seeds, To not included
	Differences map[string]int // by kind
	Sequences   int            // of queue events
	Calls       int            // in these sequences
	Tally       Tally
}

// Row counts one plugin's answers.
type Row struct {
	PreFilters int // answers of PreFilter
	Skips      int // of them Skip
	NodeSets   int // of them with a node set
	Passes     int // verdicts Success or Skip
	Fails      int // other verdicts
	Gates      int // answers of PreEnqueue
	Closed     int // of them rejections
	Scores     int
	NonZero    int // of them with a raw score other than 0
	HintsQueue int
	HintsSkip  int
	Reasons    map[string]int // how often each reason was given, without its details
}

// Row is the count for a plugin; zero for one that never ran.
func (t *Tally) Row(plugin string) Row {
	if row := t.Rows[plugin]; row != nil {
		return *row
	}
	return Row{}
}

// Plugins are those that answered, sorted.
func (t *Tally) Plugins() []string { return slices.Sorted(maps.Keys(t.Rows)) }

// Verdicts is how many answers of Filter plugins about one node there were.
func (t *Tally) Verdicts() int {
	n := 0
	for _, r := range t.Rows {
		n += r.Passes + r.Fails
	}
	return n
}

// Scores is how many scores of one plugin for one node there were.
func (t *Tally) Scores() int {
	n := 0
	for _, r := range t.Rows {
		n += r.Scores
	}
	return n
}

// Hints is how many answers of queueing hints there were.
func (t *Tally) Hints() int {
	n := 0
	for _, r := range t.Rows {
		n += r.HintsQueue + r.HintsSkip
	}
	return n
}

// Add counts what another tally has counted too.
func (t *Tally) Add(o *Tally) {
	mine, other := t.numbers(), o.numbers()
	for i := range mine {
		*mine[i] += *other[i]
	}
	for name, r := range o.Rows {
		t.of(name).add(r)
	}
}

func (t *Tally) numbers() []*int {
	return []*int{
		&t.Cases, &t.CutShort, &t.Cycles, &t.Placed, &t.Tied, &t.Chance, &t.Unplaced, &t.Errors, &t.Nodes, &t.Events,
		&t.Preemptions, &t.Candidates, &t.Refusals, &t.NominatedByChance,
		&t.Groups, &t.Members, &t.Hinted, &t.Reused,
	}
}

func (r *Row) add(o *Row) {
	mine, other := r.numbers(), o.numbers()
	for i := range mine {
		*mine[i] += *other[i]
	}
	for reason, n := range o.Reasons {
		r.Reasons[reason] += n
	}
}

func (r *Row) numbers() []*int {
	return []*int{
		&r.PreFilters, &r.Skips, &r.NodeSets, &r.Passes, &r.Fails, &r.Gates, &r.Closed, &r.Scores, &r.NonZero,
		&r.HintsQueue, &r.HintsSkip,
	}
}

func (t *Tally) of(plugin string) *Row {
	if t.Rows == nil {
		t.Rows = map[string]*Row{}
	}
	if t.Rows[plugin] == nil {
		t.Rows[plugin] = &Row{Reasons: map[string]int{}}
	}
	return t.Rows[plugin]
}

func (r *Row) verdict(v oracle.Verdict) {
	if v.Passed() || v.Code == "Skip" {
		r.Passes++
		return
	}
	r.Fails++
	r.reasons(v)
}

func (r *Row) gate(v oracle.Verdict) {
	r.Gates++
	if !v.Passed() {
		r.Closed++
		r.reasons(v)
	}
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
	fmt.Fprintf(&b,
		"clusters %d, events %d, cycles %d: placed %d (among equals %d, by map order upstream %d), unschedulable %d, "+
			"errors %d; nodes judged %d\n",
		t.Cases, t.Events, t.Cycles, t.Placed, t.Tied, t.Chance, t.Unplaced, t.Errors, t.Nodes)
	if t.CutShort > 0 {
		fmt.Fprintf(&b, "clusters in which kube-scheduler ended its own process %d\n", t.CutShort)
	}
	if t.Hinted > 0 {
		fmt.Fprintf(&b, "nodes from the scores of an earlier cycle %d, of which %d fitted\n", t.Hinted, t.Reused)
	}
	fmt.Fprintf(&b, "filter verdicts %d, scores %d, hints %d\n", t.Verdicts(), t.Scores(), t.Hints())
	fmt.Fprintf(
		&b, "preemptions %d: candidates %d, nodes refused %d, nominated among equals %d\n", t.Preemptions, t.Candidates,
		t.Refusals, t.NominatedByChance,
	)
	if t.Groups > 0 {
		fmt.Fprintf(&b, "cycles of pod groups %d: their members were tried %d times, each counted above and compared as "+
			"the cycle of a pod; not compared: what the tries come to "+
			"for the group, which is whether it gets its nodes, in which placement, whom it evicts, and its condition\n", t.Groups,
			t.Members)
	}
	line := "%-32s %9v %9v %9v %9v %9v %9v %9v %9v %9v %9v %9v\n"
	fmt.Fprintf(
		&b, line, "plugin", "gates", "closed", "prefilter", "skips", "node sets", "passes", "fails", "scores", "not 0",
		"hint yes", "hint no",
	)
	for _, name := range t.Plugins() {
		r := t.Rows[name]
		fmt.Fprintf(
			&b, line, name, r.Gates, r.Closed, r.PreFilters, r.Skips, r.NodeSets, r.Passes, r.Fails, r.Scores,
			r.NonZero, r.HintsQueue, r.HintsSkip,
		)
	}
	for _, name := range t.Plugins() {
		for _, reason := range slices.Sorted(maps.Keys(t.Rows[name].Reasons)) {
			fmt.Fprintf(&b, "%-32s %9d %s\n", name, t.Rows[name].Reasons[reason], reason)
		}
	}
	return b.String()
}
