package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// shape is what the first bytes of a file look like.
type shape int

const (
	emptyShape shape = iota
	jsonShape
	yamlShape
	gzipShape
	tarShape
	zipShape
	utf16Shape
	binaryShape
	textShape // a log, an error text, a table
	openbShape
	simkubeShape
)

// sniffSize is how much of a file detection looks at.
const sniffSize = 64 << 10

func (r *reading) open(in input) {
	f := &file{path: in.path, named: in.named, size: in.size, hint: hintOf(in.path)}
	if !f.named {
		f.part = partOf(in.path)
	}
	r.layout.see(in.path)
	if in.stream {
		from := r.o.Streams[in.open]
		if from == nil {
			r.submit(r.note(Problem{Where: f.path, What: "nothing is connected to it"}))
			return
		}
		r.stream(from, f)
		return
	}
	opened, err := os.Open(in.open)
	if err != nil {
		r.submit(r.note(Problem{Where: f.path, What: phrase.Textf("the file cannot be read: %s", plain(err))}))
		return
	}
	defer func() { _ = opened.Close() }()
	r.stream(opened, f)
}

// stream reads one file of the input through the meter.
func (r *reading) stream(in io.Reader, f *file) {
	r.meter.in = in
	r.content(r.meter, f)
}

// content reads a stream by the type that its name suggests, and then by what it holds.
func (r *reading) content(in io.Reader, f *file) {
	var err error
	switch f.part {
	case logPart:
		r.log(in, f)
		return
	case errorPart:
		err = r.errors(in, f)
	default:
		buffered := r.buffer(in)
		defer func() { r.buffers = append(r.buffers, buffered) }()
		var head []byte
		if head, err = buffered.Peek(sniffSize); err == nil || errors.Is(err, io.EOF) {
			r.shaped(r.shapeOf(head, f), head, buffered, f)
			return
		}
	}
	if err != nil {
		r.submit(r.note(Problem{Where: f.path, What: phrase.Textf("the file cannot be read: %s", plain(err))}))
	}
}

// buffer is a buffered stream, as large as detection looks far. Files are read one after the other, and lie in each
// other only as deep as archives do: their buffers serve again, for a folder may have a hundred thousand of them.
func (r *reading) buffer(in io.Reader) *bufio.Reader {
	last := len(r.buffers) - 1
	if last < 0 {
		return bufio.NewReaderSize(in, sniffSize)
	}
	buffered := r.buffers[last]
	r.buffers = r.buffers[:last]
	buffered.Reset(in)
	return buffered
}

// log counts a log. One that begins as the output of kubectl does was perhaps called so by mistake.
func (r *reading) log(in io.Reader, f *file) {
	buffered := r.buffer(in)
	defer func() { r.buffers = append(r.buffers, buffered) }()
	head, _ := buffered.Peek(sniffSize)
	why := phrase.Text(whyLog)
	if s := sniff(head); (s == jsonShape || s == yamlShape) && saysObjects(head) {
		why = whyCalledLog
	}
	r.leave(LeftOut{What: "log", Count: 1, Why: why, First: f.path})
}

// whyCalledLog is why a file with the name of a log is not read that may hold what kubectl has printed.
const whyCalledLog = "it is called a log, and begins as the output of kubectl does; name the file itself to have it " +
	"read"

// whyLog is why logs are never read: they may quote objects, and are not the cluster.
const whyLog = "a log is not the cluster"

// shaped reads a stream by its shape.
func (r *reading) shaped(s shape, head []byte, buffered *bufio.Reader, f *file) {
	switch s { //exhaustive:enforce
	case jsonShape:
		r.formats["JSON"] = true
		r.json(skipMark(buffered), f)
	case yamlShape:
		r.yamlStream(skipMark(buffered), f, 1)
	case gzipShape, tarShape, zipShape:
		r.archive(s, buffered, f)
	case utf16Shape: // what PowerShell's ">" makes of kubectl's output
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
		r.content(transform.NewReader(buffered, decoder), f)
	case emptyShape:
		r.nothing(f, "empty file", "it holds nothing")
	case binaryShape:
		r.nothing(f, "binary file", "it is no text")
	case textShape:
		r.text(head, f)
	case openbShape:
		r.openb(skipMark(buffered), f)
	case simkubeShape:
		r.simkube(buffered, f)
	}
}

// shapeOf decides from content; Options.Format decides between readable shapes.
func (r *reading) shapeOf(head []byte, f *file) shape {
	s := sniff(head)
	switch s {
	case jsonShape, yamlShape, textShape:
		if !f.named && !isDataName(f.path) && !saysObjects(head) {
			return textShape
		}
		if r.o.Format == JSON {
			return jsonShape
		}
		if r.o.Format == YAML {
			return yamlShape
		}
	}
	return s
}

func sniff(head []byte) shape {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzipShape
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return zipShape
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return tarShape
	case isSimKube(head):
		return simkubeShape
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return utf16Shape
	}
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	written := bytes.TrimSpace(head)
	switch {
	case len(written) == 0:
		return emptyShape
	case bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(wholeRunes(head)):
		return binaryShape
	case written[0] == '"':
		return jsonShape
	case isOpenb(head):
		return openbShape
	}
	if sort, is := text.ValueSort(written); is {
		if sort == text.JSON {
			return jsonShape
		}
		return yamlShape
	}
	if printedBy(written) == "" && looksYAML(written) {
		return yamlShape
	}
	return textShape
}

// yamlStarts begin a line of nearly every manifest.
var yamlStarts = []string{
	"apiVersion:", "kind:", "items:", "metadata:", "spec:", "- apiVersion:", "- kind:", "- metadata:", "---", "{",
	"data:",
}

// looksYAML looks for a line that a manifest would have, or for nothing but keys, lists and comments.
func looksYAML(written []byte) bool {
	plainKeys, others := 0, 0
	for line := range bytes.Lines(written) {
		for _, start := range yamlStarts {
			if bytes.HasPrefix(line, []byte(start)) {
				return true
			}
		}
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0, line[0] == '#', line[0] == '-':
		case isKeyLine(line):
			plainKeys++
		default:
			others++
		}
	}
	return plainKeys > 0 && others == 0
}

// isKeyLine reports "word:" or "word: value".
func isKeyLine(line []byte) bool {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || bytes.ContainsAny(line[:colon], " \t") {
		return false
	}
	return colon == len(line)-1 || line[colon+1] == ' '
}

// wholeRunes drops a rune the window cut in two.
func wholeRunes(head []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(head); i++ {
		if utf8.RuneStart(head[len(head)-i]) {
			if !utf8.FullRune(head[len(head)-i:]) {
				return head[:len(head)-i]
			}
			break
		}
	}
	return head
}

func skipMark(in *bufio.Reader) *bufio.Reader {
	if head, _ := in.Peek(3); string(head) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	return in
}

// nothing reports a file without content: with a sentence if the user named it, with a count if it was met in a folder.
func (r *reading) nothing(f *file, what string, why phrase.Text) {
	if f.named {
		r.submit(r.note(Problem{Where: f.path, What: phrase.Textf("no Kubernetes objects in it: %s", why)}))
		return
	}
	r.leave(LeftOut{What: what, Count: 1, Why: why, First: f.path})
}

// text reports a file that is neither JSON nor YAML.
func (r *reading) text(head []byte, f *file) {
	line := firstLine(head)
	if command := printedBy(head); command != "" && (f.named || f.part != objectPart) {
		p := Problem{
			Where: f.path,
			What:  phrase.Textf("it is what %s prints for people, and does not hold what a scheduler reads", command),
			Right: "kubectl get nodes,pods,pv,pvc,sc -A -o yaml prints objects",
		}
		if !f.named {
			p.Severity = Notice
		}
		r.submit(r.note(p))
		return
	}
	if isDataName(f.path) && (f.hint.row != nil || isErrorText(line)) {
		r.submit(r.note(f.soften(Problem{Where: f.path, What: phrase.Textf("it holds a text, not objects: %q", line)})))
		return
	}
	if f.named {
		r.submit(r.note(Problem{
			Where: f.path, What: phrase.Textf("no Kubernetes objects in it; it begins %q", line),
			Right: "kubectl get ... -o yaml or -o json prints objects",
		}))
		return
	}
	r.leave(LeftOut{What: "log or text file", Count: 1, Why: "it is neither JSON nor YAML", First: f.path})
}

// firstLine is short enough to be quoted.
func firstLine(written []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(written), []byte{'\n'})
	return text.Shorten(string(bytes.TrimSpace(line)), 120)
}

func isErrorText(line string) bool {
	line = strings.ToLower(line)
	for _, word := range []string{
		"error", "forbidden", "unauthorized", "not found", "refused", "timeout", "failed", "unable",
	} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}
