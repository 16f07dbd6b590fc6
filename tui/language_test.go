package tui_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// sentence is three words of English or more in a row.
var sentence = regexp.MustCompile(`[A-Za-z][A-Za-z'’-]*(?:[ ,;:]+[A-Za-z][A-Za-z'’-]*){2,}`)

// TestNoSentenceIsLeftInEnglish draws every part of the screen of every demo in Chinese, after each of its first cycles
// and at its end. Only kube-scheduler's own messages and names stay English.
func TestNoSentenceIsLeftInEnglish(t *testing.T) {
	left := map[string]string{}
	for _, d := range demo.All() {
		s := demoSession(t, d.Name)
		s.Speak("zh")
		known := known{}
		for _, v := range command.All() {
			known.add(v.Synopsis())
		}
		known.learn(s)
		for range 6 {
			lookedAt(t, d.Name, s, known, left)
			s.Move(t.Context(), session.Next, session.Forward, nil)
			known.learn(s)
		}
		for !s.Frame().AtEnd {
			s.Move(t.Context(), session.Next, session.Forward, nil)
			known.learn(s)
		}
		lookedAt(t, d.Name, s, known, left)
	}
	for _, words := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("left in English: %s (%s)", words, left[words])
	}
}

// lookedAt adds the sentences that are left in English at the cursor, with where, and holds that every line fits.
func lookedAt(t *testing.T, name string, s *session.Session, known known, left map[string]string) {
	for _, size := range []layout.Size{wide, narrow} {
		for _, keys := range []string{"", "2", "3", "4", "5", "6", "7", "8", "9", "0", "T", "]", "]]", "]]]", "?", "?G"} {
			drawn, err := screen.Draw(s, size, keys, screen.Options{Theme: themes.Mono})
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(ansi.Strip(drawn)) {
				line = strings.TrimRight(line, "\r\n")
				if n := ansi.StringWidth(line); n > size.Width {
					t.Errorf("%s, key %q: %d columns of %d: %s", name, keys, n, size.Width, line)
				}
				for _, words := range sentence.FindAllString(selects.ReplaceAllString(line, ""), -1) {
					if !known.has(words) {
						left[words] = fmt.Sprintf("%s, key %q at %dx%d", name, keys, size.Width, size.Height)
					}
				}
			}
		}
	}
}

// known is what is English in every language, by words in a row.
type known map[string]bool

// learn takes what is so at the cursor.
func (k known) learn(s *session.Session) {
	f := s.Frame()
	k.add(f.Story)
	for _, fact := range f.Facts {
		k.messages(fact)
	}
	t := f.Try()
	if t == nil {
		return
	}
	eachVerdict(t, func(v trace.Verdict) { k.add(v.Message()) })
}

// longestKnown is how many words in a row are compared at the most.
const longestKnown = 12

func (k known) add(texts ...string) {
	for _, text := range texts {
		words := letters.FindAllString(text, -1)
		for i := range words {
			for j := i + 2; j <= min(i+longestKnown, len(words)); j++ {
				k[strings.Join(words[i:j], " ")] = true
			}
		}
	}
}

// letters are words, without the marks between them.
var letters = regexp.MustCompile(`[A-Za-z][A-Za-z'’-]*`)

// has reports whether words in a row are known. Names before them count for nothing, and the last word may be cut by
// the edge of its pane.
func (k known) has(text string) bool {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ':' || r == ';' }) {
		words := letters.FindAllString(part, -1)
		for len(words) > 0 && isName(words[0]) {
			words = words[1:]
		}
		words = words[:min(len(words), longestKnown)]
		if n := len(words); n > 2 && !k[strings.Join(words, " ")] && !k[strings.Join(words[:n-1], " ")] {
			return false
		}
	}
	return true
}

// isName reports whether a word before others is more likely a name: of a node, a pod or a plugin.
func isName(word string) bool {
	return len(word) == 1 || word != strings.ToLower(word) || strings.Contains(word, "-")
}
