package session

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// Past is how a pod of the input came to be no longer there.
type Past struct {
	Deleted bool      // it was deleted; else it finished
	Phase   string    // Succeeded or Failed, of one that finished
	Reason  string    // of that phase, such as Evicted; "" for none
	Node    string    // where it was, as the input says; "": it does not say
	At      time.Time // when the scheduler was told
}

// over is the last that the input told up to the cursor of a pod that finished or was deleted, by its name or its key;
// false when that is not the last, or the input told nothing of it.
func (k *known) over(pod string) (key string, o Past, is bool) {
	for _, entry := range slices.Backward(k.player.Log().Before(k.player.Taken())) {
		api, isPod := entry.Event.Object.(*corev1.Pod)
		if !isPod {
			continue
		}
		key = cluster.Key(api)
		if key != pod && !strings.HasSuffix(key, "/"+pod) {
			continue
		}
		finished := cluster.Finished(api)
		o = Past{Deleted: !finished, Node: api.Spec.NodeName, At: entry.At}
		if finished {
			o.Phase, o.Reason = string(api.Status.Phase), api.Status.Reason
		}
		return key, o, finished || entry.Event.Action == cluster.Delete
	}
	return "", o, false
}
