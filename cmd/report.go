package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/play"
)

// reportFlags choose figures of the whole run to print.
type reportFlags struct {
	format string
	expect []string

	expected  []*report.Expectation
	collector *report.Collector
}

var reportFormats = []string{"markdown", "html", "json"}

func (f *reportFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "report", "", "print figures of the whole run and no cycles: "+strings.Join(
		reportFormats, ", "))
	offer(c, "report", reportFormats)
	c.Flags().StringArrayVar(&f.expect, "expect", nil,
		"an expression over these figures; the exit code is 3 when it does not hold (unplaced == 0 && packing.cpu < 80.0)")
}

// check compiles what is expected, before anything is read.
func (f *reportFlags) check() error {
	if f.format == "md" {
		f.format = "markdown"
	}
	if f.format != "" && !slices.Contains(reportFormats, f.format) {
		return usageError{phrase.Errorf("--report %q: use one of %s", f.format, strings.Join(reportFormats, ", "))}
	}
	for _, text := range f.expect {
		e, err := report.Expect(text)
		if err != nil {
			return usageError{phrase.Errorf("--expect %w", err)}
		}
		f.expected = append(f.expected, e)
	}
	return nil
}

// begin takes the title, before the run.
func (f *reportFlags) begin(title string) {
	if f.format != "" || len(f.expect) > 0 {
		f.collector = report.New(title)
	}
}

// see takes every step, and the scheduler after it.
func (f *reportFlags) see(step play.Step, after *core.Scheduler) {
	if f.collector != nil {
		f.collector.See(step, after)
	}
}

// end prints the report, and lists the expectations that do not hold.
func (f *reportFlags) end(s *core.Scheduler, l words.Language, out, errs io.Writer) error {
	if f.collector == nil {
		return nil
	}
	r := f.collector.Report(s)
	var err error
	switch f.format {
	case "markdown":
		err = r.Markdown(out, l)
	case "html":
		err = r.HTML(out, l)
	case "json":
		err = writeData(out, &r, "json")
	}
	failed := 0
	for _, e := range f.expected {
		holds, evaluated := e.Holds(&r)
		err = errors.Join(err, evaluated)
		if evaluated == nil && !holds {
			failed++
			fmt.Fprintln(errs, l.Say("does not hold: %s", clean(e.String())))
		}
	}
	if err == nil && failed > 0 {
		return unplaced{failed}
	}
	return err
}

// silent prints no cycle.
type silent struct{ printer }

func (silent) print(*trace.Cycle) error        { return nil }
func (silent) close(*runTotal) error           { return nil }
func (silent) conclude([]string) (bool, error) { return false, nil }
