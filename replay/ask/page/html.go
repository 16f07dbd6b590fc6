package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
)

//go:embed page.html
var frame string

// HTML writes one page that needs nothing else. Whatever the texts hold, they are no markup in it. It is put together
// without html/template: executing a template makes the linker keep every exported method of every type, which is
// most of the playground's program.
func (p *Page) HTML(out io.Writer) error {
	safe := p.safe()
	var sections strings.Builder
	for _, s := range safe.Sections {
		s.html(&sections)
	}
	_, err := strings.NewReplacer(
		"@LANGUAGE@", html.EscapeString(safe.Language.String()),
		"@TITLE@", html.EscapeString(safe.Title),
		"@HEADING@", soft(safe.Title),
		"@SAID@", html.EscapeString(safe.Said),
		"@SECTIONS@", sections.String(),
		"@ONLYROWS@", script(safe.Language.Of("only rows with")),
		"@ROWSLEFT@", script(safe.Language.Of("{shown} of {all} rows")),
	).WriteString(out, frame)
	return err
}

// html writes a section; its texts are safe already, and no markup after this.
func (s Section) html(b *strings.Builder) {
	fmt.Fprintf(b, "<section>\n<h2>%s</h2>\n", html.EscapeString(s.Title))
	if s.Picture != "" {
		fmt.Fprintf(b, "<div class=\"wide\" tabindex=\"0\">%s</div>\n", s.Picture)
	}
	if len(s.Text) > 0 {
		fmt.Fprintf(b, "<pre>%s\n</pre>\n", html.EscapeString(strings.Join(s.Text, "\n")))
	}
	if len(s.Head) > 0 {
		s.table(b)
	}
	b.WriteString("</section>\n")
}

func (s Section) table(b *strings.Builder) {
	class := ""
	if s.Figures {
		class = ` class="figures"`
	}
	fmt.Fprintf(b, "<div class=\"wide\" tabindex=\"0\"><table%s>\n<thead><tr>", class)
	for _, h := range s.Head {
		fmt.Fprintf(b, `<th scope="col">%s</th>`, html.EscapeString(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range s.Rows {
		b.WriteString("<tr>")
		for i, c := range row {
			switch {
			case c.Bar > 0:
				fmt.Fprintf(b, `<td class="share" style="--part: %d%%">%s</td>`, c.Bar, html.EscapeString(c.Text))
			case s.Figures && i == 0:
				fmt.Fprintf(b, "<td>%s</td>", soft(c.Text))
			default:
				fmt.Fprintf(b, "<td>%s</td>", html.EscapeString(c.Text))
			}
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table></div>\n")
}

// script is a text as a value in a script of a page. JSON escapes what would end the script.
func script(text string) string {
	value, _ := json.Marshal(text) // a string always has a value in JSON
	return string(value)
}

// soft is a text whose line may end where a new word begins within a long name.
func soft(text string) string {
	var all []string
	for _, part := range parts(text) {
		all = append(all, html.EscapeString(part))
	}
	return strings.Join(all, "<wbr>")
}

// parts are the parts of a text between which a line may end: where a new word begins within a long name.
func parts(text string) []string {
	var all []string
	from := 0
	last := rune(0)
	for i, r := range text {
		begins := unicode.IsUpper(r) && unicode.IsLower(last) || strings.ContainsRune("./_+", last)
		if begins && i > from {
			all = append(all, text[from:i])
			from = i
		}
		last = r
	}
	return append(all, text[from:])
}
