package session

import (
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Preview is what a manual bind would mean.
type Preview struct {
	Pod, Node string
	Broken    []Broken // the plugins that reject the node, in the order they are asked
	Rank, Of  int      // of the node among those that were scored, by their totals; 0: it was not scored
}

// Broken is one plugin that a manual bind goes against.
type Broken struct {
	Plugin  string
	Verdict trace.Verdict
	Advice  trace.Advice
}

// Preview returns which plugins a manual bind would go against.
func (k *At) Preview(pod, node string) (Preview, error) {
	preview := Preview{Pod: pod, Node: node}
	p := k.player
	live, ok := p.Scheduler().State().Pod(pod)
	switch {
	case !ok:
		return preview, phrase.Errorf("there is no pod %q here", pod)
	case live.NodeName != "":
		return preview, phrase.Errorf("pod %q is on node %q already", pod, live.NodeName)
	}
	if n, ok := p.Scheduler().State().Snapshot().Node(node); !ok || n.Index() < 0 {
		return preview, phrase.Errorf("there is no node %q here", node)
	}
	facts, err := p.ForPod(pod).Examine(pod)
	if err != nil {
		return preview, err
	}
	tried, _ := trace.Fold(facts)
	c, _ := tried.Try(pod)
	for _, f := range c.PreFilters {
		if f.Verdict.Code.Rejects() {
			preview.Broken = append(preview.Broken, Broken{Plugin: f.Plugin, Verdict: f.Verdict})
		}
	}
	if c.Matrix == nil {
		return preview, nil
	}
	preview.Rank, preview.Of = rankOf(c.Scores, node)
	preview.Broken = append(preview.Broken, BrokenOn(c.Matrix, slices.Index(c.Matrix.Nodes, node))...)
	return preview, nil
}

// rankOf is which place a node has by its total, and among how many.
func rankOf(s *trace.Scores, node string) (rank, of int) {
	if s == nil {
		return 0, 0
	}
	k, scored := s.Of(slices.Index(s.Nodes, node))
	if !scored {
		return 0, len(s.Totals)
	}
	rank = 1
	for _, total := range s.Totals {
		if total > s.Totals[k] {
			rank++
		}
	}
	return rank, len(s.Totals)
}

// Bind binds a pod to a node even if plugins reject it, on a new branch: see Edit.
func (s *Session) Bind(pod, node string) (string, error) {
	if _, err := s.here().Preview(pod, node); err != nil {
		return "", err
	}
	branch, _, err := s.Edit(Bind(pod, node))
	return branch, err
}

// enter adds a branch and goes to it.
func (s *Session) enter(name string, l *line, at Position) {
	s.branches[name] = l
	s.names = append(s.names, name)
	s.turn(name, at)
}

// turn puts the cursor on a branch.
func (s *Session) turn(name string, at Position) {
	s.branch, s.line = name, s.branches[name]
	s.before, s.after, s.facts, s.kind = nil, nil, nil, play.Delivered
	s.at = Position{}
	s.seek(at)
}

// Switch goes to another branch, to where the cursor was there.
func (s *Session) Switch(name string) error {
	l, ok := s.branches[name]
	if !ok {
		return phrase.Errorf("there is no branch %q (there are %v)", name, s.names)
	}
	s.line.at = s.at
	s.turn(name, l.at)
	return nil
}

// Drop forgets a branch and those that left it, and goes back to the branch it left, to where the cursor was there.
// The main line cannot be dropped.
func (s *Session) Drop(name string) error {
	l, ok := s.branches[name]
	switch {
	case !ok:
		return phrase.Errorf("there is no branch %q (there are %v)", name, s.names)
	case l.parent == "":
		return phrase.Errorf("%q is what was recorded; it cannot be dropped", name)
	}
	for _, child := range slices.Clone(s.names) {
		if c, ok := s.branches[child]; ok && c.parent == name {
			if err := s.Drop(child); err != nil {
				return err
			}
		}
	}
	here := s.branch == name
	delete(s.branches, name)
	s.names = slices.DeleteFunc(slices.Clone(s.names), func(n string) bool { return n == name })
	if here {
		s.turn(l.parent, s.branches[l.parent].at)
	}
	return nil
}
