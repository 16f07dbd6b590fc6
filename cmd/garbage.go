package cmd

import (
	"math"
	"runtime/debug"
	"sync"
)

// mostOfConvert is how much memory convert takes before garbage is collected more often than at every doubling, in
// bytes: a past of 10 GB of audit log keeps half of it.
const mostOfConvert = 850 << 20

// collectBelow has garbage collected often enough to stay below a limit, unless the user set one (GOMEMLIMIT), and
// returns the function that ends this. What is in use may be more.
func collectBelow(limit int64) (end func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	debug.SetMemoryLimit(limit)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}

// garbageOfSearch is how many bytes of garbage searches for changes may leave before it is collected. The runs of one
// make some hundreds of megabytes in all beside a cluster of 1,000 nodes, which takes 30: collected at every doubling,
// a third of its CPU time would go there.
const garbageOfSearch = 128 << 20

// searching is what searches that overlap share: how many there are, and the block that is held while there is one.
var searching struct {
	sync.Mutex
	searches int
	block    []byte
}

// letGarbageLie makes the garbage collector wait until there is garbage of at least garbageOfSearch, and returns the
// function that ends this. It holds a block of that size, which counts as memory in use and takes none, since nothing
// writes to it. The setting of the collector belongs to the whole process and is not touched: of two searches that
// overlap, one would restore what the other had set.
func letGarbageLie() (end func()) {
	searching.Lock()
	defer searching.Unlock()
	if searching.searches++; searching.searches == 1 {
		searching.block = make([]byte, garbageOfSearch)
	}
	return func() {
		searching.Lock()
		defer searching.Unlock()
		if searching.searches--; searching.searches == 0 {
			searching.block = nil
		}
	}
}
