package trace_test

import (
	"testing"

	"github.com/schedstep/schedstep/core/trace"
)

func TestListsFromARoomDoNotTouch(t *testing.T) {
	var room trace.Room
	var lists [][]trace.Evidence
	for i := range 500 {
		n := 1 + i%7*i%60
		list := room.Evidence(n)
		if len(list) != 0 || cap(list) != n {
			t.Fatalf("asked for %d, got %d of %d", n, len(list), cap(list))
		}
		for range n {
			list = append(list, trace.Evidence{Have: trace.Count(int64(i))})
		}
		lists = append(lists, list)
	}
	for i, list := range lists {
		_ = append(list, trace.Evidence{What: "beyond"})
		for _, e := range list {
			if got, _ := e.Have.Number(); got != int64(i) {
				t.Fatalf("list %d holds %d", i, got)
			}
		}
	}
}

func TestNamesFromARoomStay(t *testing.T) {
	var room trace.Room
	first := room.Names("a", "b")
	_ = append(first, "beyond")
	second := room.Names("c")
	if first[0] != "a" || first[1] != "b" || second[0] != "c" || len(first) != 2 || len(second) != 1 {
		t.Errorf("got %v and %v", first, second)
	}
}
