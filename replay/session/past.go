package session

import (
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Past is how a pod of the input came to be no longer there.
type Past struct {
	Deleted bool      // it was deleted; else it finished
	Phase   string    // Succeeded or Failed, of one that finished
	Reason  string    // of that phase, such as Evicted; "" for none
	Node    string    // where it was, as the input says; "": it does not say
	At      time.Time // when the scheduler was told
}

// over returns how a pod ended that finished or was deleted, found by its name or its key, from the last event about it
// up to the cursor; false when that event neither finishes nor deletes the pod, or when there is none.
func (k *At) over(pod string) (key string, o Past, is bool) {
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

// Left reports whether a pod that was there is gone at the cursor, and how that came; nil when the input does not show
// it.
func (k *At) Left(key string) (how *Past, gone bool) {
	return k.left(key)
}

func (k *At) left(key string) (how *Past, gone bool) {
	if _, there := k.state().Pod(key); there {
		return nil, false
	}
	if _, over, told := k.over(key); told {
		how = &over
	}
	return how, true
}

// Pod is the key of the pod that is meant and is there. The error about one that is gone names it.
func (k *At) Pod(text string) (string, error) {
	key, err := k.Names().Pod(text)
	if !errors.Is(err, ErrNoPod) {
		return key, err
	}
	if was, is := k.was(text); is {
		return "", phrase.Errorf("pod %q is no longer there: it finished, or was deleted (explain %s tells more)", was, was)
	}
	return "", err
}

// PodKey is the key of the pod that is meant: one that is there, or else one that was there up to the cursor.
func (k *At) PodKey(text string) (string, error) {
	key, err := k.Names().Pod(text)
	if !errors.Is(err, ErrNoPod) {
		return key, err
	}
	if was, is := k.was(text); is {
		return was, nil
	}
	return "", err
}

// was is the key of a pod that up to the cursor a cycle has tried, that finished or was deleted, or that was in a
// queue: a pod that a what-if deleted before a cycle tried it is found only there. A pod that came with its node and
// was evicted is found in the event about that.
func (k *At) was(text string) (key string, is bool) {
	for _, m := range slices.Backward(k.timeline()) {
		for _, tried := range append(slices.Clip(m.Members), m.Pod) {
			if isCalled(tried, text) {
				return tried, true
			}
		}
	}
	if key, _, is = k.over(text); is {
		return key, true
	}
	key = ""
	k.notes(func(n noted) {
		switch f := n.fact.(type) {
		case trace.Moved:
			if isCalled(f.Entity.Key(), text) {
				key = f.Entity.Key()
			}
		case trace.Recorded:
			if isCalled(f.Pod, text) {
				key = f.Pod
			}
		}
	})
	return key, key != ""
}

// isCalled reports whether a key is that of a pod which a text means by its name or its key.
func isCalled(key, text string) bool {
	return key == text || strings.HasSuffix(key, "/"+text) && !IsGroup(key)
}
