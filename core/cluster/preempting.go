package cluster

// lastVictim is the pod whose deletion ends a preemption; the others were deleted before it.
type lastVictim struct{ key, uid string }

// Preempts notes that victims are being evicted in favour of the pod or pod group with that UID, last after all others.
// The note ends by itself when the last victim is terminating, or is gone.
func (s *State) Preempts(uid string, last *Pod) {
	s.preempting.Set(uid, lastVictim{last.Key, last.UID()})
}

// Preempting is the key of the victim that a pod or pod group waits for; false when no eviction in its favour is under
// way.
func (s *State) Preempting(uid string) (string, bool) {
	last, ok := s.preempting.Get(uid)
	return last.key, ok
}

// StopPreempting ends the note about a pod or pod group if it waits for that victim.
func (s *State) StopPreempting(uid string, victim *Pod) {
	if last, ok := s.preempting.Get(uid); ok && last.uid == victim.UID() {
		s.preempting.Delete(uid)
	}
}

// EndPreempting ends the note about a pod or pod group, whomever it waits for; false when there was none.
func (s *State) EndPreempting(uid string) bool {
	_, was := s.preempting.Delete(uid)
	return was
}

// leaves ends the notes that wait for a pod which is terminating, or is gone.
func (s *State) leaves(p *Pod) {
	if s.preempting.Len() == 0 {
		return
	}
	var over []string
	s.preempting.Scan(func(preemptor string, last lastVictim) bool {
		if last.uid == p.UID() {
			over = append(over, preemptor)
		}
		return true
	})
	for _, preemptor := range over {
		s.preempting.Delete(preemptor)
	}
}
