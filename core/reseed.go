package core

// Reseed has what a scheduler leaves to chance decided by another seed from now on. Among equal candidates of a
// preemption, which are taken in the order of the nodes otherwise, the seed then draws too.
func (s *Scheduler) Reseed(seed uint64) { s.seed, s.reseeded = seed, true }
