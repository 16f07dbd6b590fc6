package cmd

import (
	"runtime/debug"
	"runtime/metrics"
)

// garbageOfSearch is how many bytes of garbage a search for changes may leave before it is collected. Its runs make
// some hundreds of megabytes in all beside a cluster of 1,000 nodes, which takes 30: collected at every doubling, a
// third of its CPU time would go there.
const garbageOfSearch = 128 << 20

// letGarbageLie makes the garbage collector wait until there is so much garbage, in bytes. It returns the function that
// undoes this. Where the collector would wait for longer anyway (more memory is in use, or GOGC is higher), nothing
// changes.
func letGarbageLie(most uint64) (restore func()) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	inUse := max(live[0].Value.Uint64(), 4<<20) // the least heap of Go
	before := debug.SetGCPercent(-1)
	percent := before
	if before >= 0 {
		percent = max(before, int(100*most/inUse))
	}
	debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
