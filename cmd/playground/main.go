//go:build js && wasm

// Command playground is the prompt in a page of a browser: the page hands it a scenario, a demo or a lesson, and then
// lines; it hands the page what the prompt prints. It is compiled to WebAssembly by internal/playground, which makes
// the page. There are no files, no cluster and no network.
package main

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/stage"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/prompt"
)

// table is one conversation at a time. JavaScript and Go take turns on one thread.
type table struct {
	leave func()         // ends the conversation that is open; nil: none is
	lines *io.PipeWriter // what is typed in it
}

func main() {
	t := &table{}
	api := js.Global().Get("Object").New()
	api.Set("open", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return t.open(args[0].String(), args[1].String(), args[2].String(), args[3])
	}))
	api.Set("type", js.FuncOf(func(_ js.Value, args []js.Value) any {
		line := args[0].String()
		go func() { _, _ = io.WriteString(t.lines, line+"\n") }()
		return nil
	}))
	api.Set("demos", strs(demo.Names()))
	api.Set("lessons", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return strs(lesson.Titles(args[0].String()))
	}))
	js.Global().Set("schedstep", api)
	js.Global().Get("document").Call("dispatchEvent", js.Global().Get("Event").New("schedstep"))
	select {}
}

// strs are texts for JavaScript.
func strs(texts []string) js.Value {
	all := make([]any, 0, len(texts))
	for _, text := range texts {
		all = append(all, text)
	}
	return js.ValueOf(all)
}

// page is where a conversation prints: a function of the page takes each text.
type page struct{ print js.Value }

func (p page) Write(text []byte) (int, error) {
	p.print.Invoke(string(text))
	return len(text), nil
}

// open begins a conversation and ends the one before. It returns why it could not; "": it could.
func (t *table) open(kind, what, language string, print js.Value) string {
	lang := words.LanguageIn(language)
	ctx, leave := context.WithCancel(context.Background())
	talk, err := conversation(ctx, kind, what, lang)
	if err != nil {
		leave()
		return lang.Error(err)
	}
	if t.leave != nil {
		t.leave()
	}
	in, lines := io.Pipe()
	t.leave, t.lines = func() { leave(); _ = in.Close(); _ = lines.Close() }, lines
	go func() {
		out := page{print}
		if err := talk(in, out); err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
			_, _ = io.WriteString(out, lang.Error(err)+"\n")
		}
		_ = in.Close()
	}()
	return ""
}

// conversation is the prompt over what the page requests: a scenario as text, the name of a demo, or the number of a
// lesson.
func conversation(
	ctx context.Context, kind, what string, lang words.Language,
) (func(io.Reader, io.Writer) error, error) {
	if kind == "lesson" {
		return class(ctx, what, lang)
	}
	in, err := read(kind, what)
	if err != nil {
		return nil, err
	}
	s, err := opened(ctx, in, what, kind)
	if err != nil {
		return nil, err
	}
	s.Speak(lang)
	return func(in io.Reader, out io.Writer) error { return prompt.Run(ctx, s, in, out) }, nil
}

func read(kind, what string) (*input.Input, error) {
	if kind != "demo" {
		return input.ReadScenario("scenario.txt", strings.NewReader(what))
	}
	file, err := demo.Open(what)
	if err != nil {
		return nil, err
	}
	return input.ReadRecording("demo:"+what, file)
}

// opened is the session of an input, in its first cycle.
func opened(ctx context.Context, in *input.Input, what, kind string) (*session.Session, error) {
	title := "scenario"
	if kind == "demo" {
		title = what
	}
	s, err := stage.Session(in, session.About{Title: title, Story: in.Story})
	if err == nil {
		s.GotoPhase(ctx, trace.PhaseFilter, nil)
	}
	return s, err
}

// class is a lesson by its number or its name. How far the learner is goes with the page.
func class(ctx context.Context, what string, lang words.Language) (func(io.Reader, io.Writer) error, error) {
	name, number, paged := strings.Cut(what, "/")
	l, err := lesson.EmbeddedLesson(name)
	if err != nil {
		return nil, err
	}
	first := 1
	if n, err := strconv.Atoi(number); paged && err == nil {
		first = n
	}
	act := func(ctx context.Context, s *session.Session, line string) error {
		return prompt.CarryOut(ctx, s, line, command.Reach(0), io.Discard)
	}
	walk, err := l.At(ctx, act, lang.String(), first)
	if err != nil {
		return nil, err
	}
	learning := prompt.Learning{
		Words: lesson.WordsIn(lang.String()), Keep: func(lesson.Standing) error { return nil },
	}
	return func(in io.Reader, out io.Writer) error { return prompt.Learn(ctx, walk, learning, in, out) }, nil
}
