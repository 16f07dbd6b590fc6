package words_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

func TestAPhraseIsToldWithItsValuesInTheLanguage(t *testing.T) {
	inner := phrase.Errorf("there is no breakpoint %d", 3)
	outer := fmt.Errorf("--on-hit: %w", inner)
	for _, c := range []struct{ got, want string }{
		{words.Language("zh").Tell(phrase.New("cycle %d", 4)), "周期 4"},
		{words.English.Tell(phrase.New("cycle %d", 4)), "cycle 4"},
		{phrase.Join("; ", phrase.New("cycle %d", 4), phrase.Phrase{}, phrase.New("100%%")).String(), "cycle 4; 100%"},
		{phrase.Join(": ", phrase.Phrase{}).String(), ""},
		{words.Language("zh").Error(inner), "没有断点 3"},
		{words.Language("zh").Error(outer), "--on-hit: 没有断点 3"},
		{words.English.Error(outer), "--on-hit: there is no breakpoint 3"},
		{words.Language("zh").Error(errors.Join(inner, io.EOF)), "没有断点 3\nEOF"},
		{words.Language("zh").Say("error: %s", outer), "错误：--on-hit: 没有断点 3"},
		{words.Language("zh").Error(phrase.Errorf("bookmark %d: %w", 2, io.EOF)), "书签 2：EOF"},
		{words.Language("zh").Errorf("error: %s", inner).Error(), "错误：没有断点 3"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if err := phrase.Errorf("bookmark %d: %w", 2, io.EOF); !errors.Is(err, io.EOF) || err.Error() != "bookmark 2: EOF" {
		t.Errorf("it is %v", err)
	}
	if !errors.Is(words.Language("zh").Errorf("session: %w", io.EOF), io.EOF) {
		t.Error("an error in a language has lost what it wraps")
	}
}

func TestASentenceOfDataIsUnderstood(t *testing.T) {
	zh := words.Language("zh")
	for english, chinese := range map[string]string{
		"outside": "队列之外", "default/outside-1": "default/outside-1", "": "", "node(s) had taints": "node(s) had taints",
	} {
		if got := zh.Hear(english); got != chinese {
			t.Errorf("%q: %q, want %q", english, got, chinese)
		}
		if words.English.Hear(english) != english {
			t.Errorf("%q is no longer English", english)
		}
	}
}
