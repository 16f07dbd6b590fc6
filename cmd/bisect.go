package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/bisect"
	"github.com/schedstep/schedstep/replay/ask/diff"
)

// bisectOutputs are the forms of what bisect prints.
var bisectOutputs = []string{"table", "json", "yaml", "markdown"}

// bisectFlags are the releases that are played, and how the changes are printed.
type bisectFlags struct {
	input    inputFlags
	from, to string
	output   string
	failOn   string
}

func bisectCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := bisectFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "bisect FILE...",
		Short: "Play the same input under every release, and name the releases that change what happens",
		Long: `bisect plays the input to its end under every release of kube-scheduler that this build has, and
under its earlier patches, from the oldest to the newest, and compares each with the next. For each
pair that differs it prints the first fact in which the two part, how many pods end otherwise, the
first of them with its cause, and the rows of docs/releases.md about the plugins of these causes.

Everything but the release stays as run would have it: configuration, gates, seed. A configuration
that a release refuses is a difference too, and the refusal is printed.

The exit code is 3 when something differs.`,
		Example: `  schedstep bisect cluster.json
  schedstep bisect cluster.json rollout.yaml --from 1.34
  schedstep bisect story.txt -o json | jq -r '.changes[0].from'`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.input.add(c)
	c.Flags().StringVar(&f.from, "from", "", "the oldest `release` that is played; without it the oldest there is")
	c.Flags().StringVar(&f.to, "to", "", "the newest `release` that is played; without it the newest there is")
	c.Flags().StringVarP(&f.output, "output", "o", "table", "one of "+strings.Join(bisectOutputs, ", "))
	c.Flags().StringVar(&f.failOn, "fail-on", "different", "what makes the exit code 3: different, or never")
	offer(c, "output", bisectOutputs)
	offer(c, "from", release.Plays())
	offer(c, "to", release.Plays())
	offer(c, "fail-on", []string{"different", "never"})
	return c
}

// row returns the releases and patches to play, the oldest first.
func (f *bisectFlags) row() ([]string, error) {
	all := release.Plays() // the newest first
	slices.Reverse(all)
	for _, bound := range []struct{ flag, version string }{{"from", f.from}, {"to", f.to}} {
		if bound.version == "" {
			continue
		}
		if err := hasRelease(bound.version); err != nil {
			return nil, usageError{phrase.Errorf("--%s: %w", bound.flag, err)}
		}
		r, _ := release.Find(bound.version)
		at := slices.Index(all, r.Version)
		if at < 0 {
			return nil, usageError{phrase.Errorf("--%s %s lies on the wrong side of the other bound", bound.flag, bound.version)}
		}
		if bound.flag == "from" {
			all = all[at:]
		} else {
			all = all[:at+1]
		}
	}
	if len(all) < 2 {
		return nil, usageError{phrase.Errorf("bisect compares at least two releases: choose --from and --to farther apart")}
	}
	return all, nil
}

func (f *bisectFlags) run(c *cobra.Command, s Streams, args []string) error {
	switch {
	case !slices.Contains(bisectOutputs, f.output):
		return usageError{phrase.Errorf("-o %q: use one of %s", f.output, strings.Join(bisectOutputs, ", "))}
	case f.failOn != "different" && f.failOn != "never":
		return usageError{phrase.Errorf("--fail-on %q: use different or never", f.failOn)}
	}
	versions, err := f.row()
	if err != nil {
		return err
	}
	in, err := f.input.open(c, s, args)
	if err != nil {
		return err
	}
	row := make([]bisect.Candidate, len(versions))
	for i, version := range versions {
		row[i] = f.candidate(c, version, in)
	}
	var told func(int)
	if to := terminal(s.Err); to != nil && !f.input.quiet {
		defer fmt.Fprint(to, clearLine)
		told = func(done int) { drawOver(to, in.language.Say("played %d of %d releases", done, len(row))) }
	}
	changes, err := bisect.Run(c.Context(), row, told)
	if err != nil {
		return err
	}
	found := foundOf(versions, changes)
	if err := errors.Join(f.print(s, &found, in.language), in.complete()); err != nil {
		return err
	}
	if len(changes) > 0 && f.failOn != "never" {
		return differs{len(changes)}
	}
	return nil
}

// candidate is the input under one release. A release that refuses the configuration is a candidate with the error in
// Refused.
func (f *bisectFlags) candidate(c *cobra.Command, version string, in *opened) bisect.Candidate {
	under := settings{flags: f.input}
	if err := under.set("kube-version=" + version); err != nil {
		return bisect.Candidate{Side: diff.Side{Name: phrase.Verbatim(version)}, Refused: err}
	}
	side, own, err := under.side(c, "kube-version", []string{version}, in)
	// The default would be in its place, which looks like a change of behaviour.
	if err == nil && len(own.input.Refused) > 0 {
		err = phrase.Errorf("%s", own.input.Refused[0])
	}
	side.Name = phrase.Verbatim(version)
	return bisect.Candidate{Side: side, Refused: err}
}

// bisected is what bisect prints. Its JSON is stable: members are added, and none changes its meaning.
type bisected struct {
	Releases []string        `json:"releases"` // and patches that were played, the oldest first
	Changes  []releaseChange `json:"changes"`  // in the same order
}

// releaseChange is a pair of neighbouring releases that differ.
type releaseChange struct {
	From    string       `json:"from"`
	To      string       `json:"to"`
	Refused string       `json:"refused,omitempty"` // why one of the two cannot play the input
	Step    int          `json:"step,omitempty"`    // the first that differs, from 1 on
	Time    *time.Time   `json:"time,omitempty"`
	A       string       `json:"a,omitempty"` // the first fact that differs, under From; "": there is none any more
	B       string       `json:"b,omitempty"`
	Ends    *diff.Report `json:"ends,omitempty"` // the pods that end otherwise, with causes
	Rows    []releaseRow `json:"rows"`           // of docs/releases.md
}

// releaseRow is what docs/releases.md has about a part of kube-scheduler.
type releaseRow struct {
	About string `json:"about"`
	Was   string `json:"was"`
	Is    string `json:"is"`
}

func foundOf(versions []string, changes []bisect.Change) bisected {
	found := bisected{Releases: versions, Changes: []releaseChange{}}
	for i := range changes {
		c := &changes[i]
		row := releaseChange{From: c.From, To: c.To, Rows: rowsAbout(c)}
		if c.Refused != nil {
			row.Refused = c.Refused.Error()
			found.Changes = append(found.Changes, row)
			continue
		}
		row.Step, row.Time, row.A, row.B, row.Ends = c.Course.Step, &c.Course.At, text(c.Course.A), text(c.Course.B), c.Ends
		found.Changes = append(found.Changes, row)
	}
	return found
}

func text(f trace.Fact) string {
	if f == nil {
		return ""
	}
	return bisect.Text(f)
}

// rowsAbout are the rows between two releases about the plugins that the causes or the first differing facts name; all
// rows where none of them is named.
func rowsAbout(c *bisect.Change) []releaseRow {
	about, all := []releaseRow{}, []releaseRow{}
	facts := text(c.Course.A) + " " + text(c.Course.B)
	for _, change := range changesBetween(c.From, c.To) {
		row := releaseRow{change.Who, change.Does, change.Then}
		all = append(all, row)
		caused := func(n diff.Count) bool { return n.Plugin == change.Who }
		if c.Ends != nil && slices.ContainsFunc(c.Ends.Causes, caused) || strings.Contains(facts, change.Who) {
			about = append(about, row)
		}
	}
	if len(about) > 0 {
		return about
	}
	return all
}

// changesBetween are the rows of a release, and of an earlier patch of the next one what it does not do yet: a row that
// both have is no change.
func changesBetween(from, to string) []release.Change {
	was, _ := release.Find(from)
	is, _ := release.Find(to)
	changes := was.Notes().Changes
	if was.IsPatch() || !is.IsPatch() {
		return changes
	}
	for _, fault := range is.Notes().Changes {
		same := func(c release.Change) bool { return c.Who == fault.Who && c.Does == fault.Does }
		if slices.ContainsFunc(changes, same) {
			changes = slices.DeleteFunc(changes, same)
			continue
		}
		changes = append(changes, release.Change{Who: fault.Who, Does: fault.Then, Then: fault.Does, Shown: fault.Shown})
	}
	return changes
}

func (f *bisectFlags) print(s Streams, found *bisected, l words.Language) error {
	if f.output == "json" || f.output == "yaml" {
		return writeData(s.Out, found, f.output)
	}
	if len(found.Changes) == 0 {
		_, err := fmt.Fprintln(s.Out, l.Say("no difference from %s to %s: the input takes the same course in %s",
			found.Releases[0], found.Releases[len(found.Releases)-1], l.Count(len(found.Releases), "release")))
		return err
	}
	pairs, rows := aligned{out: s.Out}, aligned{out: s.Out}
	pairs.add(l.Each("FROM", "TO", "PODS", "FIRST POD", "WHAT", "CAUSE", "PLUGIN", "FIRST DIFFERENCE")...)
	rows.add(l.Each("FROM", "TO", "ABOUT", "WAS", "IS")...)
	for i := range found.Changes {
		c := &found.Changes[i]
		pairs.add(cellsOfPair(c, l)...)
		for _, r := range c.Rows {
			rows.add(c.From, c.To, r.About, r.Was, r.Is)
		}
	}
	return tables(s.Out, f.output, &pairs, &rows)
}

func cellsOfPair(c *releaseChange, l words.Language) []string {
	if c.Refused != "" {
		return []string{c.From, c.To, "-", "-", l.Of("refused"), "-", "-", clean(c.Refused)}
	}
	row := []string{c.From, c.To, fmt.Sprint(len(c.Ends.Differences)), "-", l.Of("the same end"), "-", "-"}
	if len(c.Ends.Differences) > 0 {
		d := &c.Ends.Differences[0]
		row = []string{
			c.From, c.To, fmt.Sprint(len(c.Ends.Differences)), clean(d.Pod), word(l, string(d.What)),
			word(l, string(d.Cause.Kind)), orDash(d.Cause.Plugin),
		}
	}
	return append(row, clean(l.Say("step %d: %s; then: %s", c.Step, orDash(c.A), orDash(c.B))))
}
