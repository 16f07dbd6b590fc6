package queue_test

import (
	"fmt"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

func manyPods(n int) []*cluster.Pod {
	known := cluster.NewState()
	pods := make([]*cluster.Pod, n)
	for i := range pods {
		pods[i] = known.ParsePod(apiPod(fmt.Sprintf("pod-%05d", i), priority(int32(i%7))))
	}
	return pods
}

func filled(pods []*cluster.Pod) *queue.Queue {
	q := queue.New(rules(), start())
	for _, p := range pods {
		q.Add(p, queue.Moment{Now: start()})
	}
	return q
}

// parked has every pod rejected by Fit and Taint.
func parked(pods []*cluster.Pod) *queue.Queue {
	q := filled(pods)
	for range pods {
		item, _, _ := q.Pop(start())
		q.Park(item, queue.Rejection{Plugins: []string{"Fit", "Taint"}}, queue.Moment{Now: start()})
	}
	return q
}

func BenchmarkAddAndPop50000(b *testing.B) {
	pods := manyPods(50_000)
	b.ReportAllocs()
	for b.Loop() {
		q := filled(pods)
		for range pods {
			item, _, _ := q.Pop(start())
			q.Done(item.Pod.UID())
		}
	}
}

func BenchmarkForkOf50000(b *testing.B) {
	q := filled(manyPods(50_000))
	b.ReportAllocs()
	for b.Loop() {
		q.Fork()
	}
}

func BenchmarkForkOf50000AndOneCycle(b *testing.B) {
	q := filled(manyPods(50_000))
	b.ReportAllocs()
	for b.Loop() {
		f := q.Fork()
		item, _, _ := f.Pop(start())
		f.Park(item, queue.Rejection{Plugins: []string{"Fit"}}, queue.Moment{Now: start()})
	}
}

func BenchmarkWake10000(b *testing.B) {
	q := parked(manyPods(10_000))
	s := stage{}
	for _, c := range []struct {
		name  string
		event cluster.ClusterEvent
		node  string
	}{
		{"event nobody waits for", cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Deleted}, "n"},
		{"event of others", cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.Updated}, "n"},
		{"event that wakes all", nodeAdd, "big"},
	} {
		b.Run(c.name, func(b *testing.B) {
			change := s.node(c.node)
			b.ReportAllocs()
			for b.Loop() {
				q.Fork().Wake(queue.Ask{Event: c.event, Change: change}, queue.Moment{Now: start()})
			}
		})
	}
}

func BenchmarkWake10000AskedInVain(b *testing.B) {
	q := queue.New(rules(), start())
	for _, p := range manyPods(10_000) {
		q.Add(p, queue.Moment{Now: start()})
		item, _, _ := q.Pop(start())
		q.Park(item, queue.Rejection{Plugins: []string{"Fit"}}, queue.Moment{Now: start()})
	}
	s := stage{}
	change := s.node("small")
	b.ReportAllocs()
	for b.Loop() {
		if facts := q.Wake(queue.Ask{Event: nodeAdd, Change: change}, queue.Moment{Now: start()}); facts != nil {
			b.Fatal(facts)
		}
	}
}
