package bounded_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/bounded"
)

func TestWhatIsTooLargeIsAnErrorThatNamesTheLimit(t *testing.T) {
	if text, err := bounded.ReadAll(strings.NewReader("1234"), 4); err != nil || string(text) != "1234" {
		t.Errorf("read %q, %v", text, err)
	}
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Fatal(err)
	}
	_, err := bounded.ReadFile(large, 1<<20)
	if want := "it is larger than 1Mi, the most that is read"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
