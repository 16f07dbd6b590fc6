package cluster

// lastVictim is the pod whose leave-taking ends a preemption; the others were asked to go before it.
type lastVictim struct{ key, uid string }

// Preempts notes that victims are being evicted in favour of a pod, last after all others. The note ends by itself
// when the last victim is asked to go, or is gone.
func (s *State) Preempts(pod, last *Pod) {
	s.preempting.Set(pod.UID(), lastVictim{last.Key, last.UID()})
}

// Preempting is the key of the victim that a pod waits for; false when no eviction in its favour is under way.
func (s *State) Preempting(pod *Pod) (string, bool) {
	last, ok := s.preempting.Get(pod.UID())
	return last.key, ok
}

// StopPreempting ends the note about a pod if it waits for that victim.
func (s *State) StopPreempting(pod, victim *Pod) {
	if last, ok := s.preempting.Get(pod.UID()); ok && last.uid == victim.UID() {
		s.preempting.Delete(pod.UID())
	}
}

// EndPreempting ends the note about a pod, whomever it waits for; false when there was none.
func (s *State) EndPreempting(pod *Pod) bool {
	_, was := s.preempting.Delete(pod.UID())
	return was
}

// leaves ends the notes that wait for a pod which was asked to go, or is gone.
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
