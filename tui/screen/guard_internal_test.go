package screen

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
)

// decoded runs what a terminal sent through the library's parser, which panics when it has no room.
func decoded(sent string) {
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	state := byte(0)
	for len(sent) > 0 {
		_, _, n, next := ansi.DecodeSequence(sent, state, p)
		sent, state = sent[n:], next
	}
}

func TestASequenceOfManyParametersIsNoHarm(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"\x1b[", "\x1bP", "\x9b", "\x90", "\x1b", strings.Repeat("1;", 40), strings.Repeat(":", 31), ";", "38:2", "m", "A",
			"<", "é", "q", "\x1b\\", "\x1b[200~", "\x1b[201~",
		}), 0, 12).Draw(t, "pieces")
		sent := strings.Join(pieces, "")
		var g guard
		var kept bytes.Buffer
		for i, cut := 0, 0; i < len(sent); i = cut {
			cut = rapid.IntRange(i+1, len(sent)).Draw(t, "cut")
			kept.Write(g.pass([]byte(sent[i:cut])))
		}
		decoded(kept.String())
		if strings.Count(sent, ";")+strings.Count(sent, ":") <= mostSeparators && kept.String() != sent {
			t.Fatalf("%q became %q", sent, kept.String())
		}
	})
}

func TestALineEndsWhereItIsLongEnough(t *testing.T) {
	e := entryOf("")
	for range 3 {
		e.insert(strings.Repeat("x", longestLine))
	}
	if n := len(e.String()); n != longestLine {
		t.Errorf("it has %d characters", n)
	}
}
