package cmd_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/golden"
)

// readings is statements from articles on kube-scheduler's source, and where schedstep teaches and shows each.
type readings struct {
	Showings []showing `json:"showings"`
	Topics   []struct {
		Topic string    `json:"topic"`
		Rows  []reading `json:"rows"`
	} `json:"topics"`
}

// showing is a command whose answer shows what some rows state.
type showing struct {
	Name    string   `json:"name"`
	Screen  string   `json:"screen"` // where it is on the screen; "": nowhere in particular
	Command string   `json:"command"`
	Typed   []string `json:"typed"`  // at the prompt
	Plugin  bool     `json:"plugin"` // the build has the plugins Overshoot and Closed besides
	Sees    []string `json:"sees"`   // what must be in the answer
}

// reading is one row.
type reading struct {
	Row     string   `json:"row"`
	Release string   `json:"release"`
	Says    string   `json:"says"`
	Source  string   `json:"source"` // what the code does instead; "": the same
	Lesson  string   `json:"lesson"` // LESSON/PAGE; "": none
	Words   string   `json:"words"`  // of that page
	Shown   []string `json:"shown"`
	Sees    []string `json:"sees"` // what these answers make visible of it, in this order; none: they only mention it
	Kind    string   `json:"kind"` // why no command shows it, in the words of inWords; "": one does
}

// inWords are the kinds of rows that need words only and no command, and why no screen can show them.
var inWords = map[string]string{
	"live cluster": "about how fast a cluster is that runs; here a cycle takes no time",
	"metrics":      "about what is measured and logged; here a cycle takes no time that could be measured",
	"leader election": "about which of several copies of one scheduler works; a replay has one of each name, " +
		"and no lease to be lost",
	"lesson": "about meanings of words and aims; nothing happens that could be seen",
}

// TestRowsWithoutACommandSayWhy holds every row that no command shows to a kind, and every other one to none.
func TestRowsWithoutACommandSayWhy(t *testing.T) {
	for _, topic := range readReadings(t).Topics {
		for _, r := range topic.Rows {
			switch _, known := inWords[r.Kind]; {
			case len(r.Shown) > 0 && r.Kind != "":
				t.Errorf("row %s is shown, and says why it is not", r.Row)
			case len(r.Shown) == 0 && !known:
				t.Errorf("row %s is not shown, and does not say why", r.Row)
			}
		}
	}
}

const readingsFile = "testdata/readings/readings.yaml"

func readReadings(t *testing.T) *readings {
	t.Helper()
	data, err := os.ReadFile(readingsFile)
	if err != nil {
		t.Fatal(err)
	}
	all := &readings{}
	if err := yaml.UnmarshalStrict(data, all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestReadingsAreMetWhereThePageSays holds every row to the page of the lesson that it names, and docs/readings.md to
// the rows.
func TestReadingsAreMetWhereThePageSays(t *testing.T) {
	all := readReadings(t)
	pages, known, seen := pagesOfLessons(t), map[string]bool{}, map[string]bool{}
	for _, s := range all.Showings {
		known[s.Name] = true
	}
	for _, topic := range all.Topics {
		for _, r := range topic.Rows {
			if seen[r.Row] {
				t.Errorf("row %s is there twice", r.Row)
			}
			seen[r.Row] = true
			if page, there := pages[r.Lesson]; r.Lesson != "" && !there {
				t.Errorf("row %s: there is no page %s", r.Row, r.Lesson)
			} else if r.Words == "" != (r.Lesson == "") || !strings.Contains(page, r.Words) {
				t.Errorf("row %s: page %s does not say %q", r.Row, r.Lesson, r.Words)
			}
			for _, name := range r.Shown {
				if !known[name] {
					t.Errorf("row %s: there is no showing %s", r.Row, name)
				}
			}
		}
	}
	if len(seen) != 222 {
		t.Errorf("%d rows", len(seen))
	}
	golden.Is(t, filepath.Join("..", "docs", "readings.md"), all.page())
}

// fileOfLessons is a file that every lesson has, by LESSON.
func fileOfLessons(t *testing.T, base string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../replay/learn/lesson/course/*/" + base)
	if err != nil || len(files) == 0 {
		t.Fatalf("no lessons: %v", err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "-")
		all[name] = data
	}
	return all
}

// pagesOfLessons are the English words of every page of the lessons, by LESSON/PAGE, with single spaces.
func pagesOfLessons(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for name, text := range fileOfLessons(t, "en.md") {
		for _, part := range strings.Split(string(text), "\n## ")[1:] {
			page, _, _ := strings.Cut(part, ":")
			pages[name+"/"+page] = strings.Join(strings.Fields(part), " ")
		}
	}
	return pages
}

// TestReadingsAreShownByTheirCommands runs every command that shows what a row states. What makes a row visible is in
// the answers of its commands, in the row's order: a number before another, a pod that is refused and one that is not.
func TestReadingsAreShownByTheirCommands(t *testing.T) {
	all := readReadings(t)
	answers := map[string]string{}
	for _, s := range all.Showings {
		answer := s.answer()
		answers[s.Name] = answer
		for _, seen := range s.Sees {
			if !strings.Contains(answer, seen) {
				t.Errorf("the answer of %s does not hold %q:\n%s", s.Name, seen, answer)
			}
		}
		if len(s.Sees) == 0 || len(s.Typed) > 0 && strings.Contains(answer, "error:") {
			t.Errorf("%s shows nothing:\n%s", s.Name, answer)
		}
	}
	used := map[string]bool{}
	for _, topic := range all.Topics {
		for _, r := range topic.Rows {
			var text strings.Builder
			for _, name := range r.Shown {
				used[name] = true
				text.WriteString(answers[name])
			}
			rest := text.String()
			for _, seen := range r.Sees {
				_, after, there := strings.Cut(rest, seen)
				if !there {
					t.Errorf("row %s: %q is not to be seen, or not in this place, in:\n%s", r.Row, seen, text.String())
				}
				rest = after
			}
		}
	}
	for _, s := range all.Showings {
		if !used[s.Name] {
			t.Errorf("no row is shown by %s", s.Name)
		}
	}
}

// answer runs the command and types its lines.
func (s *showing) answer() string {
	inRepository := strings.NewReplacer("core/testdata/", "../core/testdata/", "cmd/testdata/", "testdata/")
	args := append([]string{"schedstep"}, words(inRepository.Replace(s.Command))...)
	var answer bytes.Buffer
	typed := strings.NewReader(strings.Join(s.Typed, "\n") + "\n")
	options := []cmd.Option{
		cmd.WithArgs(args...), cmd.WithStreams(cmd.Streams{In: typed, Out: &answer, Err: &answer}),
	}
	if s.Plugin {
		options = append(options, cmd.WithPlugin(overshooting()), cmd.WithPlugin(closing()))
	}
	cmd.Main(options...)
	return answer.String()
}

// overshoot is an out-of-tree plugin that gives a node the score in its label score, or else in the pod's, which may be
// more than the highest allowed.
type overshoot struct{}

func overshooting() config.Plugin {
	return config.NewPlugin("Overshoot", func(struct{}, *field.Path) (overshoot, field.ErrorList) {
		return overshoot{}, nil
	})
}

func (overshoot) Name() string { return "Overshoot" }

func (overshoot) Score(pod *cluster.Pod, node *cluster.Node) (int64, trace.Verdict) {
	label := cmp.Or(node.API.Labels["score"], pod.API.Labels["score"])
	score, err := strconv.ParseInt(label, 10, 64)
	if err != nil {
		return 0, trace.Verdict{Code: trace.Error, Reasons: []string{"the pod has no label score"}}
	}
	return score, trace.Verdict{}
}

// shut is an out-of-tree plugin that rejects nodes with the label closed.
type shut struct{}

func closing() config.Plugin {
	return config.NewPlugin("Closed", func(struct{}, *field.Path) (shut, field.ErrorList) {
		return shut{}, nil
	})
}

func (shut) Name() string { return "Closed" }

func (shut) PreFilter(*cluster.Pod, *cluster.Snapshot) framework.Study {
	return framework.Study{Check: shut{}}
}

func (shut) Filter(node *cluster.Node) trace.Verdict {
	if _, is := node.API.Labels["closed"]; !is {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"the node is closed"}}
}

// page is docs/readings.md.
func (a *readings) page() string {
	of := map[string]showing{}
	for _, s := range a.Showings {
		of[s.Name] = s
	}
	var total, met, shown, mentioned, told int
	var tables strings.Builder
	for _, topic := range a.Topics {
		fmt.Fprintf(&tables, "\n## %s\n\n| row | release | what the text says | what the source says | lesson | shown |\n"+
			"|---|---|---|---|---|---|\n", topic.Topic)
		for _, r := range topic.Rows {
			total++
			switch {
			case len(r.Sees) > 0:
				shown++
			case len(r.Shown) > 0:
				mentioned++
			case r.Lesson != "":
				told++
			}
			if r.Lesson != "" {
				met++
			}
			fmt.Fprintln(&tables, r.line())
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, aboutReadings, total, met, shown, mentioned, told, total-shown-mentioned-told, a.kinds())
	for _, s := range a.Showings {
		own := ""
		if s.Plugin {
			own = ", in a build with [plugins of one's own](plugins.md) that go by labels"
		}
		fmt.Fprintf(&b, "| <a name=\"%s\"></a>%s | `schedstep %s`%s | %s | %s |\n", s.Name, s.Name, s.Command, own,
			code(s.Typed), cell(s.Screen))
	}
	return b.String() + tables.String()
}

// kinds counts the rows that have words and no command.
func (a *readings) kinds() string {
	counts := map[string]int{}
	for _, topic := range a.Topics {
		for _, r := range topic.Rows {
			counts[r.Kind]++
		}
	}
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(inWords)) {
		fmt.Fprintf(&b, "\n- %s: %d rows, %s", kind, counts[kind], inWords[kind])
	}
	return b.String()
}

// line is the row of the table.
func (r *reading) line() string {
	lesson, seen := "not yet", "not yet"
	if r.Lesson != "" {
		lesson, seen = "`"+r.Lesson+"`", "in words: "+r.Kind
	}
	if len(r.Shown) > 0 {
		links := make([]string, 0, len(r.Shown))
		for _, name := range r.Shown {
			links = append(links, "["+name+"](#"+name+")")
		}
		seen = strings.Join(links, ", ")
		if len(r.Sees) == 0 {
			seen = "mentioned: " + seen
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", r.Row, r.Release, cell(r.Says), cell(r.Source), lesson, seen)
}

// cell is a text in a table of Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "*", "\\*").Replace(text)
}

// code are lines to be typed.
func code(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "`" + strings.Join(lines, "`, `") + "`"
}

// aboutReadings opens docs/readings.md.
const aboutReadings = `# What articles on kube-scheduler say, and where to see it

Five long articles have walked through the source of kube-scheduler: 000 on Kubernetes 1.5 and 1.6, 004 on 1.10, 001 on
1.17, 002 on 1.19, 003 on 1.28 and later. Below is what they say, row by row; what the source of that release says
otherwise; the page of the lesson that meets it (` + "`schedstep learn LESSON`" + `); and what shows it. This page is made by
` + "`go test ./cmd -run Readings -update`" + `, which also runs every command and looks for every row in its lesson.

Of %d rows, %d are met in a lesson. %d are shown by a command: what it prints makes the statement visible, by numbers, an
order or a contrast, and a test holds it to that. Of %d more a command prints words only; %d are told in words, and %d neither.
Those in words only are of these kinds:
%s

Paths without a module are below the folder of the scheduler at that release.

## Shown by

Lines in the third column are typed at the prompt, or on the screen after ` + "`:`" + `. Files of ` + "`core/testdata`" + ` are in
the repository.

| name | command | typed | on the screen |
|---|---|---|---|
`
