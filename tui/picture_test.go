package tui_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// lengthOfHelp is how many lines the help has: a new verb changes it, and no picture.
var lengthOfHelp = regexp.MustCompile(` \d{3} lines `)

func TestScreensLookAsTheyDid(t *testing.T) {
	scenes := []struct{ name, keys string }{
		{"start", ""},
		{"rejected", "nnnnn"},
		{"scores", "nn3"},
		{"filtering", "n:rev out\rssss"},
		{"facts", "n4"},
		{"why", "nnnnn5"},
		{"help", "n?"},
		{"finder", "nnn/web"},
		{"bind", "nmweb-2\rn1\r"},
		{"command", "n:break plugin "},
	}
	for _, size := range []layout.Size{wide, medium, narrow} {
		for _, scene := range scenes {
			name := fmt.Sprintf("%s_%dx%d", scene.name, size.Width, size.Height)
			t.Run(name, func(t *testing.T) {
				journey(t, size, rollout().session(t), screen.Options{}, func(r *robot) {
					r.press(scene.keys)
					drawn := lengthOfHelp.ReplaceAllString(r.screen(), " ### lines ")
					golden.Is(t, filepath.Join("testdata", "screens", name+".txt"), drawn+"\n")
				})
			})
		}
	}
}
