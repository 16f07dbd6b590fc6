package tui_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/tui/screen"
)

var update = flag.Bool("update", false, "write what the tests got to their files")

func TestKeysDocumentIsFresh(t *testing.T) {
	isKept(t, filepath.Join("..", "docs", "keys.md"), screen.KeysDocument())
}

// isKept holds text to a file, or writes it there with -update.
func isKept(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is stale (make generate, or go test ./tui -update, writes it; -file +now):\n%s", file, diff)
	}
}
