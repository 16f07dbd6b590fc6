package words

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// heardFile is the file of each language with the sentences that data holds.
const heardFile = "heard.yaml"

// sentence is an English format with a pattern of what it may become.
type sentence struct {
	pattern *regexp.Regexp
	start   string // of every text that the pattern takes; "" when it begins with a value
	end     string // likewise at the end
	within  string // the longest part that is no value; it is in every text that the pattern takes
	fixed   int    // how much of it is no value
	own     string // in the language, with only the verbs %s and %[n]s
}

// sentences are those that a language recognises, the most telling first.
var sentences = sync.OnceValue(func() map[Language][]sentence {
	all := map[Language][]sentence{}
	for _, l := range Languages()[1:] {
		texts, err := l.translationIn(heardFile)
		if err != nil {
			panic(fmt.Errorf("words in %s: %w", l, err))
		}
		type row struct{ english, own string }
		var rows []row
		for english, own := range texts {
			rows = append(rows, row{english, own})
		}
		slices.SortFunc(rows, func(a, b row) int {
			return cmp.Or(cmp.Compare(literals(b.english), literals(a.english)), cmp.Compare(a.english, b.english))
		})
		for _, r := range rows {
			fixed := verb.Split(r.english, -1)
			longest := slices.MaxFunc(fixed, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
			all[l] = append(all[l], sentence{
				pattern: patternOf(r.english), start: fixed[0], end: fixed[len(fixed)-1], within: longest,
				fixed: literals(r.english),
				own:   verb.ReplaceAllString(r.own, "%${1}s"),
			})
		}
	}
	return all
})

// verb is one of a format's; its number is kept.
var verb = regexp.MustCompile(`%(\[\d+\])?[dqsvw]`)

// literals is how much of a format is no value.
func literals(format string) int { return len(verb.ReplaceAllString(format, "")) }

// patternOf takes what a format can become, whole. A text as a value is as short as the rest of the sentence allows.
func patternOf(format string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	end := 0
	for _, at := range verb.FindAllStringIndex(format, -1) {
		b.WriteString(regexp.QuoteMeta(format[end:at[0]]))
		switch format[at[1]-1] {
		case 'd':
			b.WriteString(`(-?\d+)`)
		case 'q':
			b.WriteString(`("(?:[^"\\]|\\.)*")`)
		default:
			b.WriteString(`(.+?)`)
		}
		end = at[1]
	}
	b.WriteString(regexp.QuoteMeta(format[end:]) + `$`)
	return regexp.MustCompile(b.String())
}

// longestJoin is the length of " or ": what joins two texts, and alone tells nothing.
const longestJoin = 4

// named is one name before a sentence.
var named = regexp.MustCompile(`^[\w./-]+: `)

// textIs stands between a name and what is said of it.
const textIs = ": "

// deepest is how many sentences within one another are recognised.
const deepest = 6

// Hear is an English sentence that data holds, in the language: a fact, what a plugin compared, a cause. Data is the
// same in every language, so a sentence of it has its values filled in already; it is recognised by the formats of
// heard.yaml, and so are the sentences in it. What none of them takes whole stays as it is: a name, and what
// kube-scheduler says.
func (l Language) Hear(text string) string {
	if l == English || text == "" {
		return text
	}
	return l.hear(text, deepest)
}

// aboutNodes is how kube-scheduler's message about all nodes begins: whatever follows is its own words.
var aboutNodes = regexp.MustCompile(`^\d+/\d+ nodes are available`)

func (l Language) hear(text string, depth int) string {
	if aboutNodes.MatchString(text) {
		return text
	}
	if own := l.Of(text); own != text || depth == 0 {
		return own
	}
	known := sentences()[l]
	for i := range known {
		s := &known[i]
		if !strings.HasPrefix(text, s.start) || !strings.HasSuffix(text, s.end) || !strings.Contains(text, s.within) {
			continue // which costs less than to ask the pattern
		}
		found := s.pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		values, known := make([]any, len(found)-1), false
		for i, part := range found[1:] {
			own := l.hear(part, depth-1)
			values[i], known = own, known || own != part
		}
		if s.fixed <= longestJoin && !known && strings.Count(text, " ") > 2 {
			continue // a word such as "or" does not make a sentence of data of everything that has it
		}
		return fmt.Sprintf(s.own, values...)
	}
	if at := named.FindString(text); at != "" { // a field or a file, and what is wrong with it
		if own := l.hear(text[len(at):], depth-1); own != text[len(at):] {
			return strings.TrimSuffix(at, ": ") + l.Of(textIs) + own
		}
	}
	return text
}
