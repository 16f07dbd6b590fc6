package tables_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/schedstep/schedstep/conformance/sources"
	"github.com/schedstep/schedstep/conformance/tables"
)

const committed = "../../core/testdata/tables"

// TestTheCasesAreWhatUpstreamsTestsSay runs upstream's tests again, and compares every file of cases with what they
// record.
func TestTheCasesAreWhatUpstreamsTestsSay(t *testing.T) {
	for _, release := range sources.Releases() {
		t.Run(release.Version, func(t *testing.T) {
			into := t.TempDir()
			if _, err := tables.Extract(t.Context(), release, 1, into); err != nil {
				t.Fatal(err)
			}
			have := filepath.Join(committed, release.Version)
			for _, folder := range []string{have, into} {
				names, err := os.ReadDir(folder)
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range names {
					same(t, filepath.Join(have, name.Name()), filepath.Join(into, name.Name()))
				}
			}
		})
	}
}

func same(t *testing.T, have, want string) {
	t.Helper()
	a, err := os.ReadFile(have)
	if err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(want)
	if err != nil {
		t.Error(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s is not what upstream's tests say; go run ./cmd/tables writes it", have)
	}
}
