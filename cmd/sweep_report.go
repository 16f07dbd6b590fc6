package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/sweep"
)

func sweepReportCommand(s Streams) *cobra.Command {
	format, minimize := "markdown", []string(nil)
	c := &cobra.Command{
		Use:   "report FOLDER",
		Short: "Sum a sweep up: the best variants, the Pareto front, and what each setting does",
		Long: `report reads the folder of a sweep and prints the five best variants beside the base, the Pareto front, and
for each value of each setting how its variants differ from all on average, with the spread of that over
inputs and seeds.

--minimize is an expression over the figures of a run, with the names of run --expect and the columns of
runs (used, cost, diverged, otherwise). Given several times, variants are ranked by the first, and those
that are equal there by the next. What is to be large has a minus: -packing.cpu. Without it they are
unplaced, cost or else used, waiting.p95 and evicted.`,
		Example: `  schedstep sweep report out/
  schedstep sweep report out/ -o html > sweep.html
  schedstep sweep report out/ --minimize unplaced --minimize '-packing.cpu'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, folders []string) error {
			switch {
			case len(folders) != 1:
				return usageError{phrase.Errorf("sweep report needs the FOLDER of one sweep")}
			case !slices.Contains(reportFormats, format):
				return usageError{phrase.Errorf("-o %q: use one of %s", format, strings.Join(reportFormats, ", "))}
			}
			return printSweep(c, s, folders[0], format, minimize)
		},
	}
	c.Flags().StringVarP(&format, "output", "o", format, "one of "+strings.Join(reportFormats, ", "))
	c.Flags().StringArrayVar(&minimize, "minimize", nil, "an expression over the figures of a run, the less the better")
	offer(c, "output", reportFormats)
	return c
}

// objectivesOf compiles the expressions of --minimize.
func objectivesOf(texts []string) ([]*sweep.Objective, error) {
	var all []*sweep.Objective
	for _, text := range texts {
		o, err := sweep.ParseObjective(text)
		if err != nil {
			return nil, usageError{phrase.Errorf("--minimize %w", err)}
		}
		all = append(all, o)
	}
	return all, nil
}

func printSweep(c *cobra.Command, s Streams, folder, format string, minimize []string) error {
	objectives, err := objectivesOf(minimize)
	if err != nil {
		return err
	}
	var d depot
	defer d.end()
	folders, err := d.folders(c.Context(), []string{folder})
	if err != nil {
		return err
	}
	if len(folders) > 1 {
		return phrase.Errorf("%s has %d folders of sweeps: sweep merge joins them", folder, len(folders))
	}
	loaded, err := sweep.Load(folders[0])
	if err != nil {
		return err
	}
	if len(objectives) == 0 {
		if objectives, err = objectivesOf(loaded.Usual()); err != nil {
			return err
		}
	}
	report, err := loaded.Report(objectives)
	if err != nil {
		return err
	}
	if format == "json" {
		return writeData(s.Out, report, format)
	}
	page := report.Page(languageOf(c))
	if format == "html" {
		return page.HTML(s.Out)
	}
	return page.Markdown(s.Out)
}
