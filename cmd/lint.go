package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session/lint"
	"github.com/schedstep/schedstep/replay/source"
)

// lintOutputs are the forms of what lint finds; text is another name of the table.
var lintOutputs = []string{"table", "text", "json", "sarif", "junit"}

// lintLevels are what makes the exit code 3.
var lintLevels = []string{string(lint.Warning), string(lint.Error), "never"}

// lintFlags choose what is looked for, and how it is printed.
type lintFlags struct {
	input  inputFlags
	output string
	ignore []string
	failOn string
}

func lintCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := lintFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Find wishes of pods that the input can never meet",
		Long: "lint looks at the objects of FILE and plays nothing. FILE may be the manifests of an application alone, as\n" +
			"helm template prints them: then the rules that need no nodes remain. It finds:\n\n" + rules(),
		Example: `  schedstep lint cluster.yaml
  helm template shop ./chart | schedstep lint cluster.yaml -
  schedstep lint chart.yaml --ignore SS301,toleration --fail-on error
  schedstep lint manifests/ -o sarif > lint.sarif
  schedstep lint bundle/ -o json | jq -r '.[].says'`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.input.add(c)
	f.input.addNodes(c)
	c.Flags().StringVarP(&f.output, "output", "o", "table", "one of "+strings.Join(lintOutputs, ", "))
	c.Flags().StringSliceVar(&f.ignore, "ignore", nil, "a `rule` that is left out, by code or name (SS301,toleration)")
	c.Flags().StringVar(
		&f.failOn, "fail-on", "warning", "what makes the exit code 3: warning (any finding), error, or never",
	)
	offer(c, "output", lintOutputs)
	offer(c, "ignore", ruleNames())
	offer(c, "fail-on", lintLevels)
	return c
}

// rules lists what the rules look for, and why each matters.
func rules() string {
	var b strings.Builder
	for _, r := range lint.Rules() {
		fmt.Fprintf(&b, "  %s  %-19s %s: %s\n", r.Code, r.Name, r.About, r.Why)
	}
	return b.String() + "\nWhere the input does not hold what a rule compares with, the rule is silent. docs/lint has a page for\n" +
		"each code. Exit codes: 0 nothing was found; 1 an error, or something a scheduler reads was lost;\n" +
		"3 something was found (--fail-on)."
}

// ruleNames are the codes and the names of all rules.
func ruleNames() []string {
	var names []string
	for _, r := range lint.Rules() {
		names = append(names, r.Code, r.Name)
	}
	return names
}

func (f *lintFlags) check() error {
	switch {
	case !slices.Contains(lintOutputs, f.output):
		return usageError{phrase.Errorf("-o %q: use one of %s", f.output, strings.Join(lintOutputs, ", "))}
	case !slices.Contains(lintLevels, f.failOn):
		return usageError{phrase.Errorf("--fail-on %q: use warning, error or never", f.failOn)}
	}
	for _, name := range f.ignore {
		if slices.ContainsFunc(ruleNames(), func(known string) bool { return strings.EqualFold(known, name) }) {
			continue
		}
		if meant := spelling.Nearest(name, ruleNames()); meant != "" {
			return usageError{phrase.Errorf("--ignore %q: there is no such rule (did you mean %q?)", name, meant)}
		}
		return usageError{phrase.Errorf("--ignore %q: there is no such rule (schedstep lint --help lists them)", name)}
	}
	return nil
}

// ignores reports whether the user left out the rule of a finding.
func (f *lintFlags) ignores(found lint.Finding) bool {
	return slices.ContainsFunc(f.ignore, func(name string) bool {
		return strings.EqualFold(name, found.Code) || strings.EqualFold(name, found.Rule)
	})
}

// finding is one as it is printed.
type finding struct {
	lint.Finding
	Source string `json:"source,omitempty"` // where its object was found, such as "web.yaml line 34"
}

func (f *lintFlags) run(c *cobra.Command, s Streams, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	in, err := f.input.open(c, s, args)
	if err != nil {
		return err
	}
	state := standing(in.input.Script)
	found, ignored, failing := []finding{}, 0, 0
	for _, one := range lint.Find(state) {
		if f.ignores(one) {
			ignored++
			continue
		}
		if f.failOn == string(lint.Warning) || f.failOn == string(one.Level) {
			failing++
		}
		found = append(found, finding{one, in.input.Source(one.Object)})
	}
	if err := f.print(s, found, in); err != nil {
		return err
	}
	if !f.input.quiet {
		for _, line := range lintNotes(in.language, state, ignored) {
			fmt.Fprintln(s.Err, line)
		}
	}
	if err := f.conclude(s, found, in.language); err != nil {
		return err
	}
	if err := in.complete(); err != nil || failing == 0 {
		return err
	}
	return unplaced{failing}
}

// conclude counts what was found: below the table, and for other formats in a note.
func (f *lintFlags) conclude(s Streams, found []finding, l words.Language) error {
	says := l.Of("nothing was found")
	if len(found) > 0 {
		bad := 0
		for i := range found {
			if found[i].Level == lint.Error {
				bad++
			}
		}
		says = l.Say("findings: %d (errors %d, warnings %d)", len(found), bad, len(found)-bad)
	}
	if f.output == "table" {
		return writeBelow(s.Out, len(found) > 0, []string{says})
	}
	if !f.input.quiet {
		fmt.Fprintln(s.Err, says)
	}
	return nil
}

// lintNotes are what a reader of the findings has to know.
func lintNotes(l words.Language, state *cluster.State, ignored int) []string {
	var notes []string
	if len(state.Snapshot().Nodes) == 0 {
		notes = append(notes, l.Of("note: the input has no nodes, and the rules that compare with nodes are silent"))
	}
	if ignored > 0 {
		notes = append(notes, l.Say("note: left out by --ignore: %d", ignored))
	}
	return notes
}

// standing is the cluster at the end of a script.
func standing(script source.Script) *cluster.State {
	s := cluster.NewState()
	for _, t := range script {
		if t.Event.Object != nil {
			s.Apply(t.Event)
		}
	}
	return s
}

func (f *lintFlags) print(s Streams, found []finding, in *opened) error {
	switch f.output {
	case "json":
		return writeData(s.Out, found, "json")
	case "sarif":
		return writeData(s.Out, sarif(found, phrase.Strings(in.input.Refused)), "json")
	case "junit":
		return writeJUnit(s.Out, found, phrase.Strings(in.input.Refused))
	}
	return printFindings(s.Out, found, in.language)
}

func printFindings(out io.Writer, found []finding, l words.Language) error {
	if len(found) == 0 {
		return nil
	}
	rows := aligned{out: out}
	rows.add(l.Each("CODE", "RULE", "LEVEL", "OBJECT", "WHAT")...)
	for i := range found {
		f := &found[i]
		object := clean(f.Object)
		if more := len(f.Also); more > 0 {
			object += l.Say(" and %d more", more)
		}
		rows.add(f.Code, f.Rule, l.Of(string(f.Level)), object, hear(l, f.Says))
	}
	return rows.flush()
}

// text is a finding in one sentence, for tools that show no table.
func (f *finding) text() string {
	more := ""
	if n := len(f.Also); n > 0 {
		more = " and " + words.Count(n, "more pod")
	}
	return f.Object + more + ": " + f.Says.String()
}
