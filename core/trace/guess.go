package trace

import (
	"sort"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Guess is why something about an object is assumed; "" for an object that is known. The words are those of the
// annotation that marks it.
type Guess string

// The guesses.
const (
	// FirstMention is an object that was there before a log began, and is taken from the first entry that shows it.
	FirstMention Guess = "first-mention"
	// RolledBack is an object of a dump that was taken later, without what is known to have come since.
	RolledBack Guess = "rolled-back"
	// AsSent is an object of which a log has what was sent, and not what was stored.
	AsSent Guess = "as-sent"
	// Patched is an object that a patch of the log was applied to here.
	Patched Guess = "patched"
	// UnknownWrite is an object that something wrote, and the log does not have what.
	UnknownWrite Guess = "unknown-write"
)

// Text is the guess as a clause.
func (g Guess) Text() phrase.Text {
	switch g {
	case FirstMention:
		return "what the log shows of it first is taken for what was there before"
	case RolledBack:
		return "it is of a dump that was taken later, without what is known to have come since"
	case AsSent:
		return "the log has what was sent; defaults and admission are worked out here"
	case Patched:
		return "a patch of the log is applied here"
	case UnknownWrite:
		return "it was written, and the log does not have what"
	}
	return "it is marked as a guess"
}

// Guessed is an object of which something is assumed.
type Guessed struct {
	Kind, Key string
	Why       Guess
}

// Guesses are the objects that the verdicts of a cycle read and of which something is assumed.
type Guesses struct {
	Pod     Guessed       // the pod itself, with Why "" when it is known: else every verdict rests on it
	Nodes   []GuessedNode // ascending; nodes without any are not in it
	Plugins []GuessedRead // one for each plugin of the matrix
	pods    int           // on all nodes
}

// GuessedNode is a node of which something is assumed, or that has such pods.
type GuessedNode struct {
	Node  int32 // index in Matrix.Nodes
	Why   Guess // of the node itself; "": it is known
	Pods  int   // on it, of which something is assumed
	First Guessed
}

// GuessedRead is what a plugin reads besides the node.
type GuessedRead struct {
	OnNode     bool      // the pods of the node
	Everywhere bool      // the pods of all nodes
	Objects    int       // of other kinds, of which something is assumed
	Some       []Guessed // the first of them
}

// NewGuesses are the guesses of a cycle; nil when nothing is assumed of what its plugins read.
func NewGuesses(pod Guessed, nodes []GuessedNode, plugins []GuessedRead) *Guesses {
	g := &Guesses{Pod: pod, Nodes: nodes, Plugins: plugins}
	assumed := pod.Why != "" || len(nodes) > 0
	for i := range nodes {
		g.pods += nodes[i].Pods
	}
	for i := range plugins {
		assumed = assumed || plugins[i].Objects > 0
	}
	if !assumed {
		return nil
	}
	return g
}

// on is the entry of a node; nil when it has none.
func (g *Guesses) on(node int) *GuessedNode {
	i := sort.Search(len(g.Nodes), func(i int) bool { return g.Nodes[i].Node >= int32(node) })
	if i < len(g.Nodes) && g.Nodes[i].Node == int32(node) {
		return &g.Nodes[i]
	}
	return nil
}

// cell reports whether what a plugin reads of a node is assumed.
func (g *Guesses) cell(on *GuessedNode, plugin int) bool {
	if plugin >= len(g.Plugins) {
		return on != nil
	}
	r := &g.Plugins[plugin]
	return r.Objects > 0 || r.Everywhere && g.pods > 0 || on != nil && (on.Why != "" || r.OnNode && on.Pods > 0)
}

// CellRests reports whether the verdict of a plugin on a node rests on a guess.
func (m *Matrix) CellRests(node, plugin int) bool {
	g := m.Guesses
	return g != nil && !m.Skipped[plugin] && (g.Pod.Why != "" || g.cell(g.on(node), plugin))
}

// Rests reports whether the result for a node rests on a guess.
func (m *Matrix) Rests(node int) bool {
	g := m.Guesses
	if g == nil {
		return false
	}
	on := g.on(node)
	if g.Pod.Why != "" || on != nil {
		return true
	}
	for plugin := range m.Plugins {
		if !m.Skipped[plugin] && g.cell(nil, plugin) {
			return true
		}
	}
	return false
}

// RestsOn are the guesses behind a verdict, the pod's own first: of one plugin on one node; plugin -1 means every
// plugin that was not skipped, and node -1 every node. Of each sort the first is named; more counts the others.
func (m *Matrix) RestsOn(node, plugin int) (some []Guessed, more int) {
	g := m.Guesses
	if g == nil || plugin >= 0 && m.Skipped[plugin] {
		return nil, 0
	}
	add := func(n int, first ...Guessed) {
		some = append(some, first...)
		more += max(n-len(first), 0)
	}
	if g.Pod.Why != "" {
		add(1, g.Pod)
	}
	nodes := g.Nodes
	if node >= 0 {
		nodes = nil
		if on := g.on(node); on != nil {
			nodes = []GuessedNode{*on}
		}
	}
	onNode, everywhere := m.reads(plugin)
	described, pods := 0, 0
	var named, pod []Guessed
	for i := range nodes {
		if nodes[i].Why != "" {
			if described++; named == nil {
				named = []Guessed{{"Node", m.Nodes[nodes[i].Node], nodes[i].Why}}
			}
		}
		if onNode && nodes[i].Pods > 0 {
			if pods += nodes[i].Pods; pod == nil {
				pod = []Guessed{nodes[i].First}
			}
		}
	}
	add(described, named...)
	if everywhere && g.pods > pods {
		for i := range g.Nodes {
			if pod == nil && g.Nodes[i].Pods > 0 {
				pod = []Guessed{g.Nodes[i].First}
			}
		}
		pods = g.pods
	}
	add(pods, pod...)
	for i := range g.Plugins {
		if (plugin < 0 || i == plugin) && !m.Skipped[i] {
			add(g.Plugins[i].Objects, g.Plugins[i].Some...)
		}
	}
	return distinct(some), more
}

// reads reports what a plugin reads about pods; plugin -1 stands for all plugins that were not skipped.
func (m *Matrix) reads(plugin int) (onNode, everywhere bool) {
	for i := range m.Guesses.Plugins {
		if (plugin < 0 || i == plugin) && !m.Skipped[i] {
			onNode = onNode || m.Guesses.Plugins[i].OnNode
			everywhere = everywhere || m.Guesses.Plugins[i].Everywhere
		}
	}
	return onNode, everywhere
}

// distinct drops what is there twice: several plugins read one object.
func distinct(all []Guessed) []Guessed {
	var out []Guessed
	seen := map[Guessed]bool{}
	for _, g := range all {
		if !seen[g] {
			seen[g] = true
			out = append(out, g)
		}
	}
	return out
}
