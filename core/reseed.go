package core

// Reseed has what a scheduler leaves to chance decided by another seed from now on.
func (s *Scheduler) Reseed(seed uint64) { s.seed = seed }
