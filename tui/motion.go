package tui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
		{"next", []string{"n"}, session.Next, "run to the end of the next cycle, or to a breakpoint before it"},
		{"step", []string{"s"}, session.Over, "one extension point"},
		{"into", []string{"S", "stepIn"}, session.Into, "one fact; in Filter one plugin on one node"},
		{"out", []string{"o", "stepOut"}, session.Out, "to the end of this cycle or event"},
		{"continue", []string{"c"}, session.Continue, "to the next breakpoint, or the end"},
	}
}

func motionVerbs() []verb {
	var table []verb
	for _, m := range motions() {
		table = append(table, verb{
			name: m.name, aliases: m.aliases, usage: "[TIMES]", takes: []kind{ofNumber}, does: m.does,
			run: func(c call) (answer, error) { return move(c, m.stride, session.Forward, c.args) },
		})
	}
	return append(table,
		verb{name: "back", aliases: []string{
			"b", "stepBack",
		}, usage: "[TIMES]", takes: []kind{ofNumber}, does: "one extension point back", run: func(c call) (answer, error) {
			return move(c, session.Over, session.Backward, c.args)
		}},
		verb{
			name: "rev", usage: "MOTION [TIMES]", takes: []kind{ofMotion, ofNumber},
			does: "next, step, into, out or continue, backwards", run: reverse,
		},
		verb{name: "previous", aliases: []string{"N", "rn"}, usage: "[TIMES]", takes: []kind{
			ofNumber,
		}, does: "to the end of the cycle before; rev next", run: func(c call) (answer, error) {
			return move(c, session.Next, session.Backward, c.args)
		}},
		verb{name: "reverse-continue", aliases: []string{
			"C", "rc", "reverseContinue",
		}, does: "back to the last breakpoint, or the start; rev continue", run: func(c call) (answer, error) {
			return move(c, session.Continue, session.Backward, c.args)
		}},
		verb{
			name: "goto", aliases: []string{"g"}, usage: "CYCLE|POD|step N|end", takes: []kind{ofPod, ofNumber},
			does: "jump to the end of a cycle, to the next cycle of a pod (* and ? match), to a step, to the end",
			run:  jump,
		},
		verb{name: "rewind", does: "jump to the start", run: func(c call) (answer, error) {
			return stopped(c.session.Goto(c.ctx, session.Position{}, c.progress)), nil
		}},
	)
}

// reverse carries out a motion backwards.
func reverse(c call) (answer, error) {
	if len(c.args) > 0 {
		for _, m := range motions() {
			if m.name == c.args[0] || slices.Contains(m.aliases, c.args[0]) {
				return move(c, m.stride, session.Backward, c.args[1:])
			}
		}
	}
	return answer{}, fmt.Errorf("rev: say what to go back: next, step, into, out or continue")
}

// move goes as many strides as the argument says, one without.
func move(c call, stride session.Stride, direction session.Direction, args []string) (answer, error) {
	times := 1
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 {
			return answer{}, fmt.Errorf("%q is not how many times (try 2)", args[0])
		}
		times = n
	}
	var stop session.Stop
	var traced []string
	for range times {
		stop = c.session.Move(c.ctx, stride, direction, c.progress)
		traced = append(traced, stop.Traced...)
		stop.Traced = traced
		if stop.Reason != session.StoppedAtStep {
			break
		}
	}
	return stopped(stop), nil
}

// stopped is the answer of a move. Where it went as far as was asked, the screen shows it and no word is needed.
func stopped(stop session.Stop) answer {
	a := answer{moved: true, stop: stop, then: stop.On}
	if len(stop.Traced) > 0 {
		a.page = page{title: "Traced on the way", lines: stop.Traced}
	}
	if stop.Reason != session.StoppedAtStep {
		a.said = stop.Text
	}
	return a
}

func jump(c call) (answer, error) {
	switch {
	case len(c.args) == 2 && c.args[0] == "step":
		n, err := strconv.Atoi(c.args[1])
		if err != nil || n < 0 {
			return answer{}, fmt.Errorf("goto: %q is not a step (a number from 0)", c.args[1])
		}
		return stopped(c.session.Goto(c.ctx, session.Position{Step: n, Fact: -1}, c.progress)), nil
	case len(c.args) != 1:
		return answer{}, fmt.Errorf("goto: where? (the number of a cycle, a pod, step N, start or end)")
	}
	switch c.args[0] {
	case "start":
		return stopped(c.session.Goto(c.ctx, session.Position{}, c.progress)), nil
	case "end":
		return stopped(c.session.GotoCycle(c.ctx, math.MaxInt64, c.progress)), nil
	}
	if n, err := strconv.ParseInt(c.args[0], 10, 64); err == nil {
		if n < 1 {
			return answer{}, fmt.Errorf("goto: cycles are counted from 1 (rewind goes to the start)")
		}
		return stopped(c.session.GotoCycle(c.ctx, n, c.progress)), nil
	}
	return stopped(c.session.GotoPod(c.ctx, strings.TrimSpace(c.args[0]), c.progress)), nil
}
