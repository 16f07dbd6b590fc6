package command

import (
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
)

// bookmarkVerbs keep positions to come back to.
func bookmarkVerbs() []Verb {
	return []Verb{
		{
			Name: "bookmark", Aliases: []string{"check", "checkpoint"}, Usage: "[NOTE]", takes: []kind{ofNothing},
			Does: "remember this position, to come back to it",
			Run: func(c Call) (Answer, error) {
				if err := c.room(); err != nil {
					return Answer{}, err
				}
				made := c.Session.Bookmark(strings.Join(c.Args, " "))
				return Answer{
					Fresh: true,
					Said:  c.lang().Say("bookmark %d: %s; restart %d comes back to it", made.ID, made.Where, made.ID),
				}, nil
			},
		},
		{
			Name: "bookmarks", Aliases: []string{"checks", "checkpoints"}, Does: "list the bookmarks", Run: listBookmarks,
		},
		{
			Name: "restart", Usage: "[BOOKMARK]", takes: []kind{ofBookmark},
			Does: "go to a bookmark, or to the start", Run: restart,
		},
		{
			Name: "forget", Aliases: []string{"uncheck"}, Usage: "BOOKMARK", takes: []kind{ofBookmark},
			Does: "remove a bookmark",
			Run: func(c Call) (Answer, error) {
				id, err := bookmarkMeant(c)
				if err == nil {
					err = c.Session.Forget(id)
				}
				if err != nil {
					return Answer{}, err
				}
				return Answer{Fresh: true, Said: c.lang().Say("bookmark %d is removed", id)}, nil
			},
		},
	}
}

// bookmarkMeant is the number a verb about one bookmark was given.
func bookmarkMeant(c Call) (int, error) {
	if len(c.Args) != 1 {
		return 0, c.lang().Errorf("which bookmark? (its number; bookmarks lists them)")
	}
	id, err := strconv.Atoi(c.Args[0])
	if err != nil {
		return 0, c.lang().Errorf("%q is not the number of a bookmark (bookmarks lists them)", c.Args[0])
	}
	return id, nil
}

func restart(c Call) (Answer, error) {
	if len(c.Args) == 0 {
		return Goto(c, session.Position{}), nil
	}
	id, err := bookmarkMeant(c)
	if err != nil {
		return Answer{}, err
	}
	stop, err := c.Session.Restart(c.Context, id, c.Progress)
	if err != nil {
		return Answer{}, err
	}
	return stopped(c.lang(), stop), nil
}

func listBookmarks(c Call) (Answer, error) {
	all := c.Session.Frame().Bookmarks
	if len(all) == 0 {
		return Answer{Said: c.lang().Of("there is no bookmark (bookmark makes one here)")}, nil
	}
	p := Page{Title: "Bookmarks"}
	for _, b := range all {
		p.Lines = append(p.Lines, strings.TrimSpace(
			c.lang().Say("%d  %s, branch %s  %s", b.ID, b.Where, b.Branch, b.Note),
		))
	}
	return Answer{Page: p}, nil
}
