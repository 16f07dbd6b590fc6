// Command pictures draws the screens that the documents show, as SVG, into the folder it is given: the program's own
// frames, for a dark and for a light page. The same program makes the same bytes.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/demo"
	"github.com/schedstep/schedstep/replay/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/picture"
	"github.com/schedstep/schedstep/tui/screen"
)

// scene is a moment of a demo: the end of a cycle.
type scene struct {
	name, demo string
	cycle      int64
	keys       string // pressed there
	about      string
}

var (
	scenes = []scene{
		{
			"rejected", "rollout", 4, "5",
			"A pod that fits on no node: each filter's answer on each node, and why one of them fails.",
		},
		{"preempted", "preemption", 1, "]]", "A pod that makes room for itself: who has to leave, on which node."},
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
	d, err := demo.Open(s.demo)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	in, err := input.ReadRecording(s.demo, d)
	if err != nil {
		return nil, err
	}
	c := config.Default()
	play := session.New(in.Play(c, 1, trace.Reported), session.About{
		Title: in.Title, Version: c.Gates.Release().Version,
	})
	play.GotoCycle(context.Background(), s.cycle, nil)
	frame, err := screen.Draw(play, size, s.keys, screen.Options{Theme: theme})
	if err != nil {
		return nil, err
	}
	return picture.SVG(frame, size, s.about), nil
}
