package tui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/demo"
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
		golden.Is(t, file, walked)
	})
	if screens < 6 {
		t.Errorf("the tour shows %d screens", screens)
	}
}

// The walk of docs/live.md: an operator whose pod is pending opens a cluster of twenty nodes that they have never seen.
// What is followed is a recording of a real kube-scheduler 1.37.1 (make e2e builds it), which has not ended. With
// -update (make tour) the screens are written into the document.
func TestTheWalkOfAnOperatorTakesTenKeysAtMost(t *testing.T) {
	file := filepath.Join("..", "docs", "live.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, options := followed(t, filepath.Join("testdata", "live", "shop.schedstep"))
	journey(t, layout.Size{Width: 100, Height: 30}, s, options, func(r *robot) {
		r.settle()
		r.sees("▶ live", "20 nodes")
		pressed, screens := 0, 0
		walked := shown.ReplaceAllStringFunc(string(text), func(block string) string {
			keys := shown.FindStringSubmatch(block)[1]
			for _, key := range presses(keys) {
				r.press(key)
				pressed += keysIn(key)
			}
			screens++
			return "<!-- keys:" + keys + " -->\n```\n" + strings.TrimRight(r.screen(), "\n") + "\n```\n"
		})
		r.sees("The smallest changes that give it a node", "request 3800m of cpu instead of 7900m: it comes to")
		if pressed < 5 || pressed > 10 || screens != 3 {
			t.Errorf("%d keys lead over %d screens", pressed, screens)
		}
		golden.Is(t, file, walked)
	})
}

// keysIn is how many keys a person presses to send this: an escape sequence is one.
func keysIn(bytes string) int {
	if strings.HasPrefix(bytes, "\x1b") {
		return 1
	}
	return len([]rune(bytes))
}

// followed is a session at the end of a recording that goes on.
func followed(t *testing.T, file string) (*session.Session, screen.Options) {
	t.Helper()
	in, err := input.Read(t.Context(), []string{file}, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log := source.NewLog()
	last := in.Start
	for _, entry := range in.Script {
		log.Append(entry)
		last = entry.At
	}
	log.Reach(last.Add(time.Second))
	c := config.Default()
	o := core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: in.Start, Seed: in.Seed,
	}
	s := session.New(play.NewPlayer(core.New(o), play.NewRecorded(log), log), session.About{
		Title: "kind-kind", Version: "1.37", Hindsight: compare.NewHindsight(o), Records: in.Records("1.37"),
	})
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	return s, screen.Options{
		Theme: "dark", Live: &screen.Live{Changed: log.Changed, State: func() phrase.Phrase { return phrase.Phrase{} }},
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
