package plan

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
)

// The bounds of a search for room.
const (
	mostMovable = 64    // pods; with more the search is no longer through all sets
	mostRuns    = 2_000 // of one search
	nearNodes   = 12    // nodes that a bounded search looks at
	setsOfNode  = 40    // sets of evictions on each of them
	mostSets    = 1_000_000
)

// look searches: by the number of evictions, then the cheapest first. Small clusters are searched through; of large
// ones the nodes on which the fewest evictions make room.
func (s *search) look() {
	whole := len(s.movable) <= mostMovable
	for s.depth = 0; s.depth <= s.of.Most && s.found == nil && s.ctx.Err() == nil; s.depth++ {
		if s.depth < s.least {
			continue
		}
		if whole {
			s.throughAll(s.depth)
		} else {
			s.nearest(s.depth)
			s.cut = true
		}
		if s.found == nil {
			s.found = s.fragile
		}
		if s.found != nil {
			break
		}
	}
	s.depth = min(s.depth, s.of.Most)
	if s.ctx.Err() != nil {
		s.cut = true
	}
}

func costOf(set []victim) (sum int) {
	for i := range set {
		sum += set[i].cost
	}
	return sum
}

// throughAll tries the sets of so many evictions, the cheapest first, in every order.
func (s *search) throughAll(size int) {
	sets, whole := s.cheapest(size, mostRuns-s.runs)
	for _, set := range sets {
		if s.found != nil || !s.mayRun() {
			return
		}
		s.trySet(set, true)
	}
	s.cut = s.cut || !whole && s.found == nil
}

// cheapest are the cheapest sets of so many evictions that may leave enough room, at most so many sets as there are
// runs for; whole: they are all.
func (s *search) cheapest(size, most int) (sets [][]victim, whole bool) {
	var kept cheapest
	seen := 0
	whole = true
	combine(s.movable, size, func(set []victim) bool {
		if seen++; seen > mostSets || s.ctx.Err() != nil {
			whole = false
			return false
		}
		next := costed{cost: costOf(set), turn: seen}
		full := len(kept) >= most
		if full && (len(kept) == 0 || !next.before(&kept[0])) {
			whole = false
			return true
		}
		if !s.rooms.mayDo(set) {
			return true
		}
		next.set = slices.Clone(set)
		if heap.Push(&kept, next); full {
			heap.Pop(&kept)
			whole = false
		}
		return true
	})
	slices.SortFunc(kept, func(a, b costed) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.turn, b.turn))
	})
	for i := range kept {
		sets = append(sets, kept[i].set)
	}
	return sets, whole
}

// costed is a set of evictions, and its place among those of its size.
type costed struct {
	set        []victim
	cost, turn int
}

func (c *costed) before(o *costed) bool {
	return c.cost < o.cost || c.cost == o.cost && c.turn < o.turn
}

// cheapest are sets, the one that is tried last on top.
type cheapest []costed

func (c cheapest) Len() int           { return len(c) }
func (c cheapest) Less(i, j int) bool { return c[j].before(&c[i]) }
func (c cheapest) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }

// Push adds a set.
func (c *cheapest) Push(set any) {
	if set, is := set.(costed); is {
		*c = append(*c, set)
	}
}

// Pop takes the last one off.
func (c *cheapest) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// mayRun reports whether the search goes on.
func (s *search) mayRun() bool {
	if s.runs >= mostRuns {
		s.cut = true
	}
	return s.runs < mostRuns && s.ctx.Err() == nil
}

// combine calls f with the sets of a size, in order, until it returns false.
func combine(all []victim, size int, f func([]victim) bool) {
	set := make([]victim, 0, size)
	var from func(at int) bool
	from = func(at int) bool {
		if len(set) == size {
			return f(set)
		}
		for i := at; i <= len(all)-(size-len(set)); i++ {
			set = append(set, all[i])
			if !from(i + 1) {
				return false
			}
			set = set[:len(set)-1]
		}
		return true
	}
	from(0)
}

// nearest tries sets of evictions on the nodes where the fewest make room; for several pods sets over several nodes.
func (s *search) nearest(size int) {
	if size == 0 {
		s.trySet(nil, false)
		return
	}
	by := map[string][]victim{}
	for i := range s.movable {
		by[s.movable[i].node] = append(by[s.movable[i].node], s.movable[i])
	}
	near := s.near(by)
	if s.rooms.pods > 1 {
		s.together(near, by, size)
		return
	}
	for _, node := range near {
		sets := 0
		combine(by[node], size, func(set []victim) bool {
			if s.found != nil || !s.mayRun() || sets >= setsOfNode {
				return false
			}
			if s.rooms.mayDo(set) {
				sets++
				s.trySet(slices.Clone(set), false)
			}
			return true
		})
	}
}

// near are the nodes on which the fewest evictions make room for one more pod, the fewest first.
func (s *search) near(by map[string][]victim) []string {
	needs, cheapest := map[string]int{}, map[string]int{}
	var near []string
	for at := range s.rooms.nodes {
		node := s.rooms.nodes[at].name
		begin := s.rooms.slots(at, s.rooms.top(at, 0))
		for e := range s.of.Most + 1 {
			if e <= len(by[node]) && s.rooms.slots(at, s.rooms.top(at, e)) > min(begin, s.rooms.pods-1) {
				needs[node], cheapest[node] = e, costOf(by[node][:e])
				near = append(near, node)
				break
			}
		}
	}
	slices.SortStableFunc(near, func(a, b string) int {
		return cmp.Or(cmp.Compare(needs[a], needs[b]), cmp.Compare(cheapest[a], cheapest[b]), cmp.Compare(a, b))
	})
	return near[:min(len(near), nearNodes)]
}

// together tries evictions on several nodes at once: those of the nearest nodes, from each of them on, until there may
// be room for all.
func (s *search) together(near []string, by map[string][]victim, size int) {
	for from := range near {
		var set []victim
		for i := 0; i < len(near) && len(set) < size && !s.rooms.mayDo(set); i++ {
			node := near[(from+i)%len(near)]
			at := s.rooms.byName[node]
			begin := s.rooms.slots(at, s.rooms.top(at, 0))
			for e := 1; e <= len(by[node]) && len(set)+e <= size; e++ {
				more := make([]int64, len(s.rooms.names))
				for _, v := range by[node][:e] {
					for k := range more {
						more[k] += v.requests[k]
					}
				}
				if s.rooms.slots(at, more) > begin {
					set = append(set, by[node][:e]...)
					break
				}
			}
		}
		if s.found == nil && s.mayRun() && len(set) == size && s.rooms.mayDo(set) {
			s.trySet(set, false)
		}
	}
}

// trySet runs a set of evictions: as a drain orders them, then with their nodes cordoned meanwhile, then in every other
// order.
func (s *search) trySet(set []victim, orders bool) {
	keys := s.ordered(set)
	holds := s.holdsOf(set)
	s.permute(keys, orders, func(order []string) bool {
		for _, hold := range holds {
			if !s.mayRun() {
				return false
			}
			w := way{evict: slices.Clone(order), hold: hold}
			done, lesser := s.try(w)
			switch {
			case done && s.holds(w):
				s.found = &w
				return false
			case done && s.fragile == nil:
				s.fragile = &w
			case lesser && s.lesser == nil:
				s.lesser = &w
			}
		}
		return true
	})
}

// holdsOf are the nodes that are cordoned while a set is evicted, in turn: none, those of the set, each of them alone,
// and for several pods also those that have room for one of them already, as many as do.
func (s *search) holdsOf(set []victim) [][]string {
	holds := [][]string{nil}
	nodes := s.nodesOf(set)
	if len(nodes) > 0 {
		holds = append(holds, nodes)
		for _, n := range nodes {
			if len(nodes) > 1 {
				holds = append(holds, []string{n})
			}
		}
	}
	if s.rooms.pods <= 1 {
		return holds
	}
	none := make([]int64, len(s.rooms.names))
	with := slices.Clone(nodes)
	slots := 0
	for at := range s.rooms.nodes {
		if slices.Contains(nodes, s.rooms.nodes[at].name) {
			slots += s.rooms.slots(at, s.rooms.top(at, len(set)))
		}
	}
	for at := range s.rooms.nodes {
		name := s.rooms.nodes[at].name
		if n := s.rooms.slots(at, none); n > 0 && slots < s.rooms.pods && !slices.Contains(nodes, name) {
			with, slots = append(with, name), slots+n
		}
	}
	if len(with) > len(nodes) {
		slices.Sort(with)
		holds = append(holds, with)
	}
	return holds
}

// nodesOf are the nodes of a set that may take one of the pods, in order.
func (s *search) nodesOf(set []victim) []string {
	var all []string
	for i := range set {
		s.tried[set[i].node] = true
		if _, takes := s.rooms.byName[set[i].node]; takes && !slices.Contains(all, set[i].node) {
			all = append(all, set[i].node)
		}
	}
	slices.Sort(all)
	return all
}

// ordered are the keys of a set as a drain orders them.
func (s *search) ordered(set []victim) []string {
	pods := podsOf(set)
	s.base.order(pods)
	keys := make([]string, len(pods))
	for i, p := range pods {
		keys[i] = cluster.Key(p)
	}
	return keys
}

// permute calls f with an order of keys and, where all count, with every other one, until f returns false.
func (s *search) permute(keys []string, all bool, f func([]string) bool) {
	if !f(keys) || !all {
		return
	}
	rest := slices.Clone(keys)
	var at func(i int) bool
	at = func(i int) bool {
		if i == len(rest) {
			return slices.Equal(rest, keys) || f(rest)
		}
		for k := i; k < len(rest); k++ {
			rest[i], rest[k] = rest[k], rest[i]
			goesOn := at(i + 1)
			rest[i], rest[k] = rest[k], rest[i]
			if !goesOn {
				return false
			}
		}
		return true
	}
	at(0)
}

// try runs a way. done: every pod has its node and every evicted pod runs again; lesser: pods of a lower
// priority are left without a node.
func (s *search) try(w way) (done, lesser bool) {
	s.count()
	r, p := s.base.fork(), Plan{Verdict: Done}
	if s.walk(r, &p, w, s.targets); s.ctx.Err() != nil {
		return false, false // a run that was stopped shows nothing
	}
	for i := range p.Steps {
		if b := p.Steps[i].Refused; b != nil {
			s.refuse(*b)
			return false, false
		}
	}
	for _, m := range r.landed(s.targets) {
		if m.To == "" {
			return false, false
		}
	}
	if _, breaks := r.broken(s.slacks); len(r.gone) > 0 || breaks {
		return false, false
	}
	waits := minus(r.without(), s.start.Before)
	if len(waits) == 0 && p.Verdict == Done {
		return true, false
	}
	return false, len(waits) > 0 && !slices.ContainsFunc(waits, func(w Wait) bool { return w.Priority >= s.lowest })
}

// holds reports whether a way also works with pods that take no time, with those that take four times as long, and,
// where equal nodes are chosen among, with other draws of the scheduler.
func (s *search) holds(w way) bool {
	is, tied := true, false
	otherRuns(usualTrials, func() bool { return tied }, func(times int, seed uint64, _ Sure) (isNew, goOn bool) {
		p, pods := s.carryOut(w, times, seed)
		is, tied = p.Verdict == Done && s.ctx.Err() == nil, tied || p.hasTie() || anyTie(pods)
		return false, is
	})
	return is
}

// refuse keeps what refused a run.
func (s *search) refuse(b Block) {
	if !slices.Contains(s.blocks, b) {
		s.blocks = append(s.blocks, b)
	}
}
