package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/ask/page"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/room"
	"github.com/schedstep/schedstep/tui/widget"
)

// diffVerbs compare the replay with itself under another setting.
func diffVerbs() []Verb {
	return []Verb{{
		Name:  "diff",
		Usage: "SETTING ... (kube-version=VERSION | gates=NAME=true,... | config=FILE | weight=PLUGIN=N | plugin=NAME=off)",
		takes: []kind{ofSide},
		Does:  "play the replay up to here under another setting too, and show both, side by side",
		Run:   sideBySide,
	}}
}

// sides are the settings that diff takes, by the word before their sign.
var sides = map[string]func(c Call, value string) (session.Edit, error){
	"kube-version": func(_ Call, value string) (session.Edit, error) { return session.SetRelease(value), nil },
	"gates":        func(_ Call, value string) (session.Edit, error) { return session.SetGates(value), nil },
	"weight":       weightOfSide,
	"plugin": func(c Call, value string) (session.Edit, error) {
		plugin, is := strings.CutSuffix(value, "=off")
		if !is {
			return session.Edit{}, c.lang().Errorf("diff: plugin=%s: a plugin can be set off (plugin=NAME=off)", value)
		}
		return session.Disable(plugin), nil
	},
	"config": func(c Call, value string) (session.Edit, error) {
		text, err := c.readFile(value, mostOfAConfiguration)
		return session.SetConfig(value, string(text)), err
	},
}

func weightOfSide(c Call, value string) (session.Edit, error) {
	plugin, number, _ := strings.Cut(value, "=")
	weight, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return session.Edit{}, c.lang().Errorf("diff: weight=%s: a weight must be 1 or more (weight=PLUGIN=N)", value)
	}
	return session.SetWeight(plugin, weight), nil
}

// sideBySide plays the replay twice.
func sideBySide(c Call) (Answer, error) {
	if len(c.Args) == 0 {
		return Answer{}, c.lang().Errorf("diff: under which setting? (diff kube-version=1.31; diff weight=ImageLocality=5)")
	}
	edits := make([]session.Edit, len(c.Args))
	for i, arg := range c.Args {
		name, value, _ := strings.Cut(arg, "=")
		of, known := sides[name]
		if !known || value == "" {
			return Answer{}, c.lang().Errorf("diff: %q is no setting (kube-version=, gates=, config=, weight= or plugin=)", arg)
		}
		var err error
		if edits[i], err = of(c, value); err != nil {
			return Answer{}, err
		}
	}
	asIs, changed, err := c.Session.At().Sides(session.Together("diff", edits...))
	if err != nil {
		return Answer{}, err
	}
	report, err := diff.Run(
		c.Context, diff.Side{Name: diff.AsItIs, Play: asIs.Play, Over: asIs.Over},
		diff.Side{Name: phrase.Verbatim(strings.Join(c.Args, " ")), Play: changed.Play, Over: changed.Over},
	)
	switch {
	case c.Context.Err() != nil:
		return Answer{}, c.lang().Errorf("diff: stopped before it came to its end")
	case err != nil:
		return Answer{}, err
	}
	title := c.lang().Say(
		"Up to the time of the cursor; A: %s, kube-scheduler %s; B: %s", c.lang().Render(report.A),
		c.Session.Frame().Version, c.lang().Render(report.B),
	)
	return Answer{Page: Page{Title: title, Lines: sidesPage(c.lang(), report)}}, nil
}

// mostOfACell is how wide a column may become: names beyond it stay whole, and push the rest of their row.
const mostOfACell = 48

// sidesPage are the verdict, the figures of both sides, the pods that end otherwise, the gravest first, with the first
// cause below each, all of them counted by cause, and how full the nodes are.
func sidesPage(lang words.Language, r *diff.Report) []string {
	lines := []string{prose.DiffVerdict(lang, r), prose.DiffSum(lang, r), ""}
	lines = append(lines, inColumns(append([][]string{{"", "A", "B"}}, prose.DiffFigures(lang, r)...))...)
	for _, what := range diff.Whats() {
		if r.Of(what) > 0 && !r.Folds(what) {
			lines = append(lines, podsOf(lang, r, what)...)
		}
	}
	if len(r.Ways) > 0 {
		rows := [][]string{lang.Each("PODS", "WHAT", "CAUSE", "FOR EXAMPLE")}
		for _, w := range r.Ways {
			cause := causeOf(lang, w.Kind, w.Plugin)
			rows = append(rows, []string{strconv.Itoa(w.Pods), lang.Of(string(w.What)), cause, w.Example})
		}
		lines = append(append(lines, "", lang.Of("All by cause")), inColumns(rows)...)
	}
	for i := range min(len(r.Sides.A.Fill), len(r.Sides.B.Fill)) {
		lines = append(lines, fills(lang, &r.Sides.A.Fill[i], &r.Sides.B.Fill[i])...)
	}
	return lines
}

// podsOf are the pods that end otherwise in one way.
func podsOf(lang words.Language, r *diff.Report, what diff.What) []string {
	rows := [][]string{{lang.Of("POD"), "A", "B"}}
	var causes []string
	for i := range r.Differences {
		if d := &r.Differences[i]; d.What == what {
			rows = append(rows, []string{d.Pod, prose.Became(lang, &d.A), prose.Became(lang, &d.B)})
			causes = append(causes, "  "+causeOf(lang, d.Cause.Kind, d.Cause.Plugin)+": "+lang.Render(d.Cause.Text))
		}
	}
	table := inColumns(rows)
	lines := []string{"", lang.Say("Pods that end otherwise: %s", lang.Of(string(what))), table[0]}
	for i, cause := range causes {
		lines = append(lines, table[i+1], cause)
	}
	return lines
}

// mostOfABar is how long the bar of the part with the most nodes is.
const mostOfABar = 24

// fills are how many nodes are how full of one resource under both sides, with a bar for each. A part that has no node
// under either side is left out.
func fills(lang words.Language, a, b *room.Fill) []string {
	parts := page.Parts(lang)
	of := [2][]int{append([]int{a.Empty}, a.Nodes[:]...), append([]int{b.Empty}, b.Nodes[:]...)}
	most := max(1, slices.Max(of[0]), slices.Max(of[1]))
	var rows [][]string
	for i, part := range parts {
		if of[0][i]+of[1][i] == 0 {
			continue
		}
		for side, name := range []string{"A", "B"} {
			n := of[side][i]
			bar := strings.Repeat("#", (n*mostOfABar+most-1)/most)
			rows = append(rows, []string{part, name, strconv.Itoa(n), bar})
			part = ""
		}
	}
	return append([]string{"", lang.Say("Nodes by how much of their %s is requested", a.Name)}, inColumns(rows)...)
}

// causeOf names a cause, with the plugin if it is one's.
func causeOf(lang words.Language, kind diff.Kind, plugin string) string {
	return strings.TrimSpace(lang.Of(string(kind)) + " " + plugin)
}

// inColumns are rows with their columns one below the other.
func inColumns(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			widths[k] = min(max(widths[k], widget.Width(cell)), mostOfACell)
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for k, cell := range row {
			b.WriteString(cell + strings.Repeat(" ", max(0, widths[k]-widget.Width(cell))+2))
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// sideWords are the settings of diff as they can be begun.
func (w Vocabulary) sideWords() []string {
	words := []string{"config=", "gates="}
	for _, version := range session.Releases() {
		words = append(words, "kube-version="+version)
	}
	for _, plugin := range w.scorers {
		words = append(words, "weight="+plugin+"=")
	}
	for _, plugin := range w.plugins {
		words = append(words, "plugin="+plugin+"=off")
	}
	slices.Sort(words)
	return words
}
