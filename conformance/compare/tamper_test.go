package compare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
)

// lie changes one answer of our cycle; false when the cycle has none of the kind.
type lie struct {
	what   string // the difference it must come out as
	plugin string
	tell   func(c *trace.Try) bool
}

// lies lists one lie for every kind of answer of every plugin of the default
// profile.
func lies() []lie {
	all := cycleLies()
	for _, p := range config.Default().Profiles {
		for _, f := range p.PreFilter {
			all = append(all, preFilterLies(f.Name())...)
		}
		for _, f := range p.Filter {
			all = append(all, filterLies(f.Name())...)
		}
		for _, s := range p.Score {
			all = append(all, scoreLies(s.Name())...)
		}
	}
	return all
}

func preFilterLies(plugin string) []lie {
	tell := func(change func(f *trace.PreFiltered)) func(*trace.Try) bool {
		return func(c *trace.Try) bool {
			for i := range c.PreFilters {
				if c.PreFilters[i].Plugin == plugin {
					change(&c.PreFilters[i])
					return true
				}
			}
			return false
		}
	}
	return []lie{
		{"PreFilter", plugin, tell(func(f *trace.PreFiltered) {
			f.Verdict = trace.Verdict{Code: trace.Pending}
		})},
		{"PreFilter nodes", plugin, tell(func(f *trace.PreFiltered) { f.Nodes = append(slices.Clone(f.Nodes), "nowhere") })},
	}
}

// filterLies are a failing cell that passes, one with another reason and a
// passing cell that fails.
func filterLies(plugin string) []lie {
	failing := func(c *trace.Try) int {
		if c.Matrix == nil {
			return -1
		}
		return slices.IndexFunc(c.Matrix.Failures, func(f trace.Failure) bool { return c.Matrix.Plugins[f.Plugin] == plugin })
	}
	all := []lie{{"Filter", plugin, func(c *trace.Try) bool {
		if c.Matrix == nil || !c.Matrix.Complete || len(c.Matrix.OnNode(0)) > 0 {
			return false
		}
		p := slices.Index(c.Matrix.Plugins, plugin)
		if p < 0 {
			return false
		}
		c.Matrix.Failures = slices.Insert(slices.Clone(c.Matrix.Failures), 0, trace.Failure{
			Plugin: int16(p), Verdict: trace.Verdict{Code: trace.Unschedulable},
		})
		return true
	}}}
	if plugin == "NodeName" {
		return all // a pod with a node name is never pending
	}
	return append(all, lie{"Filter", plugin, func(c *trace.Try) bool {
		at := failing(c)
		if at < 0 {
			return false
		}
		c.Matrix.Failures = slices.Delete(slices.Clone(c.Matrix.Failures), at, at+1)
		return true
	}}, lie{"Filter", plugin, func(c *trace.Try) bool {
		at := failing(c)
		if at < 0 {
			return false
		}
		c.Matrix.Failures = slices.Clone(c.Matrix.Failures)
		f := &c.Matrix.Failures[at]
		f.Verdict.Reasons = append(slices.Clone(f.Verdict.Reasons), "because")
		return true
	}})
}

func scoreLies(plugin string) []lie {
	tell := func(change func(s *trace.ScoreColumn)) func(*trace.Try) bool {
		return func(c *trace.Try) bool {
			if c.Scores == nil {
				return false
			}
			for i := range c.Scores.Columns {
				if s := &c.Scores.Columns[i]; s.Plugin == plugin && !s.Skipped {
					change(s)
					return true
				}
			}
			return false
		}
	}
	return []lie{
		{"raw score", plugin, tell(func(s *trace.ScoreColumn) { s.Raw[len(s.Raw)-1]++ })},
		{"normalized score", plugin, tell(func(s *trace.ScoreColumn) { s.Normalized[0]++ })},
		{"weighted score", plugin, func(c *trace.Try) bool {
			scores := func(s trace.ScoreColumn) bool {
				return s.Plugin == plugin && slices.ContainsFunc(s.Normalized, func(n int64) bool { return n > 0 })
			}
			if c.Scores == nil || !slices.ContainsFunc(c.Scores.Columns, scores) {
				return false
			}
			c.Scores.Columns[slices.IndexFunc(c.Scores.Columns, scores)].Weight += 2
			return true
		}},
	}
}

func cycleLies() []lie {
	return []lie{
		{"host", "", func(c *trace.Try) bool {
			if c.Selected == nil || len(c.Selected.Tied) < 2 {
				return false
			}
			other := slices.IndexFunc(c.Selected.Tied, func(n string) bool { return n != c.Selected.Node })
			c.Selected.Node = c.Selected.Tied[other]
			return true
		}},
		{"best hosts", "", func(c *trace.Try) bool {
			if c.Selected == nil {
				return false
			}
			c.Selected.Tied = append(slices.Clone(c.Selected.Tied), "nowhere")
			return true
		}},
		{"total score", "", func(c *trace.Try) bool {
			if c.Scores == nil {
				return false
			}
			c.Scores.Totals[0]++
			return true
		}},
		{"PreScore skips", "", func(c *trace.Try) bool {
			if len(c.PreScores) == 0 || c.Scores == nil {
				return false
			}
			last := len(c.PreScores) - 1
			c.PreScores = append(slices.Clone(c.PreScores[:last]), trace.PreScored{
				Plugin: "Nobody", Verdict: trace.Verdict{Code: trace.Skip},
			})
			return true
		}},
		{"unschedulable plugins", "", func(c *trace.Try) bool {
			if c.Ended.Outcome != trace.NotSchedulable || len(c.Ended.Plugins) == 0 {
				return false
			}
			c.Ended.Plugins = c.Ended.Plugins[1:]
			return true
		}},
		{"nodes evaluated", "", ended(func(e *trace.Ended) { e.Evaluated++ })},
		{"nodes feasible", "", ended(func(e *trace.Ended) { e.Feasible++ })},
		{"start index", "", ended(func(e *trace.Ended) { e.StartIndex++ })},
		{"snapshot order", "", func(c *trace.Try) bool {
			if c.Matrix == nil || !c.Matrix.Complete || len(c.Matrix.Nodes) < 2 {
				return false
			}
			c.Matrix.Nodes = slices.Clone(c.Matrix.Nodes)
			slices.Reverse(c.Matrix.Nodes)
			return true
		}},
	}
}

// ended is a lie about the end of a cycle that placed its pod after a search.
func ended(change func(*trace.Ended)) func(*trace.Try) bool {
	return func(c *trace.Try) bool {
		if c.Ended.Outcome != trace.Scheduled || c.Nominated != nil {
			return false
		}
		changed := *c.Ended
		change(&changed)
		c.Ended = &changed
		return true
	}
}

// told plays seeds until enough plays contained a lie, and counts those plays. shown gets the differences of each of
// them. setting sets up the play of a seed so that it lies once, and sets *told when it does.
func told(
	t *testing.T, seeds, enough int, setting func(seed int, told *bool) compare.Play,
	shown func(seed int, all []compare.Difference),
) int {
	t.Helper()
	count := 0
	for seed := 0; seed < seeds && count < enough; seed++ {
		lied := false
		play := setting(seed, &lied)
		differences, err := play.Run(&compare.Tally{})
		if err != nil {
			t.Fatal(err)
		}
		if lied {
			count++
			shown(seed, differences)
		}
	}
	return count
}

// in puts a lie into the first cycle of a play that has such an answer.
func (l *lie) in(play compare.Play, told *bool) compare.Play {
	play.Tamper.Cycle = func(c *trace.Try) {
		if !*told {
			*told = l.tell(c)
		}
	}
	return play
}

// TestEveryLieIsFoundOut puts each lie into the first cycle of a seed that has such an answer, until it went in three
// times.
func TestEveryLieIsFoundOut(t *testing.T) {
	const seeds = 400
	drawn := make([]compare.Play, seeds)
	for i, l := range lies() {
		found := 0
		times := told(t, seeds, 3, func(seed int, lied *bool) compare.Play {
			if drawn[seed].Script == nil {
				drawn[seed] = plays.Of(t, seed*7, plays.Drawn)
			}
			return l.in(drawn[seed], lied)
		}, func(_ int, all []compare.Difference) {
			if slices.ContainsFunc(all, func(d compare.Difference) bool {
				return d.What == l.what && d.Plugin == l.plugin
			}) {
				found++
			}
		})
		if times == 0 || found < times {
			t.Errorf("lie %d, %s of %s: told %d times, found out %d times", i, l.what, l.plugin, times, found)
		}
	}
}

// ofPreemption is a lie that changes a copy of a cycle's preemption, and reports whether the cycle had one to change.
func ofPreemption(change func(c *trace.Try, p *trace.Preemption) bool) func(*trace.Try) bool {
	return func(c *trace.Try) bool {
		if c.Preemption == nil || !c.Preemption.Eligible || c.Preemption.Wanted < c.Preemption.Potential {
			return false
		}
		changed := *c.Preemption
		if !change(c, &changed) {
			return false
		}
		c.Preemption = &changed
		return true
	}
}

// preemptionLies are lies about the victims of a pod, for crowded clusters.
var preemptionLies = []lie{
	{"preemption not eligible", "", ofPreemption(func(_ *trace.Try, p *trace.Preemption) bool {
		p.Eligible = false
		return true
	})},
	{"preemption potential nodes", "", ofPreemption(func(_ *trace.Try, p *trace.Preemption) bool {
		p.Unhelpful = nil
		return p.Potential < len(p.Nodes)
	})},
	{"preemption", "", ofPreemption(func(_ *trace.Try, p *trace.Preemption) bool {
		p.Candidates = slices.Clone(p.Candidates)
		if len(p.Candidates) == 0 || len(p.Candidates[0].Victims) == 0 {
			return false
		}
		p.Candidates[0].Victims = p.Candidates[0].Victims[1:]
		return true
	})},
	{"preemption", "", ofPreemption(func(_ *trace.Try, p *trace.Preemption) bool {
		p.Candidates = slices.Clone(p.Candidates)
		at := slices.IndexFunc(p.Candidates, func(c trace.PreemptionCandidate) bool { return c.Violations() > 0 })
		if at < 0 {
			return false
		}
		p.Candidates[at].Violating = p.Candidates[at].Violating[1:]
		return true
	})},
	{"preemption", "", ofPreemption(func(_ *trace.Try, p *trace.Preemption) bool {
		p.Refused = slices.Clone(p.Refused)
		if len(p.Refused) == 0 {
			return false
		}
		p.Refused[0].Verdict = trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"because"}}
		return true
	})},
	{"preemption nodes tried", "", ofPreemption(func(_ *trace.Try, p *trace.Preemption) bool {
		if len(p.Refused) == 0 {
			return false
		}
		p.Refused = p.Refused[1:]
		return true
	})},
	{"preemption best nodes", "", ofPreemption(func(_ *trace.Try, p *trace.Preemption) bool {
		if p.Node == "" || p.Tied >= len(p.Candidates) {
			return false
		}
		p.Tied++
		return true
	})},
	{"nominated node", "", ofPreemption(func(c *trace.Try, p *trace.Preemption) bool {
		if p.Node == "" || p.Tied > 1 {
			return false
		}
		changed := *c.Ended
		c.Ended = &changed
		c.Ended.NominatedNode, p.Node = "nowhere", "nowhere"
		return true
	})},
}

func TestEveryLieAboutPreemptionIsFoundOut(t *testing.T) {
	for i, l := range preemptionLies {
		times := told(t, 400, 3, func(seed int, lied *bool) compare.Play {
			return l.in(plays.Of(t, seed, plays.Crowded), lied)
		}, func(seed int, all []compare.Difference) {
			if !slices.ContainsFunc(all, func(d compare.Difference) bool { return d.What == l.what }) {
				t.Errorf("lie %d, %s, went unseen with seed %d: %v", i, l.what, seed, all)
			}
		})
		if times == 0 {
			t.Errorf("lie %d, %s, was never told", i, l.what)
		}
	}
}

func TestEveryTurnedGateIsFoundOut(t *testing.T) {
	for _, gate := range config.Default().Profiles[0].PreEnqueue {
		times := told(t, 60, 3, func(seed int, turned *bool) compare.Play {
			play := plays.Of(t, seed, plays.Restless)
			play.Tamper.Gate = func(plugin string, v trace.Verdict) trace.Verdict {
				if *turned || plugin != gate.Name() {
					return v
				}
				*turned = true
				return trace.Verdict{Code: trace.Pending}
			}
			return play
		}, func(seed int, all []compare.Difference) {
			if !slices.ContainsFunc(all, func(d compare.Difference) bool {
				return d.Plugin == gate.Name() && d.What == "PreEnqueue"
			}) {
				t.Errorf("a turned gate of %s went unseen with seed %d", gate.Name(), seed)
			}
		})
		if times == 0 {
			t.Errorf("%s was never asked", gate.Name())
		}
	}
}

func TestEveryTurnedHintIsFoundOut(t *testing.T) {
	for _, w := range config.Default().Profiles[0].Wakers() {
		if len(w.Hints()) == 0 {
			continue
		}
		times := told(t, 60, 2, func(seed int, turned *bool) compare.Play {
			play := plays.Of(t, seed, plays.Restless)
			play.Tamper.Hint = func(of string, queue bool) bool {
				if of != w.Name() || *turned {
					return queue
				}
				*turned = true
				return !queue
			}
			return play
		}, func(seed int, all []compare.Difference) {
			if !slices.ContainsFunc(all, func(d compare.Difference) bool {
				return d.Plugin == w.Name() && strings.HasPrefix(d.What, "hint ") && len(d.What) > len("hint ")
			}) {
				t.Errorf("a turned hint of %s went unseen with seed %d", w.Name(), seed)
			}
		})
		if times == 0 {
			t.Errorf("%s never hinted", w.Name())
		}
	}
}
