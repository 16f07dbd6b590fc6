package screen

import "testing"

func TestWhatIsCopiedCannotControlATerminal(t *testing.T) {
	got := clipping([]string{"pod \x1b[31mweb\x07", "a\u009b2Jb\u202e", "é"})
	if want := "pod web\nab\né\n"; got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}
