package lesson

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
)

// English is the language that every lesson has.
const English = "en"

// text is the words of a lesson in one language.
type text struct {
	file  string
	title string
	about string
	pages map[string]*sheet
}

// sheet is the words of a page.
type sheet struct {
	line  int
	title string
	body  []para
	task  []para
	done  []para
	wants map[string]want // the text of each check
	hints [][]para
	// why answers are wrong, in the order in which they are written
	reasons []reason
	broken  map[string]*[]para // why a check that held holds no more, by its name
}

// reason is why an answer is wrong.
type reason struct {
	line   int
	answer string
	text   []para
}

// want is what a check needs, in words.
type want struct {
	line int
	text string
}

// para is a paragraph, with where it is written. Its expressions stand in double braces.
type para struct {
	line  int
	shape Shape
	text  string
	exprs []*session.Expression // in the order in which they stand in it
}

// Shape is how a paragraph is set.
type Shape uint8

// The shapes.
const (
	Prose Shape = iota
	Item        // of a list
	Quote       // kube-scheduler's own words
	Code        // as it is, line by line
)

var expression = regexp.MustCompile(`\{\{(.*?)\}\}`)

// reader goes through a file of words line by line.
type reader struct {
	file  string
	wrong *problems
	text  *text
	page  *sheet  // nil: before the first
	into  *[]para // where paragraphs go; nil: nowhere
	open  bool    // the last line went into the last paragraph, and the next one may
	tasks bool    // the part is the task, with an item for each check
}

// readText reads the words of a lesson: Markdown of few forms. "# " begins the title, "## ID: " a page, and "### " its
// parts: task, hint, done.
func readText(file, data string, wrong *problems) *text {
	r := &reader{file: file, wrong: wrong, text: &text{file: file, pages: map[string]*sheet{}}}
	for i, line := range strings.Split(strings.ReplaceAll(data, "\r\n", "\n"), "\n") {
		r.take(i+1, line)
	}
	if r.text.title == "" {
		wrong.at(file, 1).Errorf("it has no title (want at first: # What a scheduler is)")
	}
	return r.text
}

func (r *reader) take(at int, line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(line, "### "):
		r.part(at, strings.TrimSpace(line[4:]))
	case strings.HasPrefix(line, "## "):
		r.begin(at, strings.TrimSpace(line[3:]))
	case strings.HasPrefix(line, "# "):
		r.text.title, r.into = strings.TrimSpace(line[2:]), nil
	case trimmed == "":
		r.open = false
	case r.page == nil:
		r.text.about = strings.TrimSpace(r.text.about + " " + trimmed)
	case r.into == nil:
		r.wrong.at(r.file, at).Errorf("words after a heading that is not understood")
	default:
		r.paragraph(at, line, trimmed)
	}
}

// begin begins a page.
func (r *reader) begin(at int, heading string) {
	id, title, ok := strings.Cut(heading, ": ")
	if !ok {
		r.wrong.at(r.file, at).Errorf("a page needs its name and a title (want: ## queue: Who is next)")
		id = heading
	}
	if other, twice := r.text.pages[id]; twice {
		r.wrong.at(r.file, at).Errorf("page %s is on line %d already", id, other.line)
	}
	r.page = &sheet{line: at, title: title, wants: map[string]want{}, broken: map[string]*[]para{}}
	r.text.pages[id] = r.page
	r.into, r.open, r.tasks = &r.page.body, false, false
}

// part begins a part of a page.
func (r *reader) part(at int, name string) {
	r.open, r.tasks, r.into = false, false, nil
	if r.page == nil {
		r.wrong.at(r.file, at).Errorf("### %s before the first page", name)
		return
	}
	if answer, is := strings.CutPrefix(name, "wrong "); is {
		r.page.reasons = append(r.page.reasons, reason{line: at, answer: strings.TrimSpace(answer)})
		r.into = &r.page.reasons[len(r.page.reasons)-1].text
		return
	}
	if id, is := strings.CutPrefix(name, "broken "); is {
		id = strings.TrimSpace(id)
		if r.page.broken[id] != nil {
			r.wrong.at(r.file, at).Errorf("the page has two parts broken %s", id)
		}
		r.into = new([]para)
		r.page.broken[id] = r.into
		return
	}
	switch name {
	case "task":
		r.into, r.tasks = &r.page.task, true
	case "hint":
		r.page.hints = append(r.page.hints, nil)
		r.into = &r.page.hints[len(r.page.hints)-1]
	case "done":
		r.into = &r.page.done
	default:
		r.wrong.at(r.file, at).Errorf("a page has no part %q (want task, hint, wrong ANSWER, broken CHECK or done)", name)
	}
}

// paragraph takes a line of words.
func (r *reader) paragraph(at int, line, trimmed string) {
	shape, words := Prose, trimmed
	switch {
	case strings.HasPrefix(line, "    "):
		shape, words = Code, line[4:]
	case strings.HasPrefix(line, "> "):
		shape, words = Quote, line[2:]
	case strings.HasPrefix(line, "- "):
		shape, words = Item, line[2:]
	}
	if shape == Item && r.tasks {
		r.want(at, words)
		return
	}
	if n := len(*r.into); shape == Prose && r.open && n > 0 && (*r.into)[n-1].shape != Code {
		last := &(*r.into)[n-1]
		last.text += " " + words
		last.exprs = append(last.exprs, r.expressions(at, words)...)
		return
	}
	*r.into = append(*r.into, para{at, shape, words, r.expressions(at, words)})
	r.open = shape != Code
}

// want reads the text of a check: "- placed: web has a node".
func (r *reader) want(at int, words string) {
	id, asks, ok := strings.Cut(words, ": ")
	if !ok {
		r.wrong.at(r.file, at).Errorf("what a check asks for needs the name of the check (want: - placed: web has a node)")
		return
	}
	r.page.wants[id] = want{at, asks}
}

// expressions are what stands in double braces.
func (r *reader) expressions(at int, words string) []*session.Expression {
	var all []*session.Expression
	for _, found := range expression.FindAllStringSubmatch(words, -1) {
		e, err := session.ParseExpression(strings.TrimSpace(found[1]))
		if err != nil {
			r.wrong.at(r.file, at).Errorf("%w", err)
			continue
		}
		all = append(all, e)
	}
	return all
}

// fill is a paragraph with the values of its expressions.
func (p *para) fill(s *session.Session, beside session.Beside) (string, error) {
	var failed error
	i := -1
	out := expression.ReplaceAllStringFunc(p.text, func(string) string {
		i++
		v, err := s.Evaluate(p.exprs[i], beside)
		if err != nil {
			failed = err
			return "?"
		}
		return v
	})
	return out, failed
}

// whyBroken is why a check that held no longer holds; none: the page has no reason.
func (s *sheet) whyBroken(check string) []para {
	if why := s.broken[check]; why != nil {
		return *why
	}
	return nil
}

// all are the paragraphs of a page.
func (s *sheet) all() []para {
	all := slices.Concat(s.body, s.task, s.done, slices.Concat(s.hints...))
	for _, r := range s.reasons {
		all = append(all, r.text...)
	}
	for _, id := range slices.Sorted(maps.Keys(s.broken)) {
		all = append(all, *s.broken[id]...)
	}
	return all
}
