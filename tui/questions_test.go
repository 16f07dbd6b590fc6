package tui_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/table"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/prompt"
)

// questions are the lines about an object, anywhere: each question that takes one, and verbs that do.
func questions() []string {
	lines := []string{
		"apply %s", "describe %s", "wake %s", "evict %s", "relax %s selector", "set priority %s 7", "delete %s",
		"label %s a=b", "find %s", "goto %s",
	}
	for _, q := range table.Questions() {
		if len(q.Takes) > 0 {
			lines = append(lines, q.Name+" %s")
		}
	}
	return lines
}

// asked are the questions at the cursor, about no object.
func asked() string {
	lines := "narrate\nshow filter\nshow score\nbranches\n"
	for _, q := range table.Questions() {
		lines += q.Name + "\n"
	}
	return lines
}

// opens is a session at the start of a scenario, if one session plays it.
func opens(file string) (*session.Session, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	in, err := input.ReadScenario(file, strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	decides := config.Options{}
	if in.Release != "" {
		if decides, err = decides.For(in.Release); err != nil {
			return nil, err
		}
	}
	c, err := config.LoadOr(in.Config, in.From, decides)
	if err != nil {
		return nil, err
	}
	return session.New(in.Play(c, 1, trace.Reported), session.About{Title: file, Version: "1.37"}), nil
}

// everThere are the names of all pods and nodes that were there at any step up to the cursor's.
func everThere(t *testing.T, s *session.Session) []string {
	t.Helper()
	var names []string
	for {
		all := s.At().Names()
		names = append(names, slices.Concat(all.Pods, all.Nodes)...)
		if stop := s.Move(t.Context(), session.Out, session.Forward, nil); stop.Reason != session.StoppedAtStep {
			break
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestEveryQuestionIsAnsweredAboutEveryObjectThatEverWas puts the questions at some positions of scenarios, before a
// what-if, on its branch, and at a position of the branch that lies before the what-if.
func TestEveryQuestionIsAnsweredAboutEveryObjectThatEverWas(t *testing.T) {
	files, err := filepath.Glob("../core/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	about, asked := questions(), asked()
	for i, file := range files {
		s, err := opens(file)
		if err != nil {
			continue
		}
		random := rand.New(rand.NewPCG(20261126, uint64(i)))
		names := everThere(t, s)
		last := s.Position().Step
		if len(names) > 40 || last > 150 {
			continue
		}
		s, _ = opens(file)
		var lines strings.Builder
		fmt.Fprintf(&lines, "goto step %d\ninto %d\n%s", random.IntN(last+2), random.IntN(9), asked)
		for range 4 {
			name := names[random.IntN(len(names))]
			fmt.Fprintf(&lines, about[random.IntN(len(about))]+"\n", name)
			fmt.Fprintf(&lines, "changes %s\nexplain %s\n", name, name)
		}
		name := names[random.IntN(len(names))]
		fmt.Fprintf(&lines, "delete %s\nback\nchanges\nexplain %[1]s\nchanges %[1]s\n%s", name, asked)
		carried(t, file, s, lines.String())
	}
}

// carried carries out lines at a prompt. A panic is an error with the lines.
func carried(t *testing.T, file string, s *session.Session, lines string) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v after some of\n%s", file, r, lines)
		}
	}()
	var out strings.Builder
	if err := prompt.Run(t.Context(), s, strings.NewReader(lines), &out); err != nil {
		t.Errorf("%s: %v", file, err)
	}
}
