package importer

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// mixed reads text of which each stretch may be something else. Whatever it passes becomes objects, or is counted.
type mixed struct {
	r         *reading
	file      *file
	stream    *text.Stream
	at, line  int
	documents int
}

// section is what stands between two document markers. Where its parts make no sense, the whole of it may.
type section struct {
	stream      *text.Stream
	start, line int
	file        *file
	parts       int
	words       *LeftOut
}

// yamlStream reads all that is left of a stream, which begins with YAML.
func (r *reading) yamlStream(in *bufio.Reader, f *file, line int) {
	all, err := r.readAll(in, f)
	m := &mixed{r: r, file: f, stream: text.NewStream(all), line: line}
	m.run()
	if err != nil {
		r.submit(r.note(Problem{Where: fmt.Sprintf("%s line %d", f.path, m.line), What: phrase.Textf(
			"reading stopped: %s; everything before it is kept", plain(err),
		)}))
	}
}

func (m *mixed) run() {
	defer func() { m.r.section = nil }()
	for {
		start, sort, marked := m.stream.Next(m.at)
		if marked >= 0 || m.r.section == nil {
			from := max(marked, m.at)
			m.r.section = &section{
				stream: m.stream, start: from, line: m.line + m.lines(m.at, from), file: m.file,
			}
		}
		m.pass(start)
		if start == len(m.stream.Text) {
			return
		}
		m.stretch(sort)
	}
}

// pass moves on and counts lines.
func (m *mixed) pass(to int) { m.line, m.at = m.line+m.lines(m.at, to), to }

func (m *mixed) lines(from, to int) int { return bytes.Count(m.stream.Text[from:to], []byte{'\n'}) }

// stretch reads what begins here.
func (m *mixed) stretch(sort text.Sort) {
	if sort == text.JSON && m.r.o.Format == YAML {
		sort = text.Flow
	}
	switch sort { //exhaustive:enforce
	case text.Block:
		end, words := m.stream.Block(m.at)
		m.document(end, words)
	case text.Flow:
		m.flow()
	case text.JSON:
		m.json()
	case text.Log:
		m.log()
	case text.Words:
		end := m.stream.Line(m.at)
		m.r.words(m.file, m.line, m.stream.Text[m.at:end])
		m.pass(end)
	}
}

// document reads YAML up to end. The lines in it that are no data become blank lines.
func (m *mixed) document(end int, words []text.Span) {
	start := m.stream.Indented(m.at)
	written := m.stream.Text[start:end]
	if len(words) > 0 {
		written = bytes.Clone(written)
	}
	for _, w := range words {
		m.r.words(m.file, m.line+m.lines(m.at, w.Start), m.stream.Text[w.Start:w.End])
		for i := w.Start - start; i < w.End-start; i++ {
			if written[i] != '\n' && written[i] != '\r' {
				written[i] = ' '
			}
		}
	}
	if m.documents++; m.documents > 1 {
		m.r.formats["YAML stream"] = true
	}
	m.r.section.parts++
	m.r.yamlDocument(&document{file: m.file, line: m.line, text: written})
	m.pass(end)
}

// flow reads one value in YAML's flow style. One that is never closed goes as far as where another begins its line.
func (m *mixed) flow() {
	end, closed := m.stream.FlowEnd(m.at)
	if !closed {
		if n := bytes.Index(m.stream.Text[m.at:end], []byte("\n{")); n > 0 {
			end = m.at + n + 1
		}
	}
	m.document(end, nil)
}

// json hands the stream to the reader of JSON, as far as that goes.
func (m *mixed) json() {
	rest := m.stream.Text[m.at:]
	s := m.r.splitter(m.file, bufio.NewReaderSize(bytes.NewReader(rest), min(sniffSize, len(rest))), m.line)
	m.r.section.parts++
	m.r.formats["JSON"] = true
	if s.run() == ended {
		m.at = len(m.stream.Text)
		return
	}
	if s.again || s.in.Offset == 0 {
		left, _ := s.in.Rest() // from memory: it cannot fail
		m.stream, m.at, m.line = text.NewStream(left), 0, s.in.Line
		m.r.section = nil
		return
	}
	m.at, m.line = m.at+s.in.Offset, s.in.Line
}

// log passes the log of a container.
func (m *mixed) log() {
	m.r.formats[dumpFormat] = true
	end, closed := m.stream.LogEnd(m.at)
	if !closed {
		m.r.submit(m.r.note(endlessLog(m.file, m.line)))
	}
	m.r.logs(m.file)
	m.pass(end)
}

// splitter reads JSON from a line on.
func (r *reading) splitter(f *file, in *bufio.Reader, line int) *splitter {
	s := &splitter{in: text.NewScanner(in, line), r: r, file: f}
	s.flush()
	return s
}

// words counts a line that is no data. A complaint of kubectl is reported: something may be missing.
func (r *reading) words(f *file, line int, written []byte) {
	if said := strings.TrimSpace(string(written)); isComplaint(said) {
		r.submit(r.note(Problem{
			Severity: Warning, Where: fmt.Sprintf("%s line %d", f.path, line),
			What:  phrase.Textf("kubectl complained: %q", text.Shorten(said, 200)),
			Right: "what it could not read is not in the input",
			like:  likeness{path: "complaint " + f.path + said},
		}))
		return
	}
	in := r.section
	if in == nil {
		in = &section{}
	}
	if in.words == nil {
		b := &batch{found: []findings{{left: []LeftOut{{
			What: "line of text around the data", Why: "it is no object", First: fmt.Sprintf("%s line %d", f.path, line),
		}}}}}
		in.words = &b.found[0].left[0]
		r.submit(b)
	}
	in.words.Count++
}

// isComplaint reports whether a line is kubectl's about a request that failed.
func isComplaint(line string) bool {
	for _, start := range []string{"Error from server", "error: ", "Unable to connect to the server"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// logs counts a container's log.
func (r *reading) logs(f *file) {
	r.leave(LeftOut{What: "container log", Count: 1, Why: whyLog, First: f.path})
}

func endlessLog(f *file, line int) Problem {
	return Problem{
		Where: fmt.Sprintf("%s line %d", f.path, line),
		What:  "a container's log begins and nothing ends it; nothing after it is read",
		Right: `kubectl cluster-info dump ends each with "` + text.LogEnd + `"`,
	}
}

// readAll reads the rest of a stream. What was read before an error is kept.
func (r *reading) readAll(in io.Reader, f *file) ([]byte, error) {
	var all bytes.Buffer
	all.Grow(int(min(f.size, mostGrown)) + bytes.MinRead)
	_, err := all.ReadFrom(in)
	return all.Bytes(), err
}

// mostGrown is how much memory a file's size is trusted for before its bytes have come.
const mostGrown = 64 << 20
