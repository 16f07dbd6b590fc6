package queue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
)

// deed is one thing done to a stage; what it means for the state the stage is in is decided when it is done.
type deed struct {
	what string
	pod  string
	how  int
	wait time.Duration
}

func deeds() *rapid.Generator[[]deed] {
	one := rapid.Custom(func(t *rapid.T) deed {
		return deed{
			what: rapid.SampledFrom([]string{
				"set", "set", "delete", "pop", "pop", "park", "park", "done", "wake", "activate", "wait", "nominate",
			}).Draw(t, "what"),
			pod:  rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "pod"),
			how:  rapid.IntRange(0, 7).Draw(t, "how"),
			wait: time.Duration(rapid.IntRange(0, 400_000).Draw(t, "ms")) * time.Millisecond,
		}
	})
	return rapid.OneOf(rapid.SliceOfN(one, 0, 10), rapid.SliceOfN(one, 40, 80))
}

// rejections are what cycles end with.
func rejections() []queue.Rejection {
	return []queue.Rejection{
		{},
		{Plugins: []string{"Fit"}},
		{Plugins: []string{"Fit", "Taint"}},
		{Plugins: []string{"Silent"}},
		{Pending: []string{"Claim"}},
		{Plugins: []string{"Fit"}, Pending: []string{"Claim"}},
		{Plugins: []string{"Loud"}},
		{Plugins: []string{"Held", "Broken"}},
	}
}

func shapes(how int) []edit {
	return [][]edit{
		nil,
		{priority(1)},
		{gates("g")},
		{held},
		{nominated("n")},
		{labelled("x")},
		{held, gates("g"), priority(1)},
		{nominated("m"), labelled("y")},
	}[how]
}

func (s *stage) do(d deed) []trace.Fact {
	key := "ns/" + d.pod
	pod, exists := s.known.Pod(key)
	switch d.what {
	case "set":
		if exists {
			return s.update(d.pod, shapes(d.how)...)
		}
		return s.add(d.pod, shapes(d.how)...)
	case "delete":
		if exists {
			s.remove(d.pod)
			return s.Delete(pod, "deleted", s.at())
		}
	case "pop":
		_, facts, _ := s.Pop(s.now)
		return facts
	case "park", "done":
		for item := range s.InFlight() {
			if d.what == "done" {
				s.Done(item.Pod.UID())
				s.known.Apply(cluster.Event{Action: cluster.Delete, Object: item.Pod.API})
				return nil
			}
			_, facts := s.Park(item, rejections()[d.how], s.at())
			return facts
		}
	case "wake":
		events := []cluster.ClusterEvent{
			nodeAdd, nodeAdd, nodeTaint, podDelete, attachmentAdd, cluster.EventUnschedulableTimeout,
		}
		return s.wake(events[d.how%len(events)], []*cluster.Change{s.node("big"), s.node("small")}[d.how%2])
	case "activate":
		return s.activate(d.pod)
	case "wait":
		return s.wait(d.wait)
	case "nominate":
		if exists {
			return s.Nominate(pod, []string{"", "n", "m"}[d.how%3], s.known)
		}
	}
	return nil
}

func (s *stage) fork() *stage {
	return &stage{Queue: s.Fork(), t: s.t, known: s.known.Fork(), now: s.now, detail: s.detail}
}

// portrait is everything a queue shows.
func (s *stage) portrait() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v next %s\n", s.Counts(), s.next())
	show := func(name trace.QueueName, item *queue.Item) bool {
		fmt.Fprintf(&b,
			"%s %s %s prio %d labels %v att %d/%d/%d since %s first %s until %s flushed %s from %s by %v/%v gate %s (%s)\n",
			name, item.Key(), item.Pod.UID(), item.Pod.Priority, item.Pod.API.Labels, item.Attempts,
			item.UnschedulableCount, item.ErrorCount,
			item.Since, item.FirstAttempt, item.BackoffUntil, item.Flushed, item.PoppedFrom, item.Rejectors,
			item.Pending, item.Gate, item.GateText)
		return true
	}
	for item := range s.Active() {
		show(queue.ActiveQ, item)
	}
	for item := range s.Backoff() {
		show(queue.BackoffQ, item)
	}
	for item := range s.Unschedulable() {
		show(queue.Unschedulable, item)
	}
	for item := range s.Gated() {
		show(queue.Gated, item)
	}
	for item := range s.InFlight() {
		show(queue.InFlight, item)
	}
	fmt.Fprintf(&b, "nominated on n: %s, on m: %s\n", s.nominatedOn("n"), s.nominatedOn("m"))
	return b.String()
}

func texts(facts []trace.Fact) []string {
	var s []string
	for _, f := range facts {
		s = append(s, f.String())
	}
	return s
}

func TestEveryPodIsInExactlyOnePlace(t *testing.T) {
	law.Check(t, func(r *rapid.T) {
		s := newStage(t)
		for _, d := range deeds().Draw(r, "deeds") {
			s.do(d)
			if err := s.Check(); err != nil {
				r.Fatalf("after %+v: %v", d, err)
			}
			times := map[string]int{}
			for _, view := range []string{
				names(s.Active()), names(s.Backoff()), names(s.Unschedulable()), names(s.Gated()), names(s.InFlight()),
			} {
				for _, name := range strings.Fields(view) {
					times[name]++
				}
			}
			s.known.EachPod(func(p *cluster.Pod) bool {
				// A pod made again under the UID of one in flight is queued besides, until Pop drops it.
				if n := times[p.Name()]; n < 1 || n > 2 || n == 2 && !s.flies(p) {
					r.Fatalf("after %+v: %s is in %d places\n%s", d, p.Key, n, s.portrait())
				}
				return true
			})
		}
	})
}

func (s *stage) flies(p *cluster.Pod) bool {
	for item := range s.InFlight() {
		if item.Key() == p.Key {
			return true
		}
	}
	return false
}

func TestFactsTellWhereEveryPodIs(t *testing.T) {
	law.Check(t, func(r *rapid.T) {
		s := newStage(t)
		told := map[string]trace.QueueName{}
		for _, d := range deeds().Draw(r, "deeds") {
			if pod, exists := s.known.Pod("ns/" + d.pod); d.what == "done" || d.what == "delete" && exists && s.flies(pod) {
				continue // done says nothing, and what is deleted in flight may be there twice
			}
			for _, f := range s.do(d) {
				m, ok := f.(trace.Moved)
				if !ok {
					continue
				}
				if was := told[m.Entity.Key()]; was != m.From {
					r.Fatalf("%s, but it was in %q", m.Phrase(), was)
				}
				told[m.Entity.Key()] = m.To
			}
			for key, where := range told {
				if _, in, _ := s.Find(key); in != where {
					r.Fatalf("after %+v: %s is in %q, told was %q", d, key, in, where)
				}
			}
		}
	})
}

func TestForkNeverChangesItsParentNorTheParentItsFork(t *testing.T) {
	law.Check(t, func(r *rapid.T) {
		s := newStage(t)
		s.detail = trace.Full
		for _, d := range deeds().Draw(r, "before") {
			s.do(d)
		}
		before := s.portrait()
		first, second := s.fork(), s.fork()
		after := deeds().Draw(r, "after")
		var said [2][]trace.Fact
		for _, d := range after {
			said[0] = append(said[0], first.do(d)...)
		}
		if diff := cmp.Diff(before, s.portrait()); diff != "" {
			r.Fatalf("the fork changed its parent:\n%s", diff)
		}
		for _, d := range deeds().Draw(r, "parent") {
			s.do(d)
		}
		if diff := cmp.Diff(before, second.portrait()); diff != "" {
			r.Fatalf("the parent changed its fork:\n%s", diff)
		}
		for _, d := range after {
			said[1] = append(said[1], second.do(d)...)
		}
		if diff := cmp.Diff(first.portrait(), second.portrait()); diff != "" {
			r.Fatalf("the same deeds lead elsewhere:\n%s", diff)
		}
		if diff := cmp.Diff(texts(said[0]), texts(said[1])); diff != "" {
			r.Fatalf("the same deeds are told differently:\n%s", diff)
		}
	})
}

func TestOneJumpIsManySmallSteps(t *testing.T) {
	law.Check(t, func(r *rapid.T) {
		walker := newStage(t)
		for _, d := range deeds().Draw(r, "before") {
			walker.do(d)
		}
		jumper := walker.fork()
		var walked []trace.Fact
		total := time.Duration(0)
		for _, ms := range rapid.SliceOfN(rapid.IntRange(0, 60_000), 0, 40).Draw(r, "steps") {
			step := time.Duration(ms) * time.Millisecond
			total += step
			walked = append(walked, walker.wait(step)...)
		}
		jumped := jumper.wait(total)
		if diff := cmp.Diff(texts(walked), texts(jumped)); diff != "" {
			r.Fatalf("told differently (-walked +jumped):\n%s", diff)
		}
		if diff := cmp.Diff(walker.portrait(), jumper.portrait()); diff != "" {
			r.Fatalf("ended elsewhere (-walked +jumped):\n%s", diff)
		}
	})
}

func TestNothingHappensBeforeNext(t *testing.T) {
	law.Check(t, func(r *rapid.T) {
		s := newStage(t)
		for _, d := range deeds().Draw(r, "before") {
			s.do(d)
		}
		at, ok := s.Next(s.now)
		if !ok {
			at = s.now.Add(24 * time.Hour)
		}
		before := s.portrait()
		s.wait(at.Add(-1).Sub(s.now))
		if diff := cmp.Diff(before, s.portrait()); diff != "" {
			r.Fatalf("changed before %s:\n%s", at, diff)
		}
		if s.wait(1); ok && before == s.portrait() {
			r.Fatalf("nothing changed at %s:\n%s", at, before)
		}
	})
}
