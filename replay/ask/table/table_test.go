package table_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/table"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

// usual is the story of a room whose golden has none: a node that a volume and the company of a pod hang on, one that
// is not chosen, and a pod that waits.
const usual = `node n1 cpu=4 memory=8Gi zone=a labels=kubernetes.io/hostname=n1
node n2 cpu=2 memory=8Gi zone=b labels=kubernetes.io/hostname=n2
storageclass fast mode=WaitForFirstConsumer
volume disk size=10Gi class=fast node-affinity=hostname=n1 claim=data
volumeclaim data size=5Gi class=fast volume=disk
pod db cpu=1 claim=data
pod near node=n1 cpu=100m labels=app=near
pod friend cpu=100m affinity=app=near@zone
pod only cpu=8 node-selector=kubernetes.io/hostname=n1
`

// golds is the golden of a room: testdata/answers.txt, in which a story may stand, then each question as it is typed,
// with the answers below it. The number before the > is the cycle after which it is put; none: at the end.
//
//	node n1 cpu=4
//	pod a cpu=1
//	1> explain a
type golds struct {
	file  string
	story string
	asked []asked
}

type asked struct {
	cycle int64 // 0: at the end
	words []string
}

// asking matches a question in a golden file.
var asking = regexp.MustCompile(`(?m)^(\d*)> (.*)$`)

// of is the golden of a question, whose room is called as the question is.
func of(t *testing.T, q ask.Question) golds {
	t.Helper()
	g := golds{file: filepath.Join("..", q.Name, "testdata", "answers.txt")}
	text, err := os.ReadFile(g.file)
	if err != nil {
		t.Fatalf("%s: a room has a golden: write a line such as %q in it, and run this test with -update", err, "> "+q.Name)
	}
	found := asking.FindAllStringSubmatchIndex(string(text), -1)
	if len(found) == 0 {
		t.Fatalf("%s: no question is put", g.file)
	}
	g.story = string(text[:found[0][0]])
	for _, m := range asking.FindAllStringSubmatch(string(text), -1) {
		cycle, _ := strconv.ParseInt(m[1], 10, 64)
		g.asked = append(g.asked, asked{cycle, strings.Fields(m[2])})
	}
	for _, a := range g.asked {
		if a.words[0] != q.Name {
			t.Errorf("%s: %s is another question", g.file, a.words[0])
		}
	}
	return g
}

// replica matches the pods of a story that are as if a Deployment had been given in their place.
var replica = regexp.MustCompile(`(?m)^pod (web-\d+) `)

// opens is a session at the end of a story.
func (g golds) opens(t *testing.T) *session.Session {
	t.Helper()
	story := g.story
	if story == "" {
		story = usual
	}
	in, err := input.ReadScenario("test", strings.NewReader("# Questions.\n\n"+story))
	if err != nil {
		t.Fatalf("%s: %v", g.file, err)
	}
	about := session.About{Title: "test", Version: "1.37"}
	if made := replica.FindAllStringSubmatch(story, -1); made != nil {
		of := session.Workload{Kind: "Deployment", Name: "web"}
		for _, m := range made {
			of.Pods = append(of.Pods, "default/"+m[1])
		}
		about.Workloads = append(about.Workloads, of)
	}
	s := session.New(in.Play(config.Default(), 0, trace.Summary), about)
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	return s
}

// put puts a question to a frame and the At beside it.
func put(t *testing.T, q ask.Question, a asked, f *session.Frame) ask.Answer {
	t.Helper()
	found, err := q.Find(ask.Call{Context: t.Context(), At: f.At, Frame: f, Args: a.words[1:]})
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(a.words, " "), err)
	}
	return found
}

// TestEveryQuestionIsAnsweredInBothLanguagesAndAsData puts the questions that the golden of each room has.
func TestEveryQuestionIsAnsweredInBothLanguagesAndAsData(t *testing.T) {
	for _, q := range table.Questions() {
		g := of(t, q)
		s := g.opens(t)
		b := strings.Builder{}
		b.WriteString(g.story)
		for _, a := range g.asked {
			before := ""
			if a.cycle > 0 {
				s.GotoCycle(t.Context(), a.cycle, nil)
				before = strconv.FormatInt(a.cycle, 10)
			} else {
				s.Move(t.Context(), session.Continue, session.Forward, nil)
			}
			fmt.Fprintf(&b, "%s> %s\n", before, strings.Join(a.words, " "))
			for _, lang := range words.Languages() {
				s.Speak(lang)
				found := put(t, q, a, s.Frame())
				lines := strings.Join(prose.Plain(found.Lines(lang)), "\n")
				fmt.Fprintf(&b, "# %s\n%s\n\n", found.Title(lang), lines)
				if lang != words.English || !q.Data {
					continue
				}
				data, err := ask.JSON(found)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%s\n\n", data)
			}
		}
		golden.Is(t, g.file, b.String())
	}
}

// TestEveryQuestionHasAPlaceOrAReason looks at what docs/keys.md lists: where each question is answered, or why it is
// not answered there.
func TestEveryQuestionHasAPlaceOrAReason(t *testing.T) {
	for _, q := range table.Questions() {
		places := map[string]ask.Place{"the command line": q.Command, "a page": q.Page}
		if !q.Data {
			places["JSON"] = q.JSON
		} else if q.JSON != (ask.Place{}) {
			t.Errorf("%s has JSON at the prompt, and another place too", q.Name)
		}
		for of, p := range places {
			if (p.In == "") == (p.Not == "") {
				t.Errorf("%s: one of In and Not is to be set for %s", q.Name, of)
			}
		}
		if q.Does == "" || q.Help == "" || len(q.Examples) == 0 {
			t.Errorf("%s has no help", q.Name)
		}
	}
}

// TestAnAtStaysWhatItIs puts all questions to an At before and after the session moves and is edited.
func TestAnAtStaysWhatItIs(t *testing.T) {
	for _, q := range table.Questions() {
		g := of(t, q)
		s := g.opens(t)
		if cycle := g.asked[0].cycle; cycle > 0 {
			s.GotoCycle(t.Context(), cycle, nil)
		}
		then := s.Frame()
		answer := func() string {
			return strings.Join(prose.Plain(put(t, q, g.asked[0], then).Lines(words.English)), "\n")
		}
		before := answer()
		if _, _, err := s.Edit(session.Cordon("n1")); err != nil {
			t.Fatal(err)
		}
		s.Move(t.Context(), session.Continue, session.Backward, nil)
		if after := answer(); after != before {
			t.Errorf("the answer of %s is now\n%s\nand was\n%s", q.Name, after, before)
		}
	}
}
