package host

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// homeBeside is the home of the guests of a group's scheduler.
func homeBeside(group framework.Group) *home { return homeOf(group.Beside) }

// first is the member that a call about a group is noted under.
func first(group framework.Group) *cluster.Pod {
	if len(group.Members) == 0 {
		return nil
	}
	return group.Members[0]
}

// Placements calls the plugin, which divides the nodes.
func (a adapter) Placements(group framework.Group, snapshot *cluster.Snapshot) framework.Division {
	type answer struct {
		Verdict trace.Verdict
		Names   []string
		Nodes   [][]string
	}
	h, pod := homeBeside(group), first(group)
	got := ask(h, a.guest, framework.PlacementGenerate, func(i *instance) answer {
		g := i.group()
		i.lister.show(g.nodes)
		p := asked[fwk.PlacementGeneratePlugin](i, a.guest, pod)
		result, status := p.GeneratePlacements(i.ctx, g.state, g.info, &fwk.Placement{Nodes: g.nodes})
		answered := answer{Verdict: verdictOf(status)}
		if !status.IsSuccess() || result == nil {
			return answered
		}
		for _, placement := range result.Placements {
			nodes := make([]string, len(placement.Nodes))
			for k, n := range placement.Nodes {
				nodes[k] = n.Node().Name
			}
			answered.Names, answered.Nodes = append(answered.Names, placement.Name), append(answered.Nodes, nodes)
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	d := framework.Division{Verdict: got.Verdict}
	for k, name := range got.Names {
		placement := framework.Placement{Name: name}
		for _, n := range got.Nodes[k] {
			node, known := snapshot.Node(n)
			if !known {
				return framework.Division{Verdict: brokenVerdict(fmt.Sprintf(
					"failed to assume pod group placement: node %s in placement is not present in snapshot", n))}
			}
			placement.Nodes = append(placement.Nodes, node)
		}
		d.Placements = append(d.Placements, placement)
	}
	return d
}

// ScorePlacement calls the plugin.
func (a adapter) ScorePlacement(
	group framework.Group, _ *cluster.Snapshot, placement framework.Placement, placed []framework.Assignment,
) (int64, trace.Verdict) {
	type answer struct {
		Verdict trace.Verdict
		Score   int64
	}
	h, pod := homeBeside(group), first(group)
	got := askMethod(h, a.guest, framework.PlacementScore, "ScorePlacement", func(i *instance) answer {
		g := i.group()
		i.lister.show(g.nodes)
		tried := g.places[placement.Number]
		theirs := &fwk.PodGroupAssignments{Placement: tried.placement}
		for _, m := range placed {
			one := assignment{pod: podInfo(identified(m.Pod.API)), node: m.Node}
			if at := tried.members[m.Pod.UID()]; at != nil {
				one.state = at.state
			}
			theirs.ProposedAssignments = append(theirs.ProposedAssignments, one)
		}
		p := asked[fwk.PlacementScorePlugin](i, a.guest, pod)
		score, status := p.ScorePlacement(i.ctx, tried.state, g.info, theirs)
		return answer{verdictOf(status), score}
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	return got.Score, got.Verdict
}

// NormalizePlacements calls the plugin, if it normalises.
func (a adapter) NormalizePlacements(
	group framework.Group, placements []framework.Placement, scores []int64,
) trace.Verdict {
	if !a.evens {
		return trace.Verdict{}
	}
	type answer struct {
		Verdict trace.Verdict
		Scores  []int64
	}
	h, pod, before := homeBeside(group), first(group), slices.Clone(scores)
	got := askMethod(h, a.guest, framework.PlacementScore, "NormalizePlacementScore", func(i *instance) answer {
		g := i.group()
		list := make([]fwk.PlacementScore, len(before))
		for k := range list {
			list[k] = fwk.PlacementScore{Placement: g.places[placements[k].Number].placement, Score: before[k]}
		}
		e := asked[fwk.PlacementScorePlugin](i, a.guest, pod).PlacementScoreExtensions()
		answered := answer{Verdict: verdictOf(e.NormalizePlacementScore(i.ctx, g.state, g.info, list))}
		for _, s := range list {
			answered.Scores = append(answered.Scores, s.Score)
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	copy(scores, got.Scores)
	return got.Verdict
}

// Gathers is the plugin at PlacementFeasible, an interface of kube-scheduler's own packages.
func (a adapter) Gathers() (framework.PlacementFeasiblePlugin, bool) { return gathering{a}, a.gathers }

// gathering is an adapter of a plugin that decides whether a group can get what it needs.
type gathering struct{ adapter }

// PlacementFeasible calls the plugin.
func (a gathering) PlacementFeasible(group framework.Group, scheduled, remaining int) trace.Verdict {
	pod := first(group)
	v := ask(homeBeside(group), a.guest, "PlacementFeasible", func(i *instance) trace.Verdict {
		g := i.group()
		p := asked[schedulerframework.PlacementFeasiblePlugin](i, a.guest, pod)
		return verdictOf(p.PlacementFeasible(i.ctx, g.at.state, g.info,
			schedulerframework.PlacementProgress{Scheduled: scheduled, Remaining: remaining}))
	}, brokenVerdict)
	return v
}

// PodGroupPostFilter calls the plugin. The pods that it deletes are its victims.
func (a adapter) PodGroupPostFilter(question framework.GroupPostFilterAsk) framework.GroupPostFilterAnswer {
	type answer struct {
		Verdict trace.Verdict
		Nodes   []trace.MemberNode
		Victims []string
	}
	h, pod := homeBeside(question.Group), first(question.Group)
	got := ask(h, a.guest, framework.PodGroupPostFilter, func(i *instance) answer {
		g := i.group()
		i.lister.show(g.nodes)
		i.making = &making{}
		if _, live := i.source.(recorder); live {
			i.making.ask, i.judging = question, &judging{snapshot: question.Snapshot}
		}
		defer func() { i.making, i.judging = nil, nil }()
		p, before := asked[fwk.PodGroupPostFilterPlugin](i, a.guest, pod), i.deletions()
		result, status := p.PodGroupPostFilter(i.ctx, g.state, g.info,
			func(context.Context) (*fwk.PodGroupAssignments, *fwk.Status) { return i.try() })
		bubbleWait() // evictions that kube-scheduler would make beside the cycle
		answered := answer{Verdict: verdictOf(status), Victims: i.takeVictims(before)}
		if status.IsSuccess() && result != nil {
			answered.Nodes = nominated(result.NominatingInfos)
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	h.ownEvents(got.Victims)
	return framework.GroupPostFilterAnswer{
		Verdict: got.Verdict, Nodes: got.Nodes, Victims: h.podsOf(got.Victims),
	}
}

// nominated are the nodes that members are kept on, by the key of the member.
func nominated(infos map[types.NamespacedName]*fwk.NominatingInfo) []trace.MemberNode {
	names := slices.SortedFunc(maps.Keys(infos), func(a, b types.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	var nodes []trace.MemberNode
	for _, name := range names {
		if info := infos[name]; info != nil && info.NominatingMode == fwk.ModeOverride {
			nodes = append(nodes, trace.MemberNode{Pod: name.String(), Node: info.NominatedNodeName})
		}
	}
	return nodes
}
