package cmd_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
)

var podInTable = regexp.MustCompile(`(?m)^\d+ +(\w[\w-]*/[\w.-]+) `)

// TestEveryVoiceTellsTheSame explains every pod of every demo on the command line, in markdown and at the prompt: all
// print the same lines, in the same order. run -o wide prints the same message as the page.
func TestEveryVoiceTellsTheSame(t *testing.T) {
	demos, err := filepath.Glob("../replay/source/demo/*.schedstep")
	if err != nil || len(demos) < 5 {
		t.Fatalf("%d demos, %v", len(demos), err)
	}
	for _, file := range demos {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".schedstep"), func(t *testing.T) {
			var pods []string
			for _, found := range podInTable.FindAllStringSubmatch(program(t, "run", file).out, -1) {
				if !slices.Contains(pods, found[1]) {
					pods = append(pods, found[1])
				}
			}
			told, reported := 0, lastMessages(t, file)
			for _, pod := range pods {
				answer := program(t, "explain", pod, file)
				if strings.Contains(answer.err, "there is no pod") { // it was deleted before the end
					continue
				}
				page := answer.out
				told++
				if lines := strings.Count(page, "\n"); lines < 3 {
					t.Fatalf("%s: only %d lines are told:\n%s%s", pod, lines, page, answer.err)
				}
				if want := "kube-scheduler says: " + reported[pod]; reported[pod] != "" && !strings.Contains(page, want) &&
					!strings.Contains(page, "No cycle has tried it") {
					t.Errorf("%s: run -o wide tells %q and explain\n%s", pod, want, page)
				}
				if markdown := program(t, "explain", pod, file, "-o", "markdown").out; !strings.Contains(markdown, page) {
					t.Errorf("%s: markdown tells\n%s\nand the command line\n%s", pod, markdown, page)
				}
				if prompt := atPrompt(t, file, "explain "+pod); !strings.Contains(prompt, page) {
					t.Errorf("%s: the prompt tells\n%s\nand the command line\n%s", pod, prompt, page)
				}
			}
			if told == 0 {
				t.Errorf("nothing is told of %v", pods)
			}
		})
	}
}

// lastMessages are the messages in run -o wide of the last cycle about every pod; "" where that left the pod waiting
// for its node.
func lastMessages(t *testing.T, file string) map[string]string {
	t.Helper()
	messages := map[string]string{}
	lines := strings.Split(program(t, "run", file, "-o", "wide").out, "\n")
	column := strings.Index(lines[0], "MESSAGE")
	for _, line := range lines[1:] {
		if found := podInTable.FindStringSubmatch(line); found != nil {
			messages[found[1]] = line[min(column, len(line)):]
		}
	}
	if column < 0 || len(messages) == 0 {
		t.Fatalf("run -o wide tells no message:\n%s", strings.Join(lines, "\n"))
	}
	return messages
}

// atPrompt is what the prompt prints about a line at the end of a file.
func atPrompt(t *testing.T, file, line string) string {
	t.Helper()
	var out, errs bytes.Buffer
	in := strings.NewReader("continue\n" + line + "\nquit\n")
	code := cmd.Main(
		cmd.WithArgs("schedstep", "replay", file, "--plain"), cmd.WithStreams(cmd.Streams{In: in, Out: &out, Err: &errs}),
	)
	if code != 0 && code != 3 { // some pods are never placed
		t.Fatalf("the prompt ended with %d: %s", code, errs.String())
	}
	return out.String()
}
