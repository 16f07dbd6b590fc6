package play

import (
	"time"

	"github.com/tidwall/btree"

	"github.com/schedstep/schedstep/replay/source"
)

// sent is what a world has sent and nothing has received: by time, then in the order it was sent. The zero value is
// empty. Copies share what neither changed.
type sent struct {
	tree   *btree.BTreeG[sending]
	number int // of the last sending
}

// sending is one of them.
type sending struct {
	what   source.Timed
	number int
}

func (s *sent) add(t source.Timed) {
	if s.tree == nil {
		s.tree = btree.NewBTreeGOptions(func(a, b sending) bool {
			if order := a.what.At.Compare(b.what.At); order != 0 {
				return order < 0
			}
			return a.number < b.number
		}, btree.Options{NoLocks: true})
	}
	s.number++
	s.tree.Set(sending{t, s.number})
}

// due is when the first is due; false: nothing is sent.
func (s *sent) due() (time.Time, bool) {
	if s.tree == nil {
		return time.Time{}, false
	}
	first, ok := s.tree.Min()
	return first.what.At, ok
}

// take removes the first.
func (s *sent) take() source.Timed {
	first, _ := s.tree.PopMin()
	return first.what
}

// each calls f with all, in order, until it returns false.
func (s *sent) each(f func(source.Timed) bool) {
	if s.tree != nil {
		s.tree.Scan(func(one sending) bool { return f(one.what) })
	}
}

func (s *sent) copy() sent {
	if s.tree == nil {
		return *s
	}
	return sent{tree: s.tree.Copy(), number: s.number}
}
