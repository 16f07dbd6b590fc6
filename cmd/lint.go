package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/lint"
)

func lintCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	in := inputFlags{plugins: plugins}
	var output string
	c := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Find wishes of pods that the input can never meet",
		Long:  "lint looks at the objects of FILE and plays nothing. It finds:\n\n" + rules(),
		Example: `  schedstep lint cluster.yaml
  schedstep lint bundle/ -o json | jq -r '.[].says'`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error {
			if output != "table" && output != "json" {
				return usageError{phrase.Errorf("-o %q: it is table or json", output)}
			}
			o, err := in.open(c, s, args)
			if err != nil {
				return err
			}
			found := lint.Find(standing(o.Script))
			if err := printFindings(s, output, found, o.language); err != nil {
				return err
			}
			if err := o.complete(); err != nil || len(found) == 0 {
				return err
			}
			return unplaced{len(found)}
		},
	}
	in.add(c)
	c.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	return c
}

// rules lists what is looked for, and what comes of it.
func rules() string {
	var b strings.Builder
	for _, r := range lint.Rules() {
		fmt.Fprintf(&b, "  %-19s %s: %s\n", r.Name, r.About, r.Why)
	}
	return b.String() + "\nWhere the input does not hold what a rule compares with, the rule is silent. Exit codes: 0 nothing\n" +
		"was found; 1 an error, or something a scheduler reads was lost; 3 something was found."
}

// standing is the cluster at the end of a script.
func standing(script replay.Script) *cluster.State {
	s := cluster.NewState()
	for _, t := range script {
		if t.Event.Object != nil {
			s.Apply(t.Event)
		}
	}
	return s
}

func printFindings(s Streams, output string, found []lint.Finding, l words.Language) error {
	if output == "json" {
		if found == nil {
			found = []lint.Finding{}
		}
		return writeData(s.Out, found, output)
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(s.Err, l.Of("nothing was found"))
		return err
	}
	rows := aligned{out: s.Out}
	rows.add(l.Each("RULE", "OBJECT", "WHAT")...)
	for _, f := range found {
		rows.add(f.Rule, clean(f.Object), hear(l, f.Says))
	}
	return rows.flush()
}
