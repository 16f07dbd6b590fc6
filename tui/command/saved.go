package command

import (
	"fmt"

	"github.com/schedstep/schedstep/internal/phrase"
)

// savedVerbs keep a session in a file.
func savedVerbs() []Verb {
	return []Verb{{
		Name: "save-session", Aliases: []string{"save"}, Usage: "FILE [yes]", takes: []kind{ofNothing, ofYes},
		Does: "save the replay, the position, breakpoints, bookmarks and branches in one file", Run: saveSession,
	}}
}

// saveSession writes the session into a file, and waits for a yes before it overwrites one.
func saveSession(c Call) (Answer, error) {
	if len(c.Args) < 1 || len(c.Args) > 2 {
		return Answer{}, c.lang().Errorf(
			"save-session: into which file? (save-session web.session; schedstep replay web.session)",
		)
	}
	to, over := c.Args[0], len(c.Args) == 2 && c.Args[1] == "yes"
	info, err := c.stat(to)
	if refused := c.May.Check(WriteFiles); refused != nil {
		return Answer{}, phrase.Errorf("save-session: %w", refused)
	}
	switch there := err == nil; {
	case there && !info.Mode().IsRegular():
		return Answer{}, c.lang().Errorf("save-session: %s is no ordinary file", to)
	case there && !over:
		return Answer{Ask: Question{
			Page: Page{Title: c.lang().Of("Write over the file?"), Lines: []string{
				c.lang().Say("%s is there already, with %s, of %s.", to,
					c.lang().Count(int(info.Size()), "byte"),
					info.ModTime().UTC().Format("2006-01-02 15:04 MST")),
			}},
			Yes: fmt.Sprintf("save-session %s yes", to),
		}}, nil
	}
	size, err := c.replace(to, c.Session.Save)
	if err != nil {
		return Answer{}, phrase.Errorf("save-session: %w", err)
	}
	return Answer{Said: c.lang().Say("%s: %s written; schedstep replay %s opens it here", to,
		c.lang().Count(int(size), "byte"), to)}, nil
}
