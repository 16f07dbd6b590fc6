package phrase_test

import (
	"testing"

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
