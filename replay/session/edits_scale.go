package session

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Scaling is a workload as the verb scale takes it: deploy/default/web.
func Scaling(on request.Object) string { return owner.Word(on.Kind) + "/" + on.Key() }

// scaled is the workload that a word names, as kubectl does, in the namespace default where it names none; false where
// it names none that can be scaled.
func scaled(word string) (on request.Object, is bool) {
	kind, key, is := owner.Parse(word)
	namespace, name, named := strings.Cut(key, "/")
	if !named {
		namespace, name = corev1.NamespaceDefault, key
	}
	return request.Object{Kind: kind, Namespace: namespace, Name: name}, is && owner.Scales(kind)
}

// PodsOf are the pods that a workload makes, without those that are over or on their way out.
func PodsOf(state *cluster.State, on request.Object) []*corev1.Pod {
	var all []*corev1.Pod
	state.EachPodIn(on.Namespace, func(p *cluster.Pod) bool {
		if owner.PlaceOf(p).On == on && !p.Terminating() && !cluster.Finished(p.API) {
			all = append(all, p.API)
		}
		return true
	})
	return all
}

// Scale has a workload have fewer replicas. Its controller deletes the pods that are least missed.
func Scale(on request.Object, replicas int) Edit { return ScaleTo(Scaling(on), strconv.Itoa(replicas)) }

// ScaleTo is Scale, in words.
func ScaleTo(workload, replicas string) Edit { return doing("scale", workload, replicas) }

// Scaling is the request that an edit of Scale is, for a world whose controllers answer it; false of another edit.
func (e Edit) Scaling() (r request.Request, is bool) {
	if len(e.deeds) != 1 || e.deeds[0].Do != "scale" {
		return r, false
	}
	on, is := scaled(e.deeds[0].With[0])
	replicas, err := strconv.ParseInt(e.deeds[0].With[1], 10, 32)
	return request.Scale(on, int32(replicas)), is && err == nil
}

func (c *change) scale(word, count string) error {
	on, is := scaled(word)
	if !is {
		return phrase.Errorf("scale: %q is no workload that can be scaled, such as deploy/default/web", word)
	}
	pods := PodsOf(c.state(), on)
	replicas, err := strconv.Atoi(count)
	switch {
	case err != nil || replicas < 0:
		return phrase.Errorf("scale: %q is no number of replicas", count)
	case replicas >= len(pods):
		return phrase.Errorf("scale: %s has %d pods here, and only fewer are tried", word, len(pods))
	}
	for _, p := range owner.GivenUp(on, pods, c.player.Scheduler().Now())[:len(pods)-replicas] {
		if live, is := c.state().Pod(cluster.Key(p)); is {
			c.remove(live)
		}
	}
	c.said = phrase.New("%[1]s has %[2]d replicas instead of %[3]d", word, replicas, len(pods))
	return nil
}
