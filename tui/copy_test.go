package tui_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/screen"
)

// copied is the sequence by which a program puts text into the terminal's clipboard (OSC 52).
var copied = regexp.MustCompile("\x1b\\]52;c;([A-Za-z0-9+/=]+)(?:\x07|\x1b\\\\)")

func TestAPageIsCopiedThroughTheTerminal(t *testing.T) {
	journey(t, medium, demoSession(t, "pending"), screen.Options{Theme: "dark"}, func(r *robot) {
		for _, key := range presses("n n x") {
			r.press(key)
		}
		r.sees("y copy")
		if copied.MatchString(r.sent.String()) {
			t.Error("something was copied before y was pressed")
		}
		r.press("y")
		asked := copied.FindStringSubmatch(r.sent.String())
		if asked == nil {
			t.Fatal("y copies nothing")
		}
		text, err := base64.StdEncoding.DecodeString(asked[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"kube-scheduler says: 0/5 nodes are available", "What rejects it"} {
			if !strings.Contains(string(text), line) {
				t.Errorf("the copy is without %q:\n%s", line, text)
			}
		}
	})
}

// TestAPictureOfTheScreenIsWithoutTheCommandThatAsksForIt types the command whole, and reads the picture.
func TestAPictureOfTheScreenIsWithoutTheCommandThatAsksForIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "screen.svg")
	journey(t, medium, demoSession(t, "pending"), screen.Options{Theme: "dark"}, func(r *robot) {
		r.press("n")
		r.press(":export screen "+file+"\r").sees("screen.svg: ", " bytes")
	})
	drawn, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(drawn), "Timeline") || strings.Contains(string(drawn), "export") {
		t.Errorf("the picture shows the command, or no screen:\n%s", drawn)
	}
}
