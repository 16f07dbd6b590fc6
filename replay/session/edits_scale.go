package session

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/owner"
	"github.com/schedstep/schedstep/replay/request"
)

// scalable is a kind of workloads that can be scaled, and a word for it.
type scalable struct {
	word string
	kind cluster.Kind
}

// scaled are the kinds of workloads that can be scaled, by the words for them. The first of a kind is written.
var scaled = []scalable{
	{"deploy", owner.KindDeployment},
	{"deployment", owner.KindDeployment},
	{"sts", cluster.KindStatefulSet},
	{"statefulset", cluster.KindStatefulSet},
	{"rs", cluster.KindReplicaSet},
	{"replicaset", cluster.KindReplicaSet},
	{"rc", cluster.KindReplicationController},
	{"replicationcontroller", cluster.KindReplicationController},
}

// Scaling is a workload as Scale takes it: deploy/default/web.
func Scaling(on request.Object) string {
	for _, s := range scaled {
		if s.kind == on.Kind {
			return s.word + "/" + on.Key()
		}
	}
	return ""
}

// Scaled is the workload that Scaling wrote; false for another word.
func Scaled(word string) (on request.Object, is bool) {
	kind, key, _ := strings.Cut(word, "/")
	at := slices.IndexFunc(scaled, func(s scalable) bool { return s.word == strings.ToLower(kind) })
	namespace, name, named := strings.Cut(key, "/")
	if at < 0 || !named {
		return on, false
	}
	return request.Object{Kind: scaled[at].kind, Namespace: namespace, Name: name}, true
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

func (c *change) scale(word, count string) error {
	on, is := Scaled(word)
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
