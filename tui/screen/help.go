package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/table"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// newHelp is every key, with the reason where one can do nothing now, and every command.
func newHelp(a *app) *reader {
	r := &reader{title: a.language.Of("Keys and commands"), typed: entryOf(""), text: []widget.Paragraph{
		widget.Plain(themes.Title.Strong(), a.language.Say("Here: %s", a.language.Of(a.here().title))),
		widget.Plain(themes.Text, a.language.Of(a.here().about)), nil,
	}}
	group := ""
	for _, b := range a.keys {
		if b.group == textLearn && a.options.Class == nil || b.group == textGame && a.options.Game == nil {
			continue
		}
		if b.group != group {
			if group != "" {
				r.text = append(r.text, nil)
			}
			group = b.group
			r.text = append(r.text, widget.Plain(themes.Title.Strong(), a.language.Of(group)))
		}
		r.text = append(r.text, helpLine(a, b))
	}
	r.text = append(r.text, nil, widget.Plain(themes.Title.Strong(), a.language.Of("Commands, after :")))
	for _, v := range command.All() {
		if command.InLesson(v) && a.options.Class == nil || command.InGame(v) && a.options.Game == nil {
			continue
		}
		r.text = append(r.text, widget.Paragraph{
			{Text: fmt.Sprintf("%-27s ", v.Synopsis()), Paint: themes.Accent},
			{Text: a.language.Of(v.Does), Paint: themes.Text},
		})
	}
	return r
}

func helpLine(a *app, b binding) widget.Paragraph {
	p := widget.Paragraph{
		{Text: fmt.Sprintf("%-12s ", strings.Join(b.keys, " ")), Paint: themes.Accent},
		{Text: a.language.Of(b.does), Paint: themes.Text},
	}
	if why := b.blocked(a); why != "" {
		p = append(p, widget.Span{Text: a.language.Say("  not now: %s", why), Paint: themes.Muted})
	}
	return p
}

// welcome opens the story of the replay; the footer shows how to begin, or what this build lacks.
func (a *app) welcome() {
	if a.options.Class != nil {
		a.focus(layout.Lesson)
		return
	}
	settled := a.frame.AtEnd && a.session.Cycle() == 0 && a.frame.Nodes > 0 && a.options.Live == nil
	if settled { // there is nothing to go through, and what runs is the answer
		a.panes.tab = tabCluster
	}
	if words := view.Unjudged(a.frame); words != "" {
		a.note = note{text: words, paint: themes.Warn}
	} else if a.options.Live != nil && a.options.Live.Says != "" {
		a.say(a.options.Live.Says)
	} else if settled {
		a.say(a.language.Of("No pod waits for a node. Try drain NODE, evict POD or add-node after :, or w on a node or " +
			"pod; schedstep lint and schedstep plan look at the whole cluster"))
	} else {
		a.say(a.language.Of("n runs the next cycle, s goes one extension point on, b back; ? lists all keys"))
	}
	if a.frame.Story == "" {
		return
	}
	story := newPage(command.Page{Title: a.frame.Title, Lines: []string{
		a.language.Of(a.frame.Story), "",
		a.language.Of("n runs the next cycle, s goes one extension point on, b goes back, space lets cycles run."),
		a.language.Of("? lists all keys; any key begins."),
	}})
	story.first = true
	a.popup = story
}

// Key is one row of the keys.
type Key struct {
	Group string   // what the row is about
	Keys  []string // any of them does it
	Does  string
	Line  string // the command that does the same; "" for none
}

// Keys are the keys of the screen, group by group.
func Keys() []Key {
	var keys []Key
	for _, b := range bindings() {
		keys = append(keys, Key{Group: b.group, Keys: b.keys, Does: b.does, Line: b.line})
	}
	return keys
}

// KeysDocument is docs/keys.md: every key and every command, from the tables the program runs on.
func KeysDocument() string {
	var doc strings.Builder
	doc.WriteString(
		"# Keys and commands\n\nWritten by `make generate` from the tables in `tui/`; a test fails when it is stale.\n",
	)
	group := ""
	for _, k := range Keys() {
		if k.Group != group {
			group = k.Group
			fmt.Fprintf(&doc, "\n## %s\n\n| key | does | command |\n|---|---|---|\n", group)
		}
		fmt.Fprintf(&doc, "| %s | %s | %s |\n", codes(k.Keys), k.Does, codes(nonEmpty(k.Line)))
	}
	doc.WriteString(ownKeys)
	doc.WriteString("\n## Commands\n\nThe same after `:` on the screen and at the prompt of `--plain`. A beginning that " +
		"only one command has is enough; `;` divides several.\n")
	doc.WriteString("\n| command | also | does |\n|---|---|---|\n")
	for _, v := range command.All() {
		fmt.Fprintf(&doc, "| `%s` | %s | %s |\n", strings.ReplaceAll(v.Synopsis(), "|", `\|`), codes(v.Aliases), v.Does)
	}
	doc.WriteString(questions())
	return doc.String()
}

// questions is the part of the document about the questions: where each is answered, or why it is not answered there.
func questions() string {
	var doc strings.Builder
	doc.WriteString("\n## Questions\n\nWhere each question about a position is answered, in English and in Chinese; " +
		"each has a folder in `replay/ask`. Without a key it follows `:`. A pipe is such as " +
		"`echo 'goto 5; asleep -o json' | schedstep replay FILE --plain`.\n\n" +
		"| question | on the screen | command line | HTML, Markdown | JSON |\n|---|---|---|---|---|\n")
	keys := Keys()
	for _, q := range table.Questions() {
		key := ":"
		if at := slices.IndexFunc(keys, func(k Key) bool { return k.Line == q.Name }); at >= 0 {
			key = keys[at].Keys[0]
		}
		data := q.JSON
		if q.Data {
			data.In = q.Name + " -o json"
		}
		fmt.Fprintf(&doc, "| `%s` | `%s` | %s | %s | %s |\n",
			q.Name, key, answeredIn(q.Command), answeredIn(q.Page), answeredIn(data))
	}
	return doc.String()
}

func answeredIn(p ask.Place) string {
	if p.In == "" {
		return "no: " + p.Not
	}
	return "`" + p.In + "`"
}

// ownKeys describes how to have other keys and themes.
const ownKeys = `
## Keys of your own

` + "`schedstep/keys.yaml`" + ` in your folder of configurations (` + "`~/.config`" +
	` on Linux), or the file of ` + "`--keys`" + `, has a key and what it does
on each line: command lines, ` + "`key w`" + ` for what ` + "`w`" + ` does otherwise, or nothing.

` + "```yaml" + `
ctrl+n: next 10
D: display node.n1.free.cpu; display queue.active
J: key c
t: ""
` + "```" + `

## Themes of your own

A file in ` + "`schedstep/themes`" + ` there is a theme of its name, which ` + "`--theme`" +
	` takes, and ` + "`t`" + ` and
` + "`schedstep themes`" + ` list. It may change a few colors of one that is shipped:

` + "```yaml" + `
about: the dark one, with a brighter green
extends: dark
colors:
  green: "#7ee787"
` + "```" + `
`

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func codes(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, "`"+w+"`")
	}
	return strings.Join(quoted, " ")
}
