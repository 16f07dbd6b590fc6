package tui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/demo"
	"github.com/schedstep/schedstep/replay/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// shown is a screen in docs/tour.md: a remark with the keys that lead to it, and the screen as text.
var shown = regexp.MustCompile("(?s)<!-- keys:([^>]*) -->\n+```\n.*?```\n")

// TestTheTourShowsTheScreensThatItsKeysLeadTo presses the keys of docs/tour.md, one screen after the other. With
// -update (make tour) it writes what is seen there into the document.
func TestTheTourShowsTheScreensThatItsKeysLeadTo(t *testing.T) {
	file := filepath.Join("..", "docs", "tour.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := demoSession(t, "pending")
	screens := 0
	journey(t, layout.Size{Width: 100, Height: 30}, s, screen.Options{Theme: "dark"}, func(r *robot) {
		walked := shown.ReplaceAllStringFunc(string(text), func(block string) string {
			keys := shown.FindStringSubmatch(block)[1]
			for _, key := range presses(keys) {
				r.press(key)
			}
			screens++
			return "<!-- keys:" + keys + " -->\n```\n" + strings.TrimRight(r.screen(), "\n") + "\n```\n"
		})
		isKept(t, file, walked)
	})
	if screens < 6 {
		t.Errorf("the tour shows %d screens", screens)
	}
}

// demoSession is a demo as the program opens it: at the filters of its first cycle.
func demoSession(t *testing.T, name string) *session.Session {
	t.Helper()
	d, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	in, err := input.ReadRecording(name, d)
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(in.Play(config.Default(), in.Seed, trace.Reported), session.About{
		Title: in.Title, Story: in.Story, Version: "1.37",
	})
	s.GotoPhase(t.Context(), trace.PhaseFilter, nil)
	return s
}
