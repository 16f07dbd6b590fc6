package command

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// scriptVerbs carry out the lines of a file.
func scriptVerbs() []Verb {
	return []Verb{{
		Name: "source", Usage: "FILE", takes: []kind{ofNothing}, Does: "carry out the commands of a file, line by line",
		Run: source,
	}}
}

// mostOfAScript is the most bytes of a script, far more than a person writes.
const mostOfAScript = 1 << 20

// source hands out the lines of a file to be carried out next. A script reads no other, so that none goes on for ever.
func source(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("source: which file? (source steps.txt)")
	}
	text, err := c.readFile(c.Args[0], mostOfAScript)
	if err != nil {
		return Answer{}, phrase.Errorf("source: %w", err)
	}
	var lines []Line
	for number, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, one := range Split(line) {
			one.file, one.number = c.Args[0], number+1
			v, _, err := Parse(one.Text)
			switch {
			case err != nil:
				return Answer{}, one.Failed(c.lang(), err)
			case v.Name == "source":
				return Answer{}, c.lang().Errorf(
					"source: %s line %d: a script carries out no other script", c.Args[0], number+1,
				)
			}
			lines = append(lines, one)
		}
	}
	return Answer{Then: lines}, nil
}

// Line is one line to carry out.
type Line struct {
	Text   string
	file   string // where it is written; "": in none
	number int    // of the line in file, which begins with 1
}

// Split are the lines of a text, which semicolons divide.
func Split(text string) []Line {
	var lines []Line
	for one := range strings.SplitSeq(text, ";") {
		if one = strings.TrimSpace(one); one != "" {
			lines = append(lines, Line{Text: one})
		}
	}
	return lines
}

// Failed is what went wrong with the line. For a line of a file it names the place in the file.
func (l Line) Failed(lang words.Language, err error) error {
	if l.file == "" || err == nil {
		return err
	}
	return lang.Errorf("source: %s line %d: %w", l.file, l.number, err)
}
