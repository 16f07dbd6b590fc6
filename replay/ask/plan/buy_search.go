package plan

import (
	"container/heap"
	"slices"
)

// byGuess finds some mix: it packs what waits on the offers by resources, runs that, and packs again what still waits.
func (s *buying) byGuess() {
	m := make(mix, len(s.of.Offers))
	waits := s.targets
	for s.mayRun() && len(waits) > 0 && !s.isFar(m) {
		more := s.bound.packed(waits, s.room(m), s.of.Nodes)
		if more == nil {
			break
		}
		for i := range m {
			m[i] += more[i]
		}
		o := s.run(m)
		waits = o.waits
		if o.other && len(waits) == 0 {
			break
		}
	}
	for i := range s.of.Offers {
		s.alone(i)
	}
}

// room is how many more of each offer there are beside a mix; negative: any number.
func (s *buying) room(m mix) []int {
	left := make([]int, len(m))
	for i := range left {
		if left[i] = -1; s.of.Offers[i].Most > 0 {
			left[i] = s.of.Offers[i].Most - m[i]
		}
	}
	return left
}

// alone finds how many of one offer do.
func (s *buying) alone(offer int) {
	m := make(mix, len(s.of.Offers))
	only := make([]int, len(m))
	only[offer] = -1
	waits := s.targets
	for s.mayRun() && len(waits) > 0 && !s.isFar(m) {
		more := s.bound.packed(waits, only, s.of.Nodes)
		if more == nil {
			return
		}
		m[offer] += more[offer]
		if !s.within(m) || s.best != nil && s.less(m, s.best) > 0 {
			return
		}
		waits = s.run(m).waits
	}
}

// improve drops a node, or takes another offer in the place of one or two, until nothing of that is better.
func (s *buying) improve() {
	for better := true; better && s.best != nil; {
		better = false
		begin := slices.Clone(s.best)
		for _, m := range s.neighbours(begin) {
			if !s.mayRun() {
				return
			}
			if s.bound.mayDo(m) && s.within(m) && s.less(m, s.best) < 0 && s.run(m).isBest(s, m) {
				better = true
				break
			}
		}
	}
}

func (o outcome) isBest(s *buying, m mix) bool { return o.done() && slices.Equal(s.best, m) }

// neighbours are the mixes near one, the best first.
func (s *buying) neighbours(of mix) []mix {
	var all []mix
	change := func(drop, drop2, add int) {
		m := slices.Clone(of)
		for _, d := range []int{drop, drop2} {
			if d >= 0 {
				m[d]--
			}
		}
		if add >= 0 {
			m[add]++
		}
		if slices.Min(m) >= 0 && s.less(m, of) < 0 {
			all = append(all, m)
		}
	}
	for i := range of {
		change(i, -1, -1)
		for k := range of {
			change(i, -1, k)
			for j := range of {
				change(i, j, k)
			}
		}
	}
	slices.SortFunc(all, s.less)
	return all
}

// queue are mixes that are still to be looked at, the best first.
type queue struct {
	s   *buying
	all []mix
}

func (q *queue) Len() int           { return len(q.all) }
func (q *queue) Less(i, j int) bool { return q.s.less(q.all[i], q.all[j]) < 0 }
func (q *queue) Swap(i, j int)      { q.all[i], q.all[j] = q.all[j], q.all[i] }

// Push adds a mix.
func (q *queue) Push(m any) {
	if m, is := m.(mix); is {
		q.all = append(q.all, m)
	}
}

// Pop takes the last one off.
func (q *queue) Pop() any {
	m := q.all[len(q.all)-1]
	q.all = q.all[:len(q.all)-1]
	return m
}

// bestFirst runs the mixes that are better than the best one, in order, until one does or all were run. What has too
// little of a resource for all pods is passed over. lower is the cost of the last one before which all were looked at.
func (s *buying) bestFirst() {
	if s.best != nil && s.isLeast(s.best) {
		s.closed = true
		return
	}
	q := &queue{s: s, all: []mix{make(mix, len(s.of.Offers))}}
	for popped := 0; len(q.all) > 0; popped++ {
		m, is := heap.Pop(q).(mix)
		if !is || s.best != nil && s.less(m, s.best) >= 0 {
			s.closed = is
			return
		}
		s.lower, _ = s.cost(m)
		if popped >= mostPopped || !s.mayRun() || s.best == nil && s.isFar(m) {
			return
		}
		if s.bound.mayDo(m) {
			if o := s.run(m); o.isBest(s, m) {
				s.closed = true
				return
			}
		}
		last := 0
		for i, n := range m {
			if n > 0 {
				last = i
			}
		}
		for i := last; i < len(m); i++ {
			next := slices.Clone(m)
			if next[i]++; s.within(next) {
				heap.Push(q, next)
			}
		}
	}
	s.closed = s.best != nil
}

// isFar reports whether a mix has twice as many nodes as there are pods: where so many do not do, more will not.
func (s *buying) isFar(m mix) bool {
	sum := 0
	for _, n := range m {
		sum += n
	}
	return sum > 2*len(s.targets)
}

// isLeast reports whether a mix costs no more than the bound.
func (s *buying) isLeast(m mix) bool {
	cost, _ := s.cost(m)
	if s.of.Nodes {
		return cost <= int64(s.bound.nodes())
	}
	return cost <= s.bound.price()
}
