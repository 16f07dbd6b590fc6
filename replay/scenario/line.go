package scenario

import (
	"strings"
	"unicode"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
)

// separator stands between a command and the output it is expected to print.
const separator = "----"

// call is one command as it stands in the file.
type call struct {
	line  int // of its name, from 1
	name  string
	words []token
	block []string // the indented lines below, without their common indentation, for a command that takes a block
	first int      // the number of the block's first line

	end      int      // index of the line after its words and block
	expects  bool     // a separator follows
	expected []string // the lines between the separator and the next empty line
	after    int      // index of the line after the expected output

	release *release.Release // what a release command came to, or what came before
	config  []byte           // what a config command came to
	gates   string           // what a gates command came to, or for config what came before it
	spoken  *spoken          // what an extender command came to
	rival   *rival           // what a scheduler command came to

	plugins []config.Plugin // from outside, that a config command may name
}

// token is one word of a command and the line it stands in.
type token struct {
	line int
	text string
}

// reader cuts the lines of a file into calls.
type reader struct {
	lines    []string
	at       int
	problems *problems
	book     []command
}

// calls are all commands of the file, whether they make sense or not.
func (r *reader) calls() []*call {
	var calls []*call
	for i, line := range r.lines {
		if strings.ContainsFunc(line, isControl) {
			r.problems.add(i+1, "there is a control character in it")
		}
	}
	for r.at < len(r.lines) {
		line := r.lines[r.at]
		switch {
		case isBlank(line), strings.HasPrefix(line, "#"):
			r.at++
		case isIndented(line):
			r.problems.add(r.at+1, "an indented line belongs to the command above it, and there is none")
			r.at++
		case line == separator:
			r.problems.add(r.at+1, separator+" follows a command, and there is none above it")
			r.at++
			r.output()
		default:
			calls = append(calls, r.call())
		}
	}
	return calls
}

// call reads the command that begins here, with what belongs to it.
func (r *reader) call() *call {
	c := &call{line: r.at + 1}
	words := r.words(r.at)
	r.at++
	if len(words) > 0 {
		c.name, c.words = words[0].text, words[1:]
	}
	c.first = r.at + 1
	if command, known := commandNamed(r.book, c.name); known && command.block != "" {
		c.block = r.indented()
	} else {
		for r.at < len(r.lines) && isIndented(r.lines[r.at]) && !isBlank(r.lines[r.at]) {
			c.words = append(c.words, r.words(r.at)...)
			r.at++
		}
	}
	c.end = r.at
	if r.at < len(r.lines) && r.lines[r.at] == separator {
		c.expects = true
		r.at++
		c.expected = r.output()
	}
	c.after = r.at
	return c
}

// indented reads a block: empty lines belong to it when more of it follows.
func (r *reader) indented() []string {
	end := r.at
	for i := r.at; i < len(r.lines) && (isBlank(r.lines[i]) || isIndented(r.lines[i])); i++ {
		if !isBlank(r.lines[i]) {
			end = i + 1
		}
	}
	block := dedented(r.lines[r.at:end])
	r.at = end
	return block
}

// output reads what a command is expected to print.
func (r *reader) output() []string {
	from := r.at
	for r.at < len(r.lines) && r.lines[r.at] != "" {
		r.at++
	}
	return r.lines[from:r.at]
}

// words splits a line at spaces; double quotes keep spaces in a word, and backslash keeps a quote.
func (r *reader) words(index int) []token {
	var words []token
	var b strings.Builder
	quoted, open, escaped := false, false, false
	end := func() {
		if open {
			words = append(words, token{index + 1, b.String()})
		}
		b.Reset()
		open = false
	}
	for _, c := range r.lines[index] {
		switch {
		case escaped:
			b.WriteRune(c)
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted, open = !quoted, true
		case !quoted && unicode.IsSpace(c):
			end()
		default:
			b.WriteRune(c)
			open = true
		}
	}
	if quoted {
		r.problems.add(index+1, `a quote is not closed (want "...")`)
	}
	end()
	return words
}

func isControl(c rune) bool { return unicode.IsControl(c) && c != '\t' }

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func isIndented(line string) bool {
	return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
}

// dedented is the lines without the indentation all of them have.
func dedented(lines []string) []string {
	common, found := "", false
	for _, line := range lines {
		if isBlank(line) {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if !found {
			common, found = indent, true
		}
		for !strings.HasPrefix(indent, common) {
			common = common[:len(common)-1]
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimPrefix(line, common)
		if isBlank(line) {
			out[i] = ""
		}
	}
	return out
}
