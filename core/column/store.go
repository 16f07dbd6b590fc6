package column

import (
	"encoding/binary"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// Store has the columns of a scheduler. The zero value is empty.
type Store struct {
	columns map[string]*Column
	lent    map[string]*Column // of another store, which is not used meanwhile: they are copied before they are used
	seen    map[uint64]bool    // of pods without a column: some number of what makes them alike
	bytes   int                // of the columns, as it was last measured
}

// The limits of a Store. What goes beyond them is forgotten, which costs time and changes nothing else.
const (
	maxBytes = 64 << 20
	maxSeen  = 1 << 16
)

// Of is the column of a key, which names all that pods have in common and what is kept of them, for a cycle. It is nil
// for the first pod of its kind: columns are for pods that come again.
func (s *Store) Of(key []byte, cycle int64, profile *framework.Profile, pod *cluster.Pod, whole bool) *Column {
	if c := s.columns[string(key)]; c != nil {
		c.used = cycle
		return c
	}
	if c := s.lent[string(key)]; c != nil {
		c = c.copy()
		c.used = cycle
		s.keep(key, c)
		return c
	}
	if number := sum(key); !s.seen[number] {
		if s.seen == nil || len(s.seen) >= maxSeen {
			s.seen = map[uint64]bool{}
		}
		s.seen[number] = true
		return nil
	}
	s.shrink()
	c := newColumn(profile, pod, whole)
	c.used = cycle
	s.keep(key, c)
	return c
}

func (s *Store) keep(key []byte, c *Column) {
	if s.columns == nil {
		s.columns = map[string]*Column{}
	}
	s.columns[string(key)] = c
}

// Lend is a store for a fork of the scheduler that is done before the scheduler goes on.
func (s *Store) Lend() Store { return Store{lent: s.columns} }

// shrink drops the columns that were used longest ago, as long as they are too large together.
func (s *Store) shrink() {
	s.bytes = 0
	for _, c := range s.columns {
		s.bytes += c.size()
	}
	for s.bytes > maxBytes {
		oldest := ""
		for key, c := range s.columns {
			if oldest == "" || c.used < s.columns[oldest].used {
				oldest = key
			}
		}
		s.bytes -= s.columns[oldest].size()
		delete(s.columns, oldest)
	}
}

// sum is a number for a key (FNV-1a, by eight bytes).
func sum(key []byte) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for len(key) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(key)) * prime
		key = key[8:]
	}
	for _, b := range key {
		h = (h ^ uint64(b)) * prime
	}
	return h
}
