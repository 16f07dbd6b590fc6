package session

import (
	"slices"
	"time"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
)

// GroupExplanation explains one pod group at the cursor.
type GroupExplanation struct {
	Language words.Language // that the person reads
	Group    string         // podgroup/namespace/name
	Now      time.Time
	Place    Place // where it waits, and when it is tried again
	Gang     bool
	MinCount int           // so many of its pods must have a node for any to be bound
	Topology string        // the label of whose values all its pods want the same; "": none
	Members  []GroupMember // by name
	Cycle    *trace.Cycle  // the last that tried it; nil: none did
	History  []Event
}

// GroupMember is a pod of a group, and where it is.
type GroupMember struct {
	Pod   string // namespace/name
	Place Place
}

// IsGroup reports whether a word names a pod group as kubectl does: podgroup/train. The key of a group is such a word.
func IsGroup(word string) bool {
	_, is := trace.GroupOfKey(word)
	return is
}

// group finds the PodGroup that a word means: podgroup/name, where only one has that name, or podgroup/namespace/name.
func (k *At) group(word string) (*schedulingv1beta1.PodGroup, error) {
	name, is := trace.GroupOfKey(word)
	if !is {
		name = word
	}
	var found *schedulingv1beta1.PodGroup
	var all []string
	var err error
	k.state().EachPodGroup(func(g *schedulingv1beta1.PodGroup) bool {
		all = append(all, trace.GroupKey(cluster.Key(g)))
		if cluster.Key(g) == name || g.Name == name {
			if found != nil {
				err = phrase.Errorf("pod group %q: there are several of that name; write podgroup/NAMESPACE/NAME", name)
			}
			found = g
		}
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, phrase.Errorf("there is no pod group %q%s", name, spelling.HintName(word, all))
	}
	return found, nil
}

// ExplainGroup returns where a pod group is, how its last cycle ended, and where each of its pods is.
func (k *At) ExplainGroup(word string) (GroupExplanation, error) {
	g, err := k.group(word)
	if err != nil {
		return GroupExplanation{}, err
	}
	key := trace.GroupKey(cluster.Key(g))
	e := GroupExplanation{
		Language: k.session.language, Group: key, Now: k.Now(), Place: k.place(key),
		Gang:     g.Spec.SchedulingPolicy.Gang != nil,
		MinCount: cluster.MinCount(g), Topology: cluster.TopologyKey(g), Cycle: k.lastCycleOfGroup(key),
		History: k.History(key),
	}
	k.state().EachPod(func(p *cluster.Pod) bool {
		if p.Group == cluster.Key(g) {
			e.Members = append(e.Members, GroupMember{p.Key, k.place(p.Key)})
		}
		return true
	})
	return e, nil
}

// lastCycleOfGroup is the last cycle about a group up to the cursor; nil when there was none. A cycle that is not over
// counts as soon as the cursor is behind the fact that names its group.
func (k *At) lastCycleOfGroup(key string) *trace.Cycle {
	if k.trying != nil && k.trying.Entity.Key() == key && k.trying.Group != nil {
		return k.trying
	}
	for _, m := range slices.Backward(k.line.marks) {
		if m.Step <= k.steps && m.Pod == key {
			c, _ := trace.Fold(k.line.stepAgain(m.Step).Facts)
			return c
		}
	}
	return nil
}

// stepAgain runs a known step once more, in full detail.
func (l *line) stepAgain(n int) play.Step {
	p := l.playerAt(n-1, nil, nil)
	p.Keep(trace.Reasoned)
	step, _ := p.Step()
	return step
}
