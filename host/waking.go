package host

import (
	"encoding/json"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// waking is an adapter of a plugin that lists its events.
type waking struct{ adapter }

// Hints are the plugin's.
func (w waking) Hints() []queue.Hint {
	hints := make([]queue.Hint, len(w.events))
	for k, e := range w.events {
		hints[k] = queue.Hint{
			Event: cluster.ClusterEvent{
				Resource: cluster.Resource(e.Resource), Action: cluster.ActionType(e.ActionType),
			},
			Helps: w.helps(k),
		}
	}
	return hints
}

// helps calls the hint of one event.
func (w waking) helps(event int) func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error) {
	type answer struct {
		Helps bool
		Err   string
	}
	return func(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error) {
		h := homeOf(known.Companion())
		api := h.infos.pod(pod)
		before, after := sides(change)
		got := ask(h, w.guest, "QueueingHint", func(i *instance) answer {
			asked[fwk.EnqueueExtensions](i, w.guest, pod)
			e := i.plugins[w.guest].events[event]
			helps, err := helped(i, e, api, before, after)
			if err != nil {
				return answer{true, err.Error()}
			}
			return answer{Helps: helps}
		}, func(said string) answer { return answer{true, said} })
		if got.Err != "" {
			return true, errors.New(got.Err)
		}
		return got.Helps, nil
	}
}

// sides are the objects of a change, as hints get them: nil where there is none.
func sides(change *cluster.Change) (before, after any) {
	if change.Old != nil {
		before = shown(change.Old)
	}
	if change.New != nil && change.Action != cluster.Delete {
		after = shown(change.New)
	}
	return before, after
}

func shown(o cluster.Object) any {
	if pod, is := o.(*corev1.Pod); is {
		return identified(pod)
	}
	return o
}

func helped(i *instance, e fwk.ClusterEventWithHint, pod *corev1.Pod, before, after any) (bool, error) {
	if e.PreQueueingHintFn != nil && (before != nil || after != nil) {
		some, err := e.PreQueueingHintFn(i.logger, before, after)
		name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
		if err == nil && !some.AllPods && !slices.Contains(some.Pods, name) {
			return false, nil
		}
	}
	if e.QueueingHintFn == nil {
		return true, nil
	}
	hint, err := e.QueueingHintFn(i.logger, pod, before, after)
	return hint == fwk.Queue, err
}

// signing is an adapter of a plugin that signs pods.
type signing struct{ adapter }

// Sign calls the plugin.
func (s signing) Sign(pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	return sign(s.guest, pod, known)
}

type wakingSigner struct{ waking }

// Sign calls the plugin.
func (s wakingSigner) Sign(pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	return sign(s.guest, pod, known)
}

func sign(g *guest, pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	type answer struct {
		Parts   []framework.Part
		Verdict trace.Verdict
	}
	h := homeOf(known.Companion())
	api := h.infos.pod(pod)
	got := ask(h, g, "SignPod", func(i *instance) answer {
		fragments, status := asked[fwk.SignPlugin](i, g, pod).SignPod(i.ctx, api)
		answered := answer{Verdict: verdictOf(status)}
		for _, f := range fragments {
			text, err := json.Marshal(f.Value)
			if err != nil {
				return answer{Verdict: brokenVerdict(err.Error())}
			}
			answered.Parts = append(answered.Parts, framework.Part{Name: f.Key, Value: string(text)})
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	return got.Parts, got.Verdict
}
