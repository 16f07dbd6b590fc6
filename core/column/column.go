// Package column keeps what filters and scores answered about each node, for pods that are alike, until the node
// changes. It runs no plugin, knows none by name, and decides nothing: what is not kept is computed again. The cycle
// (core) runs the plugins, and keeps here what it may keep.
package column

import (
	"slices"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Column is what is kept of the answers about pods that are alike. Nodes are known by their index in the snapshot: with
// another list of nodes the Column begins anew.
type Column struct {
	// PreFilters and PreScores have the plugins' answers at these extension points that may be kept, Others those of
	// filters that the profile runs at Filter alone; all by their places in the profile.
	PreFilters []Study
	Others     []Study
	PreScores  []Scoring

	nodes  []string // the list
	moment int64    // what has changed since is unknown

	filters  []framework.Keep // what may be kept of each of the profile's filters,
	scores   []framework.Keep // and of each of its score plugins
	footings []string         // what the verdicts of filters rest on, by their places
	kinds    []Kind           // each once
	of       []uint8          // by node: Unknown, Fits, or a place in kinds
	failures [][]trace.Failure
	strips   []Strip

	tries   []*framework.Tried // by node; nil: none was kept
	budgets []*policyv1.PodDisruptionBudget

	used  int64 // the number of the last cycle that used it
	whole bool  // all failures of a node are kept with their evidence, in place of the first without it
}

// copy is an independent column with the same content.
func (c *Column) copy() *Column {
	again := *c
	again.PreFilters, again.Others, again.PreScores = slices.Clone(c.PreFilters), slices.Clone(c.Others),
		slices.Clone(c.PreScores)
	again.footings, again.kinds, again.of = slices.Clone(c.footings), slices.Clone(c.kinds), slices.Clone(c.of)
	again.failures, again.tries = slices.Clone(c.failures), slices.Clone(c.tries)
	again.strips = slices.Clone(c.strips)
	for i := range again.strips {
		s := &again.strips[i]
		s.of, s.scores = slices.Clone(s.of), slices.Clone(s.scores)
	}
	return &again
}

// Study is an answer of PreFilter, once it is kept.
type Study struct {
	framework.Study
	Kept bool
	Fact trace.Fact // of the answer, so that cycles share it; nil: there was none
}

// Scoring is an answer of PreScore, once it is kept.
type Scoring struct {
	framework.Scoring
	Kept bool
}

// Kind is one way in which nodes are rejected.
type Kind struct {
	Plugin  int16 // the first that rejects, by its place in the profile
	Verdict trace.Verdict
}

// What Of returns for a node that no filter rejected, and for one of which nothing is kept.
const (
	Fits    uint8 = 0xfe
	Unknown uint8 = unknown
)

func newColumn(profile *framework.Profile, pod *cluster.Pod, whole bool) *Column {
	c := &Column{
		PreFilters: make([]Study, len(profile.PreFilter)), Others: make([]Study, len(profile.Filter)),
		PreScores: make([]Scoring, len(profile.PreScore)),
		footings:  make([]string, len(profile.Filter)), strips: make([]Strip, len(profile.Score)), whole: whole,
	}
	for _, p := range profile.Filter {
		c.filters = append(c.filters, framework.KeptOf(p, pod))
	}
	for _, p := range profile.Score {
		c.scores = append(c.scores, framework.KeptOf(p.ScorePlugin, pod))
	}
	return c
}

// Follow takes in what has changed since the column was followed last.
func (c *Column) Follow(v *cluster.Snapshot) {
	if len(v.Names) != len(c.nodes) || len(v.Names) > 0 && &v.Names[0] != &c.nodes[0] ||
		!v.ChangedSince(c.moment, c.outdate) {
		c.nodes = v.Names
		c.forgetVerdicts()
		for i := range c.strips {
			c.strips[i].forget(0)
		}
	}
	c.moment = v.Moment()
}

func (c *Column) outdate(node int) {
	if len(c.of) > 0 {
		c.of[node] = Unknown
	}
	if len(c.failures) > 0 {
		c.failures[node] = nil
	}
	if len(c.tries) > 0 {
		c.tries[node] = nil
	}
	for i := range c.strips {
		c.strips[i].outdate(node)
	}
}

func (c *Column) forgetVerdicts() {
	if len(c.of) != len(c.nodes) {
		c.of = make([]uint8, len(c.nodes))
		if c.whole {
			c.failures = make([][]trace.Failure, len(c.nodes))
		}
	}
	for i := range c.of {
		c.of[i] = Unknown
	}
	clear(c.failures)
	c.kinds, c.tries = c.kinds[:0], nil
}

// Rest finds out which verdicts of the cycle's checks are kept: kept has true for each that is, by its place. What is
// kept of all of them is forgotten when they rest on something else than they did.
func (c *Column) Rest(checks []framework.Check, kept []bool) {
	same := len(c.kinds) < int(Fits)
	for i, check := range checks {
		footing, keeps := "", c.filters[i]&framework.KeepVerdicts != 0
		if f, is := check.(framework.Footed); is && keeps {
			footing, keeps = f.Footing()
		}
		kept[i] = keeps && check != nil
		switch {
		case !keeps:
			footing = "asked"
		case check == nil:
			footing = "skipped"
		case footing != "":
			footing = "on " + footing
		}
		same = same && footing == c.footings[i]
		c.footings[i] = footing
	}
	if !same {
		c.forgetVerdicts()
	}
}

// Of is Fits, Unknown, or which of Kinds the node is rejected by.
func (c *Column) Of(node int32) uint8 { return c.of[node] }

// Kinds are the ways in which nodes are rejected. They are read only, and good until a verdict is kept.
func (c *Column) Kinds() []Kind { return c.kinds }

// Failures are all failures of a node, by plugin; read only.
func (c *Column) Failures(node int32) []trace.Failure { return c.failures[node] }

// KeepFirst keeps the first failure of a node; nil: it fits. It returns what Of returns now. An error is not kept.
func (c *Column) KeepFirst(node int32, failure *trace.Failure) uint8 {
	if failure == nil {
		c.of[node] = Fits
		return Fits
	}
	kind := c.KindOf(failure.Plugin, failure.Verdict)
	if kind != Unknown {
		c.of[node] = kind
	}
	return kind
}

// KindOf is the place in Kinds of a verdict that rejects. An error has none: it is Unknown.
func (c *Column) KindOf(plugin int16, v trace.Verdict) uint8 {
	at := 0
	for at < len(c.kinds) && !c.kinds[at].is(plugin, v) {
		at++
	}
	switch {
	case v.Code == trace.Error || at == int(Fits):
		return Unknown
	case at == len(c.kinds):
		c.kinds = append(c.kinds, Kind{Plugin: plugin, Verdict: trace.Verdict{Code: v.Code, Reasons: v.Reasons}})
	}
	return uint8(at)
}

func (k *Kind) is(plugin int16, v trace.Verdict) bool {
	return k.Plugin == plugin && k.Verdict.Code == v.Code && slices.Equal(k.Verdict.Reasons, v.Reasons)
}

// KeepAll keeps all failures of a node; none: it fits. They are copied with their evidence. Errors are not kept.
func (c *Column) KeepAll(node int32, failures []trace.Failure) {
	if slices.ContainsFunc(failures, func(f trace.Failure) bool { return f.Verdict.Code == trace.Error }) {
		return
	}
	c.of[node] = Fits
	if len(failures) == 0 {
		return
	}
	c.of[node] = 0
	kept := slices.Clone(failures)
	for i := range kept {
		kept[i].Verdict.Evidence = slices.Clone(kept[i].Verdict.Evidence)
	}
	c.failures[node] = kept
}

// Whole reports whether all failures of a node are kept: then Of has no kinds, and a node that does not fit is 0.
func (c *Column) Whole() bool { return c.whole }

// On drops what was tried with other disruption budgets.
func (c *Column) On(budgets []*policyv1.PodDisruptionBudget) {
	if !slices.Equal(budgets, c.budgets) {
		c.budgets, c.tries = budgets, nil
	}
}

// Tried is the result of trying to make room on a node; nil: nothing is kept of it.
func (c *Column) Tried(node int) *framework.Tried {
	if len(c.tries) == 0 {
		return nil
	}
	return c.tries[node]
}

// KeepTried keeps the result of trying to make room on a node.
func (c *Column) KeepTried(node int, t *framework.Tried) {
	if len(c.tries) == 0 {
		c.tries = make([]*framework.Tried, len(c.nodes))
	}
	c.tries[node] = t
}

// Strip is the raw scores of the score plugin at a place of the profile; nil when none are kept.
func (c *Column) Strip(plugin int, scorer framework.Scorer) *Strip {
	s := &c.strips[plugin]
	footing, keeps := "", c.scores[plugin]&framework.KeepScores != 0 && !s.spent
	if f, is := scorer.(framework.Footed); is && keeps {
		footing, keeps = f.Footing()
	}
	if !keeps {
		return nil
	}
	if len(s.of) != len(c.nodes) || s.footing != footing {
		s.footing = footing
		s.forget(len(c.nodes))
	}
	return s
}

// What the failures of a node take at most, mostly, and what was tried on it.
const (
	sizeOfFailures = 24 + 2*256
	sizeOfTried    = 8 + 256
)

// size is roughly how many bytes it holds.
func (c *Column) size() int {
	bytes := len(c.of) + sizeOfFailures*len(c.failures) + sizeOfTried*len(c.tries)
	for i := range c.strips {
		bytes += len(c.strips[i].of)
	}
	return bytes
}
