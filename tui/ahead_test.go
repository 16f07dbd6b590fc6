package tui_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/table"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// moving are the verbs that move the cursor or change the cluster on a branch. Their answer is checked at the place
// where they arrive.
var moving = []string{
	"deal", "guess",
	"next", "step", "into", "out", "continue", "back", "back-fact", "rev", "previous", "reverse-continue", "goto",
	"rewind", "restart", "bookmark", "forget", "break", "tbreak", "trace", "watch", "cond", "on", "toggle", "clear",
	"branch", "undo", "cordon", "uncordon", "drain", "taint", "label", "add-node", "delete", "plan", "set",
	"tolerate", "relax", "evict", "add-volume", "renew-keys", "unresize", "scale", "apply", "wake", "fire", "redo",
	"undisplay", "source",
}

// asking has the lines that the test runs at every place, by verb. POD and NODE stand for every pod and node. A
// question without lines here is put with all that it takes.
var asking = map[string][]string{
	"diff":      {"diff weight=NodeResourcesFit=9", "diff plugin=NodeResourcesFit=off"},
	"bookmarks": {"bookmarks"}, "breakpoints": {"breakpoints"}, "branches": {"branches"}, "notes": {"notes"},
	"explain": {"explain POD", "explain NODE", "explain POD NODE"},
	"bind":    {"bind POD NODE"}, "describe": {"describe POD", "describe NODE"}, "edit": {"edit POD", "edit NODE"},
	"display":      {"display"},
	"scheduler":    {"scheduler"},
	"save-session": {"save-session"}, // the file holds the whole replay
	"export":       {"export filter csv", "export score csv", "export preemption csv", "export group csv"},
}

// runTo is how far a session has run: a fact about the session, and not about what lies ahead.
var runTo = regexp.MustCompile(`, run to \d+| \(already run to cycle \d+\)`)

// blank is room between texts: what stands beside the length that was run moves.
var blank = regexp.MustCompile(`(\x1b\[[0-9;]*m|[ ─━])+`)

// TestNoPanelAndNoVerbMentionsWhatLiesAhead walks random stories with a session that never ran farther. It draws every
// pane of the screen, prints every part at the prompt and runs every verb. A second session runs another future to its
// end and comes back. It must print the same everywhere, except how far it has run.
func TestNoPanelAndNoVerbMentionsWhatLiesAhead(t *testing.T) {
	law.CheckCostly(t, func(t *rapid.T) {
		past := drawnStory(t)
		future := past + "node huge cpu=64\npod last cpu=100m priority=100\nadvance 30s\n"
		straight, ctx := atStart(t, past), context.Background()
		straight.Move(ctx, session.Continue, session.Forward, nil)
		fresh, back := atStart(t, past), atStart(t, future)
		back.Move(ctx, session.Continue, session.Forward, nil)
		for range rapid.IntRange(1, 2).Draw(t, "positions") {
			for range rapid.IntRange(1, 15).Draw(t, "facts") {
				fresh.Move(ctx, session.Into, session.Forward, nil)
			}
			if !fresh.Frame().Now.Before(straight.Frame().Now) {
				return // from here on the two futures differ
			}
			back.Goto(ctx, fresh.Position(), nil)
			want, got := everything(t, fresh), everything(t, back)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("at %v a session that knows the future tells\n%s\nand one that does not\n%s\n%s",
						fresh.Position(), got[i], want[i], future)
				}
			}
		}
	})
}

// drawnStory is a random course of events: pods of several priorities come to nodes that fill up.
func drawnStory(t *rapid.T) string {
	var b strings.Builder
	for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
		fmt.Fprintf(&b, "node n%d cpu=%d\n", i, rapid.IntRange(1, 3).Draw(t, "cpu"))
	}
	for i := range rapid.IntRange(2, 5).Draw(t, "pods") {
		fmt.Fprintf(&b, "pod p%d cpu=%d00m priority=%d\n", i, rapid.IntRange(2, 20).Draw(t, "request"),
			10*rapid.IntRange(0, 2).Draw(t, "priority"))
		if rapid.Bool().Draw(t, "waits") {
			fmt.Fprintf(&b, "advance %ds\n", rapid.IntRange(1, 9).Draw(t, "seconds"))
		}
	}
	return b.String() + "advance 40s\n"
}

// failing is a test, or a drawn case of one.
type failing interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// atStart is a session at the start of a story.
func atStart(t failing, text string) *session.Session {
	in, err := input.ReadScenario("story", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return session.New(in.Play(config.Default(), 0, trace.Summary), session.About{Title: "story", Version: "1.37"})
}

// everything is all output at the cursor: every pane of the screen, every part at the prompt, the answer of every verb
// that does not move, and the words that complete a line.
func everything(t *rapid.T, s *session.Session) []string {
	var all []string
	tell := func(what, text string) {
		all = append(all, what+":\n"+blank.ReplaceAllString(runTo.ReplaceAllString(text, ""), " "))
	}
	for _, keys := range []string{"", "3", "4", "7", "8", "9", "0", "T"} {
		drawn, err := screen.Draw(s, layout.Size{Width: 200, Height: 30}, keys, screen.Options{Theme: themes.Mono})
		if err != nil {
			t.Fatal(err)
		}
		tell("screen after key "+keys, drawn)
	}
	f := s.Frame()
	for p := command.PartState; p <= command.PartGroup; p++ {
		tell("show "+p.String(), strings.Join(command.Lines(f, p, ""), "\n"))
	}
	words := command.VocabularyOf(s, f, nil)
	for _, v := range command.All() {
		tell("completion", strings.Join(words.Complete(v.Name+" "), "\n"))
		switch lines, asked := linesOf(v.Name); {
		case v.Run == nil || slices.Contains(moving, v.Name):
		case !asked:
			t.Fatalf("the law does not know the verb %s: does it move, or only tell?", v.Name)
		default:
			for _, line := range lines {
				for _, line := range namings(line, s.At().Names()) {
					tell(line, answerTo(t, s, line))
				}
			}
		}
	}
	return all
}

// linesOf are the lines of a verb; false: none.
func linesOf(verb string) ([]string, bool) {
	if lines, is := asking[verb]; is {
		return lines, true
	}
	for _, q := range table.Questions() {
		if q.Name == verb {
			for _, takes := range q.Takes {
				verb += map[ask.Kind]string{ask.OfNode: " NODE", ask.OfPod: " POD"}[takes]
			}
			return []string{verb}, true
		}
	}
	return nil, false
}

// namings are a line with every pod and node in the places of POD and NODE.
func namings(line string, names session.Names) []string {
	lines := []string{line}
	for place, all := range map[string][]string{"POD": names.Pods, "NODE": names.Nodes} {
		var filled []string
		for _, line := range lines {
			if !strings.Contains(line, place) {
				filled = append(filled, line)
				continue
			}
			for _, name := range all {
				filled = append(filled, strings.ReplaceAll(line, place, name))
			}
		}
		lines = filled
	}
	slices.Sort(lines)
	return lines
}

// answerTo is what a line answers, or why it does not.
func answerTo(t failing, s *session.Session, line string) string {
	verb, args, err := command.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	a, err := verb.Run(command.Call{Context: context.Background(), Session: s, Args: args})
	if a.Moved {
		t.Fatalf("%s moves", line)
	}
	return fmt.Sprintln(a.Said, a.Page, a.Ask, a.Draft, err)
}

// TestShowFilterStopsAtTheCellOfTheCursor walks into the Filter phase of a pod that fits on the second node alone.
func TestShowFilterStopsAtTheCellOfTheCursor(t *testing.T) {
	s := atStart(t, "node small cpu=1\nnode large cpu=4\npod p cpu=2\nadvance 1s\n")
	for s.Frame().Cell == nil {
		s.Move(context.Background(), session.Into, session.Forward, nil)
	}
	for _, node := range []string{"node large", "node small"} {
		if lines := command.Lines(s.Frame(), command.PartFilter, node); lines[1] != node+": not decided yet" {
			t.Errorf("at the first cell: %q", lines)
		}
	}
	told := answerTo(t, s, "export filter json")
	if !strings.Contains(told, `"large"`) || strings.Contains(told, `"feasible": true`) {
		t.Errorf("at the first cell the table knows a node that fits: %s", told)
	}
	for s.Frame().Cell != nil {
		s.Move(context.Background(), session.Into, session.Forward, nil)
	}
	if lines := command.Lines(s.Frame(), command.PartFilter, "large"); lines[1] != "node large: feasible" {
		t.Errorf("after the last cell: %q", lines)
	}
}
