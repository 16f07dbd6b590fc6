package command

import (
	"math"
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// motion is a stride by the name of its verb.
type motion struct {
	name    string
	aliases []string
	stride  session.Stride
	does    string
}

// motions are the strides that can also be gone backwards.
func motions() []motion {
	return []motion{
		{"next", []string{"n"}, session.Next, "run to the end of the next cycle"},
		{"step", []string{"s"}, session.Over, "go to the end of the next extension point"},
		{"into", []string{"S", "stepIn"}, session.Into, "go one fact forward; in Filter one plugin on one node"},
		{"out", []string{"o", "stepOut"}, session.Out, "go to the end of this cycle or event"},
		{"continue", []string{"c"}, session.Continue, "run to the next breakpoint, or to the end"},
	}
}

func motionVerbs() []Verb {
	var table []Verb
	for _, m := range motions() {
		table = append(table, Verb{
			Name: m.name, Aliases: m.aliases, Usage: "[TIMES]", takes: []kind{ofNumber}, Does: m.does,
			Run: func(c Call) (Answer, error) { return moveTimes(c, m.stride, session.Forward, c.Args) },
		})
	}
	return append(table,
		Verb{Name: "back", Aliases: []string{
			"b", "stepBack",
		}, Usage: "[TIMES]", takes: []kind{ofNumber}, Does: "go one extension point back", Run: func(c Call) (Answer, error) {
			return moveTimes(c, session.Over, session.Backward, c.Args)
		}},
		Verb{
			Name: "back-fact", Aliases: []string{"p"}, Usage: "[TIMES]", takes: []kind{ofNumber},
			Does: "go one fact back",
			Run: func(c Call) (Answer, error) {
				return moveTimes(c, session.Into, session.Backward, c.Args)
			},
		},
		Verb{
			Name: "rev", Usage: "MOTION [TIMES]", takes: []kind{ofMotion, ofNumber},
			Does: "go backwards by next, step, into, out or continue", Run: reverse,
		},
		Verb{Name: "previous", Aliases: []string{"N", "rn"}, Usage: "[TIMES]", takes: []kind{
			ofNumber,
		}, Does: "go back to the end of the cycle before", Run: func(c Call) (Answer, error) {
			return moveTimes(c, session.Next, session.Backward, c.Args)
		}},
		Verb{Name: "reverse-continue", Aliases: []string{
			"C", "rc", "reverseContinue",
		}, Does: "go back to the last breakpoint, or to the start", Run: func(c Call) (Answer, error) {
			return moveTimes(c, session.Continue, session.Backward, c.Args)
		}},
		Verb{
			Name: "goto", Aliases: []string{"g"}, Usage: "CYCLE|POD|step N|end", takes: []kind{ofTried, ofNumber},
			Does: "go to a cycle, to the next cycle of a pod, to a step, to the start or the end",
			Run:  jump,
		},
		Verb{Name: "rewind", Does: "go to the start", Run: func(c Call) (Answer, error) {
			return Goto(c, session.Position{}), nil
		}},
	)
}

// reverse carries out a motion backwards.
func reverse(c Call) (Answer, error) {
	if len(c.Args) > 0 {
		for _, m := range motions() {
			if m.name == c.Args[0] || slices.Contains(m.aliases, c.Args[0]) {
				return moveTimes(c, m.stride, session.Backward, c.Args[1:])
			}
		}
	}
	return Answer{}, c.lang().Errorf("rev: say what to go back: next, step, into, out or continue")
}

// moveTimes moves as often as the argument counts, once without.
func moveTimes(c Call, stride session.Stride, direction session.Direction, args []string) (Answer, error) {
	times := 1
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 {
			return Answer{}, c.lang().Errorf("%q is not how many times (try 2)", args[0])
		}
		times = n
	}
	return Move(c, stride, direction, times), nil
}

// Move moves some times, and stops early where there is a reason to.
func Move(c Call, stride session.Stride, direction session.Direction, times int) Answer {
	var stop session.Stop
	var traced []phrase.Phrase
	for range times {
		stop = c.Session.Move(c.Context, stride, direction, c.Progress)
		traced = append(traced, stop.Traced...)
		stop.Traced = traced
		if stop.Reason != session.StoppedAtStep {
			break
		}
	}
	return stopped(c.lang(), stop)
}

// Goto moves to a position.
func Goto(c Call, to session.Position) Answer {
	return stopped(c.lang(), c.Session.Goto(c.Context, to, c.Progress))
}

// stopped is the answer of a move. Where the move went as far as requested, the screen shows it and the answer is
// empty.
func stopped(lang words.Language, stop session.Stop) Answer {
	a := Answer{Moved: true, Stop: stop, Then: Split(stop.On)}
	if len(stop.Traced) > 0 {
		a.Page = Page{Title: lang.Of("Traced on the way")}
		for _, line := range stop.Traced {
			a.Page.Lines = append(a.Page.Lines, lang.Tell(line))
		}
	}
	if stop.Reason != session.StoppedAtStep {
		a.Said = lang.Tell(stop.Text)
	}
	return a
}

func jump(c Call) (Answer, error) {
	switch {
	case len(c.Args) == 2 && c.Args[0] == "step":
		n, err := strconv.Atoi(c.Args[1])
		if err != nil || n < 0 {
			return Answer{}, c.lang().Errorf("goto: %q is not a step (a number from 0)", c.Args[1])
		}
		return Goto(c, session.Position{Step: n, Fact: -1}), nil
	case len(c.Args) != 1:
		return Answer{}, c.lang().Errorf("goto: where? (the number of a cycle, a pod, step N, start or end)")
	}
	switch c.Args[0] {
	case "start":
		return Goto(c, session.Position{}), nil
	case "end":
		return Goto(c, session.Position{Step: math.MaxInt}), nil
	}
	if n, err := strconv.ParseInt(c.Args[0], 10, 64); err == nil {
		if n < 1 {
			return Answer{}, c.lang().Errorf("goto: cycles are counted from 1 (rewind goes to the start)")
		}
		return found(c.lang(), c.Session.GotoCycle(c.Context, n, c.Progress))
	}
	return found(c.lang(), c.Session.GotoPod(c.Context, c.Args[0], c.Progress))
}

// found is the answer of a search.
func found(lang words.Language, stop session.Stop) (Answer, error) {
	if stop.Reason == session.NotFound {
		return Answer{}, lang.Errorf("goto: %s", stop.Text)
	}
	return stopped(lang, stop), nil
}
