package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/sweep"
)

func sweepMergeCommand(s Streams) *cobra.Command {
	out, partial := "", false
	c := &cobra.Command{
		Use:   "merge FOLDER... -o FOLDER",
		Short: "Join the results of shards to those of one sweep",
		Long: `merge writes the tables of the whole sweep: the same bytes as if it had been played at once, whatever
the number and the order of the shards. A shard that is there twice changes nothing. Shards of another
version, other inputs or other variants are refused, and so is that runs are missing. Of s3://BUCKET/PREFIX
every shard below it is joined.`,
		Example: `  schedstep sweep merge part-*/ -o out/
  schedstep sweep merge s3://sweeps/monday -o out/`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, folders []string) error {
			if len(folders) == 0 || out == "" {
				return usageError{phrase.Errorf("sweep merge needs the FOLDERs of shards, and -o FOLDER")}
			}
			m, err := mergeTo(c.Context(), out, folders, partial)
			if err != nil {
				return err
			}
			return sayMerged(s, languageOf(c), m, out)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the `folder` that the tables go to")
	c.Flags().BoolVar(&partial, "partial", false, "write what is there, though runs are missing")
	return c
}

// mergeTo joins folders, each of which may be in an object store.
func mergeTo(ctx context.Context, out string, args []string, partial bool) (sweep.Merged, error) {
	var d depot
	defer d.end()
	folders, err := d.folders(ctx, args)
	if err == nil {
		err = d.output(ctx, out)
	}
	if err != nil {
		return sweep.Merged{}, err
	}
	m, err := sweep.Merge(d.folder, folders, partial)
	return m, d.keep(ctx, err)
}

// sayMerged prints the result of a merge.
func sayMerged(s Streams, l words.Language, m sweep.Merged, out string) error {
	text := l.Say("%d runs: %s has the tables runs, resources, pods and variants", m.Runs-m.Missing, clean(out))
	if m.Missing > 0 {
		text += l.Of(textAlso) + l.Say("%d runs are missing", m.Missing)
	}
	_, err := fmt.Fprintln(s.Out, text)
	return err
}
