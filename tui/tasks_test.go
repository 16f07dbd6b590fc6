package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

// firstTask is something that an operator wants to know: the keys that lead there and what is to be seen then, and the
// same at the prompt. Keys are as in presses.
type firstTask struct {
	asks  string
	demo  string
	keys  string
	sees  []string
	lines []string
	says  string
}

var firstTasks = []firstTask{
	{
		asks: "Why is gpu-1 pending?", demo: "pending", keys: "n n x",
		sees:  []string{"kube-scheduler says: 0/5 nodes are available"},
		lines: []string{"goto end", "explain gpu-1"}, says: "What rejects it, by all reasons of a node",
	},
	{
		asks: "Which change would place it?", demo: "pending", keys: "n n a",
		sees: []string{
			"The smallest changes that give it a node; each of them was run",
			"1. have it tolerate team=research:NoSchedule and",
		},
		lines: []string{"goto end", "changes gpu-1"}, says: "1. have it tolerate team=research:NoSchedule and request 2 of cpu instead of 4",
	},
	{
		asks: "Does it get there when I do that, and who else moves?", demo: "pending",
		keys:  "n n a 1 enter c w down down enter",
		sees:  []string{"default/gpu-1: gpu-a, on main without a node"},
		lines: []string{"goto end", "apply 1 gpu-1", "continue", "branches"},
		says:  "default/gpu-1: gpu-a, on main without a node",
	},
	{
		asks: "How far did kube-scheduler look, and what would the other filters have said?", demo: "rollout",
		keys: "g 4 enter 5", sees: []string{"does not fit. kube-scheduler stopped at"},
		lines: []string{"goto 4", "show filter"}, says: "7 of 7 nodes evaluated",
	},
	{
		asks: "Why worker-3 and not the runner-up, and at which weight would that change?", demo: "rollout",
		keys: "n x", sees: []string{"Why worker-3 and not worker-2", "would be ahead if"},
		lines: []string{"goto 1", "against"}, says: "is not on",
	},
	{
		asks: "Go back to before the decision, and step through it", demo: "rollout", keys: "n n N b",
		sees: []string{"cycle 1"}, lines: []string{"next 2", "previous", "back"}, says: "where: cycle 1, at ",
	},
	{
		asks: "Stop when a pod fits nowhere", demo: "rollout", keys: "B down down enter c",
		sees: []string{"cycle 4"}, lines: []string{"break outcome Unschedulable", "continue"}, says: "where: after cycle 4",
	},
	{
		asks: "Who is evicted for pay-0, and why there?", demo: "preemption", keys: "n",
		sees: []string{"[Preemption]", "jobs-1"}, lines: []string{"next", "show preemption"},
		says: "Decided by the latest start of the most important victims",
	},
	{
		asks: "When is it tried again, and what would wake it?", demo: "rollout", keys: "g 4 enter x",
		sees: []string{"When it is tried again"}, lines: []string{"goto 4", "history"},
		says: "tried again anyway after 5 minutes",
	},
	{
		asks: "Send what is seen to a colleague", demo: "rollout", keys: "n : export_cycle_FILE.html enter",
		sees: []string{"FILE.html"}, lines: []string{"next", "export cycle FILE.html"}, says: "FILE.html",
	},
}

// TestTheTenTasksOfAFirstTimeOperator does each task at three sizes and at the prompt, counts the keys, and holds
// docs/first-use.md to the counts.
func TestTheTenTasksOfAFirstTimeOperator(t *testing.T) {
	rows := make([]string, 0, len(firstTasks))
	for i, task := range firstTasks {
		keys := 0
		for n, size := range []layout.Size{wide, medium, narrow} {
			file := filepath.Join(t.TempDir(), fmt.Sprintf("f%d", n))
			journey(t, size, demoSession(t, task.demo), screen.Options{Theme: "dark"}, func(r *robot) {
				pressed := presses(strings.ReplaceAll(task.keys, "FILE", file))
				for _, key := range pressed {
					r.press(key)
				}
				for _, text := range task.sees {
					r.sees(strings.ReplaceAll(text, "FILE", file))
				}
				keys = countKeys(presses(task.keys))
			})
		}
		file := filepath.Join(t.TempDir(), "f")
		var out strings.Builder
		typed := strings.ReplaceAll(strings.Join(task.lines, "\n"), "FILE", file) + "\n"
		if err := prompt.Run(t.Context(), demoSession(t, task.demo), strings.NewReader(typed), &out); err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(task.says, "FILE", file); !strings.Contains(out.String(), want) {
			t.Errorf("%s: %q is answered without %q:\n%s", task.asks, typed, want, out.String())
		}
		rows = append(rows, fmt.Sprintf("| %d | %s | `%s` | %d | %d |", i+1, task.asks, task.keys, keys, len(task.lines)))
	}
	file := filepath.Join("..", "docs", "first-use.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), tableOfTasks)
	_, tail, _ := strings.Cut(rest, "\n\n")
	golden.Is(t, file, head+tableOfTasks+strings.Join(rows, "\n")+"\n\n"+tail)
}

const tableOfTasks = "|---|---|---|---|---|\n"

// countKeys is how many keys a person presses: a word that is typed has a key for each letter.
func countKeys(pressed []string) int {
	keys := 0
	for _, p := range pressed {
		if strings.HasPrefix(p, "\x1b") {
			keys++
		} else {
			keys += len(p)
		}
	}
	return keys
}
