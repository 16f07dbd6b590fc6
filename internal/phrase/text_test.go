package phrase_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/internal/phrase"
)

// TestATextIsThePhraseItWasMadeOf packs names of any bytes, numbers and texts within texts.
func TestATextIsThePhraseItWasMadeOf(t *testing.T) {
	law.Check(t, func(r *rapid.T) {
		name, number := rapid.String().Draw(r, "name"), rapid.Int().Draw(r, "number")
		inner := phrase.Textf("claim %s", name)
		outer := phrase.New("%s of %d in %s", inner, number, phrase.Verbatim(name))
		if got := outer.Text().String(); got != outer.String() {
			r.Fatalf("%q becomes %q", outer.String(), got)
		}
		if got := phrase.Text("%s in %s").With(name).With("x").String(); got != name+" in x" {
			r.Fatalf("with its values one by one it is %q", got)
		}
	})
}

// TestAnyBytesAreAText holds for what Textf did not write, such as a name that was converted.
func TestAnyBytesAreAText(t *testing.T) {
	for _, text := range []phrase.Text{
		"", "\x1e", "\x1d", "\x1e-5:s", "\x1e3:%s%s-1:", "\x1e9999999999999999999:", "\x1e2:%dd2:xx",
	} {
		_ = text.String()
		if text.IsZero() != (text == "") {
			t.Errorf("%q", string(text))
		}
	}
	law.Check(t, func(r *rapid.T) {
		text := phrase.Text("\x1e" + rapid.StringMatching(`[0-9:%sdt\x1e-]*`).Draw(r, "bytes"))
		if text.String() != text.Phrase().String() {
			r.Fatalf("%q", string(text))
		}
	})
}

// TestATextIsWhatFmtMakesOfIt packs values of every kind that a format takes: the English is that of package fmt.
func TestATextIsWhatFmtMakesOfIt(t *testing.T) {
	for _, test := range []struct {
		format string
		values []any
	}{
		{"gate %s=%t", []any{"A", true}},
		{"%d of %d, %d", []any{int32(3), uint8(4), int64(-5)}},
		{"seed %d", []any{uint64(math.MaxUint64)}},
		{"%.1f %% and %g", []any{2.25, 0.5}},
		{"a watch brings %T", []any{3 * time.Second}},
		{"%s later, %v", []any{3 * time.Second, []string{"a", "b"}}},
		{"one of %q", []any{[]string{"a", "b"}}},
		{"%x of %s", []any{255, "%d"}},
		{"%[2]d before %[1]q", []any{"x y", 7}},
	} {
		said := phrase.Textf(test.format, test.values...)
		if got, want := said.String(), fmt.Sprintf(test.format, test.values...); got != want {
			t.Errorf("%q: %q, want %q", test.format, got, want)
		}
	}
}

// TestATextCostsOneAllocation holds where its values are strings: evidence has one for each node that is rejected.
func TestATextCostsOneAllocation(t *testing.T) {
	p := phrase.New("anti-affinity to %s=%s", "app=web", "n1")
	var text phrase.Text
	if n := testing.AllocsPerRun(100, func() { text = p.Text() }); n > 1 {
		t.Errorf("%q costs %v allocations", text, n)
	}
}
