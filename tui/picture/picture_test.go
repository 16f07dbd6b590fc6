package picture_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/picture"
)

// A character that fills two cells is drawn once, as wide as these, and nothing is painted over its second half.
func TestWideCharactersFillTheirCells(t *testing.T) {
	drawn := string(picture.SVG("节点 n1", layout.Size{Width: 10, Height: 1}, "wide"))
	for _, want := range []string{`textLength="33.6" xml:space="preserve">节点</text>`, `> n1   <`} {
		if !strings.Contains(drawn, want) {
			t.Errorf("there is no %s in\n%s", want, drawn)
		}
	}
	if n := strings.Count(drawn, "<rect"); n != 1 {
		t.Errorf("%d grounds are painted, and the picture has one:\n%s", n, drawn)
	}
}
