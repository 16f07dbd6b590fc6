package themes

// Glyphs are the signs that go with the colours, so that colour never carries a meaning alone. Every one is
// a single code point one column wide in every terminal.
type Glyphs struct {
	Pass, Fail, FailUnresolvable, NotAsked, NotSampled, Error rune

	Pointer    rune // where we are: the selected row, the current position
	Running    rune
	Paused     rune
	Waiting    rune // something ends by itself later
	Event      rune
	Breakpoint rune
	Divergence rune
	Guess      rune // a verdict rests on an object of which something is assumed
	Bullet     rune
	Arrow      rune // from here to there
	Times      rune // one thing crossed with another
	Ellipsis   rune // text was cut here
	Separator  rune // between two parts of one line
	MoreLeft   rune // columns are hidden on this side
	MoreRight  rune
	Track      rune // the empty part of a line that something lies on

	Box      Outline
	BoxFocus Outline

	Parts [8]rune // a bar's last column, from one eighth to full
	Rise  [8]rune // a column's highest row, from one eighth to full
}

// Outline is the pieces of a box.
type Outline struct {
	Horizontal, Vertical                       rune
	TopLeft, TopRight, BottomLeft, BottomRight rune
	TitleLeft, TitleRight                      rune // around a title set into the line
}

// Unicode are the glyphs for terminals with a usual font.
func Unicode() Glyphs {
	return Glyphs{
		Pass: '✔', Fail: '✘', FailUnresolvable: '✖', NotAsked: '·', NotSampled: '○', Error: '!',
		Pointer: '▸', Running: '▶', Paused: '■', Waiting: '◷', Event: '◆', Breakpoint: '●', Divergence: '≠',
		Guess:  '≈',
		Bullet: '•', Arrow: '→', Times: '×', Ellipsis: '…', Separator: '│',
		MoreLeft: '‹', MoreRight: '›', Track: '─',
		Box: outline("╭─╮", "│ │", "╰─╯", "  "), BoxFocus: outline("┏━┓", "┃ ┃", "┗━┛", "  "),
		Parts: [8]rune{'▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'},
		Rise:  [8]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'},
	}
}

// ASCII are the glyphs for terminals, fonts and readers that have nothing else.
func ASCII() Glyphs {
	return Glyphs{
		Pass: '+', Fail: 'x', FailUnresolvable: 'X', NotAsked: '.', NotSampled: 'o', Error: '!',
		Pointer: '>', Running: '>', Paused: '=', Waiting: '~', Event: '*', Breakpoint: '@', Divergence: '#',
		Guess:  '?',
		Bullet: '*', Arrow: '>', Times: 'x', Ellipsis: '~', Separator: '|',
		MoreLeft: '<', MoreRight: '>', Track: '-',
		Box: outline("+-+", "| |", "+-+", "  "), BoxFocus: outline("#=#", "# #", "#=#", "[]"),
		Parts: [8]rune{' ', ' ', ' ', '-', '-', '-', '-', '#'},
		Rise:  [8]rune{'.', '.', ':', ':', '|', '|', '#', '#'},
	}
}

// outline is the outline of a box that is drawn in three rows, and what stands around a title.
func outline(top, middle, bottom, title string) Outline {
	t, m, b, around := []rune(top), []rune(middle), []rune(bottom), []rune(title)
	return Outline{
		Horizontal: t[1], Vertical: m[0], TopLeft: t[0], TopRight: t[2], BottomLeft: b[0], BottomRight: b[2],
		TitleLeft: around[0], TitleRight: around[1],
	}
}
