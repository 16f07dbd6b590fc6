package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
)

// checkVerbs remember positions.
func checkVerbs() []verb {
	return []verb{
		{name: "check", usage: "[NOTE]", takes: []kind{
			ofNothing,
		}, does: "remember this position", run: func(c call) (answer, error) {
			made := c.session.Check(strings.Join(c.args, " "))
			return answer{
				fresh: true,
				said:  fmt.Sprintf("check %d: %s; restart %d comes back to it", made.ID, made.Where, made.ID),
			}, nil
		}},
		{name: "checks", does: "list the positions that are remembered", run: listChecks},
		{
			name: "restart", usage: "[CHECK]", takes: []kind{ofCheck},
			does: "return to a position that is remembered; without one, to the start", run: restart,
		},
		{name: "uncheck", usage: "CHECK", takes: []kind{
			ofCheck,
		}, does: "forget a position", run: func(c call) (answer, error) {
			id, err := checkMeant(c)
			if err == nil {
				err = c.session.Uncheck(id)
			}
			if err != nil {
				return answer{}, err
			}
			return answer{fresh: true, said: fmt.Sprintf("check %d is forgotten", id)}, nil
		}},
	}
}

// checkMeant is the number a verb about one check was given.
func checkMeant(c call) (int, error) {
	if len(c.args) != 1 {
		return 0, fmt.Errorf("which check? (its number; checks lists them)")
	}
	id, err := strconv.Atoi(c.args[0])
	if err != nil {
		return 0, fmt.Errorf("%q is not the number of a check (checks lists them)", c.args[0])
	}
	return id, nil
}

func restart(c call) (answer, error) {
	if len(c.args) == 0 {
		return stopped(c.session.Goto(c.ctx, session.Position{}, c.progress)), nil
	}
	id, err := checkMeant(c)
	if err != nil {
		return answer{}, err
	}
	stop, err := c.session.Restart(c.ctx, id, c.progress)
	if err != nil {
		return answer{}, err
	}
	return stopped(stop), nil
}

func listChecks(c call) (answer, error) {
	checks := c.session.Frame().Checks
	if len(checks) == 0 {
		return answer{said: "no position is remembered (check remembers this one)"}, nil
	}
	p := page{title: "Checks"}
	for _, k := range checks {
		p.lines = append(p.lines, strings.TrimSpace(fmt.Sprintf("%d  %s, branch %s  %s", k.ID, k.Where, k.Branch, k.Note)))
	}
	return answer{page: p}, nil
}
