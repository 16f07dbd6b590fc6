package prompt

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/tui/widget"
)

// lines is where the prompt's lines come from.
type lines interface {
	// next shows a prompt and waits for a line. The error is io.EOF at the end, or that of ctx.
	next(ctx context.Context, prompt string) (string, error)
	// isPerson reports whether a user is there to answer a question.
	isPerson() bool
}

// linesOf reads from a terminal with a history and completion; from anything else line by line. A dumb terminal, such
// as the one inside an editor, edits its lines itself.
func linesOf(in io.Reader, out io.Writer, complete func(text string) []string) lines {
	input, inFile := in.(*os.File)
	output, outFile := out.(*os.File)
	isTerminal := inFile && outFile && term.IsTerminal(int(input.Fd())) && term.IsTerminal(int(output.Fd()))
	if isTerminal && os.Getenv("TERM") != "dumb" {
		return newTerminal(input, output, complete)
	}
	return newScript(in, out, isTerminal)
}

// longestLine is the longest line of input that is taken, in bytes.
const longestLine = 1 << 20

// script is lines of a file, a pipe or a terminal that edits its lines itself.
type script struct {
	in     *bufio.Scanner
	out    io.Writer
	person bool
}

func newScript(in io.Reader, out io.Writer, person bool) *script {
	s := &script{in: bufio.NewScanner(in), out: out, person: person}
	s.in.Buffer(nil, longestLine)
	return s
}

func (s *script) isPerson() bool { return s.person }

func (s *script) next(ctx context.Context, prompt string) (string, error) {
	if _, err := io.WriteString(s.out, prompt); err != nil {
		return "", err
	}
	text, err := wait(ctx, s.read)
	if err == nil || !errors.Is(err, io.EOF) {
		return text, err
	}
	_, err = io.WriteString(s.out, "\n")
	return "", errors.Join(io.EOF, err)
}

// wait is what read gives, or the end of ctx: a read that nothing ends is left behind.
func wait(ctx context.Context, read func() (string, error)) (string, error) {
	type line struct {
		text string
		err  error
	}
	done := make(chan line, 1)
	go func() {
		text, err := read()
		done <- line{text, err}
	}()
	select {
	case l := <-done:
		return l.text, l.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// read is the next line; io.EOF at the end.
func (s *script) read() (string, error) {
	if s.in.Scan() {
		return s.in.Text(), nil
	}
	if err := s.in.Err(); err != nil {
		return "", phrase.Errorf("the prompt's input: %w", err)
	}
	return "", io.EOF
}

// terminal is a person's terminal: arrows go through the history and the line, tab completes. It is in raw mode only
// while a line is written, so that ctrl+c ends a long move.
type terminal struct {
	*term.Terminal
	in, out  *os.File
	complete func(text string) []string
}

func newTerminal(in, out *os.File, complete func(text string) []string) *terminal {
	t := &terminal{in: in, out: out, complete: complete}
	t.Terminal = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&keys{from: in}, out}, "")
	if width, height, err := term.GetSize(int(out.Fd())); err == nil && width > 0 {
		_ = t.SetSize(width, height) // it fails only for widths below 0
	}
	t.AutoCompleteCallback = t.tab
	return t
}

func (t *terminal) isPerson() bool { return true }

// keys are what a person types. ctrl+c takes back a line that was begun, and ends the prompt only where there is none.
type keys struct {
	from  io.Reader
	begun bool   // something was typed in this line
	read  []byte // of which nothing was given yet
}

// The keys sent to the terminal in place of ctrl+c: go to the end of the line, and delete everything before it.
const (
	ctrlC = 0x03
	ctrlE = 0x05
	ctrlU = 0x15
)

func (k *keys) Read(p []byte) (int, error) {
	if len(k.read) == 0 {
		typed := make([]byte, len(p))
		n, err := k.from.Read(typed)
		for _, key := range typed[:n] {
			k.press(key)
		}
		if len(k.read) == 0 {
			return 0, err
		}
	}
	n := copy(p, k.read)
	k.read = k.read[n:]
	return n, nil
}

func (k *keys) press(key byte) {
	switch {
	case key == ctrlC && k.begun:
		k.begun = false
		k.read = append(k.read, ctrlE, ctrlU)
		return
	case key == '\r':
		k.begun = false
	case key >= ' ':
		k.begun = true
	}
	k.read = append(k.read, key)
}

func (t *terminal) next(ctx context.Context, prompt string) (string, error) {
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return "", phrase.Errorf("the prompt's terminal: %w", err)
	}
	t.SetPrompt(prompt)
	text, err := wait(ctx, t.ReadLine)
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	if errors.Is(err, io.EOF) {
		_, _ = io.WriteString(t.out, "\r\n") // not through t, which would write the prompt once more
	}
	return text, errors.Join(err, term.Restore(int(t.in.Fd()), before))
}

// mostOffered is how many completions tab lists.
const mostOffered = 20

func (t *terminal) tab(line string, at int, key rune) (string, int, bool) {
	if key != '\t' {
		return "", 0, false
	}
	line, at = completed(t, line, at, t.complete(line[:at]))
	return line, at, true
}

// completed is a line whose text before the cursor is completed as far as all completions agree. If that adds nothing,
// they are listed.
func completed(list io.Writer, line string, at int, offered []string) (string, int) {
	agreed := commonStart(offered)
	if len(offered) == 1 {
		agreed += " "
	}
	if len(agreed) > at {
		return agreed + line[at:], len(agreed)
	}
	for _, text := range offered[:min(len(offered), mostOffered)] {
		_, _ = io.WriteString(list, "  "+widget.Sanitize(text[strings.LastIndex(text, " ")+1:])+"\n")
	}
	return line, at
}

// commonStart is the longest beginning that all texts share.
func commonStart(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	start := texts[0]
	for _, text := range texts[1:] {
		for !strings.HasPrefix(text, start) {
			start = start[:len(start)-1]
		}
	}
	return start
}
