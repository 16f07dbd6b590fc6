package compare

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
)

// OnTime compares what a player decides by itself, as pods come, with where history puts them later. Lag and order are
// in the answer: pods that both place at the same time swap their nodes.
type OnTime struct {
	chosen map[string]string // uid -> node, until history places the pod
	share  Share
	means  func(*cluster.Pod) bool
}

// NewOnTime has seen nothing. It compares the pods that means takes; nil: all.
func NewOnTime(means func(*cluster.Pod) bool) *OnTime {
	return &OnTime{chosen: map[string]string{}, means: means}
}

// See takes a step of a player that follows history.
func (o *OnTime) See(s play.Step) {
	for _, effect := range s.Effects {
		if b, is := effect.(core.Bind); is && (o.means == nil || o.means(b.Pod)) {
			o.chosen[b.Pod.UID()] = b.Node
		}
	}
	p, is := s.Event.Object.(*corev1.Pod)
	if !is {
		return
	}
	uid := cluster.UID(p)
	node, ours := o.chosen[uid]
	if !ours || p.Spec.NodeName == "" && s.Event.Action != cluster.Delete {
		return
	}
	delete(o.chosen, uid)
	if p.Spec.NodeName == "" {
		return
	}
	if o.share.Of++; node == p.Spec.NodeName {
		o.share.Same++
	}
}

// Share is how many pods were put on the node where history put them later.
func (o *OnTime) Share() Share { return o.share }
