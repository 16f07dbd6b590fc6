package cmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/internal/golden"
)

// TestScripts runs what a user types, in testdata/script. A script is lines of commands, then files, each under a line
// "-- name --". The commands:
//
//	exits CODE PROGRAM ARG...     runs the program under that name, which must end with the code
//	[!] stdout [-count=N] REGEXP  matches lines of what it printed; stderr is the same
//	[!] grep REGEXP FILE
//	stdin FILE                    is what the next program reads
//	cmp stdout FILE, cp FILE FILE, mkdir FOLDER, symlink NEW -> TARGET
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	for _, path := range scripts {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := &script{T: t, text: string(text)}
			t.Chdir(t.TempDir())
			t.Setenv("KUBECONFIG", "/nonexistent/kubeconfig") // no script is about a cluster
			t.Setenv("KUBERNETES_SERVICE_HOST", "")
			s.run()
			if golden.Updates() && s.text != string(text) {
				if err := os.WriteFile(path, []byte(s.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// script is a script being run.
type script struct {
	*testing.T
	text  string // of the file, with the outputs as they should be
	line  int
	stdin []byte
	last  ended
}

// fileMark separates the files of a script.
var fileMark = regexp.MustCompile(`(?m)^-- (.+) --$\n`)

func (s *script) run() {
	marks := fileMark.FindAllStringSubmatchIndex(s.text, -1)
	commands := s.text
	for i, m := range marks {
		end := len(s.text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		if i == 0 {
			commands = s.text[:m[0]]
		}
		name := s.text[m[2]:m[3]]
		s.must(os.MkdirAll(filepath.Dir(name), 0o700))
		s.must(os.WriteFile(name, []byte(s.text[m[1]:end]), 0o600))
	}
	for i, line := range strings.Split(commands, "\n") {
		s.line = i + 1
		if words := words(line); len(words) > 0 && !strings.HasPrefix(line, "#") {
			s.command(words)
		}
	}
}

// words splits a line at blanks outside single quotes.
func words(line string) []string {
	var out []string
	quoted := false
	for _, word := range strings.SplitAfter(line, " ") {
		word, ends := strings.CutSuffix(word, " ")
		opens := strings.HasPrefix(word, "'")
		closes := strings.HasSuffix(word, "'") && (quoted || len(word) > 1)
		switch {
		case quoted:
			out[len(out)-1] += " " + strings.TrimSuffix(word, "'")
			quoted = !closes
		case opens:
			word = word[1:]
			if closes {
				word = word[:len(word)-1]
			}
			out = append(out, word)
			quoted = !closes
		case word != "" || !ends && quoted:
			out = append(out, word)
		}
	}
	return out
}

func (s *script) command(words []string) {
	s.Helper()
	want := true
	if words[0] == "!" {
		want, words = false, words[1:]
	}
	args := words[1:]
	switch words[0] {
	case "exits":
		s.exits(args[0], args[1:])
	case "stdout":
		s.matches(want, s.last.out, args)
	case "stderr":
		s.matches(want, s.last.err, args)
	case "grep":
		s.matches(want, string(s.read(args[1])), args[:1])
	case "stdin":
		s.stdin = s.read(args[0])
	case "cmp":
		s.compare(string(s.read(args[0])), args[1])
	case "cp":
		s.must(os.WriteFile(args[1], s.read(args[0]), 0o600))
	case "mkdir":
		s.must(os.MkdirAll(args[0], 0o700))
	case "symlink":
		s.must(os.Symlink(args[2], args[0]))
	default:
		s.Fatalf("line %d: unknown command %q", s.line, words[0])
	}
}

func (s *script) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("line %d: %v", s.line, err)
	}
}

func (s *script) read(name string) []byte {
	s.Helper()
	switch name {
	case "stdout":
		return []byte(s.last.out)
	case "stderr":
		return []byte(s.last.err)
	}
	data, err := os.ReadFile(name)
	s.must(err)
	return data
}

func (s *script) exits(code string, args []string) {
	s.Helper()
	var out, err bytes.Buffer
	got := cmd.Main(
		cmd.WithArgs(args...), cmd.WithStreams(cmd.Streams{In: bytes.NewReader(s.stdin), Out: &out, Err: &err}),
	)
	s.last, s.stdin = ended{got, out.String(), err.String()}, nil
	if strconv.Itoa(got) != code {
		s.Errorf("line %d: %s: exit code %d, want %s; it said:\n%s", s.line, strings.Join(args, " "), got, code, s.last.err)
	}
}

func (s *script) matches(want bool, text string, args []string) {
	s.Helper()
	count := -1
	if n, counted := strings.CutPrefix(args[0], "-count="); counted {
		number, err := strconv.Atoi(n)
		s.must(err)
		count, args = number, args[1:]
	}
	pattern, err := regexp.Compile("(?m)" + strings.Join(args, " "))
	s.must(err)
	found := len(pattern.FindAllString(text, -1))
	if (found > 0) != want || count >= 0 && found != count {
		s.Errorf("line %d: %d matches of %s in:\n%s", s.line, found, pattern, text)
	}
}

// compare holds an output to a file of the script, or writes it there.
func (s *script) compare(got, name string) {
	s.Helper()
	want := string(s.read(name))
	if golden.Updates() && fileMark.MatchString("-- "+name+" --\n") {
		s.text = strings.Replace(s.text, "-- "+name+" --\n"+want, "-- "+name+" --\n"+got, 1)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("line %d (-want +got):\n%s", s.line, diff)
	}
}
