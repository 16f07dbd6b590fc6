package column

// Strip is the raw scores that one plugin gave nodes: for each node the place of its score in a short list.
type Strip struct {
	footing string
	of      []uint8 // by node: unknown, or a place in scores
	scores  []int64 // each once
	unknown int     // of how many nodes the score is not known
	spent   bool    // there were too many different scores: none is kept any more
}

// unknown stands for a node that has no answer yet, or has changed since.
const unknown = 0xff

func (s *Strip) forget(nodes int) {
	if len(s.of) != nodes {
		s.of = make([]uint8, nodes)
	}
	for i := range s.of {
		s.of[i] = unknown
	}
	s.scores, s.unknown = s.scores[:0], nodes
}

func (s *Strip) outdate(node int) {
	if len(s.of) > 0 && s.of[node] != unknown {
		s.of[node] = unknown
		s.unknown++
	}
}

// Place is the place of a node's raw score in Scores; false when it is not known.
func (s *Strip) Place(node int32) (uint8, bool) {
	at := s.of[node]
	return at, at != unknown
}

// Scores are the raw scores, each once, that nodes have or had. They are read only.
func (s *Strip) Scores() []int64 { return s.scores }

// Same reports whether all nodes are known and no more than one raw score was ever given.
func (s *Strip) Same() bool { return s.unknown == 0 && len(s.scores) == 1 }

// Keep keeps the raw score of a node and returns its place; false when there are too many different ones.
func (s *Strip) Keep(node int32, raw int64) (uint8, bool) {
	at := 0
	for at < len(s.scores) && s.scores[at] != raw {
		at++
	}
	switch {
	case at == unknown:
		s.spent, s.of, s.scores = true, nil, nil
		return 0, false
	case at == len(s.scores):
		s.scores = append(s.scores, raw)
	}
	if s.of[node] == unknown {
		s.unknown--
	}
	s.of[node] = uint8(at)
	return uint8(at), true
}
