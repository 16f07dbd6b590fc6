package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/sweep"
)

func sweepMergeCommand(s Streams) *cobra.Command {
	out, partial := "", false
	c := &cobra.Command{
		Use:   "merge FOLDER... -o FOLDER",
		Short: "Join the results of shards to those of one sweep",
		Long: `merge writes the tables of the whole sweep: the same bytes as if it had been played at once, whatever
the number and the order of the shards. A shard that is there twice changes nothing. Shards of another
version, other inputs or other variants are refused, and so is that runs are missing.`,
		Example: `  schedstep sweep merge part-*/ -o out/`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, folders []string) error {
			if len(folders) == 0 || out == "" {
				return usageError{phrase.Errorf("sweep merge needs the FOLDERs of shards, and -o FOLDER")}
			}
			m, err := sweep.Merge(out, folders, partial)
			if err != nil {
				return err
			}
			l := languageOf(c)
			text := l.Say("%d runs: %s has the tables runs, resources, pods and variants", m.Runs-m.Missing, clean(out))
			if m.Missing > 0 {
				text += l.Of(textAlso) + l.Say("%d runs are missing", m.Missing)
			}
			_, err = fmt.Fprintln(s.Out, text)
			return err
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the `folder` that the tables go to")
	c.Flags().BoolVar(&partial, "partial", false, "write what is there, though runs are missing")
	return c
}
