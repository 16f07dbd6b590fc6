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
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/recording"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

// reopened is the session of a file that save-session wrote.
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
		to io.Writer, saved, _ []byte,
	) error {
		return story.write(to, "web rollout", saved, nil)
	}})
}

// write is the story as a recording with a saved session.
func (s *story) write(to io.Writer, title string, saved, keyframe []byte) error {
	w, err := recording.NewWriter(to, recording.Header{
		Title: title, Start: began, World: recording.Simulated, Seed: 1, Session: true,
	}, recording.Options{})
	if err != nil {
		return err
	}
	for _, e := range s.script {
		if err := w.Write(e.At, e.Event); err != nil {
			return err
		}
	}
	if err := w.Session(saved, keyframe); err != nil {
		return err
	}
	return w.Close()
}

func TestASessionIsSavedWithAKeyAndOpensAtTheSamePlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "web.session")
	var before string
	journey(t, wide, kept(t), screen.Options{}, func(r *robot) {
		r.press("nnn")
		r.press(":break pod web-*\r")
		r.press(":bookmark before\r")
		r.press(":cordon n3\r")
		r.press("nssss").sees("what if: cordon", "■ paused at")
		before = strings.Join(strings.Split(r.screen(), "\n")[1:40], "\n")
		r.press("\x13").sees(":save-session")
		r.press(file + "\r").sees("bytes written; schedstep replay")
		r.press(":save " + file + "\r").sees("Write over the file?")
		r.press("n").sees("nothing was done")
		r.press(":save " + file + "\ry").sees("bytes written; schedstep replay")
	})
	journey(t, wide, reopened(t, file), screen.Options{}, func(r *robot) {
		r.sees("what if: cordon", "■ paused at")
		if after := strings.Join(strings.Split(r.screen(), "\n")[1:40], "\n"); after != before {
			t.Errorf("the screen is another one; it was\n%s\nand is\n%s", before, after)
		}
		r.press("B").sees("pod web-*")
		r.press("\x1b")
		r.press(":bookmarks\r").sees("cycle 3, branch main  before")
		r.press("\x1b")
		r.press("u").sees("is forgotten; on branch main")
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

// TestEachThingThatIsSavedIsThereWhereItIsOpened has a user make a thing, look at it and save the session. In another
// folder the opened file gives the same answer to the same look.
func TestEachThingThatIsSavedIsThereWhereItIsOpened(t *testing.T) {
	for _, c := range []struct{ thing, made, looks, says string }{
		{"a position after a cycle", "next 3", "where", "where: after cycle 3"},
		{"a position inside a cycle", "next 2\nstep 5", "where\nshow filter\nstep", "may follow: "},
		{"a position outside of cycles", "next 4\nout", "where", "where: step 19, "},
		{"the last position", "continue\ncontinue", "show queue\nnext\nwhere", "where: at the end, after 6 cycles"},
		{"a bookmark with its note", "next 2\ncheck before the big one", "checks", "cycle 2, branch main  before the big one"},
		{"a bookmark to go back to", "next 2\ncheck before\nnext 2", "restart 1\nwhere", "where: after cycle 2"},
		{"a breakpoint", "break pod web-*", "breakpoints", "pod web-*"},
		{"what it counted", "break pod web-* if hits > 2\ncontinue", "breakpoints\nreverse-continue\nwhere", "if hits > 2"},
		{"a breakpoint that stops", "break outcome Unschedulable", "continue\nwhere", "where: after cycle 5"},
		{"a breakpoint for once", "tbreak pod huge-0", "breakpoints\ncontinue\nbreakpoints", "huge-0"},
		{"a breakpoint that goes on", "trace pod web-*", "breakpoints\ncontinue", "default/web-3"},
		{"a breakpoint that is off", "break pod web-3\ntoggle 1", "breakpoints\ncontinue\nwhere", "off"},
		{"a command of a breakpoint", "break pod web-3\non 1 explain", "breakpoints\ncontinue", "Why default/web-3 is where it is"},
		{"a watched value", "watch node.n2.requested.cpu", "breakpoints\ncontinue\nwhere", "node.n2.requested.cpu"},
		{"a displayed value", "next\ndisplay node.n2.free.cpu", "display\nnext", "node.n2.free.cpu is 2"},
		{
			"a branch, which one leaves", "next 3\ncordon n3\nnext\nbranch main", "branches\nwhere\nbranch cordon-1\nwhere",
			"cordon-1, off main after step 17",
		},
		{"a branch of a branch", "next 2\ncordon n3\nnext\nadd-node n9 like n2\nnext", "branches\nwhere", "add-node"},
	} {
		t.Run(c.thing, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "web.session")
			const mark = "nothing fits xxxx\n"
			told := func(s *session.Session, lines string) string {
				var out strings.Builder
				if err := prompt.Run(t.Context(), s, strings.NewReader(lines), &out); err != nil {
					t.Fatal(err)
				}
				_, after, found := strings.Cut(out.String(), mark)
				if !found {
					t.Fatalf("it did not come so far:\n%s", out.String())
				}
				return after
			}
			looks := "find xxxx\n" + c.looks + "\n"
			before := told(kept(t), c.made+"\nsave-session "+file+"\n"+looks)
			elsewhere := filepath.Join(t.TempDir(), "other.session")
			if err := os.Rename(file, elsewhere); err != nil {
				t.Fatal(err)
			}
			if after := told(reopened(t, elsewhere), looks); after != before {
				t.Errorf("before it was saved:\n%s\nwhere it was opened:\n%s", before, after)
			}
			if !strings.Contains(before, c.says) {
				t.Errorf("there is no %q in\n%s", c.says, before)
			}
		})
	}
}
