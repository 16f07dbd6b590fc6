// Package page makes one file of what is known: a title, then sections of text, tables and pictures, as HTML that needs
// nothing else, no network and no scripts, or as Markdown. It knows nothing of scheduling, and draws no picture itself.
package page

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedstep/schedstep/internal/words"
)

// Page is a title with a sentence below it, and sections. Its texts are in its language.
type Page struct {
	Title    string
	Said     string
	Language words.Language
	Sections []Section
}

// Section is one subject of a page, under a title: any of a picture, text and a table.
type Section struct {
	Title   string
	Picture SVG      // "": none
	Text    []string // as it would be printed: a line each
	Head    []string // of the table; none: there is no table
	Rows    [][]Cell
	Figures bool // the first column names what the others have figures of: it is what gives way where room is short
}

// Cell is a text of a table and, where it is a share, the width of its bar in percent.
type Cell struct {
	Text string
	Bar  int
}

// Plain are cells without bars.
func Plain(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, t := range texts {
		cells[i] = Cell{Text: t}
	}
	return cells
}

// Add adds a table that has rows.
func (p *Page) Add(title string, head []string, rows [][]Cell) {
	if len(rows) > 0 {
		p.Sections = append(p.Sections, Section{Title: title, Head: head, Rows: rows})
	}
}

// AddFigures is Add of a table whose first column names what the others have figures of.
func (p *Page) AddFigures(title string, head []string, rows [][]Cell) {
	if len(rows) > 0 {
		p.Sections = append(p.Sections, Section{Title: title, Head: head, Rows: rows, Figures: true})
	}
}

// visible is a text without characters that control a terminal or are not seen.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, ansi.Strip(text))
}

// safe is the page with safe texts, all of its own.
func (p *Page) safe() Page {
	out := Page{Title: visible(p.Title), Said: visible(p.Said), Language: p.Language}
	for _, s := range p.Sections {
		made := Section{Title: visible(s.Title), Picture: s.Picture, Figures: s.Figures}
		for _, t := range s.Text {
			made.Text = append(made.Text, visible(t))
		}
		for _, h := range s.Head {
			made.Head = append(made.Head, visible(h))
		}
		for _, row := range s.Rows {
			cells := make([]Cell, len(row))
			for i, c := range row {
				cells[i] = Cell{visible(c.Text), min(max(c.Bar, 0), 100)}
			}
			made.Rows = append(made.Rows, cells)
		}
		out.Sections = append(out.Sections, made)
	}
	return out
}

// Markdown writes the texts and tables; pictures are left out.
func (p *Page) Markdown(out io.Writer) error {
	safe := p.safe()
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n%s\n", cellText(safe.Title), safe.Said)
	for _, s := range safe.Sections {
		if len(s.Text) == 0 && len(s.Rows) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n## %s\n", s.Title)
		if len(s.Text) > 0 {
			text.WriteString("\n```\n" + strings.ReplaceAll(strings.Join(s.Text, "\n"), "```", "'''") + "\n```\n")
		}
		if len(s.Rows) > 0 {
			text.WriteString("\n" + table(s.Head, s.Rows))
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func table(head []string, rows [][]Cell) string {
	text := "| " + strings.Join(head, " | ") + " |\n|" + strings.Repeat("---|", len(head)) + "\n"
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = cellText(c.Text)
		}
		text += "| " + strings.Join(cells, " | ") + " |\n"
	}
	return text
}

// cellText is a text that divides no table and is no markup.
func cellText(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "`", "'").Replace(text)
}
