package tui_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/screen"
)

func TestAnObjectUnderTheCursorIsDescribed(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn").sees("asks for cpu 16", "huge-0")
		r.press("2d").sees("node/n", "allocatable:", "kind: Node")
		r.press("/memo").seesNot("kind: Node")
		r.sees("memory: 16Gi")
		r.press("\x1b")
		r.press("\x1b")
	})
}

func TestValuesAreDisplayedAtEveryStop(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press(":display node.n2.free.cpu\r").sees("node.n2.free.cpu = none")
		r.press("n").sees("node.n2.free.cpu = 2")
		r.press("N").sees("node.n2.free.cpu = none")
		r.press(":undisplay 1\r").seesNot("node.n2.free.cpu = ")
	})
}

func TestKeysOfTheirOwn(t *testing.T) {
	keys, err := screen.ParseKeys([]byte("J: next 2\nK: key N\nt: \"\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	journey(t, wide, rollout().session(t), screen.Options{Keys: keys}, func(r *robot) {
		r.press("J").sees("cycle 2")
		r.press("K").sees("cycle 1")
		r.press("t").sees("t does nothing")
		r.press("?").sees("Here: Filter")
		r.press("/next 2\r").sees("J", "next 2")
		r.seesNot("the cycle before")
	})
	for _, wrong := range []string{"x: nosuch verb", "x: key F13", "ctrl+c: next", "- a", "x: [1]"} {
		if _, err := screen.ParseKeys([]byte(wrong)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestTheChooserOfNodesTellsWhichWouldTakeThePod(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn")
		r.press("m")
		r.press("huge-0\r").sees("rejected by Taint, Fit", "rejected by Fit")
		r.press("\x1b")
		r.press("1w").sees("carry out the smallest of them", "request other cpu", "in your editor")
		r.press("\x1b")
	})
}

func TestAQuantityThatCannotBeWorkedOutIsNoEdit(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("n")
		r.press(":edit node/n1 testdata/edit/endless.yaml\r")
		r.sees("Not done; mend the line", "status.capacity.cpu", "is not a quantity")
	})
}

func TestACellThatPassesShowsItsNumbers(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("n2")
		r.press(strings.Repeat("\x1b[C", 8)).sees("Why: NodeResourcesFit on n2", "cpu: wants 2, 4 free of 4")
	})
}

func TestAScriptIsCarriedOutLineByLine(t *testing.T) {
	journey(t, wide, rollout().session(t), screen.Options{Begin: "source testdata/edit/steps.txt"}, func(r *robot) {
		r.sees("cycle 5", "huge-0", "queue.active = ")
		r.press(":rewind\r")
		r.press(":source testdata/edit/steps.txt\r").sees("cycle 5")
		r.press(":source testdata/edit/misspelt.txt\r").sees("Not done; mend the line", "misspelt.txt line 2")
		r.press("\x1b")
		r.press(":rewind\r")
		r.press(":source testdata/edit/failing.txt\r")
		r.sees("source: testdata/edit/failing.txt line 4: ", "n99", ":cordon n99; next", "cycle 1")
		r.press("\x1b")
		r.press(":source testdata/edit/none.txt\r")
		r.sees("Not done; mend the line", "testdata/edit/none.txt: no such file")
	})
	journey(t, wide, rollout().session(t), screen.Options{Begin: "source testdata/edit/none.txt"}, func(r *robot) {
		r.sees("Not done; mend the line", "testdata/edit/none.txt: no such file")
	})
}
