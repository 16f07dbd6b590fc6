package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// cycle is one attempt to place one entity. Its snapshot is fixed until the pod is assumed.
type cycle struct {
	scheduler *Scheduler
	profile   *lane
	item      *queue.Item
	pod       *cluster.Pod
	snapshot  *cluster.Snapshot

	group *groupCycle // the cycle that tries the pod as a member; nil: the pod has this cycle for itself
	scope []int32     // the nodes there are for this cycle, as indexes of the snapshot; nil: all

	recalled *recalled                 // what earlier cycles know of pods like this one; nil: nothing
	scratch  *scratch                  // nil: it has memory of its own
	examined bool                      // Examine runs it: nothing of it is carried out
	near     func(*trace.Matrix) []int // the nodes to find advice for; nil: all
	resumed  bool                      // after a wait at Permit or PreBind: only the end of the cycle is left

	// What each phase leaves for those after it.
	studied  studied  // PreFilter
	search   search   // Filter
	choice   choice   // Score, and the choice of the host
	reserved reserved // Reserve, Permit and PreBind

	placed    bool             // the pod was assumed on its host
	promises  []cluster.Object // what was assumed for a member of a group in its try
	binding   bool             // the scheduling half is over
	announced bool             // an effect nominates the pod on its host, and the API does not show it yet

	failure failure
	facts   []trace.Fact
	effects []Effect
}

// studied is what PreFilter found out about the pod.
type studied struct {
	judge   framework.Judge // its checks: one per profile.Filter; nil: skipped by PreFilter
	ran     int             // how many of profile.PreFilter ran
	allowed []string        // the node set, sorted; nil: all nodes
	sets    []string        // the plugins that gave node sets, in order
}

// choice is what the scores of the feasible nodes lead to.
type choice struct {
	scored  bool // plugins scored the feasible nodes; else one alone was feasible
	ranking *ranking
	hint    *trace.BatchHint // the node that comes next in the scores of an earlier cycle; nil: none does
	stale   bool             // there are such scores, and they are of no use
	host    *cluster.Node
}

// run is the scheduling algorithm: every line is an extension point or a decision between two of them. A line that
// returns false has ended the cycle and filled in c.failure.
func (c *cycle) run() {
	c.snapshot.Now = c.scheduler.now
	c.fact(c.popped())
	if c.canSkip() {
		return
	}
	placed := c.findNode() &&
		c.assume() &&
		c.reserve() &&
		c.permit()
	if !placed {
		c.fail()
		return
	}
	c.bind()
}

// findNode chooses the pod's node, for a pod on its own and for a member of a pod group.
func (c *cycle) findNode() bool {
	c.begun()
	return c.hasClaims() && c.hasNodes() &&
		(c.preFilter() && (c.nominatedNodeFits() || c.filter()) || c.postFilter()) &&
		c.score() &&
		c.selectHost()
}

func (c *cycle) fact(f trace.Fact) {
	c.facts = append(c.facts, f)
	if c.scheduler.observer != nil {
		c.scheduler.observer(f)
	}
}

func (c *cycle) popped() trace.Popped {
	return trace.Popped{
		Cycle: c.scheduler.Cycles(), Entity: c.pod.Entity(), Profile: c.schedulerName(), From: c.item.PoppedFrom,
		Attempt: c.item.Attempts, Nodes: len(c.snapshot.Nodes), Now: c.scheduler.now,
	}
}

// schedulerName is the one of the profile, or else of the pod.
func (c *cycle) schedulerName() string {
	if c.profile == nil {
		return c.pod.API.Spec.SchedulerName
	}
	return c.profile.SchedulerName
}

// canSkip ends a cycle that has nothing to place: no profile is responsible for the pod any more, it is going away, or
// has its node already.
func (c *cycle) canSkip() bool {
	message := ""
	switch _, assumed := c.scheduler.state.Assumed(c.pod.Key); {
	case c.profile == nil:
		message = fmt.Sprintf("profile not found for scheduler name %q", c.pod.API.Spec.SchedulerName)
	case c.pod.Terminating():
		message = "skip schedule deleting pod: " + c.pod.Key
		c.report(Report{Pod: c.pod, Type: "Warning", Reason: "FailedScheduling", Note: message})
	case assumed:
	default:
		return false
	}
	c.scheduler.queue.Done(c.pod.UID())
	c.end(trace.Ended{Outcome: trace.SkippedScheduling, Message: message})
	return true
}

func (c *cycle) hasNodes() bool {
	if c.group == nil { // the placement of a group sets the scope of its members
		c.scope = c.profile.Behaviour.Preselection.Scope(c.snapshot)
	}
	if c.size() > 0 {
		return true
	}
	c.failure = failure{
		code: trace.UnschedulableAndUnresolvable, message: c.profile.Behaviour.Message.NoNodes(),
		nomination: clearNomination,
	}
	return false
}

// preFilter lets every plugin study the pod. UnschedulableAndUnresolvable ends it at once; after Unschedulable the
// others still run, because preemption will need what they found.
func (c *cycle) preFilter() bool {
	c.studied.judge = framework.Judge{
		Pod: c.pod, Checks: make([]framework.Check, len(c.profile.Filter)), Nominated: c.scheduler.queue.Nominated,
	}
	c.borrow()
	c.recall()
	var rejected *trace.PreFiltered
	var sets []string
	for i, p := range c.profile.PreFilter {
		study := c.study(i)
		c.studied.ran = i + 1
		f := trace.PreFiltered{Plugin: p.Name(), Verdict: study.Verdict, Nodes: study.Nodes}
		c.fact(c.sharedFact(i, &f))
		switch study.Verdict.Code {
		case trace.Success:
		case trace.Skip:
			continue
		case trace.UnschedulableAndUnresolvable:
			c.rejectEverywhere(f, nil)
			return false
		case trace.Unschedulable:
			if c.profile.Behaviour.Studies.FirstRejectionEnds {
				c.rejectEverywhere(f, nil)
				return false
			}
			last := f
			rejected, study.Nodes = &last, nil
		default:
			c.failure = broken(c.profile.Behaviour.Message.Broken(f.Plugin, c.pod.Name(), f.Verdict.Message()))
			return false
		}
		if seat := c.profile.seats[i]; seat >= 0 {
			c.studied.judge.Checks[seat] = study.Check
		}
		if study.Nodes == nil {
			continue
		}
		sets = append(sets, p.Name())
		c.studied.allowed = intersect(c.studied.allowed, study.Nodes)
		if len(c.studied.allowed) == 0 {
			c.rejectEverywhere(trace.PreFiltered{Verdict: trace.Verdict{
				Code:    c.profile.Behaviour.Studies.Disjoint,
				Reasons: []string{c.profile.Behaviour.Message.Disjoint(sets)},
			}}, sets)
			return false
		}
	}
	c.studied.sets = sets
	c.judgeUnstudied()
	if rejected != nil {
		c.rejectEverywhere(*rejected, sets)
		return false
	}
	if c.recalled != nil {
		c.recalled.settle(c)
	}
	return true
}

// judgeUnstudied makes the checks of filters that the profile enables without their PreFilter.
func (c *cycle) judgeUnstudied() {
	for _, i := range c.profile.unstudied {
		study := c.unstudied(i)
		if c.profile.Behaviour.NoPluginSkipped && study.Verdict.Code != trace.Skip && study.Verdict.Code != trace.Success {
			study.Check = framework.Plain{Verdict: study.Verdict}
		}
		c.studied.judge.Checks[i] = c.spoken(study).Check
	}
}

// intersect is what both sorted node sets have; nil stands for all nodes.
func intersect(a, b []string) []string {
	if a == nil {
		return b
	}
	out := make([]string, 0, min(len(a), len(b)))
	for _, name := range a {
		if _, both := slices.BinarySearch(b, name); both {
			out = append(out, name)
		}
	}
	return out
}

// blamed are the plugins that gave node sets, where they count as having rejected the pod.
func (c *cycle) blamed(sets []string) []string {
	if c.profile.Behaviour.NodeSetPluginsUnblamed {
		return nil
	}
	return slices.Clone(sets)
}

// rejectEverywhere gives all nodes the verdict of a PreFilter.
func (c *cycle) rejectEverywhere(f trace.PreFiltered, sets []string) {
	c.search.everywhere, c.studied.sets = f.Verdict, sets
	c.failure = failure{
		code: trace.Unschedulable, text: trace.FitMessage{PreFilter: f.Verdict.Message()},
		rejectors: c.blamed(sets),
	}
	if f.Plugin != "" {
		c.failure.rejectors = append(c.failure.rejectors, f.Plugin)
	}
	c.search.from = c.scheduler.start
	c.keepMatrix(c.search.from)
}

// postFilter runs the PostFilter plugins when no node is feasible; they find out whether evictions would make room. It
// never places the pod in this cycle.
func (c *cycle) postFilter() bool {
	if c.failure.code == trace.Error {
		return false
	}
	if c.failure.code == trace.Success {
		c.failure = c.nothingFits()
	}
	if c.group != nil { // PodGroupPostFilter makes room for all members together
		return false
	}
	c.failure.nomination = framework.Nomination{Change: len(c.profile.PostFilter) == 0}
	if len(c.profile.PostFilter) == 0 {
		return false
	}
	ask := c.postFilterAsk()
	var reasons []string
	for _, p := range c.profile.PostFilter {
		answer := p.PostFilter(ask)
		c.facts = append(c.facts, answer.Facts...)
		c.fact(trace.PostFiltered{Plugin: p.Name(), Verdict: answer.Verdict, Nominated: answer.Nomination.Node})
		c.write(trace.PhasePostFilter, p.Name(), answer.Writes)
		code := answer.Verdict.Code
		if final := !code.Rejects() || code == trace.UnschedulableAndUnresolvable; final {
			c.failure.nomination, c.failure.victims, c.failure.by = answer.Nomination, answer.Victims, p.Name()
			reasons = answer.Verdict.Reasons
			break
		}
		if answer.Nomination.Change {
			c.failure.nomination = answer.Nomination
		}
		reasons = append(reasons, answer.Verdict.Reasons...)
	}
	c.failure.text.PostFilter = strings.Join(reasons, ", ")
	return false
}

// postFilterAsk is what the cycle knows of a pod that fits nowhere.
func (c *cycle) postFilterAsk() framework.PostFilterAsk {
	ask := framework.PostFilterAsk{
		Pod: c.pod, Snapshot: c.snapshot, Statuses: c.search.statuses(c.snapshot.Names), Judge: c.seeker(),
		Hopeless:   c.search.hopeless(),
		RejectedBy: c.search.rejectors(c.snapshot.Names, c.profile.filters), Filters: c.profile.filters,
		Seed: c.chance(), Draws: c.scheduler.reseeded, Now: c.scheduler.now, Detail: c.scheduler.detail,
		Extenders: c.profile.Extenders,
		Cycle:     c.scheduler.cycles, Message: c.profile.Behaviour.Message, Tries: c.tries(),
	}
	for _, p := range c.profile.PreFilter[c.studied.ran:] {
		ask.Unasked = append(ask.Unasked, p.Name())
	}
	return ask
}

// score lets the plugins rank the feasible nodes; a single one needs no ranking.
func (c *cycle) score() bool {
	c.suppose()
	if len(c.search.feasible) == 1 && !c.profile.Behaviour.SingleNodeScored {
		return true
	}
	c.choice.scored = true
	return c.rank()
}

// selectHost takes the node with the highest total; among equals the profile's tie-break decides.
func (c *cycle) selectHost() bool {
	chosen := trace.Selected{Scored: c.choice.scored}
	if !c.choice.scored {
		c.choice.host = c.real(c.search.feasible[0])
		chosen.Node, chosen.Tied = c.choice.host.Name, []string{c.choice.host.Name}
		c.fact(chosen)
		c.keepBatch()
		return true
	}
	totals := c.choice.ranking.totals
	best, how := c.profile.Behaviour.TieBreak.Pick(&framework.Contest{
		Totals: totals, Name: c.nodeName, Lots: c.choice.ranking.lots, Before: c.scheduler.picks, Draw: c.draw(),
	})
	c.scheduler.picks++
	c.choice.host = c.real(c.search.feasible[best])
	chosen.Node, chosen.Total = c.choice.host.Name, totals[best]
	chosen.Tied = c.tied(totals, totals[best])
	if len(chosen.Tied) > 1 {
		chosen.TieBreak = how
	}
	c.fact(chosen)
	c.keepBatch()
	return true
}

// tied are the names of the feasible nodes with a total.
func (c *cycle) tied(totals []int64, highest int64) []string {
	count := 0
	for _, total := range totals {
		if total == highest {
			count++
		}
	}
	names := make([]string, 0, count)
	for i, total := range totals {
		if total == highest {
			names = append(names, c.search.feasible[i].Name)
		}
	}
	return names
}

// nodeName is the name of a feasible node.
func (c *cycle) nodeName(i int) string { return c.search.feasible[i].Name }

// real is the node as the snapshot has it; what an extender made of it was good for scoring only.
func (c *cycle) real(node *cluster.Node) *cluster.Node {
	if len(c.profile.Extenders) == 0 {
		return node
	}
	return c.snapshot.Nodes[node.Index()]
}

// chance is what the cycle draws from the seed, another number in each (SplitMix64).
func (c *cycle) chance() uint64 { return mix(c.scheduler.seed + uint64(c.scheduler.cycles)*golden) }

// draw is the stream of numbers that a tie-break may draw.
func (c *cycle) draw() func(n int) int {
	state := c.chance()
	return func(n int) int {
		state += golden
		return int(mix(state) % uint64(n))
	}
}

// golden is the step of SplitMix64.
const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
