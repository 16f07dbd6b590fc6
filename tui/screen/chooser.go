package screen

import (
	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// item is one row of a chooser.
type item struct {
	label  string
	detail string
	value  string // what choosing it means, for the chooser's own use
}

// chooser is a popup with a list of which one item is chosen, found by typing some of its letters.
type chooser struct {
	title  string
	prompt string // before what is typed; "": letters do not narrow the list, they are for extra
	items  []item
	pick   func(a *app, it item) tea.Cmd
	look   func(a *app, it item)                             // when the cursor comes to an item; may be nil
	leave  func(a *app)                                      // when nothing is chosen; may be nil
	extra  func(a *app, it item, key string) (tea.Cmd, bool) // other keys; may be nil
	keys   []hint                                            // those other keys
	// ahead is what can be chosen where nothing fits what is typed; may be nil
	ahead func(typed string) (item, bool)

	typed  entry
	shown  []int // indexes of items, best first
	search int   // the newest search
	known  int   // the search that shown is the result of
	list   widget.List
	rect   layout.Rect
}

// found is the result of a search.
type found struct {
	by     *chooser
	search int
	shown  []int
}

// inline is how many items are searched at once; more are searched beside the screen.
const inline = 500

func (c *chooser) start(text string) tea.Cmd {
	c.typed = entryOf(text)
	c.shown = c.match("")
	return c.narrow()
}

// narrow searches for what is typed.
func (c *chooser) narrow() tea.Cmd {
	c.search++
	typed, search := c.typed.String(), c.search
	if len(c.items) <= inline {
		c.take(found{c, search, c.match(typed)})
		return nil
	}
	return func() tea.Msg { return found{c, search, c.match(typed)} }
}

// match is the items that fit a text, best first. It reads only what does not change after the chooser was made.
func (c *chooser) match(text string) []int {
	shown := make([]int, 0, len(c.items))
	if text == "" {
		for i := range c.items {
			shown = append(shown, i)
		}
		return shown
	}
	for _, m := range fuzzy.FindFrom(text, labels(c.items)) {
		shown = append(shown, m.Index)
	}
	return shown
}

// labels are items as the search wants them.
type labels []item

func (l labels) String(i int) string { return l[i].label }

func (l labels) Len() int { return len(l) }

// take shows the result of a search, unless it is older than another.
func (c *chooser) take(f found) {
	if f.search != c.search {
		return
	}
	c.shown, c.known = f.shown, f.search
	c.list.MoveTo(c, 0)
}

// current is the item under the cursor, by what is typed now.
func (c *chooser) current() (item, bool) {
	if c.known != c.search {
		c.take(found{c, c.search, c.match(c.typed.String())})
	}
	at, ok := c.list.Cursor(c)
	if !ok {
		return item{}, false
	}
	return c.items[c.shown[at]], true
}

// instead is what can be chosen where nothing fits.
func (c *chooser) instead() (item, bool) {
	typed := c.typed.String()
	if c.ahead == nil || typed == "" || len(c.shown) > 0 {
		return item{}, false
	}
	return c.ahead(typed)
}

// Len is the number of rows shown.
func (c *chooser) Len() int { return len(c.shown) }

// IsHeading is false: every row can be chosen.
func (c *chooser) IsHeading(int) bool { return false }

// DrawLine draws one row.
func (c *chooser) DrawLine(row int, r widget.Region) {
	it := c.items[c.shown[row]]
	label := max(r.Width()*2/5, r.Width()-widget.Width(it.detail)-1)
	if it.detail == "" {
		label = r.Width()
	}
	r.FitName(0, 0, label, themes.Text, it.label, widget.Left)
	r.Fit(label+1, 0, r.Width()-label-1, themes.Muted, it.detail, widget.Left)
}

func (c *chooser) hints() []hint {
	hints := append([]hint{{"enter", "choose"}}, c.keys...)
	return append(hints, hint{"up/down", "move"}, hint{"esc", "close"})
}

func (c *chooser) wheel(rows int) { c.list.Move(c, rows) }

func (c *chooser) click(a *app, x, y int) tea.Cmd {
	if !c.rect.Contains(x, y) {
		return nil
	}
	row, ok := c.list.At(c, y-c.rect.Y)
	if !ok {
		return nil
	}
	c.list.MoveTo(c, row)
	return c.choose(a)
}

func (c *chooser) insert(text string) tea.Cmd {
	if c.prompt == "" || !c.typed.insert(text) {
		return nil
	}
	return c.narrow()
}

func (c *chooser) key(a *app, msg tea.KeyPressMsg) tea.Cmd {
	pressed := msg.String()
	if pressed == "q" && c.prompt == "" {
		pressed = "esc"
	}
	switch pressed {
	case "esc":
		a.popup = nil
		if c.leave != nil {
			c.leave(a)
		}
		return nil
	case "enter":
		return c.choose(a)
	}
	if c.move(pressed) {
		c.looked(a)
		return nil
	}
	if c.extra != nil {
		it, _ := c.current()
		if cmd, taken := c.extra(a, it, pressed); taken {
			return cmd
		}
	}
	if c.prompt == "" || !c.typed.edit(msg) {
		a.refuse(a.language.Say("%s does nothing here", pressed))
		return nil
	}
	return c.narrow()
}

func (c *chooser) choose(a *app) tea.Cmd {
	it, ok := c.current()
	if !ok {
		it, ok = c.instead()
	}
	if !ok {
		a.refuse(a.language.Of("nothing fits what is typed"))
		return nil
	}
	a.popup = nil
	return c.pick(a, it)
}

func (c *chooser) move(pressed string) bool {
	switch pressed {
	case "ctrl+p":
		pressed = "up"
	case "ctrl+n":
		pressed = "down"
	}
	return c.list.Press(c, pressed)
}

func (c *chooser) looked(a *app) {
	if it, ok := c.current(); ok && c.look != nil {
		c.look(a, it)
	}
}

// The size of a chooser.
const (
	chooserWidth  = 76
	chooserHeight = 18
)

func (c *chooser) draw(a *app) {
	lines := min(len(c.items), chooserHeight) + 2
	if c.prompt != "" {
		lines++
	}
	box := widget.Box{Title: c.title, Note: a.language.CountOf(len(c.shown), "row", "rows"), Focus: widget.Focused}
	rect := a.screen.Popup(min(chooserWidth, a.size.Width-4), lines)
	inside := box.Draw(a.canvas.In(rect))
	top := 0
	if c.prompt != "" {
		c.typed.draw(inside, 0, c.prompt, "")
		top = 1
	}
	c.rect = layout.Rect{X: rect.X + 1, Y: rect.Y + 1 + top, Width: inside.Width(), Height: inside.Height() - top}
	body := inside.Sub(layout.Rect{Y: top, Width: inside.Width(), Height: inside.Height() - top})
	if len(c.shown) == 0 {
		body.Text(1, 0, themes.Muted, a.language.Of("nothing fits"))
		if it, ok := c.instead(); ok {
			body.Text(1, 1, themes.Text, "enter  "+it.label)
		}
		return
	}
	c.list.Draw(body, c, widget.Focused)
}
