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

// TestAQuantityOfEndlessDigitsIsRefused: the first of these would take gigabytes, and hours.
func TestAQuantityOfEndlessDigitsIsRefused(t *testing.T) {
	for _, text := range []string{"1e-2147483648", "9999999999999999999999e100000000", "1E+0099999", "x", ""} {
		if q, err := bounded.Quantity(text); err == nil {
			t.Errorf("%q is %s", text, q.String())
		}
	}
	amounts := map[string]int64{"2": 2, "4Gi": 4 << 30, "1E": 1e18, "1e3": 1000, "12e-0001": 2, "1e-9999": 1}
	for text, want := range amounts {
		if q, err := bounded.Quantity(text); err != nil || q.Value() != want {
			t.Errorf("%q is %d, want %d: %v", text, q.Value(), want, err)
		}
	}
}
