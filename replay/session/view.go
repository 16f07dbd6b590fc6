package session

import (
	"iter"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Frame is everything visible at the cursor.
func (s *Session) Frame() *Frame {
	shown := s.facts[:s.at.Fact]
	k := s.At()
	p := k.player
	state := k.state()
	f := &Frame{
		At:       k,
		Language: s.language,
		Title:    s.about.Title, Story: s.about.Story, World: p.World().Name(), Version: k.version(),
		Branch: s.branch, Branches: slices.Clone(s.names),
		Position: s.at, Now: p.Scheduler().Now(), Kind: s.kind, Stop: s.stop, Facts: shown,
		Number: s.number, Cycles: s.line.count(), Whole: s.line.whole,
		Steps:   s.line.steps,
		AtStart: s.at == s.start(), AtEnd: s.line.whole && s.at.Step == s.line.steps && len(shown) == len(s.facts),
		Queue: queueOf(p.Scheduler().Queue(), state, s.about.Means), Shown: s.about.Shown,
		Nodes: len(state.Snapshot().Nodes), Pods: state.PodCount(),
		Timeline: k.timeline(), Unjudged: s.about.Unjudged, Notes: s.about.Notes, Breaks: s.breaks,
		Bookmarks: s.bookmarks, Dropped: s.dropped, Since: s.line.begins(),
		Agreement: s.line.beside.until(k.steps), records: s.about.Records,
		Displays: s.displayed(p.Scheduler()),
	}
	if len(shown) > 0 {
		f.Phase = shown[len(shown)-1].Phase()
	}
	s.addCycle(f, k)
	profile := profileOf(p, f.About())
	f.Phases, f.names = phasesOf(profile), profile.Behaviour.Names
	f.Queue.InLine = p.Scheduler().Queue().InLine()
	f.Queue.Gates = len(profile.PreEnqueue) > 0 || f.Queue.Counts.Gated > 0
	f.Schedulers, f.Scheduler = schedulersOf(p)
	f.Ahead = mayFollow(f)
	f.evictions = s.line.evictionsUntil(k.steps)
	if f.Number > 0 {
		f.Begin = s.line.begin
	}
	k.late.prepare(k, f, s.playerBefore(f))
	f.trying, f.hosts = k.trying != nil, hostsOf(f.About(), state)
	f.patience, f.cutsShort = p.Scheduler().Queue().Patience(), p.Scheduler().Queue().CutsShort()
	f.wakers = map[string][]Waker{}
	for _, rows := range [][]QueueRow{f.Queue.Unschedulable, f.Queue.Gated} {
		for i := range rows {
			if name := rows[i].Scheduler; f.wakers[name] == nil {
				f.wakers[name] = s.wakersOf(p.Scheduler(), name)
			}
		}
	}
	return f
}

// profileOf is the profile of a cycle; without one, or where it is not known, the first of the scheduler.
func profileOf(p *play.Player, c *trace.Cycle) *framework.Profile {
	if c != nil {
		if profile, known := p.For(c.Profile).Profile(c.Profile); known {
			return profile
		}
	}
	profile, _ := p.Scheduler().Profile(p.Scheduler().Name())
	return profile
}

// phasesOf are the phases of a cycle in the order in which it goes through them: without PostFilter where no plugin of
// the profile has it.
func phasesOf(profile *framework.Profile) []trace.Phase {
	if len(profile.PostFilter)+len(profile.PodGroupPostFilter) > 0 {
		return profile.Behaviour.Phases
	}
	return slices.DeleteFunc(slices.Clone(profile.Behaviour.Phases), func(p trace.Phase) bool {
		return p == trace.PhasePostFilter
	})
}

// NameOf is how the release calls a phase; in a frame of no session it has the name of today.
func (f *Frame) NameOf(p trace.Phase) string {
	if name, has := f.names[p]; has {
		return name
	}
	return p.String()
}

// Render is a fact, or the line of a phase, in the language of the person. Phases in it have the names of the release.
func (f *Frame) Render(said interface{ Phrase() phrase.Phrase }) string { return f.Tell(said.Phrase()) }

// Tell is a phrase in the language of the frame, with phases as the release names them.
func (f *Frame) Tell(p phrase.Phrase) string {
	p.Values = slices.Clone(p.Values)
	for i, v := range p.Values {
		if phase, is := v.(trace.Phase); is {
			p.Values[i] = f.NameOf(phase)
		}
	}
	return f.Language.Tell(p)
}

// mayFollow are the phases that the release has after the one the cursor is in. Which of them this cycle goes through
// lies ahead of the cursor, and is not shown.
func mayFollow(f *Frame) []trace.Phase {
	if f.Cycle == nil || f.Cycle.Ended != nil {
		return nil
	}
	return f.Phases[slices.Index(f.Phases, f.Phase)+1:]
}

// addCycle adds the cycle that the cursor is in, or the last one before it.
func (s *Session) addCycle(f *Frame, k *At) {
	if s.kind != play.Tried || s.at.Step == 0 {
		f.Last = s.lastCycle(f.Number)
		return
	}
	if s.at.Fact == len(s.facts) {
		f.Cycle, _ = trace.Fold(s.facts)
		return
	}
	if k.trying == nil {
		f.Number--
		f.Last = s.lastCycle(f.Number)
		return
	}
	if f.Cell = k.cell; f.Cell != nil {
		f.Phase = trace.PhaseFilter
	}
	f.Cycle = k.trying
	f.Queue.take(f.Cycle)
}

// lastCycle is a cycle before the cursor, whole; nil before the first. It is run again only when another cycle is
// wanted than the last time.
func (s *Session) lastCycle(number int64) *trace.Cycle {
	if s.last.line == s.line && s.last.number == number {
		return s.last.cycle
	}
	if number <= s.line.gone {
		return nil
	}
	p := s.line.playerAt(s.line.stepOf(number)-1, nil, nil)
	p.Keep(trace.Reasoned)
	before := p.Fork()
	tried, _ := p.Step()
	c, _ := trace.Fold(tried.Facts)
	s.last = lastCycle{s.line, number, c, before}
	return c
}

// lastCycle is a cycle that was run again to be looked at.
type lastCycle struct {
	line   *line
	number int64
	cycle  *trace.Cycle
	before *play.Player
}

// playerBefore is what the cycle that a frame is about found, read only; nil: that is not kept.
func (s *Session) playerBefore(f *Frame) *play.Player {
	if f.Cycle == nil {
		return s.last.before
	}
	return s.before // nil: the step is the first that is kept
}

// queueOf lists the waiting pods by place, of those that means takes; nil: of all. The counts are of all.
func queueOf(q *queue.Queue, state *cluster.State, means func(*cluster.Pod) bool) Queue {
	rows := func(items iter.Seq[*queue.Item]) []QueueRow {
		var out []QueueRow
		for item := range items {
			if len(out) == queueRows {
				break
			}
			if isMeant(item, means) {
				out = append(out, rowOf(q, state, item))
			}
		}
		return out
	}
	return Queue{
		Counts: q.Counts(), Active: rows(q.Active()), Backoff: rows(q.Backoff()),
		Unschedulable: rows(q.Unschedulable()), Gated: rows(q.Gated()),
		InFlight:   rows(q.InFlight()),
		Incomplete: rows(slices.Values(q.Lone())),
	}
}

// isMeant reports whether a pod, or one of a group, is taken.
func isMeant(item *queue.Item, means func(*cluster.Pod) bool) bool {
	if means == nil {
		return true
	}
	if item.Group == nil {
		return means(item.Pod)
	}
	return slices.ContainsFunc(item.Members, func(m *queue.Item) bool { return means(m.Pod) })
}

func rowOf(q *queue.Queue, state *cluster.State, item *queue.Item) QueueRow {
	row := QueueRow{
		Pod: item.Key(), Priority: item.Priority(), Attempts: item.Attempts, Since: item.Since, Until: item.BackoffUntil,
		Plugins: append(slices.Clone(item.Rejectors), item.Pending...), Gate: item.Gate, GateText: item.GateText,
	}
	if item.Group == nil {
		row.Node = q.NominatedNode(item.Pod)
		row.Group, row.Scheduler = item.Pod.Group, item.Pod.API.Spec.SchedulerName
		return row
	}
	row.MinCount = cluster.MinCount(item.Group)
	_, row.Placed = state.Members(cluster.Key(item.Group))
	for _, m := range item.Members {
		row.Members = append(row.Members, rowOf(q, state, m))
		row.Plugins = append(row.Plugins, m.Rejectors...)
		row.Plugins = append(row.Plugins, m.Pending...)
	}
	if len(row.Members) > 0 {
		row.Scheduler = row.Members[0].Scheduler
	}
	slices.Sort(row.Plugins)
	row.Plugins = slices.Compact(row.Plugins)
	return row
}

// take shows the entity of a cycle that is going on where it is: in flight.
func (q *Queue) take(c *trace.Cycle) {
	key := c.Entity.Key()
	row := QueueRow{Pod: key, Priority: c.Entity.Priority, Attempts: c.Attempt}
	drop := func(list *[]QueueRow, count *int) {
		i := slices.IndexFunc(*list, func(r QueueRow) bool { return r.Pod == key })
		if i < 0 {
			return
		}
		row = (*list)[i]
		row.Attempts = c.Attempt
		*list = slices.Delete(slices.Clone(*list), i, i+1)
		*count--
	}
	drop(&q.Active, &q.Counts.Active)
	drop(&q.Backoff, &q.Counts.Backoff)
	if chosen := c.Latest().Selected; chosen != nil && c.Group == nil {
		row.Node = chosen.Node
	}
	q.InFlight = append(slices.Clone(q.InFlight), row)
	q.Counts.InFlight++
}
