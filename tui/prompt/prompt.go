// Package prompt shows a session line by line (--plain), for screen readers, scripts and terminals without a screen. It
// takes the same verbs as the screen; what they do and answer is package command's.
package prompt

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/learn/narrator"
	"github.com/schedstep/schedstep/replay/learn/predict"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/editor"
	"github.com/schedstep/schedstep/tui/widget"
)

// mostFound is how many names find lists at the prompt.
const mostFound = 20

// conversation reads command lines and writes answers.
type conversation struct {
	ctx     context.Context
	session *session.Session
	lines   lines
	out     *bufio.Writer
	before  string // the last line, which an empty one repeats
	terse   bool   // the position after a move is not printed
	class   *class // a lesson; nil: none is open
	game    *predict.Game
	may     command.Reach
}

// Run answers verbs line by line, in labelled lines without colours or boxes. On a terminal, arrows and tab work as in
// a shell. It returns when the input ends or a line is quit. The error is one of reading or writing, or the end of ctx.
func Run(ctx context.Context, s *session.Session, in io.Reader, out io.Writer) error {
	r := newConversation(ctx, s, nil, out)
	r.lines = linesOf(in, out, r.complete)
	return r.converse()
}

// Predict is Run with a game, which begins at once.
func Predict(ctx context.Context, s *session.Session, game *predict.Game, in io.Reader, out io.Writer) error {
	r := newConversation(ctx, s, nil, out)
	r.lines = linesOf(in, out, r.complete)
	r.game = game
	if _, err := r.carryOut("deal"); err != nil {
		return err
	}
	return r.listen()
}

func (r *conversation) complete(text string) []string {
	return command.VocabularyOf(r.session, r.session.Frame(), nil).Complete(text)
}

// CarryOut carries out lines, divided by semicolons, and writes the answers, without the position after each move. It
// ends at the first line that fails; a line that may not be used here fails.
func CarryOut(ctx context.Context, s *session.Session, text string, may command.Reach, out io.Writer) error {
	_, err := carryOut(ctx, s, text, may, out)
	return err
}

// Begin carries out lines as CarryOut does, with all that may be reached; more is false where one of them was quit.
func Begin(ctx context.Context, s *session.Session, text string, out io.Writer) (more bool, err error) {
	return carryOut(ctx, s, text, command.Everything, out)
}

func carryOut(
	ctx context.Context, s *session.Session, text string, may command.Reach, out io.Writer,
) (more bool, err error) {
	r := newConversation(ctx, s, newScript(strings.NewReader(""), io.Discard, false), out)
	r.terse, r.may = true, may
	more, err = r.carryOutAll(command.Split(text))
	return more, errors.Join(r.out.Flush(), err)
}

func newConversation(ctx context.Context, s *session.Session, from lines, out io.Writer) *conversation {
	return &conversation{ctx: ctx, session: s, lines: from, out: bufio.NewWriter(out), may: command.Everything}
}

func (r *conversation) converse() error {
	f := r.session.Frame()
	l := r.session.Language()
	r.print(l.Say("replay: %s", f.Title))
	if f.Story != "" {
		r.print(l.Say("story: %s", l.Of(f.Story)))
	}
	r.print(command.Lines(f, command.PartState, "")...)
	return r.listen()
}

// listen takes lines until the input ends or a line is quit.
func (r *conversation) listen() error {
	for {
		text, err := r.ask("> ")
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || !r.take(text) {
			return r.out.Flush()
		}
	}
}

// ask writes the pending output, shows a prompt and waits for a line.
func (r *conversation) ask(prompt string) (string, error) {
	if err := r.out.Flush(); err != nil {
		return "", err
	}
	return r.lines.next(r.ctx, prompt)
}

// sayf prints a text in the language of the session.
func (r *conversation) sayf(text string, values ...any) {
	r.print(r.session.Language().Say(text, values...))
}

// print writes lines without control characters, so that text from a cluster cannot control the terminal.
func (r *conversation) print(lines ...string) {
	for _, l := range lines {
		_, _ = r.out.WriteString(widget.Sanitize(l))
		_ = r.out.WriteByte('\n')
	}
}

// take carries out a line; it returns false after quit. An empty line repeats the line before; a line that begins with
// # is a comment.
func (r *conversation) take(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "#") {
		return true
	}
	if text == "" {
		text = r.before
	}
	r.before = text
	more, err := r.carryOutAll(command.Split(text))
	switch {
	case err == nil:
		return more
	case r.ctx.Err() == nil:
		r.sayf("error: %s", err)
	}
	return true
}

// carryOutAll carries out lines, until one fails or is quit, or the conversation is over.
func (r *conversation) carryOutAll(lines []command.Line) (more bool, err error) {
	for _, line := range lines {
		if err := r.ctx.Err(); err != nil {
			return false, err
		}
		if more, err := r.carryOut(line.Text); err != nil || !more {
			return more, line.Failed(r.session.Language(), err)
		}
	}
	return true, nil
}

func (r *conversation) carryOut(text string) (more bool, err error) {
	v, args, err := command.Parse(text)
	if err != nil {
		return true, err
	}
	if v.Run == nil {
		return v.Request != command.RequestQuit, r.fulfil(v, args)
	}
	result, err := v.Run(command.Call{Context: r.ctx, Session: r.session, Args: args, May: r.may, Game: r.game})
	if err != nil {
		return true, err
	}
	r.answer(result)
	if r.game != nil {
		r.game.See(r.session.Frame())
	}
	r.class.did(r, v, args)
	if more, err := r.carryOutAll(result.Then); err != nil || !more {
		return more, err
	}
	if result.Draft.Line != "" {
		return r.edit(result.Draft)
	}
	if result.Ask.Yes == "" || !r.agrees(result.Ask) {
		return true, nil
	}
	return r.carryOut(result.Ask.Yes)
}

// agrees puts a yes-or-no question to the user. In a script the answer is no: its next line is a command, not an
// answer.
func (r *conversation) agrees(q command.Question) bool {
	if !r.lines.isPerson() {
		r.sayf("nothing was done; to do it: %s", q.Yes)
		return false
	}
	text, err := r.ask("y or n? ")
	if err != nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "y") {
		r.sayf("nothing was done")
		return false
	}
	return true
}

// edit opens a draft in the user's editor, and carries out the result. A script gets the text.
func (r *conversation) edit(d command.Draft) (more bool, err error) {
	if !r.lines.isPerson() {
		r.print(strings.Split(strings.TrimSuffix(d.Text, "\n"), "\n")...)
		r.sayf("nothing was done; to do it: %s FILE, with the changed text in FILE", d.Line)
		return true, nil
	}
	if err := r.may.Check(command.RunPrograms | command.ReadFiles); err != nil {
		return true, err
	}
	sheet, err := editor.New(d.Name, d.Text)
	if err != nil {
		return true, err
	}
	run := sheet.Command()
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := errors.Join(r.out.Flush(), run.Run()); err != nil {
		return true, errors.Join(phrase.Errorf("edit: the editor ($VISUAL, $EDITOR): %w", err), sheet.Drop())
	}
	_, changed, err := sheet.Text()
	if err != nil || !changed {
		r.sayf("nothing was changed")
		return true, errors.Join(err, sheet.Drop())
	}
	if more, err = r.carryOut(d.Line + " " + sheet.Path); err != nil {
		return more, phrase.Errorf("%w; the text is in %s", err, sheet.Path)
	}
	return more, sheet.Drop()
}

func (r *conversation) answer(a command.Answer) {
	for _, p := range []command.Page{a.Page, a.Ask.Page} {
		if len(p.Lines) > 0 {
			r.print(p.Title)
			r.print(p.Lines...)
		}
	}
	if a.Said != "" {
		r.print(a.Said)
	}
	if a.Moved && !r.terse {
		r.print(command.Lines(r.session.Frame(), command.PartState, "")...)
	}
}

// fulfil answers the verbs of the screen for which there is an answer without a screen.
func (r *conversation) fulfil(v command.Verb, args []string) error {
	text := strings.Join(args, " ")
	switch v.Request {
	case command.RequestHelp:
		p, err := command.HelpOn(r.session.Language(), args)
		r.print(p.Lines...)
		return err
	case command.RequestLanguage:
		return r.speak(text)
	case command.RequestFind:
		return r.find(text)
	case command.RequestShow:
		return r.show(args)
	case command.RequestFilter:
		r.print(command.Lines(r.session.Frame(), command.PartFilter, text)...)
	case command.RequestGroupBy, command.RequestFill:
		lines, err := command.Picture(r.session.Frame(), v.Request, text)
		r.print(lines...)
		return err
	case command.RequestQuit:
	case command.RequestNarrate:
		r.print(prose.Plain(narrator.Tell(r.session.Frame(), r.class.vocabulary()))...)
	case command.RequestLesson, command.RequestPage, command.RequestHint, command.RequestAnswer, command.RequestAgain,
		command.RequestSandbox:
		return r.class.fulfil(r, v, text)
	default:
		return phrase.Errorf("%s: only a screen has that", v.Name)
	}
	return nil
}

// speak changes the language.
func (r *conversation) speak(tag string) error {
	l, err := words.LanguageNamed(tag)
	if err != nil {
		return err
	}
	r.session.Speak(l)
	r.print(l.Say("language: %s", l))
	return nil
}

// find lists the pods, nodes and commands whose names contain some letters in this order, the best match first.
func (r *conversation) find(text string) error {
	if text == "" {
		return phrase.Errorf("find: what? (find TEXT)")
	}
	names := r.session.At().Names()
	kinds := []struct {
		word string
		all  []string
	}{{"pod", names.Pods}, {"node", names.Nodes}, {"command", command.Names()}}
	found := 0
	for _, k := range kinds {
		matches := fuzzy.Find(text, k.all)
		found += len(matches)
		for _, m := range matches[:min(len(matches), mostFound)] {
			r.print(k.word + " " + m.Str)
		}
		if more := len(matches) - mostFound; more > 0 {
			r.sayf("and %d more", more)
		}
	}
	if found == 0 {
		r.sayf("nothing fits %s", text)
	}
	return nil
}

// show prints one pane of the screen as text.
func (r *conversation) show(args []string) error {
	name, containing := "", ""
	if len(args) > 0 {
		name, containing = args[0], strings.Join(args[1:], " ")
	}
	wanted, err := command.PartNamed(name)
	if err == nil {
		r.print(command.Lines(r.session.Frame(), wanted, containing)...)
	}
	return err
}
