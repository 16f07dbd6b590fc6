// Package golden holds what a test got to a file that is kept beside it, and reads files that are kept packed. Tests
// call it; nothing else imports it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

var update = flag.Bool("update", false, "write what the tests got into their files")

// Updates reports whether this run writes the files anew (-update).
func Updates() bool { return *update }

// Is compares a text with a file, to the byte; with -update it writes the file, and its folder.
func Is(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		test, _, _ := strings.Cut(t.Name(), "/")
		t.Errorf("%s is stale (go test -run '^%s$' -update writes it; -file +now):\n%s", file, test, diff)
	}
}

// Unpacked is what a file has that is packed with zstd.
func Unpacked(t testing.TB, file string) []byte {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
