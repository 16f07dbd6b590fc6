package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
)

// checkVerbs remember positions.
func checkVerbs() []Verb {
	return []Verb{
		{Name: "check", Usage: "[NOTE]", takes: []kind{
			ofNothing,
		}, Does: "remember this position", Run: func(c Call) (Answer, error) {
			made := c.Session.Check(strings.Join(c.Args, " "))
			return Answer{
				Fresh: true,
				Said:  fmt.Sprintf("check %d: %s; restart %d comes back to it", made.ID, made.Where, made.ID),
			}, nil
		}},
		{Name: "checks", Does: "list the remembered positions", Run: listChecks},
		{
			Name: "restart", Usage: "[CHECK]", takes: []kind{ofCheck},
			Does: "go to a remembered position, or to the start", Run: restart,
		},
		{Name: "uncheck", Usage: "CHECK", takes: []kind{
			ofCheck,
		}, Does: "forget a remembered position", Run: func(c Call) (Answer, error) {
			id, err := checkMeant(c)
			if err == nil {
				err = c.Session.Uncheck(id)
			}
			if err != nil {
				return Answer{}, err
			}
			return Answer{Fresh: true, Said: fmt.Sprintf("check %d is forgotten", id)}, nil
		}},
	}
}

// checkMeant is the number a verb about one check was given.
func checkMeant(c Call) (int, error) {
	if len(c.Args) != 1 {
		return 0, fmt.Errorf("which check? (its number; checks lists them)")
	}
	id, err := strconv.Atoi(c.Args[0])
	if err != nil {
		return 0, fmt.Errorf("%q is not the number of a check (checks lists them)", c.Args[0])
	}
	return id, nil
}

func restart(c Call) (Answer, error) {
	if len(c.Args) == 0 {
		return Goto(c, session.Position{}), nil
	}
	id, err := checkMeant(c)
	if err != nil {
		return Answer{}, err
	}
	stop, err := c.Session.Restart(c.Context, id, c.Progress)
	if err != nil {
		return Answer{}, err
	}
	return stopped(stop), nil
}

func listChecks(c Call) (Answer, error) {
	checks := c.Session.Frame().Checks
	if len(checks) == 0 {
		return Answer{Said: "no position is remembered (check remembers this one)"}, nil
	}
	p := Page{Title: "Checks"}
	for _, k := range checks {
		p.Lines = append(p.Lines, strings.TrimSpace(fmt.Sprintf("%d  %s, branch %s  %s", k.ID, k.Where, k.Branch, k.Note)))
	}
	return Answer{Page: p}, nil
}
