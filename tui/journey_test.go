package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

var (
	wide   = layout.Size{Width: 160, Height: 45}
	medium = layout.Size{Width: 100, Height: 30}
	narrow = layout.Size{Width: 80, Height: 24}
)

func TestStepsGoThroughACycleAndBack(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.sees("paused at the start", "n runs the next cycle")
		r.press("n").sees("cycle 1", "default/web-0", "✔ chosen", "paused after the cycle")
		r.press("b").seesNot("paused after the cycle")
		r.press(":rev out\rssss").sees("paused at Filter", "[Filter] 4 of 5")
		r.seesNot("✔ chosen")
		r.press("s").sees("paused at PreScore")
		r.press("o").sees("paused after the cycle", "✔ chosen")
		r.press("nN").sees("cycle 1, run to 2")
	})
}

func TestKeysPressedAheadAreAllTaken(t *testing.T) {
	journey(t, narrow, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnn").sees("cycle 4")
	})
}

func TestFinderGoesToPodsNodesAndCommands(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn")
		r.press("/").sees("Find a pod, a node or a command", "default/web-0")
		r.press("hug\r").sees("▸huge-0", "┏ Queue")
		r.press("/n3\r")
		r.press("\r").sees("Why: n3")
		r.press("/web-1\r").sees("How default/web-1 came here", "cycle 2")
		r.press("\x1b")
		r.press("/rewi\r").sees("paused at the start")
		r.press("/zzz").sees("nothing fits", "enter  go on until a pod like *zzz* is tried")
		r.press("\r").seesNot("nothing fits")
	})
}

func TestFinderGoesOnToAPodThatIsNotThereYet(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("/hug").sees("nothing fits", "enter  go on until a pod like *hug* is tried")
		r.press("\r").sees("default/huge-0, attempt 1")
	})
}

func TestBindByHandSaysWhatItBreaksAndCanBeUndone(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("n")
		r.press("m").sees("which pod?")
		r.press("web-2\r").sees("Bind default/web-2: to which node?")
		r.press("n1\r").sees("Bind default/web-2 to n1?", "TaintToleration", "untolerated taint")
		r.press("n").sees("nothing was done", "cycle 1")
		r.press("mweb-2\rn1\ry").sees("is bound to n1 on branch", "what if: ")
		r.press("w").sees("main", "the replay itself")
		r.press("\x1b")
		r.press("u").sees("is forgotten; on branch main")
		r.seesNot("what if: bind")
		r.press("u").sees("u: this is what was recorded, not a branch")
	})
}

func TestBreakpointsStopAndSayWhich(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("B").sees("Breakpoints", "stop when a pod fits nowhere")
		r.press("\r").sees("breakpoint 1 is set: outcome Unschedulable", "    c continue  space run  n next")
		r.press("c").sees("breakpoint 1: outcome Unschedulable", "huge-0")
		r.press("B").sees("hit 1 time")
		r.press(" ").sees("breakpoint 1 is off")
		r.press("B").sees("off")
		r.press("x")
		r.press("B").seesNot("struck 1 time")
		r.press("\x1b")
		r.press(":tbreak pod web-3\r")
		r.press(":rewind\r")
		r.press("c").sees("web-3", "breakpoint 2: pod web-3")
		r.press("B").seesNot("pod web-3  ")
	})
}

func TestRunStopsAtABreakpoint(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press(":break outcome Unschedulable\r")
		r.press("+++++++").sees("cycles in a second")
		r.press(" ")
		for range 20 {
			r.settle()
		}
		r.sees("breakpoint 1: outcome Unschedulable", "cycle 5")
	})
}

func TestRunGoesOnUntilItIsPaused(t *testing.T) {
	journey(t, narrow, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("--").sees("runs 1 cycle in a second")
		r.press(" ").sees("running")
		r.press("n").sees("n: cycles run (space pauses)")
		r.press(" ").sees("paused")
		screen := r.screen()
		for range 20 {
			r.settle()
		}
		if r.screen() != screen {
			t.Errorf("a paused run goes on:\n%s\nbefore:\n%s", r.screen(), screen)
		}
		r.press("++++++++ ")
		for range 20 {
			r.settle()
		}
		r.sees("paused at the end")
		r.press(" ").sees("space: this is the end; nothing is left to do")
	})
}

func TestAKeyThatCanDoNothingSaysWhy(t *testing.T) {
	journey(t, narrow, rollout().session(t), screen.Options{}, func(r *robot) {
		for _, refused := range []struct{ key, why string }{
			{"b", "b: this is the start"},
			{"C", "C: this is the start"},
			{"m", "m: there is no node yet"},
			{"u", "u: this is what was recorded"},
			{"v", "v: neither scores nor the cluster are shown"},
			{"x", "x: no pod is under the cursor"},
			{"\r", "enter: nothing is under the cursor"},
			{"\x1b", "esc: nothing is open"},
			{"Z", "Z does nothing (? lists the keys)"},
			{"4r", "r: no nodes that can be sorted or grouped are shown"},
			{"6\r", "enter: there is nothing under the cursor to go to"},
			{"f", "f: only the queue and the main pane"},
		} {
			r.press(refused.key).sees(refused.why)
		}
		r.press("?").sees("not now: this is the start")
		r.press("\x1b")
		r.press(":goto end\r")
		r.press("n").sees("n: this is the end; nothing is left to do")
	})
}

func TestTheFirstPageLeadsToTheKeys(t *testing.T) {
	journey(t, wide, demoSession(t, "preemption"), screen.Options{}, func(r *robot) {
		r.sees("? lists all keys; any key begins.")
		r.press("?").sees("Move through the replay")
		r.press("?").seesNot("Move through the replay")
	})
}

func TestHelpListsEveryKeyAndLetsKeysThrough(t *testing.T) {
	journey(t, layout.Size{Width: 160, Height: 120}, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("?")
		r.sees(
			"Move through the replay", "let cycles run, or pause", "Go through a pane", "Commands, after :",
			"reverse-continue",
		)
		r.press("n").sees("cycle 1")
		r.seesNot("Move through the replay")
	})
}

func TestCommandLineCompletesAndRemembers(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("n")
		r.press(":got").sees(":goto", "go to a cycle")
		r.press("\tweb-3").sees("default/web-3")
		r.press("\r").sees("cycle 4", "default/web-3")
		r.press(":\x1b[A").sees(":goto web-3")
		r.press("\x1b")
		r.press(":frobnicate\r").sees(`"frobnicate" is no command (help lists them)`)
		r.press("\x1b")
		r.press(":rewind; next 2; theme mono\r").sees("cycle 2, run to 4", "theme mono")
		r.press(":explain huge-0\r").sees(`there is no node and no pod "huge-0"`)
	})
}

func TestALineThatFailsIsMended(t *testing.T) {
	journey(t, narrow, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press(":next; frobnicate 2; theme mono\r")
		r.sees(`"frobnicate" is no command`, ":frobnicate 2; theme mono", "cycle 1")
		r.press("\x01"+strings.Repeat("\x1b[3~", len("frobnicate"))+"next\r").sees("cycle 3", "theme mono")
		r.seesNot("frobnicate")
	})
}

// TestACommandThatLacksItsWordsIsGoneOnWith types what is missing right behind a refusal.
func TestACommandThatLacksItsWordsIsGoneOnWith(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cycle.html")
	journey(t, narrow, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("n:export\r")
		r.sees("export: what, and into what?", ":export ")
		r.press("cycle " + file + "\r")
		r.seesNot("Not done")
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	})
}

func TestAGotoThatFindsNothingStays(t *testing.T) {
	for _, missing := range []struct{ line, why string }{
		{"goto nobody", `no cycle tried pod "nobody"`},
		{"goto 99", "there is no cycle 99"},
	} {
		journey(t, narrow, rollout().session(t), screen.Options{}, func(r *robot) {
			r.press("nn")
			r.press(":"+missing.line+"\r").sees(missing.why, "cycle 2", "paused after the cycle")
			r.press("\x1b")
			r.press("b").sees("paused at Bind")
		})
	}
}

func TestFactsCanBeFiltered(t *testing.T) {
	journey(t, narrow, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("n4").sees("PreFilter")
		r.press("fbind\r").sees("Bind", "of ")
		r.seesNot("PreFilter NodeResourcesFit")
		r.press("\x1b").sees("PreFilter")
	})
}

func TestThemesArePreviewedAndGivenBack(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{Theme: "okabe-ito-dark"}, func(r *robot) {
		before := r.terminal.Render()
		r.press("t").sees("Themes", "high-contrast")
		r.press("\x1b[B")
		r.press("\x1b[B")
		r.press("\x1b")
		r.press("X\x1b")
		r.press("1")
		r.press("2")
		if got := r.terminal.Render(); strings.Contains(got, "Themes") || colours(got) != colours(before) {
			t.Errorf("a theme that was only looked at stays")
		}
		r.press("tmono\r").sees("theme mono")
		if colours(r.terminal.Render()) == colours(before) {
			t.Errorf("the chosen theme is not drawn")
		}
	})
}

// colours is the first control sequence of a screen that sets colours.
func colours(screen string) string {
	at := strings.Index(screen, "38;2;")
	if at < 0 {
		return ""
	}
	return screen[at : at+strings.IndexByte(screen[at:], 'm')]
}

func TestEverySizeShowsSomethingAndLosesNothing(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn")
		for _, size := range []layout.Size{
			{Width: 160, Height: 40},
			{Width: 159, Height: 45},
			{Width: 100, Height: 30},
			{Width: 99, Height: 30},
			{Width: 80, Height: 24},
			{Width: 60, Height: 15},
			{Width: 59, Height: 15},
			{Width: 20, Height: 5},
			{Width: 2, Height: 2},
			{Width: 1, Height: 1},
			{Width: 300, Height: 100},
		} {
			r.resize(size)
			r.press("?")
			r.press("\x1b")
			r.press("/")
			r.press("\x1b")
			r.press(":\x1b")
			if strings.TrimSpace(r.screen()) == "" {
				t.Errorf("nothing is seen at %v", size)
			}
		}
		r.sees("cycle 5", "default/huge-0", "Queue", "Timeline")
	})
}

func TestEveryPartIsReachableAt80x24(t *testing.T) {
	journey(t, narrow, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn")
		for _, part := range []struct{ key, shows string }{
			{"1", "[Queue]"},
			{"2", "[Filter]"},
			{"3", "[Score]"},
			{"4", "[Facts]"},
			{"5", "[Why]"},
			{"6", "[Timeline]"},
			{"\t", "[Queue]"},
			{"2]", "[Score]"},
			{"]", "[Preemption]"},
			{"]", "[Binding]"},
			{"[", "[Preemption]"},
			{"1\x1b[Z", "[Timeline]"},
		} {
			r.press(part.key).sees(part.shows)
		}
	})
}

// Why goes on explaining what it was opened from, however fast the keys come.
func TestWhyIsAboutThePaneBefore(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn5").sees("▸n2", "Why: n2")
		r.press("6").seesNot("Why: n2")
		r.press("5").seesNot("Why: n2")
		r.press("25").sees("Why: n2")
	})
}

func TestTooSmallAScreenSaysSoAndQuits(t *testing.T) {
	journey(t, layout.Size{Width: 59, Height: 14}, rollout().session(t), screen.Options{}, func(r *robot) {
		r.sees("too small for panes: from 60 columns and 15 rows", "q quits")
		r.press("n").sees("cycle 1")
		r.press("q")
		r.ends()
	})
}

func TestZoomShowsOnePane(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nz").seesNot("Queue", "Timeline")
		r.press("\x1b").sees("Queue", "Timeline")
	})
}

func TestEnterOnAPodTellsItsHistory(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn")
		r.press("/huge\r")
		r.press("\r").sees("How default/huge-0 came here", "When it is tried again", "NodeResourcesFit waits until")
		r.press("\x1b")
		r.press("x").sees("Why default/huge-0 is where it is", "What rejects it", "Insufficient cpu")
	})
}

func TestMouseFocusesSelectsAndScrolls(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn")
		r.press("\x1b[<0;5;3M").sees("┏ Queue")
		r.press("\x1b[<0;52;5M").sees("[Score]")
		r.press("\x1b[<65;60;8M")
		r.press("\x1b[<0;3;43M").sees("cycle 1, run to 5")
	})
}

func TestEscapeSequencesInATitleAreNotSent(t *testing.T) {
	s := rollout().titled(t, "evil\x1b]0;pwned\x07\x1b[2Jtitle")
	journey(t, medium, s, screen.Options{}, func(r *robot) {
		r.sees("title")
		if strings.Contains(r.sent.String(), "pwned") {
			t.Error("a title's control sequence reached the terminal")
		}
	})
}

func TestASCIISendsNothingElse(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{ASCII: true}, func(r *robot) {
		r.press("nnnnn")
		r.press("?")
		r.press("\x1b")
		r.press("3B")
		for i, b := range r.sent.Bytes() {
			if b >= 0x80 {
				t.Fatalf("byte %d is %#x:\n%s", i, b, r.screen())
			}
		}
	})
}

func TestNoColorSendsNoColour(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{NoColor: true}, func(r *robot) {
		r.press("nnnnn")
		r.press("3")
		if sent := r.sent.String(); strings.Contains(sent, "38;") || strings.Contains(sent, "48;2") {
			t.Error("a colour was sent")
		}
		r.press("t").sees("t: colours are off (NO_COLOR)")
	})
}
