package spelling_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/spelling"
)

func TestNearestIsWithinOneEditAndOneMoreForEveryThreeLetters(t *testing.T) {
	for _, c := range []struct {
		word, known, want string
	}{
		{"nod", "pod node", "pod"}, // both are one edit away: the first wins
		{"nod", "nope node", "node"},
		{"rnu", "explain run", "run"},
		{"drak", "light dark", "dark"},
		{"tolerates", "toleration", "toleration"},
		{"imagelocality", "ImageLocality", "ImageLocality"},
		{"zöne", "zone", "zone"},
		{"x", "y", ""},
		{"", "a", ""},
		{"cpu", "memory", ""},
		{"tolerance", "taint", ""},
		{strings.Repeat("a", 101), strings.Repeat("a", 100), ""},
	} {
		if got := spelling.Nearest(c.word, strings.Fields(c.known)); got != c.want {
			t.Errorf("%q among %q: %q, want %q", c.word, c.known, got, c.want)
		}
	}
}

func TestAPartOfANameIsTheNameOfAnObject(t *testing.T) {
	names := []string{"default/api-1", "default/web-1", "kube-system/dns"}
	for asked, want := range map[string]string{
		"web": "default/web-1", "other/web-1": "default/web-1", "dsn": "kube-system/dns", "default/": "", "storage": "",
	} {
		if got := spelling.NearestName(asked, names); got != want {
			t.Errorf("%q: %q, want %q", asked, got, want)
		}
	}
}

func TestAHintIsGivenOnlyWithAWord(t *testing.T) {
	for got, want := range map[string]string{
		spelling.Hint("rnu", []string{"run"}).String():             ` (did you mean "run"?)`,
		spelling.HintName("web", []string{"default/web"}).String(): ` (did you mean "default/web"?)`,
		spelling.Hint("xyz", []string{"run"}).String():             "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
