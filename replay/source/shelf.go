package source

// Shelf has the entries of a log that were not read yet. Its functions are called by one goroutine at a time.
type Shelf struct {
	First int // how many entries Before has
	Len   int // how many entries there are in all
	// Before is the first entries, which a player that begins behind them does not need. It is called once.
	Before func() Script
	// After is the next entries from First on, in order; none when there are no more.
	After func() Script
}

// Log is a closed log that takes its entries off the shelf when they are read: those behind First one after the other,
// those before it all at once. Where the shelf has fewer entries than it promised, the log ends there; without those
// before First it has none at their places.
func (s Shelf) Log() *Log { return &Log{first: s.First, closed: true, shelf: &s} }

// fetch takes off the shelf what is read at an index. The log is locked for writing.
func (l *Log) fetch(index int) {
	if l.shelf == nil {
		return
	}
	if index < l.first && l.shelf.Before != nil {
		before := l.shelf.Before()
		l.shelf.Before = nil
		if len(before) == l.first {
			l.entries, l.first = append(before, l.entries...), 0
		}
	}
	for l.shelf.After != nil && index-l.first >= len(l.entries) {
		more := l.shelf.After()
		if len(more) == 0 {
			l.shelf.After = nil
		}
		l.entries = append(l.entries, more...)
	}
	if l.shelf.Before == nil && l.shelf.After == nil {
		l.shelf = nil
	}
}

// isShelved reports whether an entry is still on the shelf. The log is locked for reading.
func (l *Log) isShelved(index int) bool {
	return l.shelf != nil && (index < l.first && l.shelf.Before != nil ||
		index-l.first >= len(l.entries) && l.shelf.After != nil)
}

// take fetches an entry that is still on the shelf.
func (l *Log) take(index int) {
	l.mu.RLock()
	shelved := l.isShelved(index)
	l.mu.RUnlock()
	if shelved {
		l.mu.Lock()
		l.fetch(index)
		l.mu.Unlock()
	}
}
