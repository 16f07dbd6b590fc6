package command

import (
	"strconv"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// displayVerbs keep values in sight.
func displayVerbs() []Verb {
	return []Verb{
		{
			Name: "display", Usage: "[VALUE]", takes: []kind{ofBelief},
			Does: "show a value at every stop, such as node.n1.free.cpu; without one list them", Run: displayValue,
		},
		{
			Name: "undisplay", Usage: "NUMBER", takes: []kind{ofNumber}, Does: "stop showing a displayed value",
			Run: undisplay,
		},
	}
}

func displayValue(c Call) (Answer, error) {
	switch len(c.Args) {
	case 0:
		all := c.Session.Frame().Displays
		if len(all) == 0 {
			return Answer{Said: c.lang().Of("nothing is displayed (display node.n1.free.cpu)")}, nil
		}
		return Answer{Page: Page{Title: "Displayed", Lines: displayLines(c.lang(), all)}}, nil
	case 1:
		if err := c.room(); err != nil {
			return Answer{}, err
		}
		made, err := c.Session.Display(c.Args[0])
		if err != nil {
			return Answer{}, err
		}
		return Answer{Fresh: true, Said: displayLine(c.lang(), made)}, nil
	}
	return Answer{}, c.lang().Errorf("display: one value (display node.n1.free.cpu)")
}

func undisplay(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("undisplay: which? (its number; display lists them)")
	}
	id, err := strconv.Atoi(c.Args[0])
	if err != nil {
		return Answer{}, c.lang().Errorf("undisplay: %q is not a number (display lists them)", c.Args[0])
	}
	if err := c.Session.Undisplay(id); err != nil {
		return Answer{}, err
	}
	return Answer{Fresh: true, Said: c.lang().Say("display %d is removed", id)}, nil
}

func displayLines(lang words.Language, all []session.Display) []string {
	var lines []string
	for _, d := range all {
		lines = append(lines, displayLine(lang, d))
	}
	return lines
}

func displayLine(lang words.Language, d session.Display) string {
	return lang.Say("display %d: %s is %s", d.ID, d.Of, d.Value)
}
