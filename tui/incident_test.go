package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// docs/history.md walks through the incident of replay/source/testdata/incident: a database waits for 20 minutes at 3
// in the morning. Ten keys find what it waits for, since when, what came before, and what would have helped.
func TestAnIncidentIsFoundFromTheLogsInTenKeys(t *testing.T) {
	for _, size := range []layout.Size{{Width: 160, Height: 45}, {Width: 100, Height: 30}} {
		in, err := input.Read(t.Context(), []string{"../replay/source/testdata/incident/audit.log.zst"}, input.Options{
			Since: time.Date(2026, 11, 28, 7, 50, 0, 0, time.UTC),
		})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(in.Play(config.Default(), 0, trace.Reported), session.About{
			Title: "audit", Version: "1.37", Records: in.Records("1.37"), Happened: true,
		})
		journey(t, size, s, screen.Options{}, func(r *robot) {
			keys := []string{"g", "*", "d", "b", "-", "0", "\r", "x", "\x1b", "a"}
			press := func(n int) {
				for _, key := range keys[:n] {
					r.press(key)
				}
				keys = keys[n:]
			}
			press(7)
			r.sees("shop/orders-db-0, attempt 1", "0 of 14 nodes fit")
			press(1)
			page := strings.Join(strings.Fields(strings.ReplaceAll(r.screen(), "┃", "")), " ")
			for _, want := range []string{
				"unschedulable since 08:01:1", "What holds what it lacks, and since when",
				"cpu of b1, b2, b3, b4, where nothing else is missing",
				"Job reports/nightly-29930876: 24, 12 pods, bound from 07:56:0",
				"shop/orders-db-0 was on b2 before, until it was deleted at 08:01:1",
			} {
				if !strings.Contains(page, want) {
					t.Errorf("%v: %q is not on the screen:\n%s", size, want, r.screen())
				}
			}
			press(2)
			r.sees("give it the PriorityClass serving (1000)")
			if len(keys) > 0 {
				t.Errorf("%d keys are left", len(keys))
			}
		})
	}
}
