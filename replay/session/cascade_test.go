package session_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/schedstep/schedstep/replay/session"
)

func TestACascadeTellsWhoLeavesForWhomAndWhereTheyEndUp(t *testing.T) {
	s := withDeaf(t, "node n1 cpu=4\nnode n2 cpu=2\n"+
		"pod low node=n2 cpu=2 priority=1\npod middle node=n1 cpu=2 priority=10\npod other node=n1 cpu=2 priority=500\n"+
		"pod boss cpu=2 priority=100 node-selector=kubernetes.io/hostname=n1\n")
	s.GotoCycle(context.Background(), 1, nil)
	fallen, whole, err := s.Cascade(t.Context())
	if err != nil || !whole {
		t.Fatalf("whole: %v, %v", whole, err)
	}
	want := []session.Fallen{
		{Pod: "default/middle", From: "n1", For: "default/boss", Node: "n2"},
		{Pod: "default/low", From: "n2", For: "default/middle"},
	}
	if fmt.Sprint(fallen) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", fallen, want)
	}
}
