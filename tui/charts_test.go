package tui_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// spreadStory has three zones, of which one is closed: its emptiness keeps pods out of the others.
func spreadStory() string {
	story := "# Six replicas over three zones.\n\nnode a-1 cpu=4 memory=8Gi zone=a\nnode b-1 cpu=4 memory=8Gi zone=b\n" +
		"node c-1 cpu=4 memory=8Gi zone=c unschedulable\npod db-0 node=b-1 cpu=1\n"
	for i := range 6 {
		story += fmt.Sprintf("pod web-%d cpu=500m memory=1Gi labels=app=web spread=app=web@zone\n", i)
	}
	return story + "advance 5s\n"
}

// TestTheChartsLookAsTheyDid draws the waiting pods, the skew and the utilisation at three sizes, with Unicode and in
// ASCII.
func TestTheChartsLookAsTheyDid(t *testing.T) {
	for _, size := range []layout.Size{wide, medium, narrow} {
		looksAsKept(t, "charts", "8", size, afterCycle(t, 4, spreadStory()))
	}
}

// afterCycle is a session of a story after the nth cycle.
func afterCycle(t *testing.T, n int64, story string) *session.Session {
	t.Helper()
	s := atStart(t, story)
	s.GotoCycle(context.Background(), n, nil)
	return s
}

// looksAsKept draws the screen after some keys, with Unicode and in ASCII, and compares it with the files of that name.
func looksAsKept(t *testing.T, name, keys string, size layout.Size, s *session.Session) {
	t.Helper()
	for _, ascii := range []bool{false, true} {
		drawn, err := screen.Draw(s, size, keys, screen.Options{Theme: themes.Mono, ASCII: ascii})
		if err != nil {
			t.Fatal(err)
		}
		file := fmt.Sprintf("%s_%dx%d.txt", name, size.Width, size.Height)
		if ascii {
			file = "ascii_" + file
		}
		golden.Is(t, filepath.Join("testdata", "screens", file), ansi.Strip(drawn))
	}
}

func TestThePromptSaysWhatTheChartsDraw(t *testing.T) {
	s := atStart(t, spreadStory())
	charts := func() string { return strings.Join(command.Lines(s.Frame(), command.PartCharts, ""), "\n") }
	if text := charts(); !strings.Contains(text, "now; no cycle has run yet") {
		t.Errorf("at the start:\n%s", text)
	}
	s.GotoCycle(context.Background(), 3, nil)
	for _, want := range []string{
		"all: most 5, now 4; after each cycle: 5 4 4",
		"unschedulable: most 1, now 1; after each cycle: 0 0 1",
		"the fewest pods are 0, maxSkew is 1: a domain may have at most 1",
		"domain a: 1 of at most 1: no room\ndomain b: 1 of at most 1: no room\ndomain c: 0 of at most 1\n",
		"what is requested of each node before the first cycle, and now",
		"node b-1: cpu 25% before, 38% now; memory 0% before, 12% now",
		"cycles 1 to 3, 00:00:00.000 to 00:00:00.000, a column is a cycle",
		"packing, cpu: now 16.7 %, 12.5 % to 16.7 %; column by column: 12.5 %, 16.7 %, 16.7 %",
		"attempts: 3 in all, at most 1 in a column; column by column: 1, 1, 1",
	} {
		if text := charts(); !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	for _, line := range []string{"delete a-1", "add-node d-1 like b-1", "next"} {
		if err := carryOut(t.Context(), s, line); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"what is requested of each node before the first what-if, and now",
		"node a-1: cpu 12% before, the node is gone", "node d-1: cpu 0% now, the node is new",
	} {
		if text := charts(); !strings.Contains(text, want) {
			t.Errorf("on a branch %q is missing:\n%s", want, text)
		}
	}
}

func TestAPartThatIsTypedAloneIsToldHowToBeShown(t *testing.T) {
	_, err := command.Named("charts")
	if err == nil || err.Error() != `"charts" is no command: show charts shows it` {
		t.Errorf("%v", err)
	}
}

// TestTheChartsAreScrolledAndNarrowed walks to the last node with keys, and shows only some rows.
func TestTheChartsAreScrolledAndNarrowed(t *testing.T) {
	s := atStart(t, spreadStory())
	journey(t, narrow, s, screen.Options{}, func(r *robot) {
		r.press("nnn8").sees("[Charts]", "Queue over time", "most 5, now 4")
		r.seesNot("c-1   cpu")
		r.press("G").sees("c-1")
		r.seesNot("Queue over time")
		r.press("fdomain c\r").sees("0 of at most 1")
		r.seesNot("at most 1: no room")
	})
}
