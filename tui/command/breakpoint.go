package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

func breakVerbs() []Verb {
	return []Verb{
		{
			Name: "break", Aliases: []string{"B", "bp"}, Usage: "WHAT VALUE ...", takes: []kind{ofBreak},
			Does: "set a breakpoint: stop at a pod, node, plugin, code, outcome, queue, event or expression",
			Run:  func(c Call) (Answer, error) { return setBreak(c, session.Breakpoint{}) },
		},
		{Name: "tbreak", Usage: "WHAT VALUE ...", takes: []kind{
			ofBreak,
		}, Does: "set a breakpoint that is removed after it stopped once", Run: func(c Call) (Answer, error) {
			return setBreak(c, session.Breakpoint{Once: true})
		}},
		{Name: "trace", Usage: "WHAT VALUE ...", takes: []kind{
			ofBreak,
		}, Does: "set a breakpoint that prints a line and does not stop", Run: func(c Call) (Answer, error) {
			return setBreak(c, session.Breakpoint{Trace: true})
		}},
		{
			Name: "watch", Usage: "VALUE", takes: []kind{ofBelief},
			Does: "stop when a value changes, such as node.n1.requested.cpu",
			Run:  watch,
		},
		{
			Name: "cond", Usage: "ID [EXPRESSION]", takes: []kind{ofBreakID, ofCondition},
			Does: "stop at a breakpoint only if a CEL expression holds",
			Run:  condition,
		},
		{
			Name: "on", Usage: "ID [COMMAND]", takes: []kind{ofBreakID, ofVerb},
			Does: "run a command each time a breakpoint is hit", Run: onBreak,
		},
		{Name: "breakpoints", Does: "list the breakpoints", Run: listBreaks},
		{
			Name: "toggle", Usage: "ID", takes: []kind{ofBreakID}, Does: "turn a breakpoint off, or on again",
			Run: toggleBreak,
		},
		{Name: "clear", Usage: "ID", takes: []kind{ofBreakID}, Does: "remove a breakpoint", Run: clearBreak},
	}
}

// setBreak adds a breakpoint. A single word that is not one of its words is a pod.
func setBreak(c Call, like session.Breakpoint) (Answer, error) {
	words := c.Args
	if len(words) == 1 && !slices.Contains(session.BreakWords(), words[0]) {
		words = []string{"pod", words[0]}
	}
	b, err := session.ParseBreakpoint(words)
	if err != nil {
		return Answer{}, err
	}
	caution, err := checkBreak(c, &b)
	if err != nil {
		return Answer{}, err
	}
	if err := c.room(); err != nil {
		return Answer{}, err
	}
	b.Once, b.Trace = like.Once, like.Trace
	b = c.Session.Break(b)
	return Answer{Fresh: true, Said: c.lang().Say("breakpoint %d is set: %s%s", b.ID, b, caution)}, nil
}

func watch(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("watch: what? (%s)", strings.Join(session.WatchForms(), ", "))
	}
	value, caution, err := watched(c)
	if err != nil {
		return Answer{}, err
	}
	b, now, err := c.Session.Watch(value)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Fresh: true, Said: c.lang().Say("breakpoint %d is set: %s, now %s%s", b.ID, b, now, caution)}, nil
}

// breakAndRest is the number of a breakpoint and what stands behind it.
func breakAndRest(c Call) (int, string, error) {
	if len(c.Args) == 0 {
		return 0, "", c.lang().Errorf("which breakpoint? (its number; breakpoints lists them)")
	}
	rest := strings.Join(c.Args[1:], " ")
	c.Args = c.Args[:1]
	id, err := breakMeant(c)
	return id, rest, err
}

func condition(c Call) (Answer, error) {
	id, text, err := breakAndRest(c)
	if err == nil {
		err = c.Session.Condition(id, text)
	}
	if err != nil {
		return Answer{}, err
	}
	if text == "" {
		return Answer{Fresh: true, Said: c.lang().Say("breakpoint %d has no condition", id)}, nil
	}
	return Answer{Fresh: true, Said: c.lang().Say("breakpoint %d stops only if %s", id, text)}, nil
}

func onBreak(c Call) (Answer, error) {
	id, text, err := breakAndRest(c)
	if err == nil && text != "" {
		_, _, err = Parse(text)
	}
	if err == nil {
		err = c.Session.On(id, text)
	}
	if err != nil {
		return Answer{}, err
	}
	if text == "" {
		return Answer{Fresh: true, Said: c.lang().Say("breakpoint %d runs no command", id)}, nil
	}
	return Answer{Fresh: true, Said: c.lang().Say("when breakpoint %d is hit: %s", id, text)}, nil
}

// breakMeant is the number a verb about one breakpoint was given.
func breakMeant(c Call) (int, error) {
	if len(c.Args) != 1 {
		return 0, c.lang().Errorf("which breakpoint? (its number; breakpoints lists them)")
	}
	id, err := strconv.Atoi(c.Args[0])
	if err != nil {
		return 0, c.lang().Errorf("%q is not the number of a breakpoint (breakpoints lists them)", c.Args[0])
	}
	return id, nil
}

func toggleBreak(c Call) (Answer, error) {
	id, err := breakMeant(c)
	if err == nil {
		err = c.Session.Toggle(id)
	}
	if err != nil {
		return Answer{}, err
	}
	for _, b := range c.Session.Frame().Breaks {
		if b.ID == id && b.Off {
			return Answer{Fresh: true, Said: c.lang().Say("breakpoint %d is off", id)}, nil
		}
	}
	return Answer{Fresh: true, Said: c.lang().Say("breakpoint %d is on", id)}, nil
}

func clearBreak(c Call) (Answer, error) {
	id, err := breakMeant(c)
	if err == nil {
		err = c.Session.Clear(id)
	}
	if err != nil {
		return Answer{}, err
	}
	return Answer{Fresh: true, Said: c.lang().Say("breakpoint %d is removed", id)}, nil
}

func listBreaks(c Call) (Answer, error) {
	breaks := c.Session.Frame().Breaks
	if len(breaks) == 0 {
		return Answer{Said: c.lang().Of("there are no breakpoints (break sets one)")}, nil
	}
	p := Page{Title: "Breakpoints"}
	for _, b := range breaks {
		p.Lines = append(p.Lines, fmt.Sprintf("%d  %s  (%s)", b.ID, b, BreakpointState(c.lang(), b)))
	}
	return Answer{Page: p}, nil
}

// BreakpointState is the text behind each breakpoint in a list.
func BreakpointState(lang words.Language, b session.Breakpoint) string {
	parts := []string{"on"}
	if b.Off {
		parts[0] = "off"
	}
	if b.Once {
		parts = append(parts, "once")
	}
	if b.Trace {
		parts = append(parts, "trace")
	}
	if b.On != "" {
		parts = append(parts, lang.Say("then %s", b.On))
	}
	return strings.Join(append(parts, lang.Say("hit %s", lang.CountOf(b.Hits, "time", "times"))), ", ")
}
