package tui_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// insideStory has three zones, images, a pod of another scheduler, and a binding of which no event is seen for long.
const insideStory = `# Two zones and a node without one. The event of a binding is late.

hold
node a-1 cpu=4 memory=8Gi zone=a image=registry.example.com/web:v1=180Mi
node b-1 cpu=4 memory=8Gi zone=b image=registry.example.com/web:v1=180Mi
node a-2 cpu=4 memory=8Gi zone=a
node plain cpu=1 memory=1Gi
pod db node=a-2 cpu=1
pod theirs cpu=1 scheduler=other
pod web cpu=2
schedule
----

delay web
advance 5s
pod cache cpu=1
----
`

// under is a session at the start of a story that a release plays.
func under(t *testing.T, version, story string) *session.Session {
	t.Helper()
	in, err := input.ReadScenario("story", strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	r, known := release.Find(version)
	if !known {
		t.Fatalf("there is no release %s", version)
	}
	gates, err := config.ParseGatesOf(r, "")
	if err != nil {
		t.Fatal(err)
	}
	played := in.Play(config.DefaultWith(config.Options{Gates: gates}), 0, trace.Summary)
	return session.New(played, session.About{Title: "story", Version: version})
}

// TestTheCacheAndTheStartAreTold keeps what the prompt prints of the cache and the start under three releases: before
// the first cycle, in the cycle that assumed the pod, and after it.
func TestTheCacheAndTheStartAreTold(t *testing.T) {
	for _, version := range []string{"1.37", "1.17", "1.6"} {
		s := under(t, version, insideStory)
		var told strings.Builder
		tell := func(where string, parts ...command.Part) {
			for _, p := range parts {
				lines := command.Lines(s.Frame(), p, "")
				fmt.Fprintf(&told, "=== %s: show %s\n%s\n\n", where, p, strings.Join(lines, "\n"))
			}
		}
		tell("at the start", command.PartStart, command.PartCache)
		s.Move(context.Background(), session.Out, session.Forward, nil)
		tell("after one event", command.PartStart)
		s.GotoPhase(context.Background(), trace.PhaseReserve, nil)
		tell("where the pod is assumed", command.PartCache)
		s.Move(context.Background(), session.Out, session.Forward, nil)
		tell("after the cycle", command.PartCache, command.PartStart)
		s.Move(context.Background(), session.Next, session.Forward, nil)
		tell("after the next cycle", command.PartCache)
		golden.Is(t, filepath.Join("testdata", "inside", version+".txt"), told.String())
	}
}

// TestTheCacheAndTheStartAreDrawn keeps both as the screen draws them at three sizes.
func TestTheCacheAndTheStartAreDrawn(t *testing.T) {
	for _, size := range []layout.Size{wide, medium, narrow} {
		for key, name := range map[string]string{"9": "cache", "0": "beginning"} {
			s := under(t, "1.17", insideStory)
			s.GotoCycle(context.Background(), 1, nil)
			drawn, err := screen.Draw(s, size, key, screen.Options{Theme: themes.Mono})
			if err != nil {
				t.Fatal(err)
			}
			file := fmt.Sprintf("%s_%dx%d.txt", name, size.Width, size.Height)
			golden.Is(t, filepath.Join("testdata", "screens", file), ansi.Strip(drawn))
		}
	}
}

// TestTheCacheIsScrolledAndNarrowed walks with keys.
func TestTheCacheIsScrolledAndNarrowed(t *testing.T) {
	journey(t, narrow, under(t, "1.17", insideStory), screen.Options{}, func(r *robot) {
		r.press("n9")
		r.sees("[Cache]", "It is schedulerCache, in pkg/scheduler/internal/cache/cache.go.", "a-2: generation")
		r.press("G").sees("registry.example.com/web:v1: 2 nodes, 180Mi")
		r.press("fgeneration\r").sees("plain: generation")
		r.seesNot("imageStates")
		r.press("f twice\r").sees(`No line contains "generation twice".`)
		r.press(":filter\r]").sees("[Start]", "1 Options")
		r.press("]").seesNot("Cache")
	})
}
