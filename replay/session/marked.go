package session

import "slices"

// before is the step of the last checkpoint before a step.
func (l *line) before(step int) int {
	i, _ := slices.BinarySearchFunc(l.checkpoints, step, func(c checkpoint, s int) int { return c.step - s })
	return l.checkpoints[i-1].step
}

// mayStrike reports whether a breakpoint may be hit in a stretch of known steps, by the marks. When it returns false,
// the steps need not be run again to find that out.
func (s *Session) mayStrike(first, last int) bool {
	from, _ := slices.BinarySearchFunc(s.line.marks, first, func(m Mark, step int) int { return m.Step - step })
	until, _ := slices.BinarySearchFunc(s.line.marks, last+1, func(m Mark, step int) int { return m.Step - step })
	return slices.ContainsFunc(s.breaks, func(b Breakpoint) bool {
		return !b.Off && (!b.hitsCycles() || s.line.mayHit(&b, s.line.marks[from:until]))
	})
}

// hitsCycles reports whether only cycles can hit the breakpoint: they are marked.
func (b *Breakpoint) hitsCycles() bool {
	return b.needsMark() || b.condition != nil && b.words() == 0
}

// needsMark reports whether only a cycle about a pod or with an outcome can hit the breakpoint: such cycles are marked.
func (b *Breakpoint) needsMark() bool {
	if b.Watch != "" || b.Diverge {
		return false
	}
	return b.Outcome != "" || b.Pod != "" && b.Queue == "" && b.Event == ""
}

// mayMean reports whether the cycle of a mark may be one that hits the breakpoint. The outcomes of the pods of a group
// are not in its mark.
func (b *Breakpoint) mayMean(m Mark) bool {
	if m.Cycle == 0 {
		return false
	}
	if b.Outcome != "" && m.Outcome != b.Outcome && len(m.Members) == 0 {
		return false
	}
	if b.Pod == "" || b.Queue != "" || b.Event != "" {
		return true
	}
	means := func(key string) bool { return podMatches(b.Pod, key) }
	return means(m.Pod) || slices.ContainsFunc(m.Members, means)
}
