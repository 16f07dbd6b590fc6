package house_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Comments and commit subjects name the actor (kube-scheduler, the plugin, the session) and use the verb of the field
// (returns, reports, rejects, requeues, records). The words below stand where such a name or verb is missing.
var (
	vague  = regexp.MustCompile(`(?i)\b(?:who|whom|nobody|somebody|whoever)\b`)
	spoken = regexp.MustCompile(`(?i)\b(?:tell(?:s|ing)?|told|sa(?:y|ys|id|ying)|ask(?:s|ed|ing)?|hear(?:s|d|ing)?)\b`)
)

// The most uses in a thousand lines. What is left are mostly names of functions and rooms, with which a comment begins.
const (
	vagueInComments  = 2
	spokenInComments = 20
	vagueInSubjects  = 2
	spokenInSubjects = 20
)

// plainSince is the last commit before subjects of commits were counted.
const plainSince = "20adc31d2e27d0dd4bf24b9b7f5ffc6cbf66abdc"

// TestCommentsUsePlainWords counts in the lines of every module that hold a comment and nothing else. It prints what it
// counted; make lint shows that.
func TestCommentsUsePlainWords(t *testing.T) {
	var lines []string
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, commentLines(string(text))...)
	}
	plain(t, "lines of comments", lines, vagueInComments, spokenInComments)
}

// TestCommitSubjectsUsePlainWords counts in the subjects of commits after plainSince, behind their area. A copy without
// that commit, as a shallow clone or an archive is, has nothing to count.
func TestCommitSubjectsUsePlainWords(t *testing.T) {
	log, err := exec.Command("git", "log", "--format=%s", plainSince+"..HEAD").Output()
	if err != nil {
		t.Logf("no history since %.7s here: no subject is counted", plainSince)
		return
	}
	var subjects []string
	for line := range strings.Lines(string(log)) {
		subjects = append(subjects, subject(strings.TrimSpace(line)))
	}
	plain(t, "subjects of commits", subjects, vagueInSubjects, spokenInSubjects)
}

func TestPlainWordsAreCounted(t *testing.T) {
	lines := commentLines("// Who asks is told.\npackage x // somebody\n\n\t// nobody says\n//go:embed who\n\ts := \"// who\"\n")
	if len(lines) != 2 || count(vague, lines) != 2 || count(spoken, lines) != 3 {
		t.Errorf("%q: %d and %d", lines, count(vague, lines), count(spoken, lines))
	}
	if got := subject("ask, tui: what a pod waits for: a node"); got != "what a pod waits for: a node" {
		t.Errorf("the subject is %q", got)
	}
}

// commentLines are the lines that hold a comment alone, without directives.
func commentLines(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "//go:") && !strings.HasPrefix(line, "//nolint") {
			found = append(found, line)
		}
	}
	return found
}

// subject drops the area, which is the name of a room: a room may be called ask.
func subject(line string) string {
	if _, rest, found := strings.Cut(line, ": "); found {
		return rest
	}
	return line
}

func count(words *regexp.Regexp, lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(words.FindAllString(line, -1))
	}
	return n
}

// plain fails a test when the lines have more of the words than so many in a thousand. Fewer than a thousand lines
// count as a thousand: one slip in a short history is not a failure for good.
func plain(t *testing.T, what string, lines []string, mostVague, mostSpoken int) {
	t.Helper()
	thousand := max(len(lines), 1000)
	for _, kind := range []struct {
		name  string
		words *regexp.Regexp
		most  int
	}{{"who, nobody, somebody", vague, mostVague}, {"tell, say, ask, hear", spoken, mostSpoken}} {
		n := count(kind.words, lines)
		t.Logf("%d %s: %s %d times, %.1f in 1,000; at most %d",
			len(lines), what, kind.name, n, float64(n)*1000/float64(thousand), kind.most)
		if n*1000 > kind.most*thousand {
			t.Errorf("too many of these words in %s: name the actor, and use the verb of the field", what)
		}
	}
}
