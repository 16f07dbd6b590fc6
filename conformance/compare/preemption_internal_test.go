package compare

import "testing"

// TestErrorsOfADryRunAreTheSameInAnyOrder: no error may be missing, be there twice or be another one.
func TestErrorsOfADryRunAreTheSameInAnyOrder(t *testing.T) {
	parts := []string{"n1: no such key", "n1: no such key, or map", "n2: no such key"}
	for list, want := range map[string]bool{
		"n1: no such key, n1: no such key, or map, n2: no such key":                  true,
		"n2: no such key, n1: no such key, or map, n1: no such key":                  true,
		"n1: no such key, or map, n1: no such key, n2: no such key":                  true,
		"n1: no such key, n2: no such key":                                           false,
		"n1: no such key, n1: no such key, n2: no such key":                          false,
		"n1: no such key, n1: no such key, or map, n3: no such key":                  false,
		"n1: no such key, n1: no such key, or map, n2: no such key, n2: no such key": false,
		"": false,
	} {
		if permuted(list, parts) != want {
			t.Errorf("%q holds %q: %t, want %t", list, parts, !want, want)
		}
	}
}
