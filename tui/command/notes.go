package command

import (
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// wordVerbs are those that answer in words, are no questions and move nothing.
func wordVerbs() []Verb {
	return []Verb{
		{
			Name: "notes", Does: "list the parts of the input that could not be used or are ignored", Run: notes,
		},
		{
			Name: "export", Usage: "PART [FORMAT|FILE]", takes: []kind{ofTable, ofFormat},
			Does: "save a cycle, a run, a table or the screen as a .html, .md, .json, .csv or .svg file",
			Run:  export,
		},
	}
}

func notes(c Call) (Answer, error) {
	all := c.Session.Frame().Notes
	if len(all) == 0 {
		return Answer{Said: c.lang().Of("there are no notes about the input")}, nil
	}
	return Answer{Page: Page{Title: c.lang().Of("Notes about the input"), Lines: rendered(c.lang(), all)}}, nil
}

// rendered are sentences in a language.
func rendered(l words.Language, all []phrase.Text) []string {
	lines := make([]string, len(all))
	for i, text := range all {
		lines[i] = l.Render(text)
	}
	return lines
}
