// Package command is the verbs of the debugger: one table with their names, arguments, completion and help, and what
// each does to a session and answers. The screen and the plain prompt both run on it. It draws nothing and knows no
// terminal: an answer is text, or a request to the screen or the prompt.
package command

import (
	"context"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/predict"
	"github.com/schedstep/schedstep/replay/session"
)

// Verb is one command. The command line, the plain prompt, the finder, the help and docs/keys.md all come from the
// one table of them.
type Verb struct {
	Name    string
	Aliases []string                   // short forms, and the names other debuggers use
	Usage   string                     // its arguments, as help shows them
	takes   []kind                     // what each argument is, for completion; the last one repeats
	Does    string                     // what it does, in one line
	Run     func(Call) (Answer, error) // nil: the verb does not use the session but has a Request
	Request Request
}

// Call is a verb on its way. No other caller may use the session until the verb returns.
type Call struct {
	Context  context.Context // ends a long move early
	Session  *session.Session
	Args     []string
	View     View               // how the tables are shown, for export
	May      Reach              // what the verb may reach besides the session
	Most     int                // branches, breakpoints, bookmarks and values displayed that there may be; 0: any number
	Round    func(string) error // takes a guess in the round of a class; nil: none is open
	Game     *predict.Game      // of replay --predict; nil: none is on
	Progress func(steps int)    // called now and then during a long move; may be nil
}

// lang is what the person reads.
func (c Call) lang() words.Language { return c.Session.Language() }

// Answer is the result of a verb.
type Answer struct {
	Moved bool   // the position in the replay is another one
	Fresh bool   // the position is the same, but the frame must be read again
	Said  string // in a line
	Page  Page   // in many
	Ask   Question
	Draft Draft        // for an editor
	Stop  session.Stop // of a move
	Then  []Line       // to carry out next
}

// Page is text of several lines under a title.
type Page struct {
	Title   string
	Lines   []string
	Choices []string // lines to run that the reader may choose: on the screen with the keys 1, 2, ...
	Whole   string   // the line about the workload of the pod, on the screen with the key after those; "": there is none
}

// Question is what the user has to confirm before a verb acts.
type Question struct {
	Page
	Yes string // the line to run when the answer is yes; "": nothing is asked
}

// Request is what a verb leaves to the screen or the prompt, when the session cannot do it.
type Request uint8

// The requests are named after the verbs that make them.
const (
	RequestNothing Request = iota
	RequestQuit
	RequestHelp
	RequestTheme
	RequestLanguage
	RequestSort
	RequestFilter
	RequestColumns
	RequestFind
	RequestShow
	RequestRun
	RequestPause
	RequestSpeed
	RequestLesson
	RequestPage
	RequestHint
	RequestAnswer
	RequestAgain
	RequestSandbox
	RequestNarrate
	RequestGroupBy
	RequestFill
)

// All is the table of verbs, in the order help shows it.
func All() []Verb {
	all := slices.Concat(
		motionVerbs(), bookmarkVerbs(), savedVerbs(), breakVerbs(), displayVerbs(), scriptVerbs(), branchVerbs(),
		whatIfVerbs(), diffVerbs(), podEdits(),
		objectVerbs(), questionVerbs(), wordVerbs(), lessonVerbs(), predictVerbs(),
		screenVerbs(),
	)
	for i := range all {
		if all[i].Run != nil && slices.Contains(behind, all[i].Name) {
			all[i].Run = afterThePast(all[i].Run)
		}
	}
	return all
}

// behind are the verbs that show what lies behind the cursor, however far. A saved session that begins at a keyframe
// plays what lies before it when the first of them is used; moves back do so by themselves, when they come there.
var behind = []string{
	"again", "answer", "describe", "diff", "export", "narrate",
}

func afterThePast(run func(Call) (Answer, error)) func(Call) (Answer, error) {
	return func(c Call) (Answer, error) {
		if err := c.Session.Past(c.Context, c.Progress); err != nil {
			return Answer{}, err
		}
		return run(c)
	}
}

// screenVerbs are those that change what is seen and leave the session alone.
func screenVerbs() []Verb {
	return []Verb{
		{
			Name: "show", Aliases: []string{"print", "where", "list"}, Usage: "[PART]", takes: []kind{ofPart},
			Does:    "show a part of the state, such as queue, filter or score",
			Request: RequestShow,
		},
		{
			Name: "find", Aliases: []string{"/"}, Usage: "TEXT", takes: []kind{ofPodOrNode},
			Does: "find a pod, a node or a command by some of its letters", Request: RequestFind,
		},
		{
			Name: "narrate", Does: "tell what kube-scheduler does here, why, and where that is in its source",
			Request: RequestNarrate,
		},
		{
			Name: "filter", Usage: "[TEXT]", takes: []kind{ofNode},
			Does: "show only the rows that contain a text", Request: RequestFilter,
		},
		{
			Name: "sort", Usage: "ORDER", takes: []kind{ofOrder},
			Does: "sort the nodes", Request: RequestSort,
		},
		{
			Name: "columns", Usage: "NUMBERS", takes: []kind{ofNumbers},
			Does: "show scores weighted, normalized or raw", Request: RequestColumns,
		},
		{
			Name: "group-by", Usage: "LABEL", takes: []kind{ofLabel},
			Does:    "group the nodes of the cluster's picture by a label, such as topology.kubernetes.io/zone",
			Request: RequestGroupBy,
		},
		{
			Name: "fill", Usage: "[RESOURCE]", takes: []kind{ofResource},
			Does: "fill the nodes of the cluster's picture with what is requested of a resource", Request: RequestFill,
		},
		{
			Name: "theme", Usage: "NAME", takes: []kind{ofTheme}, Does: "draw the screen in the colours of a theme",
			Request: RequestTheme,
		},
		{
			Name: "language", Usage: "NAME", takes: []kind{ofLanguage},
			Does: "switch to another language: en or zh", Request: RequestLanguage,
		},
		{Name: "run", Does: "run cycles, one after the other, until pause, a breakpoint or the end", Request: RequestRun},
		{Name: "pause", Does: "stop a run after its present cycle", Request: RequestPause},
		{
			Name: "speed", Usage: "N", takes: []kind{ofNumber}, Does: "set how many cycles run in a second",
			Request: RequestSpeed,
		},
		{
			Name: "help", Aliases: []string{"?"}, Usage: "[VERB|WORD]", takes: []kind{ofTopic},
			Does: "list the commands, or explain one, or a word such as Filter", Request: RequestHelp,
		},
		{Name: "quit", Aliases: []string{"q", "exit"}, Does: "end the program", Request: RequestQuit},
	}
}

// Named finds a verb by its name, an alias, or a beginning that only one name has.
func Named(word string) (Verb, error) {
	var found []Verb
	for _, v := range All() {
		if v.Name == word || slices.Contains(v.Aliases, word) {
			return v, nil
		}
		if strings.HasPrefix(v.Name, word) {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Verb{}, unknownVerb(word)
	}
	var names []string
	for _, v := range found {
		names = append(names, v.Name)
	}
	return Verb{}, phrase.Errorf("%q may be one of %s", word, strings.Join(names, ", "))
}

// unknownVerb is the error about a word that is no verb: it names what may have been meant.
func unknownVerb(word string) error {
	if slices.Contains(partNames(), word) {
		return phrase.Errorf("%q is no command: show %s shows it", word, word)
	}
	return phrase.Errorf("%q is no command%s (help lists them)", word, spelling.Hint(word, Names()))
}

// Parse takes a line apart.
func Parse(text string) (Verb, []string, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		text = "/ " + rest
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return Verb{}, nil, phrase.Errorf("say what to do (help lists the commands)")
	}
	v, err := Named(words[0])
	if err == nil && v.Usage == "" && len(words) > 1 && !wantsData(v, text) {
		err = phrase.Errorf("%s takes no words, got %q (help %s)", v.Name, strings.Join(words[1:], " "), v.Name)
	}
	return v, words[1:], err
}

// Synopsis is the verb with its arguments.
func (v Verb) Synopsis() string { return strings.TrimSpace(v.Name + " " + v.Usage) }
