package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/session/cause"
	"github.com/schedstep/schedstep/replay/session/lint"
)

// Explanation is what is known about one pod at the cursor, as data.
type Explanation struct {
	Language words.Language // that the person reads
	Pod      string         // namespace/name
	Now      time.Time
	Node     string // where it is; "" while it has none
	Gone     bool   // it finished or was deleted: what is told of it is past
	Past     *Past  // how it came to be gone; nil when it is there, or the input does not tell
	Named    string // the schedulerName of a pod that is there
	Place    Place  // where it waits and since when, and what would have it tried again
	Says     string // what kube-scheduler would report
	Wants    Wants  // what it asks of its node
	Asked    bool   // no cycle has tried it on a node yet: what follows is what a cycle would do now

	Cycle      *trace.Try   // what the cycle that is explained made of the pod; nil when none could be
	Group      *trace.Group // what that cycle made of the pod's group; nil for a pod on its own
	Nearest    []Near       // nodes that reject it, the nearest first; those kube-scheduler never asked included
	Rejections []Rejection  // the same nodes by what rejects them, the most nodes first
	Changes    []Change     // what alone would open nodes: what opens most first, and of one thing the least first
	History    []Event

	// Victims are the pods that had to leave a node for it.
	Victims []Victim
	// Causes are what is behind the reasons, as an expert would name it; none where no rule is sure.
	Causes []cause.Cause
	// Recorded compares what the cluster's own scheduler reported about the pod with what is decided here; nil: the
	// input has no such report.
	Recorded *compare.Decision
	// Holders are those that hold what the pod lacks, and Predecessor is the pod in the place of which it came; of a past
	// alone.
	Holders     []Holder
	Predecessor *Predecessor
	// Lint lists the settings of the pod that probably do something else than is meant; only for a pod that has no
	// node.
	Lint []lint.Finding
}

// Near is a node that rejects the pod.
type Near struct {
	Node     string
	Failures []Broken // every plugin that rejects it, in the order they are asked
	away     distance
}

// Rejection is the nodes that the same plugins reject for the same reasons.
type Rejection struct {
	Reasons []string // "NodeResourcesFit: Insufficient cpu"
	Nodes   []string // in the snapshot's order
}

// Change is one thing that alone keeps the pod off some nodes.
type Change struct {
	trace.Change
	Nodes []string
}

// Event is one thing that happened to a pod.
type Event struct {
	Step  int
	Cycle int64
	At    time.Time
	Text  phrase.Phrase
}

// Explain returns what happened to a pod up to the cursor, and what would change it.
func (k *At) Explain(pod string) (Explanation, error) {
	key, err := k.PodKey(pod)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Language: k.session.language, Pod: key, Now: k.Now(), History: k.History(key)}
	live, ok := k.state().Pod(key)
	if ok {
		e.Node, e.Wants, e.Named = live.NodeName, wantsOf(live), live.API.Spec.SchedulerName
	}
	e.Place = k.place(key)
	e.Past, e.Gone = k.left(key)
	c, try := k.lastCycleOf(key)
	if try == nil && ok && e.Node == "" && e.Place.Unserved == "" {
		facts, err := k.player.ForPod(key).Examine(key)
		if err != nil {
			return e, err
		}
		c, _ = trace.Fold(facts)
		try, _ = c.Try(key)
		e.Asked = true
	}
	e.Victims = k.victims(key)
	e.Lint = lint.About(k.state(), key)
	if ok {
		e.Causes = cause.Of(cause.Given{
			State: k.state(), Pod: live, Try: try, Queue: e.Place.Queue, Holders: k.session.about.Holders,
		})
	}
	if e.Cycle = try; try != nil {
		e.Group = c.Group
		e.judge()
		k.hold(&e)
		if try.Ended == nil { // the cursor may be between the Event and the end of the cycle
			e.Says, _ = k.Reported(key)
		}
		e.compare(k.session.about.Records)
	} else if d, asked := k.session.about.Records.Standing(k.player.ForPod(key), key); asked {
		e.Recorded = &d
	}
	return e, nil
}

// compare adds what the cluster's own scheduler reported.
func (e *Explanation) compare(with *compare.Records) {
	if d, said := with.Compare(e.Cycle); said {
		e.Recorded = &d
	}
}

// Judge is what follows from one try of a pod alone: the nodes that reject it, their reasons, and what would open them.
// Place and History are empty.
func Judge(t *trace.Try) Explanation {
	e := Explanation{Pod: t.Entity.Key(), Now: t.Time, Cycle: t}
	e.judge()
	return e
}

// judge works out, from the complete matrix, how far every node is from taking the pod.
func (e *Explanation) judge() {
	if e.Cycle.Ended != nil {
		e.Says = e.Cycle.Ended.Message
	}
	m := e.Cycle.Matrix
	if end := e.Cycle.Ended; m == nil || end != nil && end.Outcome == trace.Scheduled && end.Feasible == len(m.Nodes) {
		return
	}
	e.Nearest = rejecting(m)
	e.group()
	e.change()
	slices.SortStableFunc(e.Nearest, func(a, b Near) int { return a.away.compare(b.away) })
}

// NearestNodes are the nodes that reject the pod of a matrix, by their places in it, those that are nearest to taking
// it first.
func NearestNodes(m *trace.Matrix) []int {
	var all []int
	away := make([]distance, len(m.Nodes))
	for rest := m.Failures; len(rest) > 0; {
		node := int(rest[0].Node)
		of := 1
		for of < len(rest) && rest[of].Node == rest[0].Node {
			of++
		}
		away[node] = distanceOf(rest[:of])
		all, rest = append(all, node), rest[of:]
	}
	slices.SortStableFunc(all, func(a, b int) int { return away[a].compare(away[b]) })
	return all
}

// rejecting are the nodes that reject the pod of a matrix, in the order of the matrix.
func rejecting(m *trace.Matrix) []Near {
	var all []Near
	for i, name := range m.Nodes {
		if failures := m.OnNode(i); len(failures) > 0 {
			all = append(all, Near{Node: name, Failures: BrokenOn(m, i), away: distanceOf(failures)})
		}
	}
	return all
}

// distance is how far a node is from taking the pod.
type distance struct {
	plugins int     // that reject it
	hard    int     // of them, those whose rejection no other pod's leaving would lift
	short   float64 // the largest shortfall of a resource as a part of what is wanted; 0: none
}

func distanceOf(failures []trace.Failure) distance {
	d := distance{plugins: len(failures)}
	for i := range failures {
		if failures[i].Verdict.Code == trace.UnschedulableAndUnresolvable {
			d.hard++
		}
		d.short = max(d.short, shortfall(failures[i].Verdict))
	}
	return d
}

func (d distance) compare(o distance) int {
	return cmp.Or(cmp.Compare(d.plugins, o.plugins), cmp.Compare(d.hard, o.hard), cmp.Compare(d.short, o.short))
}

// shortfall is the largest part of a wanted amount that is not there.
func shortfall(v trace.Verdict) float64 {
	worst := 0.0
	for _, e := range v.Evidence {
		short, lacking := e.Short()
		if want, _ := e.Want.Number(); lacking && want > 0 {
			n, _ := short.Number()
			worst = max(worst, float64(n)/float64(want))
		}
	}
	return worst
}

func (e *Explanation) group() {
	index := map[string]int{}
	for _, near := range e.Nearest {
		var reasons []string
		for _, f := range near.Failures {
			reasons = append(reasons, f.Plugin+": "+f.Verdict.Message())
		}
		i, known := placeOf(index, strings.Join(reasons, "\n"))
		if !known {
			e.Rejections = append(e.Rejections, Rejection{Reasons: reasons})
		}
		e.Rejections[i].Nodes = append(e.Rejections[i].Nodes, near.Node)
	}
	slices.SortStableFunc(e.Rejections, func(a, b Rejection) int { return cmp.Compare(len(b.Nodes), len(a.Nodes)) })
}

// placeOf is the place that a key has had in index since its first use; false: it is new, and has the last place.
func placeOf(index map[string]int, key string) (place int, known bool) {
	place, known = index[key]
	if !known {
		place = len(index)
		index[key] = place
	}
	return place, known
}

// change looks at the nodes that a single plugin keeps closed.
func (e *Explanation) change() {
	index := map[string]int{}
	for _, near := range e.Nearest {
		if len(near.Failures) != 1 {
			continue
		}
		for _, change := range near.Failures[0].changes() {
			i, known := placeOf(index, change.Key())
			if !known {
				e.Changes = append(e.Changes, Change{Change: change})
			}
			e.Changes[i].Nodes = append(e.Changes[i].Nodes, near.Node)
		}
	}
	opens := map[string]int{} // nodes, by what is changed
	for _, c := range e.Changes {
		opens[c.subject()] += len(c.Nodes)
	}
	slices.SortStableFunc(e.Changes, func(a, b Change) int {
		one, other := a.subject(), b.subject()
		return cmp.Or(
			cmp.Compare(opens[other], opens[one]), cmp.Compare(a.Kind, b.Kind), cmp.Compare(one, other), a.compareSize(b),
			cmp.Compare(len(b.Nodes), len(a.Nodes)), cmp.Compare(a.Key(), b.Key()),
		)
	})
}

// subject is what a change is about, whatever the amounts.
func (c Change) subject() string {
	about := trace.Change{Kind: c.Kind, Parts: make([]trace.ChangePart, len(c.Parts))}
	for i, p := range c.Parts {
		about.Parts[i].What, about.Parts[i].Says = p.What, p.Says
	}
	return about.Key()
}

// compareSize orders changes of one subject by how much they change.
func (c Change) compareSize(other Change) int {
	for i := range min(len(c.Parts), len(other.Parts)) {
		a, _ := c.Parts[i].By.Number()
		b, _ := other.Parts[i].By.Number()
		if a != b {
			return cmp.Compare(a, b)
		}
	}
	return 0
}

// changes are the changes that would satisfy the plugin, as it reports them; for a plugin that reports none, what its
// only comparison wants.
func (b *Broken) changes() []trace.Change {
	if len(b.Advice.Changes) > 0 || len(b.Verdict.Evidence) != 1 {
		return b.Advice.Changes
	}
	e := &b.Verdict.Evidence[0]
	if _, lacking := e.Short(); lacking {
		return nil // the plugin knows its numbers, and that no change of them alone would do
	}
	return []trace.Change{{
		Kind: trace.SatisfyEvidence, Parts: []trace.ChangePart{{Says: e.Subject().Text(), To: e.Want}},
	}}
}

// BrokenOn are the plugins that reject a node of a matrix, with all that they report.
func BrokenOn(m *trace.Matrix, node int) []Broken {
	failures, advice := m.OnNode(node), m.AdviceOn(node)
	broken := make([]Broken, len(failures))
	for i, f := range failures {
		broken[i] = Broken{Plugin: m.Plugins[f.Plugin], Verdict: f.Verdict}
		if advice != nil {
			broken[i].Advice = advice[i]
		}
	}
	return broken
}

// nearestName is the name that was probably meant, as the end of a sentence.
func nearestName(asked string, names []string) phrase.Phrase {
	return spelling.HintName(asked, names)
}
