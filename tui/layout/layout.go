// Package layout divides the screen into named rectangles. It is one pure function of the size and of what
// the person has opened; it draws nothing and knows nothing of what the panes show.
//
//	Wide, from 160x40          Medium, from 100x30        Narrow, from 60x15     Tiny
//	header                     header                     header                 header
//	queue │ main               queue │ main               tabs                   notice
//	      │ why                why, below main if there   one pane; below
//	                           are rows to spare; else,   main why, if there
//	                           if open, over both         are rows to spare
//	timeline                   timeline                   timeline (one row)
//	footer                     footer                     footer
package layout

// Kind is one of the four ways to divide a screen.
type Kind uint8

// The four kinds, from the largest.
const (
	Wide   Kind = iota // three panes and the timeline
	Medium             // two panes and the timeline; why lies over them
	Narrow             // one pane at a time, with tabs
	Tiny               // too small for a pane: state in one line, and how to enlarge
)

// Pane is a part of the screen that can have the focus.
type Pane uint8

// The panes, in the order of their tabs.
const (
	Queue Pane = iota
	Main
	Why
	Timeline
	Lesson // where one is open
)

// Panes are all of them but Lesson, in the order of their tabs.
func Panes() []Pane { return []Pane{Queue, Main, Why, Timeline} }

// Size is the width and height of a terminal in cells.
type Size struct{ Width, Height int }

// Mode is what the person has chosen to see.
type Mode struct {
	Focus   Pane
	Zoomed  bool // only the focused pane, as large as possible
	Lesson  bool // a lesson is open: it lies to the left of all others, and where panes are shown one at a time it is one
	WhyOpen bool // where why has no place of its own; it is also open while it has the focus
	// how many rows main can fill, its border included: what it does not need goes to why; 0: all that there are
	MainRows int
}

// Screen is the division of one screen. Empty rectangles are not shown. Everything but Why is disjoint, and
// together the rectangles cover the screen; Why is drawn last and overlaps its neighbours where WhyFloats.
type Screen struct {
	Kind Kind
	Size Size

	Header, Tabs               Rect
	Queue, Main, Why, Timeline Rect
	Lesson                     Rect
	Task                       Rect // the task of the lesson, where another pane is shown in its place
	Footer                     Rect // the keys, or the command line
	Notice                     Rect // only when Tiny: how to enlarge
	WhyFloats                  bool
}

// The smallest screens of each kind.
var (
	smallestWide   = Size{Width: 160, Height: 40}
	smallestMedium = Size{Width: 100, Height: 30}
	smallestNarrow = Size{Width: 60, Height: 15}
)

// KindOf returns how a screen of this size is divided.
func KindOf(size Size) Kind {
	switch {
	case size.holds(smallestWide):
		return Wide
	case size.holds(smallestMedium):
		return Medium
	case size.holds(smallestNarrow):
		return Narrow
	}
	return Tiny
}

func (s Size) holds(o Size) bool { return s.Width >= o.Width && s.Height >= o.Height }

// Enlarge is the size from which panes are shown.
func Enlarge() Size { return smallestNarrow }

// Arrange divides a screen. Any size is allowed, even none.
func Arrange(size Size, mode Mode) Screen {
	size = Size{Width: max(size.Width, 0), Height: max(size.Height, 0)}
	s := Screen{Kind: KindOf(size), Size: size}
	body := Rect{Width: size.Width, Height: size.Height}
	s.Header, body = body.Top(1)
	if s.Kind == Tiny {
		s.Notice = body
		return s
	}
	s.Footer, body = body.bottomRows(1)
	switch {
	case s.Kind == Narrow:
		s.oneAtATime(body, mode)
	case mode.Zoomed:
		*s.pane(mode.Focus) = body
	case mode.Lesson:
		s.beside(body, mode)
	case s.Kind == Wide:
		s.three(body, mode)
	default:
		s.two(body, mode)
	}
	return s
}

func (s *Screen) three(body Rect, mode Mode) {
	s.Timeline, body = body.bottomRows(4)
	s.Queue, body = body.Left(clamp(body.Width/4, 40, 60))
	s.Why, s.Main = body.bottomRows(max(clamp(body.Height/4, leastWhy, mostWhy), spare(body, mode)))
}

// The height of why where it has a place of its own.
const (
	leastWhy = 8
	mostWhy  = 16
)

// spare is how many rows why can have that main does not need; 0 when there are too few to read in.
func spare(body Rect, mode Mode) int {
	rows := min(body.Height-mode.MainRows, body.Height/2+leastWhy/2)
	if mode.MainRows == 0 || rows < leastWhy {
		return 0
	}
	return rows
}

func (s *Screen) two(body Rect, mode Mode) {
	s.Timeline, body = body.bottomRows(3)
	rows := spare(body, mode)
	if rows == 0 && (mode.WhyOpen || mode.Focus == Why) {
		s.Why, _ = body.bottomRows(clamp(body.Height/2, leastWhy, mostWhy))
		s.WhyFloats = true
	}
	s.Queue, s.Main = body.Left(clamp(body.Width*3/10, 30, 42))
	if rows > 0 {
		s.Why, s.Main = s.Main.bottomRows(rows)
	}
}

// beside puts the lesson to the left of the others, which lie one above the other where they are narrow.
func (s *Screen) beside(body Rect, mode Mode) {
	s.Lesson, body = body.Left(clamp(body.Width*9/25, narrowestLesson, widestLesson))
	if body.Width >= smallestMedium.Width {
		s.two(body, mode)
		return
	}
	s.Timeline, body = body.bottomRows(3)
	if mode.WhyOpen || mode.Focus == Why {
		s.Why, _ = body.bottomRows(clamp(body.Height/2, leastWhy, mostWhy))
		s.WhyFloats = true
	}
	s.Queue, s.Main = body.Top(clamp(body.Height/3, 6, 12))
}

// The width of the lesson where it lies beside the others.
const (
	narrowestLesson = 44
	widestLesson    = 64
)

// taskRows is what is seen of the lesson in place of all of it.
const taskRows = 2

func (s *Screen) oneAtATime(body Rect, mode Mode) {
	s.Tabs, body = body.Top(1)
	if mode.Lesson && mode.Focus != Lesson {
		s.Task, body = body.bottomRows(taskRows)
	}
	if mode.Focus != Timeline && !mode.Zoomed {
		s.Timeline, body = body.bottomRows(1)
	}
	*s.pane(mode.Focus) = body
	if rows := spare(body, mode); rows > 0 && mode.Focus == Main && !mode.Zoomed && !mode.Lesson {
		s.Why, s.Main = body.bottomRows(rows)
	}
}

func (s *Screen) pane(p Pane) *Rect {
	switch p {
	case Queue:
		return &s.Queue
	case Why:
		return &s.Why
	case Timeline:
		return &s.Timeline
	case Lesson:
		return &s.Lesson
	}
	return &s.Main
}

// Pane is the rectangle of a pane, empty if it is not shown.
func (s Screen) Pane(p Pane) Rect { return *s.pane(p) }

// PaneAt is the pane that is seen at a cell; ok is false on the lines around the panes.
func (s Screen) PaneAt(x, y int) (p Pane, ok bool) {
	for _, p := range []Pane{Why, Queue, Main, Timeline, Lesson} {
		if s.Pane(p).Contains(x, y) {
			return p, true
		}
	}
	return Main, false
}

// Popup is a rectangle of the wished size in the middle of what lies between header and footer, cut to what
// there is.
func (s Screen) Popup(width, height int) Rect {
	space := s.between()
	width, height = clamp(width, 0, space.Width), clamp(height, 0, space.Height)
	return Rect{X: space.X + (space.Width-width)/2, Y: space.Y + (space.Height-height)/2, Width: width, Height: height}
}

// Drawer is a rectangle of the wished height that rests on the footer, for what a command line offers.
func (s Screen) Drawer(height int) Rect {
	drawer, _ := s.between().bottomRows(clamp(height, 0, s.Size.Height))
	return drawer
}

func (s Screen) between() Rect {
	space := Rect{Y: s.Header.Height, Width: s.Size.Width, Height: s.Size.Height - s.Header.Height - s.Footer.Height}
	if space.Height <= 0 {
		space = Rect{Width: s.Size.Width, Height: s.Size.Height}
	}
	return space
}

func clamp(n, least, most int) int { return min(max(n, least), most) }
