package shrink_test

import (
	"slices"
	"testing"

	"github.com/schedstep/schedstep/conformance/shrink"
)

// TestWhatAClaimNeedsIsLeft has a claim that needs three elements of forty.
func TestWhatAClaimNeedsIsLeft(t *testing.T) {
	var list []int
	for n := range 40 {
		list = append(list, n)
	}
	needed, asked := []int{3, 17, 39}, 0
	shows := func(smaller []int) bool {
		asked++
		return !slices.ContainsFunc(needed, func(n int) bool { return !slices.Contains(smaller, n) })
	}
	if left, tries := shrink.List(list, 200, shows); !slices.Equal(left, needed) || tries != 200-asked {
		t.Errorf("%v, and %d tries are left after %d", left, tries, asked)
	}
	if left, tries := shrink.List(list, 2, shows); tries != 0 || len(left) < 20 || len(list) != 40 {
		t.Errorf("after two tries: %v, %d", left, tries)
	}
}
