package page_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/ask/page"
)

// evil is a page whose every text tries to be markup, or to control a terminal.
func evil() page.Page {
	const text = "<script>alert(1)</script>|`\x1b[31m\u009b"
	p := page.Page{Title: text, Said: text, Sections: []page.Section{{
		Title: text, Text: []string{text},
		Picture: page.Draw(text, 10, 10, []page.Shape{{Kind: page.Good, Says: text}, {Kind: page.Words, Label: text}}),
	}}}
	p.Add(text, []string{text}, [][]page.Cell{page.Plain(text), {{Text: text, Bar: 900}}})
	p.AddFigures(text, []string{text}, [][]page.Cell{page.Plain(text, text)})
	return p
}

func TestTextsAreNoMarkup(t *testing.T) {
	p := evil()
	var html, markdown strings.Builder
	if err := p.HTML(&html); err != nil {
		t.Fatal(err)
	}
	if err := p.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"<script>alert", "\x1b", "\u009b", "--part: 900"} {
		if strings.Contains(html.String(), wrong) {
			t.Errorf("the page holds %q", wrong)
		}
	}
	if got := strings.Count(html.String(), "<script>"); got != 1 {
		t.Errorf("%d scripts, want the page's own alone", got)
	}
	if strings.Contains(markdown.String(), "\x1b") || !strings.Contains(markdown.String(), `\|`) {
		t.Errorf("%s", markdown.String())
	}
}

func TestAPageNamesNobodyElse(t *testing.T) {
	p := page.Page{Title: "t", Sections: []page.Section{{Title: "p", Picture: page.Draw("a", 1, 1, nil)}}}
	var html strings.Builder
	if err := p.HTML(&html); err != nil {
		t.Fatal(err)
	}
	left := strings.ReplaceAll(html.String(), `xmlns="http://www.w3.org/2000/svg"`, "")
	for _, wrong := range []string{"http:", "https:", "//cdn", "@import", "<link rel=\"stylesheet\""} {
		if strings.Contains(left, wrong) {
			t.Errorf("the page holds %q", wrong)
		}
	}
	if !strings.Contains(left, "default-src 'none'") {
		t.Error("the page does not forbid requests")
	}
}

// A long name may go on in another line where a new word begins in it; what is copied from the page is the name.
func TestTheNameOfFiguresGoesOnInAnotherLine(t *testing.T) {
	const name = "weight.NodeResourcesFit=1 HTTPRoute percentage=50"
	p := page.Page{Title: "/data/monday_all.csv"}
	p.AddFigures("best", []string{"variant", "unplaced"}, [][]page.Cell{page.Plain(name, "aB")})
	p.AddFigures("none", []string{"variant", "unplaced"}, nil)
	var html, markdown strings.Builder
	if err := p.HTML(&html); err != nil {
		t.Fatal(err)
	}
	if err := p.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<h1>/<wbr>data/<wbr>monday_<wbr>all.<wbr>csv</h1>", `<table class="figures">`,
		"<td>weight.<wbr>Node<wbr>Resources<wbr>Fit=1 HTTPRoute percentage=50</td><td>aB</td>",
	} {
		if strings.Count(html.String(), want) != 1 {
			t.Errorf("the page lacks %s", want)
		}
	}
	if !strings.Contains(markdown.String(), "| "+name+" | aB |") || strings.Contains(markdown.String(), "none") {
		t.Errorf("%s", markdown.String())
	}
}
