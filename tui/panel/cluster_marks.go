package panel

import (
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
)

// mark is what a cycle made of a node.
type mark uint8

const (
	unmarked mark = iota
	isChosen
	isFeasible
	isRejected
	isHopeless // evicting pods cannot help
	isUntried
	losesPods // preemption takes pods away here
)

// MarkedNode is a node as the panel Cluster shows it.
type MarkedNode struct {
	session.Tile
	Made string // what the cycle made of it, in words; "": nothing
	Line string // all of it in one line

	Chosen, Fits, Rejected bool // none: nothing, or no filter looked at it
}

// MarkedNodes are the nodes of a frame, zone by zone, with what its cycle made of each.
func MarkedNodes(f *session.Frame) []MarkedNode {
	tiles := tilesOf(f, "")
	return marked(f.Language, tiles, marksOf(f, tiles))
}

// Nodes are the same without what a cycle made of them.
func Nodes(f *session.Frame) []MarkedNode {
	tiles := tilesOf(f, "")
	return marked(f.Language, tiles, make([]mark, len(tiles)))
}

func marked(lang words.Language, tiles []session.Tile, marks []mark) []MarkedNode {
	nodes := make([]MarkedNode, len(tiles))
	for i, m := range marks {
		nodes[i] = MarkedNode{
			Tile: tiles[i], Made: m.words(lang), Line: inWords(lang, &tiles[i], m, ""),
			Chosen: m == isChosen || m == losesPods, Fits: m == isFeasible, Rejected: m == isRejected || m == isHopeless,
		}
	}
	return nodes
}

// marksOf are what the cycle of a frame made of nodes.
func marksOf(f *session.Frame, tiles []session.Tile) []mark {
	marks := make([]mark, len(tiles))
	if c := f.About(); c != nil && c.Group != nil {
		for _, end := range c.Group.Ends {
			at := slices.IndexFunc(tiles, func(t session.Tile) bool {
				return end.Ended != nil && t.Node == end.Ended.Node
			})
			if at >= 0 {
				marks[at] = isChosen
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
			marks[i] = isChosen
		case evicting[tiles[i].Node]:
			marks[i] = losesPods
		case m.Feasible(at):
			marks[i] = isFeasible
		case !m.Evaluated(at):
			marks[i] = isUntried
		default:
			marks[i] = rejection(m.OnNode(at))
		}
	}
	return marks
}

func rejection(failures []trace.Failure) mark {
	for i := range failures {
		if failures[i].Verdict.Code == trace.UnschedulableAndUnresolvable {
			return isHopeless
		}
	}
	return isRejected
}

// sign is how a mark is drawn.
func (m mark) sign(g *themes.Glyphs) (rune, themes.Paint) {
	switch m {
	case isChosen:
		return g.Pointer, themes.Pass.Strong()
	case isFeasible:
		return g.Pass, themes.Pass
	case isRejected:
		return g.Fail, themes.Fail
	case isHopeless:
		return g.FailUnresolvable, themes.FailUnresolvable
	case isUntried:
		return g.NotSampled, themes.NotSampled
	case losesPods:
		return g.Event, themes.Warn
	case unmarked:
	}
	return ' ', themes.Text
}

func (m mark) words(lang words.Language) string {
	return [...]string{
		"", lang.Of("chosen"), lang.Of("fits"), lang.Of("does not fit"),
		lang.Of("does not fit, and evicting cannot help"), lang.Of("not looked at"),
		lang.Of("pods have to leave"),
	}[m]
}
