package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/tui/prompt"
)

// Every file in testdata/plain is a conversation: what is typed is in NAME.in, what is printed in NAME.out.
func TestPlainConversations(t *testing.T) {
	inputs, err := filepath.Glob(filepath.Join("testdata", "plain", "*.in"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range inputs {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".in"), func(t *testing.T) {
			typed, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var printed strings.Builder
			told := rollout()
			if strings.HasPrefix(filepath.Base(file), "preempt") {
				told = preempting()
			}
			if err := prompt.Run(t.Context(), told.session(t), strings.NewReader(string(typed)), &printed); err != nil {
				t.Fatal(err)
			}
			golden.Is(t, strings.TrimSuffix(file, ".in")+".out", printed.String())
		})
	}
}

func TestPlainPrintsNoControlCharacters(t *testing.T) {
	var printed strings.Builder
	s := rollout().titled(t, "evil\x1b[2J\u009b31mtitle")
	if err := prompt.Run(
		t.Context(), s, strings.NewReader("next 5\nshow filter\nshow facts\nexplain\n"), &printed,
	); err != nil {
		t.Fatal(err)
	}
	for i, r := range printed.String() {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 {
			t.Fatalf("control character %#x at %d", r, i)
		}
	}
}

func TestPlainEndsAtTheEndOfItsInput(t *testing.T) {
	var printed strings.Builder
	if err := prompt.Run(t.Context(), rollout().session(t), strings.NewReader("n"), &printed); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(printed.String(), "cycle: 1, pod default/web-0") {
		t.Errorf("a last line without a line break is not taken:\n%s", printed.String())
	}
}
