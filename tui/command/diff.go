package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/diff"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
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
	asIs, changed, err := c.Session.Sides(session.Together("diff", edits...))
	if err != nil {
		return Answer{}, err
	}
	report, err := diff.Run(
		c.Context, diff.Side{Name: "as it is", Play: asIs.Play, Over: asIs.Over},
		diff.Side{Name: phrase.Verbatim(strings.Join(c.Args, " ")), Play: changed.Play, Over: changed.Over},
	)
	switch {
	case c.Context.Err() != nil:
		return Answer{}, c.lang().Errorf("diff: stopped before it came to its end")
	case err != nil:
		return Answer{}, err
	}
	title := c.lang().Of("Up to the time of the cursor; ") + "A: " + c.lang().Render(report.A) +
		", B: " + c.lang().Render(report.B)
	return Answer{Page: Page{Title: title, Lines: columns(c.lang(), report)}}, nil
}

// The widths of the columns, at most.
const (
	mostOfAPod  = 32
	mostOfAHost = 20
)

// columns are the pods with what became of them under A and under B, below each the first cause, and then the causes
// with their numbers of pods.
func columns(lang words.Language, r *diff.Report) []string {
	rows := [][3]string{{lang.Of("POD"), "A", "B"}}
	for i := range r.Differences {
		d := &r.Differences[i]
		rows = append(rows, [3]string{d.Pod, prose.Became(lang, &d.A), prose.Became(lang, &d.B)})
	}
	var widths [3]int
	for _, row := range rows {
		for k := range row {
			widths[k] = min(max(widths[k], widget.Width(row[k])), []int{mostOfAPod, mostOfAHost, mostOfAHost}[k])
		}
	}
	lines := []string{prose.DiffSum(lang, r)}
	if len(r.Differences) == 0 {
		return lines
	}
	lines = append(lines, "", aligned(rows[0], widths))
	for i := range r.Differences {
		cause := &r.Differences[i].Cause
		why := causeOf(lang, cause.Kind, cause.Plugin) + ": " + lang.Render(cause.Text)
		lines = append(lines, aligned(rows[i+1], widths), "  "+why)
	}
	lines = append(lines, "", lang.Of("Causes:"))
	for _, cause := range r.Causes {
		pods := lang.CountOf(cause.Pods, "pod", "pods")
		lines = append(lines, "  "+causeOf(lang, cause.Kind, cause.Plugin)+": "+pods)
	}
	return lines
}

// causeOf names a cause, with the plugin if it is one's.
func causeOf(lang words.Language, kind diff.Kind, plugin string) string {
	return strings.TrimSpace(lang.Of(string(kind)) + " " + plugin)
}

// aligned is a row with its columns one below the other.
func aligned(row [3]string, widths [3]int) string {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(cell + strings.Repeat(" ", max(0, widths[i]-widget.Width(cell))+2))
	}
	return strings.TrimRight(b.String(), " ")
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
