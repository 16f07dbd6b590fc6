package glossary

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// chinese is the language that terms are paired with.
const chinese = "zh"

// topic is terms that belong together.
type topic struct {
	Topic names  `json:"topic"`
	Terms []Term `json:"terms"`
}

// names is the same in two languages.
type names struct {
	English string `json:"en"`
	Chinese string `json:"zh"`
}

// Term is a word of scheduling, in English and in Chinese, each with a sentence about it.
type Term struct {
	English string `json:"en"`            // WORD: sentence
	Chinese string `json:"zh"`            // the same, with full-width marks
	Was     string `json:"was,omitempty"` // other Chinese words for it, of older texts or of other authors
}

// Words are the words of the term, without the sentences.
func (t Term) Words() (english, inChinese string) {
	english, _, _ = strings.Cut(t.English, ": ")
	inChinese, _, _ = strings.Cut(t.Chinese, "：")
	return english, inChinese
}

// line is the term as a line of plain text in a language.
func (t Term) line(language string) string {
	english, inChinese := t.Words()
	if language != chinese {
		return strings.Replace(t.English, english, english+" ("+inChinese+")", 1)
	}
	line := strings.Replace(t.Chinese, inChinese, inChinese+"，"+english, 1)
	if t.Was != "" {
		line += "又称：" + t.Was + "。"
	}
	return line
}

// terms are all terms, by topic.
func terms() []topic {
	var all []topic
	mustRead("terms.yaml", &all)
	return all
}

// Terms are all terms in the order of the page.
func Terms() []Term {
	var all []Term
	for _, t := range terms() {
		all = append(all, t.Terms...)
	}
	return all
}

// TermLines are the terms that have a text in one of their words, as lines of plain text in a language.
func TermLines(language, text string) []string {
	var lines []string
	for _, t := range Terms() {
		english, inChinese := t.Words()
		if strings.Contains(strings.ToLower(english+"\n"+inChinese+"\n"+t.Was), strings.ToLower(text)) {
			lines = append(lines, t.line(language))
		}
	}
	return lines
}

// TermsMarkdown is the terms as a page.
func TermsMarkdown() string {
	var b strings.Builder
	g := In(lesson.English)
	fmt.Fprintf(&b, "# %s\n\n%s\n", g.say("+terms-title"), g.say("+terms-about"))
	for _, t := range terms() {
		title := t.Topic.English
		if t.Topic.Chinese != title {
			title += " / " + t.Topic.Chinese
		}
		fmt.Fprintf(&b, "\n## %s\n\n| English | 中文 | 又称 | | |\n|---|---|---|---|---|\n", title)
		for _, term := range t.Terms {
			english, inChinese := term.Words()
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", english, inChinese, term.Was,
				strings.TrimPrefix(term.English, english+": "), strings.TrimPrefix(term.Chinese, inChinese+"："))
		}
	}
	return b.String()
}
