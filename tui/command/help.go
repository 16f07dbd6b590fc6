package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
)

// HelpOn is the help of one verb, or the list of all.
func HelpOn(lang words.Language, args []string) (Page, error) {
	if len(args) > 0 {
		v, err := Named(args[0])
		if err == nil {
			return v.Help(lang), nil
		}
		if p, found := topic(lang, args[0]); found {
			return p, nil
		}
		if strings.Contains(err.Error(), " may be ") {
			return Page{}, err
		}
		return Page{}, unknownTopic(args[0])
	}
	p := Page{Title: "Commands"}
	for _, v := range All() {
		names := append([]string{v.Synopsis()}, slices.DeleteFunc(slices.Clone(v.Aliases), func(a string) bool {
			return len(a) > 2
		})...)
		p.Lines = append(p.Lines, fmt.Sprintf("%-34s %s", strings.Join(names, ", "), lang.Of(v.Does)))
	}
	return p, nil
}

// manual is a paragraph about the verb.
func (v Verb) manual() string {
	if row, is := rowOf(v.Name); is {
		return row.Help
	}
	if q, is := questionNamed(v.Name); is {
		return q.Help
	}
	return manual[v.Name].text
}

// examples are some calls of the verb, as they are typed.
func (v Verb) examples() []string {
	if row, is := rowOf(v.Name); is {
		return row.Examples
	}
	if v.Name == "set" {
		return settingExamples()
	}
	if q, is := questionNamed(v.Name); is {
		return q.Examples
	}
	return manual[v.Name].examples
}

// Help explains the verb: how it is typed, what it does, and examples.
func (v Verb) Help(lang words.Language) Page {
	p := Page{Title: v.Synopsis(), Lines: []string{
		lang.Say("%s.", lang.Of(v.Does)), "", lang.Of(v.manual()), "", lang.Say("Usage:  %s", v.Synopsis()),
	}}
	if len(v.Aliases) > 0 {
		p.Lines = append(p.Lines, lang.Say("Also:   %s", strings.Join(v.Aliases, ", ")))
	}
	for i, example := range v.examples() {
		label := "        "
		if i == 0 {
			label = lang.Of("Try:    ")
		}
		p.Lines = append(p.Lines, label+example)
	}
	return p
}
