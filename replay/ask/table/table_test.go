package table_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/table"
	"github.com/schedstep/schedstep/replay/input"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// story has something for each question: a node that a volume and the company of a pod hang on, one that is not chosen,
// and a pod that waits.
const story = `# Questions.

node n1 cpu=4 memory=8Gi zone=a labels=kubernetes.io/hostname=n1
node n2 cpu=2 memory=8Gi zone=b labels=kubernetes.io/hostname=n2
storageclass fast mode=WaitForFirstConsumer
volume disk size=10Gi class=fast node-affinity=hostname=n1 claim=data
volumeclaim data size=5Gi class=fast volume=disk
pod db cpu=1 claim=data
pod near node=n1 cpu=100m labels=app=near
pod friend cpu=100m affinity=app=near@zone
pod only cpu=8 node-selector=kubernetes.io/hostname=n1
`

// asked are the questions as they are typed.
var asked = []string{"belief n1", "dependents n1", "dependents n2", "against n2 db", "asleep", "history only"}

// at is the end of the story in a language.
func at(t *testing.T, lang words.Language) *session.Session {
	t.Helper()
	in, err := input.ReadScenario("test", strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(in.Play(config.Default(), 0, trace.Summary), session.About{Title: "test", Version: "1.37"})
	s.Speak(lang)
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	return s
}

func put(t *testing.T, s *session.Session, line string) (ask.Question, ask.Answer) {
	t.Helper()
	name, rest, _ := strings.Cut(line, " ")
	for _, q := range table.Questions() {
		if q.Name == name {
			found, err := q.Find(ask.Call{Context: t.Context(), At: s.At(), Args: strings.Fields(rest)})
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			return q, found
		}
	}
	t.Fatalf("no question is called %s", name)
	return ask.Question{}, nil
}

// TestEveryQuestionIsAnsweredInBothLanguagesAndAsData has all questions of the table, and keeps what they answer.
func TestEveryQuestionIsAnsweredInBothLanguagesAndAsData(t *testing.T) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, line := range asked {
		name, _, _ := strings.Cut(line, " ")
		seen[name] = true
		for _, lang := range words.Languages() {
			q, found := put(t, at(t, lang), line)
			fmt.Fprintf(&b, "> %s\n# %s\n%s\n\n", line, found.Title(lang), strings.Join(prose.Plain(found.Lines(lang)), "\n"))
			if lang != words.English || !q.Data {
				continue
			}
			data, err := json.MarshalIndent(found, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s\n\n", data)
		}
	}
	for _, q := range table.Questions() {
		if !seen[q.Name] {
			t.Errorf("%s is not put", q.Name)
		}
	}
	golden.Is(t, "testdata/answers.txt", b.String())
}

// TestAnAtStaysWhatItIs puts all questions to an At before and after the session moves and is edited.
func TestAnAtStaysWhatItIs(t *testing.T) {
	s := at(t, words.English)
	then := s.At()
	answers := func() string {
		var b strings.Builder
		for _, line := range asked {
			name, rest, _ := strings.Cut(line, " ")
			for _, q := range table.Questions() {
				if q.Name != name {
					continue
				}
				found, err := q.Find(ask.Call{Context: t.Context(), At: then, Args: strings.Fields(rest)})
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				fmt.Fprintln(&b, prose.Plain(found.Lines(words.English)))
			}
		}
		return b.String()
	}
	before := answers()
	if _, _, err := s.Edit(session.Cordon("n1")); err != nil {
		t.Fatal(err)
	}
	s.Move(t.Context(), session.Continue, session.Backward, nil)
	if after := answers(); after != before {
		t.Errorf("the answers are now\n%s\nand were\n%s", after, before)
	}
}
