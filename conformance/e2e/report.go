package e2e

import (
	"fmt"
	"strings"
	"time"
)

// Report is what a run found.
type Report struct {
	version     string // of the API server that answered
	Rows        []Row
	Segments    []*Segment
	Differences []Difference
	took        time.Duration
}

// Row is what was compared in one wave.
type Row struct {
	Wave string
	Pods int // in the cluster at its end
	took time.Duration
	Tally
}

// Unexplained are the differences that no random choice explains.
func (r *Report) Unexplained() []Difference {
	var out []Difference
	for _, d := range r.Differences {
		if d.Chance == "" {
			out = append(out, d)
		}
	}
	return out
}

// Total adds up all waves.
func (r *Report) Total() Row {
	total := Row{Wave: "all", took: r.took}
	for _, row := range r.Rows {
		total.add(row.Tally)
		total.Pods = row.Pods
	}
	return total
}

// Markdown is the report as docs/conformance.md has it: a table, then every difference that no random choice explains.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(
		&b, "kube-scheduler on kube-apiserver %s and etcd, %d starts of the scheduler, %.0f s.\n\n", r.version,
		len(r.Segments), r.took.Seconds(),
	)
	b.WriteString("| wave | pods there | steps | hosts equal | texts equal | victims equal | by chance |\n|---|---|---|---|---|---|---|\n")
	for _, row := range append(r.Rows, r.Total()) {
		fmt.Fprintf(
			&b, "| %s | %d | %d | %s | %s | %s | %d |\n", row.Wave, row.Pods, row.Steps, row.Hosts, row.Texts,
			row.Victims, row.Chance,
		)
	}
	fmt.Fprintf(&b, "\nDifferences that are not a matter of chance: %s.\n", none(len(r.Unexplained())))
	for _, d := range r.Unexplained() {
		fmt.Fprintf(&b, "\n```\n%s\n```\n", d)
	}
	return b.String()
}

// String is "12 of 13".
func (c Count) String() string { return fmt.Sprintf("%d of %d", c.Equal, c.Of) }

func none(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}
