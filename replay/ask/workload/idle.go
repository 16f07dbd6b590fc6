package workload

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session"
)

// idle is why the workload wants no pod; empty where it wants some, or the input does not show why.
func (w *Workload) idle(state *cluster.State) phrase.Phrase {
	if w.Want > 0 {
		return phrase.Phrase{}
	}
	for _, o := range w.known.Objects {
		if kind, is := kindOf(o); is && kind == w.Kind && cluster.Key(o) == w.Key() {
			return idleBy(o)
		}
	}
	if set, is := state.Objects().StatefulSets.Find(w.Key()); is && w.Kind == cluster.KindStatefulSet {
		return noReplicas(set.Spec.Replicas)
	}
	if set, is := state.Objects().ReplicaSets.Find(w.Key()); is && w.Kind == cluster.KindReplicaSet {
		return noReplicas(set.Spec.Replicas)
	}
	return phrase.Phrase{}
}

// idleBy is why an object that makes pods wants none.
func idleBy(o cluster.Object) phrase.Phrase {
	switch o := o.(type) {
	case *appsv1.Deployment:
		return noReplicas(o.Spec.Replicas)
	case *batchv1.Job:
		for _, c := range o.Status.Conditions {
			if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
				return phrase.New("it is over (%s)", string(c.Type))
			}
		}
		if ptr.Deref(o.Spec.Suspend, false) {
			return phrase.New("it is suspended")
		}
		if ptr.Deref(o.Spec.Parallelism, 1) == 0 {
			return phrase.New("its parallelism is 0")
		}
	case *batchv1.CronJob:
		if ptr.Deref(o.Spec.Suspend, false) {
			return phrase.New("it is suspended")
		}
		return phrase.New("none of its Jobs has a pod now")
	}
	return phrase.Phrase{}
}

func noReplicas(n *int32) phrase.Phrase {
	if ptr.Deref(n, 1) == 0 {
		return phrase.New("its replicas are 0")
	}
	return phrase.Phrase{}
}

// Held is what keeps a workload from making its pods: an object of another program, such as a Workload of Kueue.
type Held struct {
	Holder  string // KIND NAMESPACE/NAME
	Message string // its own words
}

// Says is the same in a sentence.
func (h Held) Says() phrase.Phrase { return phrase.New("%s holds it: %s", h.Holder, h.Message) }

// held are the holders of a workload that wants no pod.
func (w *Workload) held(k *session.At) []Held {
	var all []Held
	for _, h := range k.Holders() {
		if w.Want == 0 && h.Of == w.String() {
			all = append(all, Held{h.Kind + " " + h.Namespace + "/" + h.Name, h.Message})
		}
	}
	return all
}
