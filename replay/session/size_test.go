package session_test

import (
	"reflect"
	"testing"

	"github.com/schedstep/schedstep/replay/session"
)

// TestASessionMovesBranchesBreaksAndSavesAndNoMore counts methods. What only reads belongs to At and to the questions.
func TestASessionMovesBranchesBreaksAndSavesAndNoMore(t *testing.T) {
	const most = 45
	if n := reflect.TypeFor[*session.Session]().NumMethod(); n > most {
		t.Errorf("a Session has %d exported methods, and %d is the most: what reads and moves nothing belongs to At", n, most)
	}
}
