package words_test

import (
	"testing"
	"time"

	"github.com/schedstep/schedstep/internal/words"
)

func TestNumbersHaveTheRightNoun(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{words.Count(0, "node"), "0 nodes"},
		{words.Count(1, "node"), "1 node"},
		{words.Count(2, "node"), "2 nodes"},
		{words.CountOf(1, "entity", "entities"), "1 entity"},
		{words.CountOf(2, "entity", "entities"), "2 entities"},
		{words.Sentence(1, "there is %d", "there are %d"), "there is 1"},
		{words.Sentence(3, "there is %d", "there are %d"), "there are 3"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestTheClockIsThatOfUTC(t *testing.T) {
	at := time.Date(2026, 1, 6, 9, 5, 0, 7_000_000, time.FixedZone("east", 3600))
	if got := words.Clock(at); got != "08:05:00.007" {
		t.Errorf("it is %s", got)
	}
}
