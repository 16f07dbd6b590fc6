package core

// Reseed has what a scheduler leaves to chance decided by another seed from now on. The seed then draws also where
// equal nodes are taken in some order otherwise: among equal candidates of a preemption, and where the next search over
// the nodes begins, which a scheduler that has run for a while does not show.
func (s *Scheduler) Reseed(seed uint64) {
	s.seed, s.reseeded = seed, true
	if nodes := len(s.state.Snapshot().Nodes); nodes > 0 {
		s.start = int(mix(seed) % uint64(nodes))
	}
}
