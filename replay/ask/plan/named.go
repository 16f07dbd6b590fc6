package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// meant is what a word may mean: NAME, NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME.
type meant struct {
	kind            string // in lower case; "": any
	namespace, name string // namespace "": any
}

// meaningsOf are the ways in which a word can be read.
func meaningsOf(word string) []meant {
	parts := strings.Split(word, "/")
	kindOf := func(text string) string {
		text, _, _ = strings.Cut(strings.ToLower(text), ".") // deployment.apps
		if kind, is := owner.KindOf(text); is {
			return strings.ToLower(string(kind))
		}
		if text == "po" {
			return "pod"
		}
		return strings.TrimSuffix(text, "s") // no kind of workload ends in s
	}
	switch len(parts) {
	case 1:
		return []meant{{name: parts[0]}}
	case 2:
		return []meant{{kind: kindOf(parts[0]), name: parts[1]}, {namespace: parts[0], name: parts[1]}}
	case 3:
		return []meant{{kind: kindOf(parts[0]), namespace: parts[1], name: parts[2]}}
	}
	return nil
}

func (m *meant) matches(o request.Object) bool {
	return m.name == o.Name && (m.namespace == "" || m.namespace == o.Namespace) &&
		(m.kind == "" || m.kind == strings.ToLower(string(o.Kind)))
}

// thingsOf are what the name of a pod may be given by: itself, its controller, what that belongs to, and its pod group.
func thingsOf(p *cluster.Pod) []request.Object {
	things := []request.Object{{Kind: cluster.KindPod, Namespace: p.Namespace(), Name: p.Name()}}
	if kind, name, is := strings.Cut(ownerName(p.API), " "); is {
		_, name, _ = strings.Cut(name, "/")
		things = append(things, request.Object{Kind: cluster.Kind(kind), Namespace: p.Namespace(), Name: name})
	}
	things = append(things, owner.PlaceOf(p).On)
	if namespace, name, is := strings.Cut(p.Group, "/"); is {
		things = append(things, request.Object{Kind: cluster.KindPodGroup, Namespace: namespace, Name: name})
	}
	return things
}

// named are the pods that a word means: those of a workload, of a pod group, or the pod of that name; by key.
func (f *Fleet) named(word string) ([]*cluster.Pod, error) {
	var things []request.Object
	var pods [][]*cluster.Pod // of each
	meanings := meaningsOf(word)
	f.Player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
		for _, thing := range thingsOf(p) {
			if !slices.ContainsFunc(meanings, func(m meant) bool { return m.matches(thing) }) {
				continue
			}
			at := slices.Index(things, thing)
			if at < 0 {
				at, things, pods = len(things), append(things, thing), append(pods, nil)
			}
			if !slices.Contains(pods[at], p) {
				pods[at] = append(pods[at], p)
			}
		}
		return true
	})
	if len(things) == 0 {
		_, name, _ := strings.Cut(word, "/")
		return nil, phrase.Errorf("no pod here is of a workload %q", cmp.Or(name, word))
	}
	full := func(o request.Object) string { return strings.ToLower(string(o.Kind)) + "/" + o.Key() }
	for i := range things {
		if !slices.Equal(pods[i], pods[0]) {
			return nil, phrase.Errorf("%q may be %s or %s", word, full(things[0]), full(things[i]))
		}
	}
	return pods[0], nil
}

// wanted is what nodes are wanted for: the pods of a word that have none, or more replicas of its workload.
type wanted struct {
	word  string
	named []*cluster.Pod
	more  *request.Request // nil: those that have no node

	before []request.Request // raise the quotas that do not let so many be made
	quotas []string          // messages of the API server for which they are raised
}

// wantedOf reads a word. more is how many replicas are wanted; 0: none.
func (f *Fleet) wantedOf(ctx context.Context, word string, more int) (wanted, error) {
	named, err := f.named(word)
	if err != nil || more == 0 {
		return wanted{word: word, named: named}, err
	}
	r := f.begin(ctx, 1, 0)
	var scale *request.Request
	for _, p := range named {
		q, _, can := r.scaleBy(p.API, int32(more)) //nolint:gosec // checked where it is read
		switch {
		case !can:
			return wanted{}, phrase.Errorf("%s has no replicas that could be more", word)
		case scale != nil && scale.On != q.On:
			return wanted{}, phrase.Errorf("the pods of %s are of several workloads", word)
		}
		scale = &q
	}
	w := wanted{word: word, named: named, more: scale}
	return w, w.raise(ctx, f)
}

// grow has a run make the replicas that are wanted. They are returned: those with a node too.
func (w *wanted) grow(r *run) ([]string, error) {
	before := map[string]bool{}
	r.state().EachPod(func(p *cluster.Pod) bool { before[p.Key] = true; return true })
	for _, q := range append(slices.Clone(w.before), *w.more) {
		if err := r.send(q); err != nil {
			return nil, err
		}
	}
	r.settle()
	var all []string
	r.state().EachPod(func(p *cluster.Pod) bool {
		q, _, can := r.scaleBy(p.API, 0)
		if !before[p.Key] && can && q.On == w.more.On && !cluster.Finished(p.API) {
			all = append(all, p.Key)
		}
		return true
	})
	return all, nil
}

// waiting are the pods of the word that wait for a node, by key. Those that a gate holds back do not.
func (w *wanted) waiting(state *cluster.State) []string {
	var all []string
	for _, p := range w.named {
		_, assumed := state.Assumed(p.Key)
		if p.NodeName == "" && !assumed && len(p.API.Spec.SchedulingGates) == 0 && !cluster.Finished(p.API) {
			all = append(all, p.Key)
		}
	}
	return all
}

// readied is a run at the moment of the fleet in which every pod that waits has waited long enough to be tried at once.
func (f *Fleet) readied(ctx context.Context, times int, seed uint64) *run {
	r := f.begin(ctx, times, seed)
	r.backOff()
	r.start = r.now()
	return r
}
