package lesson

import (
	"slices"
	"strings"
)

// Lines are a page as lines of plain text.
func (p *Page) Lines(w Words) []string {
	lines := []string{w.Say("page-line", p.Lesson, w.Say("page", p.Number, p.Of), p.Title)}
	if p.Minutes > 0 && len(p.Task) > 0 && !p.Done {
		lines = append(lines, w.Say("meant", p.Minutes))
	}
	lines = append(lines, plain(p.Body)...)
	if len(p.Task) == 0 {
		return lines
	}
	lines = append(lines, w.Say("part-line", w.Say("task")))
	if p.Before && !p.Done {
		lines = append(lines, w.Say("done-before-line", p.Kept))
	}
	lines = append(lines, plain(p.Task)...)
	for _, want := range p.Wants {
		lines = append(lines, want.Line(w))
		lines = append(lines, plain(want.Reason)...)
	}
	for i := range p.Hints {
		lines = append(lines, p.HintLines(w, i)...)
	}
	if p.Answer != "" {
		lines = append(lines, w.Say("answered", p.Answer))
	}
	return append(lines, p.AfterLines(w)...)
}

// HintLines are the hint of a number, counted from 0.
func (p *Page) HintLines(w Words, i int) []string {
	return append([]string{w.Say("part-line", w.Say("hint"))}, plain(p.Hints[i])...)
}

// AfterLines are shown when the task is done.
func (p *Page) AfterLines(w Words) []string {
	if !p.Done {
		return nil
	}
	lines := []string{w.Say("done-line", p.Points, MostPoints)}
	if p.Took > 0 {
		lines = append(lines, w.Say("took", p.Took, p.Minutes))
	}
	return append(lines, plain(p.After)...)
}

// Same reports whether two wants are as much met as each other, for the same reason.
func (n Want) Same(o Want) bool {
	return n.Text == o.Text && n.Met == o.Met && slices.Equal(n.Reason, o.Reason)
}

// ReasonLines are why a want is not met any more.
func (n Want) ReasonLines() []string { return plain(n.Reason) }

// ReasonLines are why the last answer is wrong; none where nothing is known of it, or it is right.
func (p *Page) ReasonLines() []string { return plain(p.Reason) }

// Line is a want, met or missing.
func (n Want) Line(w Words) string {
	if n.Met {
		return w.Say("met", marks.Replace(n.Text))
	}
	return w.Say("missing", marks.Replace(n.Text))
}

// Missing is the rest of the task, in one line; "" when it is done.
func (p *Page) Missing() string {
	var missing []string
	for _, n := range p.Wants {
		if !n.Met {
			missing = append(missing, marks.Replace(n.Text))
		}
	}
	return strings.Join(missing, "; ")
}

// Wrong is the reply to an answer that does not do the task and that nothing is known of: what held before and does not
// hold now, since the answer may belong to another moment, or that a hint may help.
func (p *Page) Wrong(w Words, text string) string {
	said := w.Say("wrong-answer", text)
	var missing []string
	for _, n := range p.Wants {
		if !n.Met && len(n.Reason) > 0 {
			missing = append(missing, marks.Replace(n.Text))
		}
	}
	switch {
	case len(missing) > 0:
		return w.Say("both", said, w.Say("missing", strings.Join(missing, "; ")))
	case p.More > 0:
		return w.Say("both", said, w.Say("hint-helps"))
	}
	return said
}

// marks are those of the words in code and bold.
var marks = strings.NewReplacer("`", "", "**", "")

func plain(paragraphs []Paragraph) []string {
	var lines []string
	for _, p := range paragraphs {
		switch p.Shape {
		case Item:
			lines = append(lines, "- "+marks.Replace(p.Text))
		case Quote:
			lines = append(lines, "> "+p.Text)
		case Code:
			lines = append(lines, "    "+p.Text)
		case Prose:
			lines = append(lines, marks.Replace(p.Text))
		}
	}
	return lines
}
