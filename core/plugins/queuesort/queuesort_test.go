package queuesort_test

import (
	"testing"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/queuesort"
	"github.com/schedstep/schedstep/core/queue"
)

func TestPriorityComesBeforeWaiting(t *testing.T) {
	item := func(priority int32, since int64) *queue.Item {
		return &queue.Item{Pod: &cluster.Pod{Priority: priority}, Since: time.Unix(since, 0)}
	}
	for _, c := range []struct {
		name string
		a, b *queue.Item
		want bool
	}{
		{"higher priority, later", item(1, 9), item(0, 1), true},
		{"lower priority, earlier", item(0, 1), item(1, 9), false},
		{"negative priority", item(-1, 1), item(0, 9), false},
		{"same priority, earlier", item(5, 1), item(5, 2), true},
		{"same priority, later", item(5, 2), item(5, 1), false},
		{"equals", item(5, 1), item(5, 1), false},
	} {
		if got := queuesort.New().Less(c.a, c.b); got != c.want {
			t.Errorf("%s: Less is %v, want %v", c.name, got, c.want)
		}
	}
	if got := queuesort.New().Name(); got != "PrioritySort" {
		t.Errorf("its name is %s", got)
	}
}
