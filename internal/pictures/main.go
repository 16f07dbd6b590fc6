// Command pictures draws the screens that the documents show, as SVG, into the folder it is given: the program's own
// frames, for a dark and for a light page. The same program makes the same bytes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/picture"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

// scene is a moment of a demo: the end of a cycle. Or it is a page of a lesson.
type scene struct {
	name, demo string
	cycle      int64
	keys       string // pressed there
	about      string
	language   words.Language // English if none is named

	lesson string   // in place of a demo
	page   int      // counted from 0
	lines  []string // carried out there
}

var (
	scenes = []scene{
		{
			name: "rejected", demo: "rollout", cycle: 4, keys: "5",
			about: "A pod that fits on no node: each filter's answer on each node, and why one of them fails.",
		},
		{
			name: "preempted", demo: "preemption", cycle: 1, keys: "zz",
			about: "A pod that makes room for itself: who has to leave, on which node.",
		},
		{
			name: "lesson-first", lesson: "scheduler",
			about: "The first page of the first lesson: what a scheduler is, a task, and the keys of a lesson.",
		},
		{
			name: "lesson-filters", lesson: "filters", keys: "2", lines: []string{"next"},
			about: "A page of the lesson on filters: one row for each node, one column for each filter.",
		},
		{
			name: "lesson-done", lesson: "spread", page: 2, lines: []string{"next 3", "uncordon c1", "next"},
			about: "A task that is done: three pods in three zones, and what there is to say about it.",
		},
		{
			name: "rejected-zh", language: "zh", demo: "rollout", cycle: 4, keys: "5",
			about: "哪里都放不下的 Pod：每个过滤插件对每个节点的回答，以及其中一个为什么拒绝。",
		},
		{
			name: "lesson-filters-zh", language: "zh", lesson: "filters", keys: "2", lines: []string{"next"},
			about: "过滤一课的一页：每个节点一行，每个过滤插件一列。",
		},
	}
	size = layout.Size{Width: 110, Height: 30}
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pictures FOLDER")
		os.Exit(2)
	}
	if err := drawAll(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func drawAll(folder string) error {
	for _, s := range scenes {
		for _, theme := range []string{"dark", "light"} {
			picture, err := s.draw(theme)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			file := filepath.Join(folder, s.name+"-"+theme+".svg")
			if err := os.WriteFile(file, picture, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s scene) draw(theme string) ([]byte, error) {
	play, options, err := s.open()
	if err != nil {
		return nil, err
	}
	options.Theme = theme
	frame, err := screen.Draw(play, size, s.keys, options)
	if err != nil {
		return nil, err
	}
	return picture.SVG(frame, size, s.about), nil
}

// open is the session at the moment of the scene.
func (s scene) open() (*session.Session, screen.Options, error) {
	if s.lesson != "" {
		return s.openLesson()
	}
	d, err := demo.Open(s.demo)
	if err != nil {
		return nil, screen.Options{}, err
	}
	defer d.Close()
	in, err := input.ReadRecording(s.demo, d)
	if err != nil {
		return nil, screen.Options{}, err
	}
	c := config.Default()
	play := session.New(in.Play(c, 1, trace.Reported), session.About{
		Title: in.Title, Version: c.Gates.Release().Version,
	})
	play.Speak(s.language)
	play.GotoCycle(context.Background(), s.cycle, nil)
	return play, screen.Options{}, nil
}

// openLesson is a lesson at a page, and after what was done there.
func (s scene) openLesson() (*session.Session, screen.Options, error) {
	ctx := context.Background()
	course, err := lesson.Embedded()
	if err != nil {
		return nil, screen.Options{}, err
	}
	l, err := course.Find(s.lesson)
	if err != nil {
		return nil, screen.Options{}, err
	}
	walk, err := lesson.Progress{}.Begin(ctx, l, carryOut, s.language.String())
	for range s.page {
		err = errors.Join(err, walk.Turn(ctx, 1))
	}
	for _, line := range s.lines {
		err = errors.Join(err, walk.Do(ctx, line))
	}
	if err != nil {
		return nil, screen.Options{}, err
	}
	class := &screen.Class{
		Walk: walk, Words: lesson.WordsIn(s.language.String()), Keep: func(lesson.Standing) error { return nil },
	}
	return walk.Session(), screen.Options{Class: class}, nil
}

// carryOut carries out a line and drops its output.
func carryOut(ctx context.Context, s *session.Session, line string) error {
	return prompt.CarryOut(ctx, s, line, 0, io.Discard)
}
