package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
)

// verb is one command. The command line, the plain prompt, the finder, the help and docs/keys.md all come from the
// one table of them.
type verb struct {
	name    string
	aliases []string // short forms, and the names other debuggers use
	usage   string   // its arguments, as help shows them
	takes   []kind   // what each argument is, for completion; the last one repeats
	does    string
	run     func(call) (answer, error) // nil: it concerns only the screen, see wish
	wish    wishKind
}

// call is a verb being carried out. The session is its own until it returns.
type call struct {
	ctx      context.Context
	session  *session.Session
	args     []string
	view     view
	progress func(steps int)
}

// answer is what came of a verb.
type answer struct {
	moved bool   // the cursor is elsewhere
	fresh bool   // the cursor is where it was, and the frame is another one
	said  string // in a line
	page  page   // in many
	ask   question
	stop  session.Stop // of a move
	then  string       // lines to carry out next
}

// page is text of several lines under a title.
type page struct {
	title string
	lines []string
}

// question is asked before a verb does what it was told.
type question struct {
	page
	yes string // the line to run when the answer is yes; "": nothing is asked
}

// wish is what a verb wants of the screen.
type wish struct {
	kind wishKind
	text string
}

type wishKind uint8

const (
	wishNothing wishKind = iota
	wishQuit
	wishHelp
	wishTheme
	wishSort
	wishFilter
	wishColumns
	wishFind
	wishShow
	wishRun
	wishPause
	wishSpeed
)

// verbs is the table, in the order help shows it.
func verbs() []verb {
	return slices.Concat(
		motionVerbs(), checkVerbs(), breakVerbs(), branchVerbs(), whatIfVerbs(), wordVerbs(), screenVerbs(),
	)
}

// screenVerbs are those that change what is seen and leave the session alone.
func screenVerbs() []verb {
	return []verb{
		{
			name: "show", aliases: []string{"p", "print"}, usage: "PART", takes: []kind{ofPart},
			does: "show a part: state, queue, filter, score, preemption, group, binding, facts, why, timeline",
			wish: wishShow,
		},
		{
			name: "find", aliases: []string{"/"}, usage: "TEXT", takes: []kind{ofPodOrNode},
			does: "find a pod, a node or a command by some of its letters", wish: wishFind,
		},
		{
			name: "filter", usage: "[TEXT]", takes: []kind{ofNode},
			does: "show only the rows that contain a text; without one, all", wish: wishFilter,
		},
		{
			name: "sort", usage: "ORDER", takes: []kind{ofOrder},
			does: "sort the nodes by snapshot, verdict, name, total or nearest miss", wish: wishSort,
		},
		{
			name: "columns", usage: "NUMBERS", takes: []kind{ofNumbers},
			does: "show scores weighted, normalized or raw", wish: wishColumns,
		},
		{name: "theme", usage: "NAME", takes: []kind{ofTheme}, does: "draw in other colours", wish: wishTheme},
		{name: "run", does: "let cycles run", wish: wishRun},
		{name: "pause", does: "stop after the present step", wish: wishPause},
		{name: "speed", usage: "N", takes: []kind{ofNumber}, does: "how many cycles run in a second", wish: wishSpeed},
		{
			name: "help", aliases: []string{"?"}, usage: "[VERB]", takes: []kind{ofVerb},
			does: "the keys and commands, or one of them", wish: wishHelp,
		},
		{name: "quit", aliases: []string{"q", "exit"}, does: "end", wish: wishQuit},
	}
}

// verbNamed finds a verb by its name, an alias, or a beginning that only one name has.
func verbNamed(word string) (verb, error) {
	var found []verb
	for _, v := range verbs() {
		if v.name == word || slices.Contains(v.aliases, word) {
			return v, nil
		}
		if strings.HasPrefix(v.name, word) {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return verb{}, fmt.Errorf("%q is no command (help lists them)", word)
	}
	var names []string
	for _, v := range found {
		names = append(names, v.name)
	}
	return verb{}, fmt.Errorf("%q may be %s", word, strings.Join(names, " or "))
}

// parse takes a line apart.
func parse(text string) (verb, []string, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		text = "/ " + rest
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return verb{}, nil, fmt.Errorf("say what to do (help lists the commands)")
	}
	v, err := verbNamed(words[0])
	return v, words[1:], err
}

// commands are the lines of a text, which semicolons divide.
func commands(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, ";") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// synopsis is the verb with its arguments.
func (v verb) synopsis() string { return strings.TrimSpace(v.name + " " + v.usage) }
