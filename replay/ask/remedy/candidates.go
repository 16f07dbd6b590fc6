package remedy

import (
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/session"
)

// Candidates are changes that may bring a pod without a node nearer to one, where a player of the session stands. They
// are not run.
func Candidates(k *session.At, p *play.Player, pod string) []Change {
	f := &finder{here: k, pod: pod}
	if _, where, _ := p.ForPod(pod).Queue().Find(pod); where == queue.Gated {
		return f.ungating(p)
	}
	t, near := examined(p, pod)
	if t == nil {
		return nil
	}
	return f.helpful(p, t, near, true)
}

// Requesting has a pod request so much less of a resource, in the unit of the amount; false when no container of it
// requests more than that.
func Requesting(p *cluster.Pod, name string, less trace.Value, of int64) (Change, bool) {
	by, _ := less.Number()
	return requesting(p, name, less, requestCost(by, of))
}

// AddNodes are so many more nodes like another one. The first costs what one costs, each other a fifth of it.
func AddNodes(state *cluster.State, like string, count int) Change {
	if count == 1 {
		name := freeNames(state, 1)[0]
		return Change{
			Kind: AddNode, What: phrase.New("like %s", like), Line: "add-node " + name + " like " + like,
			Commands: kubectl(request.Remark(phrase.Textf("one more node like %s", like))), Cost: costs[AddNode],
			Edit: session.AddNode(name, like, nil),
		}
	}
	names := freeNames(state, count)
	edits, lines := make([]session.Edit, count), make([]string, count)
	for i := range edits {
		edits[i], lines[i] = session.AddNode(names[i], like, nil), "add-node "+names[i]+" like "+like
	}
	return Change{
		Kind: AddSeveral, What: phrase.New("%d more nodes like %s", count, like),
		Line:     strings.Join(lines, "; "),
		Commands: kubectl(request.Remark(phrase.Textf("%d more nodes like %s", count, like))),
		Cost:     costs[AddNode] + (count-1)*costs[AddNode]/5, Edit: session.Together("nodes", edits...),
	}
}

// freeNames are names for new nodes.
func freeNames(state *cluster.State, count int) []string {
	var names []string
	for i := 1; len(names) < count; i++ {
		name := "new-" + strconv.Itoa(i)
		if _, taken := state.Snapshot().Node(name); !taken {
			names = append(names, name)
		}
	}
	return names
}
