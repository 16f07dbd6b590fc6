package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/internal/golden"
)

// aboutQuestions opens docs/questions.md.
const aboutQuestions = `# Questions that users of kube-scheduler ask, and the answers

Each of these was asked in a thread of the Kubernetes project or its neighbours, some in 2015. Below each question stand a cluster that shows
it, the command, and what it prints. A test runs every command, compares the output with this page, and looks in it for what was asked: ` + "`go test ./cmd -run Questions -update`" + ` writes the page anew.

The file of a question is a scenario ([docs/scenario.md](scenario.md)); a dump of a cluster does as well. Lines after ` + "`>`" + ` are typed at
the prompt of ` + "`--plain`" + `; on the screen the same commands follow ` + "`:`" + `.
`

// TestQuestionsAreAnsweredAsThePageSays runs the command of every question: the output holds the answer, and the page
// shows it as printed.
func TestQuestionsAreAnsweredAsThePageSays(t *testing.T) {
	files, err := filepath.Glob("testdata/questions/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d questions, %v", len(files), err)
	}
	page := aboutQuestions
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page += fmt.Sprintf("\n## %d. ", i+1) + answered(t, filepath.Base(file), string(text))
	}
	golden.Is(t, filepath.Join("..", "docs", "questions.md"), page)
}

// answered is the part of the page about one question.
func answered(t *testing.T, name, question string) string {
	t.Helper()
	parts := map[string]string{}
	intro, files, _ := strings.Cut(question, "\n-- ")
	for _, f := range strings.Split(files, "\n-- ") {
		title, data, _ := strings.Cut(f, " --\n")
		parts[title] = data + "\n"
	}
	about := strings.SplitN(strings.TrimSpace(intro), "\n", 3)
	if len(about) != 3 {
		t.Fatalf("%s says too little", name)
	}
	code, line, _ := strings.Cut(strings.TrimSpace(parts["command"]), " ")
	want, err := strconv.Atoi(code)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	story := filepath.Join(t.TempDir(), "story.txt")
	if err := os.WriteFile(story, []byte(parts["story.txt"]), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"schedstep"}
	for _, word := range words(line) {
		args = append(args, strings.ReplaceAll(word, "story.txt", story))
	}
	var out, errs bytes.Buffer
	streams := cmd.Streams{In: strings.NewReader(parts["stdin"]), Out: &out, Err: &errs}
	if got := cmd.Main(cmd.WithArgs(args...), cmd.WithStreams(streams)); got != want {
		t.Errorf("%s ends with %d, not %d: %s", name, got, want, errs.String())
	}
	answer := shown(out.String(), parts["stdin"])
	for _, asked := range strings.Split(strings.TrimSpace(parts["contains"]), "\n") {
		if !strings.Contains(answer, asked) {
			t.Errorf("%s: the answer does not hold %q:\n%s", name, asked, answer)
		}
	}
	return fmt.Sprintf("%s\n\n%s Asked in %s.\n\n```\n%s```\n\n```console\n$ schedstep %s\n%s```\n", about[0], about[2],
		about[1], parts["story.txt"], line, answer)
}

// shown is an answer with the lines that were typed at the prompt, without the output before the first prompt.
func shown(answer, typed string) string {
	if typed == "" {
		return answer
	}
	parts := strings.Split("\n"+answer, "\n> ")[1:]
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(typed), "\n") {
		if i < len(parts) {
			b.WriteString("> " + line + "\n" + strings.TrimSuffix(parts[i], "\n") + "\n")
		}
	}
	return b.String()
}
