package session

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
)

// Anew is a player of its own from before the first of some pods came, after some what-ifs. The pods come as as leaves
// them; the log goes on, and the session stays as it is.
func (k *At) Anew(
	pods []*cluster.Pod, as func(*corev1.Pod) (*corev1.Pod, error), edits ...Edit,
) (*play.Player, error) {
	if k.lost {
		return nil, errLost
	}
	p := k.origin.playerAt(k.origin.beforeAny(pods), nil, nil).Branch()
	for p.Owes() {
		p.Step()
	}
	c, err := k.carryOut(Together("anew", edits...), p)
	if err != nil {
		return nil, err
	}
	for _, pod := range pods {
		changed, err := as(pod.API.DeepCopy())
		if err != nil {
			return nil, err
		}
		c.last(pod.API, func(e cluster.Event) (cluster.Event, bool) {
			if e.Action == cluster.Add {
				e.Object = changed.DeepCopy()
			}
			return e, true
		})
	}
	for _, e := range c.events {
		p.Deliver(e)
	}
	return p, nil
}

// beforeAny is the last step before the first note about any of some pods.
func (l *line) beforeAny(pods []*cluster.Pod) int {
	for _, n := range l.notes {
		if _, about := toldOfAny(pods, n); about {
			return n.step - 1
		}
	}
	return 0
}

func toldOfAny(pods []*cluster.Pod, n noted) (key string, about bool) {
	i := slices.IndexFunc(pods, func(p *cluster.Pod) bool {
		_, about := toldOf(p.Key, n.fact)
		return about
	})
	if i < 0 {
		return "", false
	}
	return pods[i].Key, true
}
