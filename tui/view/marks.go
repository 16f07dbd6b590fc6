package view

import (
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Mark is the result of a cycle for a node.
type Mark uint8

// The marks.
const (
	Unmarked Mark = iota
	IsChosen
	IsFeasible
	IsRejected
	IsHopeless // evicting pods cannot help
	IsUntried
	LosesPods // preemption takes pods away here
)

// MarkedNode is a node as the panel Cluster shows it.
type MarkedNode struct {
	session.Tile
	Made string // the mark in words; "": none
	Line string // all of it in one line

	Chosen, Fits, Rejected bool // all false: it has no mark, or no filter ran on it
}

// MarkedNodes are the nodes of a frame, zone by zone, with the result of its cycle for each.
func MarkedNodes(f *session.Frame) []MarkedNode {
	tiles := tilesOf(f, "")
	return marked(f.Language, tiles, marksOf(f, tiles))
}

// Nodes are the nodes of a frame without marks.
func Nodes(f *session.Frame) []MarkedNode {
	tiles := tilesOf(f, "")
	return marked(f.Language, tiles, make([]Mark, len(tiles)))
}

func marked(lang words.Language, tiles []session.Tile, marks []Mark) []MarkedNode {
	nodes := make([]MarkedNode, len(tiles))
	for i, m := range marks {
		nodes[i] = MarkedNode{
			Tile: tiles[i], Made: m.Words(lang), Line: InWords(lang, &tiles[i], m, ""),
			Chosen: m == IsChosen || m == LosesPods, Fits: m == IsFeasible, Rejected: m == IsRejected || m == IsHopeless,
		}
	}
	return nodes
}

// marksOf are the results of the frame's cycle for nodes.
func marksOf(f *session.Frame, tiles []session.Tile) []Mark {
	marks := make([]Mark, len(tiles))
	if c := f.About(); c != nil && c.Group != nil {
		for _, end := range c.Group.Ends {
			at := slices.IndexFunc(tiles, func(t session.Tile) bool {
				return end.Ended != nil && t.Node == end.Ended.Node
			})
			if at >= 0 {
				marks[at] = IsChosen
			}
		}
		return marks
	}
	t := f.Try()
	if t == nil || t.Matrix == nil {
		return marks
	}
	m := t.Matrix
	index := make(map[string]int, len(m.Nodes))
	for i, name := range m.Nodes {
		index[name] = i
	}
	evicting := map[string]bool{}
	if t.Preemption != nil && len(t.Preemption.Victims) > 0 && t.Ended != nil {
		evicting[t.Ended.NominatedNode] = true
	}
	for i := range tiles {
		at, known := index[tiles[i].Node]
		switch {
		case !known || m.Ahead(at):
		case t.Selected != nil && t.Selected.Node == tiles[i].Node:
			marks[i] = IsChosen
		case evicting[tiles[i].Node]:
			marks[i] = LosesPods
		case m.Feasible(at):
			marks[i] = IsFeasible
		case !m.Evaluated(at):
			marks[i] = IsUntried
		default:
			marks[i] = rejection(m.OnNode(at))
		}
	}
	return marks
}

func rejection(failures []trace.Failure) Mark {
	for i := range failures {
		if failures[i].Verdict.Code == trace.UnschedulableAndUnresolvable {
			return IsHopeless
		}
	}
	return IsRejected
}

// Words is what the mark means; "" for none.
func (m Mark) Words(lang words.Language) string {
	return [...]string{
		"", lang.Of("chosen"), lang.Of("fits"), lang.Of("does not fit"),
		lang.Of("does not fit, and evicting cannot help"), lang.Of("not looked at"),
		lang.Of("pods have to leave"),
	}[m]
}
