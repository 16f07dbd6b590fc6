package lesson

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Play carries out a line of the debugger's verbs on a session.
type Play func(ctx context.Context, s *session.Session, line string) error

// Walk is a learner's way through one lesson. After a page that begins anew it has another session. Like the session it
// is used by one goroutine at a time, and only while no other goroutine uses the session.
type Walk struct {
	lesson   *Lesson
	language string
	act      Play

	at      int
	session *session.Session
	beside  session.Beside
	passed  []string // pages with a task that is done
	shown   Page
	hints   int
	lost    map[string]int // points, by page: wrong answers and hints
	points  map[string]int // of the pages that are done
	minutes map[string]int // that they took
	held    []bool         // which checks of the task have held since the page was opened
	broken  []bool         // which of those to be kept have not held since
	sandbox bool           // the learner has left the page for its scene
}

// Page is what a learner reads.
type Page struct {
	Lesson  string
	Title   string
	Number  int // from 1
	Of      int
	Body    []Paragraph
	Task    []Paragraph // none: the page is only to be read
	Wants   []Want
	Hints   [][]Paragraph // those that were shown
	More    int           // hints that were not
	Done    bool          // the task is
	After   []Paragraph   // what to show when it is
	Asks    bool          // the task wants an answer
	Answer  string        // what was answered last
	Reason  []Paragraph   // why that is wrong; none: it is right, or nothing is known of it
	Points  int           // that the task gives, or gave; of mostPoints
	Minutes int           // that the capstone is meant to take; 0: it is a lesson
	Before  bool          // the task was done before the page was opened; then Kept are the points that it gave
	Kept    int
	Took    int    // minutes that the task took; 0: it is not done, or nothing measured them
	problem string // why an expression could not be worked out; "": all were
}

// Paragraph is some words of a page.
type Paragraph struct {
	Shape Shape
	Text  string
}

// Want is one part of a task.
type Want struct {
	Text   string
	Met    bool
	Asks   bool        // it looks at the answer
	Reason []Paragraph // why it is not met any more
}

// begin opens a lesson where the learner was, or at its first page.
func (l *Lesson) begin(ctx context.Context, act Play, language string, was Standing) (*Walk, error) {
	w := &Walk{lesson: l, language: language, act: act, points: map[string]int{}, minutes: map[string]int{}}
	for _, id := range l.Tasks() {
		if slices.Contains(was.Passed, id) {
			w.passed = append(w.passed, id)
			if p, kept := was.Points[id]; kept {
				w.points[id] = p
			}
			if m, kept := was.Minutes[id]; kept {
				w.minutes[id] = m
			}
		}
	}
	at := max(slices.IndexFunc(l.pages, func(p page) bool { return p.id == was.Page }), 0)
	for at > 0 && l.pages[at].scene == "" { // it goes on with what the page before leaves
		at--
	}
	return w, w.open(ctx, at)
}

// At opens a page by its number, from 1, for looking only.
func (l *Lesson) At(ctx context.Context, act Play, language string, number int) (*Walk, error) {
	if number < 1 || number > len(l.pages) {
		return nil, phrase.Errorf("%s has no page %d", l.Name, number)
	}
	w, err := l.begin(ctx, act, language, Standing{Page: l.pages[number-1].id})
	for err == nil && w.at < number-1 {
		err = w.open(ctx, w.at+1)
	}
	return w, err
}

// Session is what the page is about.
func (w *Walk) Session() *session.Session { return w.session }

// Page is what there is to read now.
func (w *Walk) Page() Page { return w.shown }

// Keys are the keys on the screen that do the task of the page; "" when the lesson has none.
func (w *Walk) Keys() string {
	if t := w.lesson.pages[w.at].task; t != nil {
		return t.keys
	}
	return ""
}

// Standing is how far the learner is.
func (w *Walk) Standing() Standing {
	return Standing{
		Page: w.lesson.pages[w.at].id, Passed: slices.Clone(w.passed), Points: maps.Clone(w.points),
		Minutes: maps.Clone(w.minutes),
	}
}

// Took keeps how long the task of the page took, once it is done: whole minutes, at least one.
func (w *Walk) Took(minutes int) {
	if !w.shown.Done || w.shown.Took > 0 {
		return
	}
	w.shown.Took = max(minutes, 1)
	if id := w.lesson.pages[w.at].id; w.minutes[id] == 0 {
		w.minutes[id] = w.shown.Took
	}
}

// CanTurn reports whether there is a page so many pages on; back is less than zero.
func (w *Walk) CanTurn(pages int) bool { return w.at+pages >= 0 && w.at+pages < len(w.lesson.pages) }

// Turn opens another page.
func (w *Walk) Turn(ctx context.Context, pages int) error {
	if !w.CanTurn(pages) {
		return phrase.Errorf("there is no such page")
	}
	return w.open(ctx, w.at+pages)
}

// Sandbox leaves the page for its scene: nothing that is done from now on counts for the task.
func (w *Walk) Sandbox() { w.sandbox = true }

// InSandbox reports whether the learner has left the page for its scene.
func (w *Walk) InSandbox() bool { return w.sandbox }

// Return comes back from the sandbox. A task that was not done begins anew.
func (w *Walk) Return(ctx context.Context) error {
	if w.sandbox && w.lesson.pages[w.at].task != nil && !w.shown.Done {
		return w.open(ctx, w.at)
	}
	w.sandbox = false
	return nil
}

// Again opens the page anew, or where it goes on with what was there the last one that does not.
func (w *Walk) Again(ctx context.Context) error {
	at := w.at
	for at > 0 && w.lesson.pages[at].scene == "" {
		at--
	}
	return w.open(ctx, at)
}

// speaks is the language of scenes: that of the lesson, until the learner takes another one.
func (w *Walk) speaks() words.Language {
	if w.session != nil {
		return w.session.Language()
	}
	return words.LanguageIn(w.language)
}

func (w *Walk) open(ctx context.Context, at int) error {
	p := &w.lesson.pages[at]
	if p.scene != "" {
		s, err := w.lesson.stage(ctx, p.scene, w.lesson.Title(w.language))
		if err != nil {
			return err
		}
		for _, line := range p.begin {
			if err := w.act(ctx, s, line); err != nil {
				return phrase.Errorf("%s/%s line %d: begin: %w", w.lesson.path, bookFile, p.line, err)
			}
		}
		s.Speak(w.speaks())
		w.session = s
	}
	w.at, w.beside, w.hints, w.held, w.broken = at, session.Beside{}, 0, nil, nil
	w.sandbox = false
	text := w.words()
	w.shown = Page{
		Lesson: w.lesson.Title(w.language), Title: text.title, Number: at + 1, Of: len(w.lesson.pages),
		Minutes: w.lesson.minutes,
	}
	w.shown.Body = w.fill(text.body)
	if p.task != nil {
		w.shown.Task, w.shown.More, w.shown.Asks = w.fill(text.task), len(text.hints), p.task.asksForAnswer()
		w.shown.Points = w.worth()
		w.shown.Before, w.shown.Kept = slices.Contains(w.passed, p.id), w.points[p.id]
		w.look()
	}
	return nil
}

func (w *Walk) words() *sheet { return w.lesson.in(w.language).pages[w.lesson.pages[w.at].id] }

// fill is paragraphs with the values of this moment.
func (w *Walk) fill(paras []para) []Paragraph {
	var out []Paragraph
	for i := range paras {
		text, err := paras[i].fill(w.session, w.beside)
		if err != nil && w.shown.problem == "" {
			w.shown.problem = fmt.Sprintf("%s line %d: %v", w.lesson.in(w.language).file, paras[i].line, err)
		}
		out = append(out, Paragraph{paras[i].shape, text})
	}
	return out
}

// Hint shows one more hint; false: there is none.
func (w *Walk) Hint() bool {
	if w.shown.More == 0 || w.sandbox {
		return false
	}
	w.shown.Hints = append(slices.Clip(w.shown.Hints), w.fill(w.words().hints[w.hints]))
	w.hints++
	w.shown.More--
	w.lose()
	return true
}

// Did takes a line that was carried out on the session. It reports whether the task was done by it. A pod of the
// namespace default is known by its name, however the line has it.
func (w *Walk) Did(line string) bool {
	w.beside.Did = append(w.beside.Did, strings.ReplaceAll(line, " default/", " "))
	return w.look()
}

// AnswerVerb begins a line that answers a task's question.
const AnswerVerb = "answer"

// Answer takes what a learner answers, and reports whether that does the task. It counts in every reading that it has:
// in small letters, with a unit or without, in singular or plural. A wrong one gets its reason, and costs a point.
func (w *Walk) Answer(text string) bool {
	t := w.lesson.pages[w.at].task
	if t == nil || w.sandbox {
		return false
	}
	all := readings(text, t.unit)
	w.shown.Answer, w.shown.Reason = strings.TrimSpace(text), nil
	if len(all) == 0 || w.shown.Done {
		return false
	}
	w.beside.Did = append(w.beside.Did, AnswerVerb+" "+all[0])
	best, most := all[0], -1
	for _, reading := range all {
		w.beside.Answer = reading
		if w.look() {
			return true
		}
		if met := w.shown.met(); met > most {
			best, most = reading, met
		}
	}
	w.beside.Answer = best
	w.look()
	if !w.answered() {
		w.shown.Reason = w.fill(w.words().why(all))
		w.lose()
	}
	return false
}

// answered reports whether every check that looks at the answer holds.
func (w *Walk) answered() bool {
	for i := range w.shown.Wants {
		if w.shown.Wants[i].Asks && !w.shown.Wants[i].Met {
			return false
		}
	}
	return true
}

// why is the reason for which an answer is wrong; none where the page has none for it.
func (s *sheet) why(answers []string) []para {
	for _, r := range s.reasons {
		if slices.Contains(answers, strings.ToLower(r.answer)) {
			return r.text
		}
	}
	return nil
}

// MostPoints is what a task gives that is done without a wrong answer and without a hint.
const MostPoints = 3

// lose takes a point from the task that is open, unless it is done.
func (w *Walk) lose() {
	if w.shown.Done {
		return
	}
	if w.lost == nil {
		w.lost = map[string]int{}
	}
	w.lost[w.lesson.pages[w.at].id]++
	w.shown.Points = w.worth()
}

// worth is what the task that is open gives now. One that is done gives a point at least.
func (w *Walk) worth() int { return max(MostPoints-w.lost[w.lesson.pages[w.at].id], 1) }

// met is how many parts of the task are.
func (p *Page) met() int {
	met := 0
	for _, w := range p.Wants {
		if w.Met {
			met++
		}
	}
	return met
}

// Do carries out a line and takes it into account.
func (w *Walk) Do(ctx context.Context, line string) error {
	if verb, text, _ := strings.Cut(line, " "); verb == AnswerVerb {
		w.Answer(text)
		return nil
	}
	if err := w.act(ctx, w.session, line); err != nil {
		return err
	}
	w.Did(line)
	return nil
}

// look runs the checks. A task that is done stays done.
func (w *Walk) look() bool {
	t := w.lesson.pages[w.at].task
	if t == nil || w.shown.Done || w.sandbox {
		return false
	}
	if w.held == nil {
		w.held, w.broken = make([]bool, len(t.checks)), make([]bool, len(t.checks))
	}
	words, all := w.words(), true
	wants := make([]Want, 0, len(t.checks))
	for i, c := range t.checks {
		met := w.session.Holds(c.holds, w.beside)
		w.held[i] = w.held[i] || met
		w.broken[i] = c.kept && (w.broken[i] || !met)
		want := Want{Text: words.wants[c.id].text, Met: met && !w.broken[i], Asks: c.holds.Mentions("answer")}
		if w.held[i] && !want.Met {
			want.Reason = w.fill(words.whyBroken(c.id))
		}
		wants = append(wants, want)
		all = all && want.Met
	}
	w.shown.Wants = wants
	if all {
		w.shown.Done, w.shown.After = true, w.fill(words.done)
		if id := w.lesson.pages[w.at].id; !slices.Contains(w.passed, id) {
			w.passed = append(w.passed, id)
			w.points[id] = w.worth()
		}
	}
	return all
}
