// Package ask is what all questions about a position have in common: a question reads what is known there (session.At),
// moves nothing, and has a room of its own below this one, with what it finds, its lines and its verb. It knows none of
// the questions: the table of them is in replay/ask/table.
package ask

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// Kind is what a word of a question names, for completion.
type Kind uint8

// The kinds.
const (
	OfPod Kind = iota
	OfNode
	OfExplained // a pod, a node, a workload or a pod group
)

// Question is one question, as it is typed.
type Question struct {
	Name    string
	Aliases []string // short forms, and the names other debuggers use
	Usage   string   // its arguments, as help shows them
	Takes   []Kind   // what each argument is

	Does     string // what it lists, in one line
	Help     string // a paragraph
	Examples []string

	// LooksBack is set when the answer holds what lies behind the position, however far: a saved session that begins at a
	// keyframe plays that first.
	LooksBack bool
	Data      bool // the answer is written as JSON too

	// Where the question is answered besides the screen and the prompt, as docs/keys.md lists it.
	Command Place // of the command line
	Page    Place // of HTML or Markdown
	JSON    Place // of a question without Data

	Find func(Call) (Answer, error)
}

// Place is where a question is answered, or else why it is not answered there.
type Place struct {
	In  string // a command of schedstep, or of the prompt
	Not string
}

// Piped is the place of a question on the command line that has no command of its own: it is about a position, to which
// a replay goes first.
var Piped = Place{In: "replay FILE --plain"}

// OnNoPage is the place of a question that no page has.
var OnNoPage = Place{Not: "pages are about a cycle or a run"}

// Call is a question that is put.
type Call struct {
	Context  context.Context // ends a long search early
	At       *session.At
	Frame    *session.Frame // at the same position
	Args     []string
	Cycle    string          // the pod that the cursor's cycle is about; "": no cycle has run yet
	Progress func(steps int) // may be nil
}

// Answer is what a question found: of one with Data, as JSON writes it; and its lines.
type Answer interface {
	Title(words.Language) string
	Lines(words.Language) []prose.Line
	Next() []string // lines to run that the reader may choose
}

// JSON is an answer as data, or what its method Document returns.
func JSON(a Answer) (string, error) {
	var value any = a
	if d, is := a.(interface{ Document() any }); is {
		value = d.Document()
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// Wider is an answer about a pod that knows the question about all pods of its workload.
type Wider interface {
	Whole() string // the line that puts it; "": there is none
}

// Said is an answer in a sentence, which needs no page.
type Said string

// Title is nothing.
func (s Said) Title(words.Language) string { return "" }

// Lines are the sentence.
func (s Said) Lines(words.Language) []prose.Line {
	return []prose.Line{{Role: prose.Note, Text: string(s)}}
}

// Next is nothing.
func (s Said) Next() []string { return nil }

// Lang is what the person reads.
func (c Call) Lang() words.Language { return c.At.Language() }

// Pod is the pod that the first word names, even one that is gone, or else the one the cursor's cycle is about.
func (c Call) Pod() (string, error) { return c.named(c.At.PodKey) }

// PodHere is Pod, but of a name only a pod that is there.
func (c Call) PodHere() (string, error) { return c.named(c.At.Pod) }

func (c Call) named(pod func(text string) (string, error)) (string, error) {
	if len(c.Args) > 0 {
		return pod(c.Args[0])
	}
	if c.Cycle == "" {
		return "", c.Lang().Errorf("which pod? (no cycle has run yet)")
	}
	return c.Cycle, nil
}

// HasNode reports whether a node is called so.
func (c Call) HasNode(name string) bool { return slices.Contains(c.At.Names().Nodes, name) }
