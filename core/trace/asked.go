package trace

import "slices"

// Asked is the number of cells that kube-scheduler evaluated; the debugger walks over them one by one.
func (m *Matrix) Asked() int {
	n := 0
	for _, node := range m.Visited {
		n += m.askedOn(int(node))
	}
	return n
}

// AskedAt is the k-th cell that kube-scheduler evaluated, counted from 0 in the order in which it did.
func (m *Matrix) AskedAt(k int) (node, plugin int, ok bool) {
	for _, v := range m.Visited {
		n := m.askedOn(int(v))
		if k >= n {
			k -= n
			continue
		}
		for p := range m.Plugins {
			if m.Skipped[p] {
				continue
			}
			if k == 0 {
				return int(v), p, true
			}
			k--
		}
	}
	return 0, 0, false
}

func (m *Matrix) askedOn(node int) int {
	last := len(m.Plugins) - 1
	if first := m.First[node]; first >= 0 {
		last = int(first)
	}
	n := 0
	for p := 0; p <= last; p++ {
		if !m.Skipped[p] {
			n++
		}
	}
	return n
}

// FromStart is how many nodes kube-scheduler goes through before it comes to this one.
func (m *Matrix) FromStart(node int32) int {
	return (int(node) - m.Start + len(m.Nodes)) % len(m.Nodes)
}

// UpTo is the matrix as it was known when kube-scheduler had evaluated k cells: all of the nodes that were done, the
// answers so far of the node that comes next, and nothing of the others.
func (m *Matrix) UpTo(k int) *Matrix {
	_, last, _ := m.AskedAt(k - 1)
	known := *m
	known.Visited, known.Failures, known.Advice = nil, nil, nil
	known.First = slices.Repeat([]int16{FirstAhead}, len(m.First))
	for _, node := range m.Visited {
		if k <= 0 {
			break
		}
		known.Visited = append(known.Visited, node)
		if k < m.askedOn(int(node)) {
			known.answered = last + 1
			break
		}
		known.First[node] = m.First[node]
		k -= m.askedOn(int(node))
	}
	for i := range m.Failures {
		if known.Ahead(int(m.Failures[i].Node)) {
			continue
		}
		known.Failures = append(known.Failures, m.Failures[i])
		if m.Advice != nil {
			known.Advice = append(known.Advice, m.Advice[i])
		}
	}
	return &known
}
