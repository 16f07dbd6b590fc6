package classroom

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/class"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// order is what the teacher wants done that the desk does not do itself.
type order uint8

// The orders.
const (
	orderNothing order = iota
	orderClose
	orderWalk   // go on in what is open, or open something
	orderOpen   // open something else
	orderFollow // all students follow, or none any more
	orderRound  // put a question to the class, or close the round
	orderResults
)

// desk is what the teacher sees: all students, what they do, and the round.
type desk struct {
	ctx      context.Context
	room     *class.Room
	language words.Language
	how      string // students come in
	opened   string // what the teacher has open; "": nothing
	note     string
	wants    order
	sure     bool // the class is closed when q is pressed again

	students []class.Student
	list     widget.List
	styles   themes.Styles
	canvas   *widget.Canvas
	size     layout.Size
}

// changed is the news that something in the class is different, and looked the moment to look at the clock again.
type (
	changed struct{}
	looked  struct{}
)

// lookEvery is how often the times at the desk are renewed, and deskEvery the shortest time between two pictures of a
// class in which much happens.
const (
	lookEvery = 5 * time.Second
	deskEvery = 100 * time.Millisecond
)

// Init listens to the class.
func (d *desk) Init() tea.Cmd {
	d.students = d.room.Students()
	return tea.Batch(d.await(), lookAgain())
}

func lookAgain() tea.Cmd { return tea.Tick(lookEvery, func(time.Time) tea.Msg { return looked{} }) }

func (d *desk) await() tea.Cmd {
	next := d.room.Changed()
	return func() tea.Msg {
		select {
		case <-time.After(deskEvery):
		case <-d.ctx.Done():
			return nil
		}
		select {
		case <-next:
			return changed{}
		case <-d.ctx.Done():
			return nil
		}
	}
}

// Update takes one message.
func (d *desk) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.size = layout.Size{Width: msg.Width, Height: msg.Height}
	case changed:
		again := d.await() // before the look: a change in between then wakes the desk again
		d.students = d.room.Students()
		return d, again
	case looked:
		d.students = d.room.Students()
		return d, lookAgain()
	case tea.KeyPressMsg:
		return d, d.key(msg.String())
	}
	return d, nil
}

const textWalk = "walk"

// deskKeys are the keys of the desk, as the last line shows them.
var deskKeys = []struct {
	key, does string
	wants     order
}{
	{"w", textWalk, orderWalk},
	{"o", "open another", orderOpen},
	{"f", "follow me", orderFollow},
	{"p", "let them guess", orderRound},
	{"e", "export results", orderResults},
	{"q", "close the class", orderClose},
}

func (d *desk) key(pressed string) tea.Cmd {
	d.note = ""
	if pressed == "q" || pressed == "ctrl+c" {
		if !d.sure && d.here() > 0 {
			d.sure, d.note = true, d.language.Say(
				"The class ends for everybody; how far they are is kept. %s again closes it.", pressed,
			)
			return nil
		}
		d.wants = orderClose
		return tea.Quit
	}
	d.sure = false
	d.list.Press(d, arrow(pressed))
	for _, k := range deskKeys {
		if k.key == pressed {
			d.wants = k.wants
			return tea.Quit
		}
	}
	return nil
}

func (d *desk) here() int {
	n := 0
	for i := range d.students {
		if d.students[i].Here {
			n++
		}
	}
	return n
}

// newsRows is how many lines of what happened are shown.
const newsRows = 6

// View has all students above, and what happened and the round below.
func (d *desk) View() tea.View {
	d.canvas.Reset(d.size, d.styles)
	all := d.canvas.All()
	head := all.Row(0)
	x := head.Text(0, 0, themes.Title, d.language.Of("The class"))
	x = head.Text(x+2, 0, themes.Text, d.language.Say("%s here", d.language.Count(d.here(), "student")))
	head.Text(x+2, 0, themes.Muted, strings.ReplaceAll(d.how, "\n", "  "))
	below := min(newsRows+2, max(d.size.Height/3, 3))
	box := widget.Box{Title: d.language.Of("Who is where"), Focus: widget.Focused, Note: d.leads()}
	inside := box.Draw(all.Sub(layout.Rect{Y: 1, Width: d.size.Width, Height: d.size.Height - below - 2}))
	d.row(inside.Row(0), themes.Muted, [columns]string{
		d.language.Of("name"), d.language.Of("where"), d.language.Of("since"), d.language.Of("hints"),
		d.language.Of("done"), d.language.Of("points"), "",
	})
	d.list.Draw(inside.Sub(layout.Rect{Y: 1, Width: inside.Width(), Height: inside.Height() - 1}), d, widget.Focused)
	half := d.size.Width / 2
	at := layout.Rect{Y: d.size.Height - below - 1, Width: half, Height: below}
	d.drawNews(widget.Box{Title: d.language.Of("What happens")}.Draw(all.Sub(at)))
	at.X, at.Width = half, d.size.Width-half
	d.drawRound(widget.Box{Title: d.language.Of("The round")}.Draw(all.Sub(at)))
	d.drawKeys(all.Row(d.size.Height - 1))
	return tea.View{Content: d.canvas.Render(), AltScreen: true, WindowTitle: "schedstep class"}
}

// leads reports whether the class follows.
func (d *desk) leads() string {
	follow := 0
	for i := range d.students {
		if d.students[i].Follows {
			follow++
		}
	}
	if d.room.Lead().On {
		return d.language.Say("%s follow you", d.language.Count(follow, "student"))
	}
	return d.language.Of("everybody goes their own way")
}

func (d *desk) drawKeys(r widget.Region) {
	if d.note != "" {
		r.Fit(0, 0, r.Width(), themes.Warn, d.note, widget.Left)
		return
	}
	x := 0
	for _, k := range deskKeys {
		does := d.language.Of(k.does)
		if k.wants == orderWalk && d.opened != "" {
			does = d.language.Say("back to %s", d.opened)
		}
		x = r.Text(x, 0, themes.Accent, k.key)
		x = r.Text(x+1, 0, themes.Text, does) + 2
	}
}

func (d *desk) drawNews(r widget.Region) {
	news := d.room.News()
	for y, n := range news[max(len(news)-r.Height(), 0):] {
		x := r.Text(0, y, themes.Muted, n.At.Format("15:04 "))
		r.Text(x, y, themes.Text, n.Name+" "+d.language.Render(n.What))
	}
}

func (d *desk) drawRound(r widget.Region) {
	q := d.room.Question()
	if q.Number == 0 {
		r.Text(0, 0, themes.Muted, d.language.Of("p asks the class what the next cycle comes to"))
		return
	}
	tally, guesses := d.room.Tally(), 0
	for _, t := range tally {
		guesses += t.Guesses
	}
	came := d.language.CountOf(guesses, "guess", "guesses")
	said := d.language.Say("Round %d is open; p closes it: %s", q.Number, came)
	if !q.Open {
		said = d.language.Say("Round %d is closed: %s", q.Number, came)
	}
	r.Text(0, 0, themes.Text, said)
	for y, t := range tally {
		paint, sign := themes.Text, ' '
		switch {
		case t.Right:
			paint, sign = themes.Pass, r.Glyphs().Pass
		case !q.Open:
			sign = r.Glyphs().Fail
		}
		x := r.Text(0, y+1, paint, fmt.Sprintf("%3d %c %s ", t.Guesses, sign, t.Guess))
		r.Repeat(x, y+1, (r.Width()-x)*t.Guesses/max(guesses, 1), paint, r.Glyphs().Box.Horizontal)
	}
	for y, line := range q.Answer {
		r.Text(0, len(tally)+2+y, themes.Text, line)
	}
}

// columns is how many columns the table has.
const columns = 7

// row draws one row of the table; where takes what the others leave.
func (d *desk) row(r widget.Region, p themes.Paint, cells [columns]string) {
	widths := [columns]int{16, 0, 6, 6, 7, 9, 12}
	widths[1] = r.Width()
	for i, w := range widths {
		if i != 1 {
			widths[1] -= w + 1
		}
	}
	x := 1
	for i, w := range widths {
		r.Fit(x, 0, max(w, 0), p, cells[i], widget.Left)
		x += max(w, 0) + 1
	}
}

// Len is the number of rows.
func (d *desk) Len() int { return len(d.students) }

// IsHeading is false: every row can be looked at.
func (d *desk) IsHeading(int) bool { return false }

// DrawLine draws one student.
func (d *desk) DrawLine(row int, r widget.Region) {
	s := &d.students[row]
	cells := [columns]string{
		s.Name, whereabouts(d.language, s), "", fmt.Sprintf("%d/%d", s.Place.Hints, s.Place.Hint),
		fmt.Sprintf("%d/%d", s.Done, s.Of),
		fmt.Sprintf("%d/%d", s.Points, s.Worth), "",
	}
	paint := themes.Text
	switch {
	case !s.Here:
		paint = themes.Muted
		cells[3] = ""
	case s.Stuck:
		paint, cells[6] = themes.Warn, d.language.Of("stuck")
	case s.Follows:
		cells[6] = d.language.Of("follows you")
	case s.Guess != "" && d.room.Question().Open:
		cells[6] = d.language.Of("has guessed")
	}
	if s.Here {
		cells[2] = fmt.Sprintf("%dm%02d", int(s.On.Minutes()), int(s.On.Seconds())%60)
	}
	d.row(r, paint, cells)
}

// whereabouts is where a student is, in words.
func whereabouts(l words.Language, s *class.Student) string {
	p := &s.Place
	switch {
	case !s.Here:
		return l.Of("away")
	case p.Demo != "":
		return l.Say("demo %s, cycle %d", p.Demo, p.Cycle)
	case p.Lesson == "":
		return l.Of("chooses")
	}
	text := fmt.Sprintf("%s %d/%d", p.Lesson, p.Page, p.Pages)
	switch {
	case p.Task == "":
	case p.Done:
		text += " " + l.Say("%s: done", p.Task)
	default:
		text += " " + p.Task
	}
	if p.Answer != "" && p.Task != "" && !p.Done {
		text += l.Say(", answered %q", p.Answer)
	}
	return text
}
