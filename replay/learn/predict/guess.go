package predict

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Guess is a player's guess of the result of a cycle.
type Guess struct {
	Node  string   // that the pod goes to; "" for none
	Out   []string // nodes that a filter rejects, sorted; all stands for all
	Evict []string // pods that have to go, by key, sorted
	Queue string   // where the pod is after the cycle; Bound when it has its node
}

// Words of a guess that are no names.
const (
	none  = "none"
	all   = "all"
	Bound = "bound"
)

// ParseGuess reads "n2 out n1,n3 evict batch-2 queue unschedulable". By default no pod is evicted, and a pod goes to
// its node, or to the unschedulable pods.
func ParseGuess(words []string) (Guess, error) {
	if len(words) == 0 {
		return Guess{}, phrase.Errorf("guess: which node? (guess n2 out n1,n3 evict web-1 queue unschedulable)")
	}
	g := Guess{Node: words[0], Queue: Bound}
	if g.Node == none {
		g.Node, g.Queue = "", "unschedulable"
	}
	rest := words[1:]
	if len(rest)%2 != 0 {
		return g, phrase.Errorf("guess: %s needs a value", rest[len(rest)-1])
	}
	for i := 0; i < len(rest); i += 2 {
		switch rest[i] {
		case "out":
			g.Out = listOf(rest[i+1], "")
		case "evict":
			g.Evict = listOf(rest[i+1], "default/")
		case "queue":
			g.Queue = rest[i+1]
		default:
			return g, phrase.Errorf("guess: unknown word %q (one of out, evict, queue)", rest[i])
		}
	}
	return g, nil
}

// listOf is names between commas, sorted; those without a slash get what goes before.
func listOf(text, before string) []string {
	if text == none {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		if !strings.Contains(name, "/") {
			name = before + name
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// out are the nodes that the guess calls rejected, as far as kube-scheduler ran a filter on them.
func (g Guess) out(t truth) []string {
	if slices.Equal(g.Out, []string{all}) {
		return t.asked
	}
	var out []string
	for _, name := range g.Out {
		if slices.Contains(t.asked, name) || !slices.Contains(t.nodes, name) {
			out = append(out, name)
		}
	}
	return out
}
