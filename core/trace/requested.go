package trace

import "github.com/schedstep/schedstep/internal/phrase"

// Requested is a step of a plan: a request to the API server, or something else that is done to the cluster from
// outside, such as a node that joins.
type Requested struct {
	Number  int         // of the step, from 1; 0: it is a part of the step before, or comes before the first
	Command phrase.Text // "kubectl cordon n1", "evict shop/web-1"
	Refused phrase.Text // why the API server refuses it; "": it is carried out
}

func (Requested) Phase() Phase { return PhaseCluster }

// Phrase is what the timeline has too.
func (f Requested) Phrase() phrase.Phrase {
	switch {
	case f.Number == 0 && f.Refused == "":
		return phrase.New("%s", f.Command)
	case f.Number == 0:
		return phrase.New("%s is refused: %s", f.Command, f.Refused)
	case f.Refused == "":
		return phrase.New("step %d of the plan: %s", f.Number, f.Command)
	}
	return phrase.New("step %d of the plan: %s is refused: %s", f.Number, f.Command, f.Refused)
}
func (f Requested) String() string { return f.Phrase().String() }
func (Requested) fact()            {}
