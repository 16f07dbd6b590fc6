package trace

// Room hands out empty lists for evidence, cut from blocks: a pod that fits nowhere is rejected by thousands of nodes
// in a row, and as many small allocations would cost more than the comparisons. What was handed out is never handed
// out again. The zero value is ready; a Room is used by one goroutine.
type Room struct {
	evidence []Evidence
	names    []string
}

// block is how many pieces of evidence are allocated at once, 8 KiB.
const block = 46

// Evidence is an empty list with room for n and no more.
func (r *Room) Evidence(n int) []Evidence {
	if len(r.evidence) < n {
		r.evidence = make([]Evidence, max(n, block))
	}
	list := r.evidence[:0:n]
	r.evidence = r.evidence[n:]
	return list
}

// Names is a list of these names, for Evidence.By.
func (r *Room) Names(names ...string) []string {
	n := len(names)
	if len(r.names) < n {
		r.names = make([]string, max(n, block))
	}
	list := r.names[:n:n]
	r.names = r.names[n:]
	copy(list, names)
	return list
}
