package input

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/schedstep/schedstep/replay/source/audit"
	"github.com/schedstep/schedstep/replay/source/history"
)

// Past is how complete a past is that was rebuilt of logs, as data.
type Past struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Servers int       `json:"servers,omitempty"` // audit logs of so many API servers
	Entries int64     `json:"entries,omitempty"` // of audit logs
	Writes  int       `json:"writes"`            // of kinds that a scheduler reads

	Levels    *PastLevels   `json:"levels,omitempty"` // of the writes of audit logs
	Beginning PastBeginning `json:"beginning"`
	Kinds     []PastKind    `json:"kinds"`
	Absent    []string      `json:"absent"` // kinds without any version: they are unknown, not empty
	Gaps      []PastGap     `json:"gaps"`
	Missing   int           `json:"missingRevisions"` // between the first and the last
	Timed     int           `json:"orderedByTime"`    // writes of which no revision is known
	Bindings  []PastBinder  `json:"bindings"`
}

// PastLevels counts writes by what the log has of them.
type PastLevels struct {
	Answered int `json:"answered"` // the object that was answered
	Sent     int `json:"sent"`     // what was sent
	Neither  int `json:"neither"`
}

// PastBeginning counts the objects that were there before the first write, by how they are known.
type PastBeginning struct {
	Unchanged      int `json:"unchanged"`      // of a dump, or of a store, and not changed since
	RolledBack     int `json:"rolledBack"`     // of a dump that was taken later
	FirstMentioned int `json:"firstMentioned"` // from the first entry that shows them
	OnlyNamed      int `json:"onlyNamed"`      // no entry shows them
}

// PastKind is how many versions of a kind there are, by how they are known.
type PastKind struct {
	Kind    string `json:"kind"`
	Exact   int    `json:"exact"`
	Derived int    `json:"derived"` // by a rule of the API server
	Guessed int    `json:"guessed"`
}

// PastGap is writes of one kind in one minute that made no version, or a doubtful one.
type PastGap struct {
	Minute time.Time `json:"minute"`
	Kind   string    `json:"kind"`
	Why    string    `json:"why"` // "writes ...": without a body, after a write that is missing
	Count  int       `json:"count"`
}

// PastBinder is a user that bound pods.
type PastBinder struct {
	User     string `json:"user"`
	Bindings int    `json:"bindings"`
}

// pastOf is a report as data.
func pastOf(r history.Report) *Past {
	p := &Past{
		From: r.From.UTC(), To: r.To.UTC(), Servers: r.Servers, Writes: r.Writes, Missing: r.Missing, Timed: r.Timed,
		Beginning: PastBeginning{r.Unchanged, r.RolledBack, r.Mentioned, r.OnlyNamed},
		Kinds:     []PastKind{}, Absent: []string{}, Gaps: []PastGap{}, Bindings: []PastBinder{},
	}
	for _, k := range r.Kinds {
		p.Kinds = append(p.Kinds, PastKind{string(k.Kind), k.Exact, k.Derived, k.Guessed})
	}
	slices.SortFunc(p.Kinds, func(a, b PastKind) int { return cmp.Compare(a.Kind, b.Kind) })
	for _, kind := range r.Absent() {
		p.Absent = append(p.Absent, string(kind))
	}
	for _, g := range r.Gaps {
		p.Gaps = append(p.Gaps, PastGap{g.Minute.UTC(), string(g.Kind), g.Why, g.Count})
	}
	for _, user := range slices.Sorted(maps.Keys(r.Bindings)) {
		p.Bindings = append(p.Bindings, PastBinder{user, r.Bindings[user]})
	}
	return p
}

// ofEntries adds what only audit logs have.
func (p *Past) ofEntries(c audit.Counts) {
	p.Entries, p.Levels = c.Entries, &PastLevels{Answered: c.Response, Sent: c.Request, Neither: c.Metadata}
}
