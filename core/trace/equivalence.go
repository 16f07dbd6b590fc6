package trace

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// EquivalenceHits is what a cycle would have taken out of the equivalence cache, where a release has one: answers of
// filters about other pods of the class. Here the filters run all the same.
type EquivalenceHits struct {
	Class   string // such as ReplicaSet/web
	Asked   int    // answers that the cycle wanted, and that the cache may have
	Filters []EquivalenceHit
}

// EquivalenceHit is a filter with the nodes for which the cache had its answer, in the order in which kube-scheduler
// evaluated them.
type EquivalenceHit struct {
	Plugin string
	Nodes  []string
}

// Hits is how many answers the cache had.
func (f *EquivalenceHits) Hits() int {
	n := 0
	for _, hit := range f.Filters {
		n += len(hit.Nodes)
	}
	return n
}

func (EquivalenceHits) Phase() Phase { return PhaseFilter }
func (f EquivalenceHits) Phrase() phrase.Phrase {
	if len(f.Filters) == 0 {
		return phrase.New("equivalence cache: %d of %d answers about %s would have been hits", 0, f.Asked, f.Class)
	}
	return phrase.New(
		"equivalence cache: %d of %d answers about %s would have been hits: %s", f.Hits(), f.Asked, f.Class, f.where(),
	)
}

// where lists the hits. Filters with the same nodes are one entry.
func (f *EquivalenceHits) where() phrase.Phrase {
	var nodes []phrase.Text
	filters := map[phrase.Text][]string{}
	for _, hit := range f.Filters {
		on := listed(hit.Nodes).Text()
		if _, seen := filters[on]; !seen {
			nodes = append(nodes, on)
		}
		filters[on] = append(filters[on], hit.Plugin)
	}
	said := make([]phrase.Phrase, len(nodes))
	for i, on := range nodes {
		said[i] = phrase.New("%s (%s)", strings.Join(filters[on], " "), on)
	}
	return phrase.Join("; ", said...)
}

// EquivalenceStale is an answer in the equivalence cache that differs from what the filter returns now: no event since
// then removed the answer from the cache.
type EquivalenceStale struct {
	Class, Plugin, Node string
	Kept, Now           Verdict
}

func (EquivalenceStale) Phase() Phase { return PhaseFilter }
func (f EquivalenceStale) Phrase() phrase.Phrase {
	return phrase.New(
		"equivalence cache: %s of %s is stale: kept was %s, and now it is %s", f.Plugin, f.Node, f.Kept.String(),
		f.Now.String(),
	)
}

func (EquivalenceHits) fact()  {}
func (EquivalenceStale) fact() {}

// Equivalence is what a try would have taken out of the equivalence cache.
type Equivalence struct {
	EquivalenceHits
	Stale []EquivalenceStale
}

// addEquivalence adds one fact about the equivalence cache.
func (t *Try) addEquivalence(fact Fact) {
	switch f := fact.(type) {
	case EquivalenceHits:
		t.Equivalence = &Equivalence{EquivalenceHits: f}
	case EquivalenceStale:
		if t.Equivalence != nil {
			t.Equivalence.Stale = append(t.Equivalence.Stale, f)
		}
	}
}

// EquivalenceDocument is what a cycle would have taken out of the equivalence cache.
type EquivalenceDocument struct {
	Class string                     `json:"class"`
	Asked int                        `json:"asked"`
	Hits  []EquivalenceHitDocument   `json:"hits,omitempty"`
	Stale []EquivalenceStaleDocument `json:"stale,omitempty"`
}

// EquivalenceHitDocument is a filter with the nodes for which the cache had its answer.
type EquivalenceHitDocument struct {
	Plugin string   `json:"plugin"`
	Nodes  []string `json:"nodes"`
}

// EquivalenceStaleDocument is an answer in the cache that differs from what the filter returns now.
type EquivalenceStaleDocument struct {
	Node string          `json:"node"`
	Kept VerdictDocument `json:"kept"`
	Now  VerdictDocument `json:"now"`
}

func (e *Equivalence) document() *EquivalenceDocument {
	if e == nil {
		return nil
	}
	d := &EquivalenceDocument{Class: e.Class, Asked: e.Asked}
	for _, hit := range e.Filters {
		d.Hits = append(d.Hits, EquivalenceHitDocument(hit))
	}
	for _, s := range e.Stale {
		d.Stale = append(d.Stale, EquivalenceStaleDocument{
			Node: s.Node, Kept: verdictDocument(s.Plugin, s.Kept), Now: verdictDocument(s.Plugin, s.Now),
		})
	}
	return d
}
