package tui_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/input"
	"github.com/schedstep/schedstep/replay/recording"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

// reopened is what comes of a file that save-session wrote.
func reopened(t *testing.T, file string) *session.Session {
	t.Helper()
	again, saved := unopened(t, file)
	if err := again.Restore(t.Context(), saved, nil); err != nil {
		t.Fatal(err)
	}
	return again
}

// unopened is the same at the start of its replay, and where it was saved.
func unopened(t *testing.T, file string) (*session.Session, []byte) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	in, err := input.ReadRecording(file, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return session.New(
		in.Play(config.Default(), in.Seed, trace.Reported), session.About{Title: in.Title, Version: "1.37"},
	), in.Session
}

// kept is the rollout as a session that can be saved.
func kept(t *testing.T) *session.Session {
	t.Helper()
	story := rollout()
	return story.about(t, session.About{Title: "web rollout", Version: "1.37", Write: func(
		to io.Writer, saved []byte,
	) error {
		w, err := recording.NewWriter(to, recording.Header{
			Title: "web rollout", Start: began, World: recording.Simulated, Seed: 1, Session: true,
		}, recording.Options{})
		if err != nil {
			return err
		}
		for _, e := range story.script {
			if err := w.Write(e.At, e.Event); err != nil {
				return err
			}
		}
		if err := w.Session(saved); err != nil {
			return err
		}
		return w.Close()
	}})
}

func TestASessionIsSavedWithAKeyAndOpensAtTheSamePlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "web.session")
	var before string
	journey(t, wide, kept(t), screen.Options{}, func(r *robot) {
		r.press("nnn")
		r.press(":break pod web-*\r")
		r.press(":bookmark before\r")
		r.press(":cordon n3\r")
		r.press("nssss")
		r.sees("what if: cordon", "■ paused at")
		before = strings.Join(strings.Split(r.screen(), "\n")[1:40], "\n")
		r.press("\x13")
		r.sees(":save-session")
		r.press(file + "\r")
		r.sees("bytes written; schedstep replay")
		r.press(":save " + file + "\r")
		r.sees("Write over the file?")
		r.press("n")
		r.sees("nothing was done")
		r.press(":save " + file + "\ry")
		r.sees("bytes written; schedstep replay")
	})
	journey(t, wide, reopened(t, file), screen.Options{}, func(r *robot) {
		r.sees("what if: cordon", "■ paused at")
		if after := strings.Join(strings.Split(r.screen(), "\n")[1:40], "\n"); after != before {
			t.Errorf("the screen is another one; it was\n%s\nand is\n%s", before, after)
		}
		r.press("B")
		r.sees("pod web-*")
		r.press("\x1b")
		r.press(":bookmarks\r")
		r.sees("cycle 3, branch main  before")
		r.press("\x1b")
		r.press("u")
		r.sees("is forgotten; on branch main")
	})
}

func TestASessionIsSavedInPlainAndOpensAtTheSamePlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "web.session")
	var saving, opened strings.Builder
	if err := prompt.Run(t.Context(), kept(t), strings.NewReader(
		"next 3\ncordon n3\nnext\nwhere\nsave-session "+file+"\n",
	), &saving); err != nil {
		t.Fatal(err)
	}
	if err := prompt.Run(t.Context(), reopened(t, file), strings.NewReader("where\n"), &opened); err != nil {
		t.Fatal(err)
	}
	state := opened.String()[strings.LastIndex(opened.String(), "> where"):]
	state = strings.TrimSuffix(strings.TrimPrefix(state, "> "), "> \n")
	if !strings.Contains(saving.String(), strings.TrimPrefix(strings.TrimSpace(state), "where")) || len(state) < 100 {
		t.Errorf("saved at\n%s\nopened at\n%s", saving.String(), opened.String())
	}
}
