// Command conformance-report turns the tallies that the tests of the conformance module write to the folder
// SCHEDSTEP_TALLIES, and the table of make e2e if it is there, into docs/conformance.md. It fails when one of them
// holds a difference.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/compare"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: conformance-report FOLDER")
		os.Exit(2)
	}
	runs, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	newest := slices.DeleteFunc(slices.Clone(runs), func(r compare.Run) bool { return releaseOf(r) != "" })
	if len(newest) > 0 {
		fmt.Print(report(newest))
	}
	fmt.Print(releases(runs))
	if text, err := os.ReadFile(filepath.Join(os.Args[1], "e2e.md")); err == nil {
		fmt.Printf("\n## A whole cluster\n\nWritten by `make e2e`: %s", text)
	}
	for _, r := range runs {
		if len(r.Differences) > 0 {
			os.Exit(1)
		}
	}
}

func read(folder string) ([]compare.Run, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s: no tallies in it", folder)
	}
	var runs []compare.Run
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var r compare.Run
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b compare.Run) int {
		if a.Test != b.Test {
			return strings.Compare(a.Test, b.Test)
		}
		return a.From - b.From
	})
	return runs, nil
}

//go:embed opening.md
var opening string

func report(runs []compare.Run) string {
	var b strings.Builder
	var all compare.Tally
	differences, sequences, calls := 0, 0, 0
	for i := range runs {
		all.Add(&runs[i].Tally)
		sequences += runs[i].Sequences
		calls += runs[i].Calls
		for _, n := range runs[i].Differences {
			differences += n
		}
	}
	b.WriteString(opening)
	line := func(what string, n int) { fmt.Fprintf(&b, "| %s | %s |\n", what, thousands(n)) }
	b.WriteString("| compared | |\n|---|---:|\n")
	line("clusters", all.Cases)
	if all.CutShort > 0 {
		line("of them cut short, since kube-scheduler ended its own process there", all.CutShort)
	}
	line("events of the cluster", all.Events)
	line("scheduling cycles", all.Cycles)
	line("verdicts of one Filter plugin on one node", all.Verdicts())
	line("first failures of one node", all.Nodes)
	line("scores of one plugin for one node (raw, normalised, weighted)", all.Scores())
	line("answers of queueing hints", all.Hints())
	line("pods placed", all.Placed)
	line("of them on the node that the scores of the cycle before put first", all.Reused)
	line("of them among equals", all.Tied)
	line("FitError messages", all.Unplaced)
	line("cycles that ended with an error, in the same words", all.Errors)
	line("preemptions", all.Preemptions)
	line("dry runs of a preemption on one node", all.Candidates+all.Refusals)
	line("sequences of queue calls", sequences)
	line("queue calls, with both queues compared after each", calls)
	line("**differences**", differences)
	fmt.Fprintf(&b,
		"\nWhere kube-scheduler follows the order of a map, schedstep's choice, one of the equals, was followed: "+
			"%s hosts, %s nominations.\n",
		thousands(all.Chance), thousands(all.NominatedByChance))
	b.WriteString("\n## Runs\n\n| test | seeds | clusters | cycles | differences |\n|---|---|---:|---:|---:|\n")
	for i := range runs {
		r := &runs[i]
		seeds, cases := fmt.Sprintf("%d to %d", r.From, r.To-1), r.Tally.Cases
		if r.Sequences > 0 {
			seeds, cases = "drawn", r.Sequences
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n", r.Test, seeds, thousands(cases), thousands(r.Tally.Cycles+
			r.Calls), len(r.Differences))
	}
	plugins(&b, &all)
	reasons(&b, &all)
	return b.String()
}

// releaseOf is the release that a run was compared with over the wire; "" for one of the process itself.
func releaseOf(r compare.Run) string {
	parts := strings.Split(r.Test, "/")
	if len(parts) < 3 || parts[0] != "TestCoreAnswersAsEachRelease" {
		return ""
	}
	return parts[1]
}

// releases is the section about the releases that were compared over the wire.
func releases(runs []compare.Run) string {
	all, differences := map[string]*compare.Tally{}, map[string]int{}
	for i := range runs {
		version := releaseOf(runs[i])
		if version == "" {
			continue
		}
		if all[version] == nil {
			all[version] = &compare.Tally{}
		}
		all[version].Add(&runs[i].Tally)
		for _, n := range runs[i].Differences {
			differences[version] += n
		}
	}
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(others)
	for _, version := range slices.Backward(slices.Sorted(maps.Keys(all))) {
		t := all[version]
		fmt.Fprintf(&b, "| %s |", version)
		for _, n := range []int{
			t.Cases, t.Events, t.Cycles, t.Placed, t.Verdicts(), t.Scores(), t.Hints(), t.Unplaced, t.Candidates + t.Refusals,
			t.Chance + t.NominatedByChance, differences[version],
		} {
			fmt.Fprintf(&b, " %s |", thousands(n))
		}
		b.WriteString("\n")
	}
	b.WriteString(unasked)
	return b.String()
}

//go:embed unasked.md
var unasked string

//go:embed others.md
var others string

func plugins(b *strings.Builder, all *compare.Tally) {
	b.WriteString("\n## Plugin by plugin\n\nA plugin that was only ever skipped has not been tested: verdicts other than " +
		"a pass and scores other than 0 are what counts.\n\n")
	b.WriteString("| plugin | PreEnqueue | rejected | PreFilter | skipped | node sets | Filter | not passed | scores | " +
		"not 0 | hints | Queue | Skip |\n|---|" + strings.Repeat("---:|", 12) + "\n")
	for _, name := range all.Plugins() {
		r := all.Row(name)
		fmt.Fprintf(b, "| %s |", name)
		for _, n := range []int{
			r.Gates, r.Closed, r.PreFilters, r.Skips, r.NodeSets, r.Passes + r.Fails, r.Fails, r.Scores, r.NonZero,
			r.HintsQueue + r.HintsSkip, r.HintsQueue, r.HintsSkip,
		} {
			fmt.Fprintf(b, " %s |", thousands(n))
		}
		b.WriteString("\n")
	}
}

func reasons(b *strings.Builder, all *compare.Tally) {
	b.WriteString("\n## Reason by reason\n\n`*` stands for names and numbers.\n\n" +
		"| plugin | reason | compared |\n|---|---|---:|\n")
	for _, s := range compare.Reasons {
		n := s.Of(all)
		switch {
		case n > 0:
			fmt.Fprintf(b, "| %s | %s | %s |\n", s.Plugin, s.Reason, thousands(n))
		case s.Never != "":
			fmt.Fprintf(b, "| %s | %s | never: %s |\n", s.Plugin, s.Reason, s.Never)
		default:
			fmt.Fprintf(b, "| %s | %s | **not seen** |\n", s.Plugin, s.Reason)
		}
	}
	b.WriteString("\nOther reasons and errors:\n\n| plugin | reason | compared |\n|---|---|---:|\n")
	for _, name := range all.Plugins() {
		counts := all.Row(name).Reasons
		known := make([]string, 0, len(counts))
		for reason := range counts {
			listed := slices.ContainsFunc(compare.Reasons, func(s compare.Spoken) bool {
				return s.Plugin == name && s.Matches(reason)
			})
			if !listed {
				known = append(known, reason)
			}
		}
		slices.Sort(known)
		for _, reason := range known {
			fmt.Fprintf(b, "| %s | %s | %s |\n", name, strings.ReplaceAll(reason, "|", "\\|"), thousands(counts[reason]))
		}
	}
}

// thousands is a number with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
