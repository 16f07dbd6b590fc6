package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/words"
)

func releasesCommand(s Streams) *cobra.Command {
	return documented(&cobra.Command{
		Use: "releases", Short: "List the releases of kube-scheduler that can decide, and what changed in each",
		Example: "  schedstep releases\n  schedstep releases -o markdown | less",
	}, s, printReleases, releasesDocument)
}

// known are the releases of this build and their earlier patches, the newest first.
func known() []*release.Release {
	var all []*release.Release
	for _, version := range release.Plays() {
		r, _ := release.Find(version)
		all = append(all, r)
	}
	return all
}

// printReleases prints a line for each release.
func printReleases(out io.Writer, l words.Language) error {
	rows := aligned{out: out}
	rows.add(l.Each("RELEASE", "PATCH", "GATES", "PLUGINS", "COMPARED", "DIFFERS FROM THE NEXT IN")...)
	for _, r := range known() {
		differs := l.Of("it is the newest")
		if r.Next() != nil {
			notes := r.Notes()
			differs = l.Say("%d ways, and %d more that this build does not have", len(notes.Changes), len(notes.Gaps))
		}
		rows.add(r.Version, r.Patch, fmt.Sprint(len(r.Gates)), fmt.Sprint(len(defaultSet(r))), comparedIn(l, r), differs)
	}
	return rows.flush()
}

// releasesDocument is docs/releases.md.
func releasesDocument() string {
	var b strings.Builder
	b.WriteString("# Releases of kube-scheduler\n\n" +
		"Made by `make generate` from the tables in `core/release`. `--kube-version 1.36` has the scheduler of that\n" +
		"release decide; a scenario says `release 1.36`. A table stands for one patch. Where an earlier patch of the same\n" +
		"release has a fault that a pod can feel, it has a table of its own, which stands for the patches before it too:\n" +
		"`--kube-version 1.36.0` is played as 1.36.1, and 1.36.2 as 1.36.3.\n" +
		"[docs/conformance.md](conformance.md) tells how tables are compared:\n" +
		"`whole` ones with the real kube-scheduler of their release, those of upstream's own tables with every case of\n" +
		"upstream's tests of their release, counted there by predicate and priority.\n\n" +
		"| release | patch | feature gates | plugins in the default set | compared |\n|---|---|---|---|---|\n")
	all := known()
	for _, r := range all {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s |\n", r.Version, r.Patch, len(r.Gates), len(defaultSet(r)), compared(r))
	}
	for _, r := range all {
		if next := r.Next(); next != nil {
			writeStep(&b, r, next)
		}
	}
	return b.String()
}

// compared is how far a release was compared with its own kube-scheduler.
func compared(r *release.Release) string { return cmp.Or(r.Compared, "not yet") }

// comparedIn is compared in a language.
func comparedIn(l words.Language, r *release.Release) string { return l.Of(compared(r)) }

// writeStep writes what changes from a release to the next.
func writeStep(b *strings.Builder, from, to *release.Release) {
	is := to.Version
	if from.IsPatch() {
		is = to.Patch
	}
	fmt.Fprintf(b, "\n## From %s to %s\n", from.Version, is)
	if lines := slices.Concat(pluginChanges(from, to), gateChanges(from, to)); len(lines) > 0 {
		b.WriteString("\n")
		for _, line := range lines {
			fmt.Fprintf(b, "- %s\n", line)
		}
	}
	notes := from.Notes()
	if len(notes.Changes) > 0 {
		fmt.Fprintf(b, "\n| who | in %s | in %s | shown by |\n|---|---|---|---|\n", from.Version, is)
	}
	for _, c := range notes.Changes {
		fmt.Fprintf(b, "| %s | %s | %s | [%s](../core/testdata/%s.txt) |\n", c.Who, cell(c.Does), cell(c.Then),
			strings.TrimPrefix(c.Shown, "releases_"), c.Shown)
	}
	if len(notes.Gaps) > 0 {
		fmt.Fprintf(b, "\nNot played as in %s:\n\n", from.Version)
	}
	for _, g := range notes.Gaps {
		fmt.Fprintf(b, "- %s: %s\n", g.Who, g.Does)
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// defaultSet are the plugins that a release runs without a configuration and with its default gates, in order.
func defaultSet(r *release.Release) []string {
	var names []string
	for _, p := range r.Plugins {
		gate, has := r.Gate(p.Gate)
		if p.In == release.Always || p.In == release.ByGate && has && gate.On ||
			p.In == release.WithoutGate && has && !gate.On {
			names = append(names, p.Name)
		}
	}
	return names
}

// pluginChanges lists the changes of the default set.
func pluginChanges(from, to *release.Release) []string {
	was, is := defaultSet(from), defaultSet(to)
	var lines []string
	lines = append(lines, listed("plugins that leave the default set", missing(was, is))...)
	lines = append(lines, listed("plugins that come into the default set", missing(is, was))...)
	before := slices.DeleteFunc(slices.Clone(was), func(n string) bool { return !slices.Contains(is, n) })
	after := slices.DeleteFunc(slices.Clone(is), func(n string) bool { return !slices.Contains(was, n) })
	if slices.Equal(before, after) {
		return lines
	}
	first := 0
	for before[first] == after[first] {
		first++
	}
	return append(lines, fmt.Sprintf("another order of plugins: %s comes before %s", after[first], before[first]))
}

// gateChanges lists the changes of the feature gates.
func gateChanges(from, to *release.Release) []string {
	var gone, came, on, off, locked []string
	for _, g := range from.Gates {
		next, still := to.Gate(g.Name)
		switch {
		case !still:
			gone = append(gone, g.Name)
		case next.On && !g.On:
			on = append(on, g.Name)
		case !next.On && g.On:
			off = append(off, g.Name)
		case next.Locked && !g.Locked:
			locked = append(locked, g.Name)
		}
	}
	for _, g := range to.Gates {
		if _, had := from.Gate(g.Name); had {
			continue
		}
		name := g.Name
		if g.On {
			name += " (on)"
		}
		came = append(came, name)
	}
	return slices.Concat(
		listed("feature gates that go on", on), listed("feature gates that go off", off),
		listed("feature gates that are locked from here on", locked), listed("new feature gates", came),
		listed("feature gates that are gone", gone),
	)
}

// listed is one line with names; none without names.
func listed(what string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{what + ": " + strings.Join(names, ", ")}
}

// missing are those of a that are not in b.
func missing(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(n string) bool { return slices.Contains(b, n) })
}
