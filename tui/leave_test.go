package tui_test

import (
	"testing"

	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

func TestQuitWithBranchesIsPressedTwice(t *testing.T) {
	journey(t, layout.Size{Width: 100, Height: 30}, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("n")
		r.press(":cordon n2\r").sees("cordon-1")
		r.press("q").sees("1 branch is lost unless it is saved (:save FILE); q again quits")
		r.press("n").seesNot("q again quits")
		r.press("q").sees("q again quits")
		r.press("q")
		r.ends()
	})
}
