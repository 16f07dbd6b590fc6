package oracle

import (
	"context"
	"reflect"
	"slices"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// At says which cycle the next Schedule or Member is part of, and when it is.
// Scores that a cycle leaves are good for the one after it only, and for half a
// second; without At no cycle follows another, and none is reused.
func (o *Oracle) At(cycle int64, now time.Time) { o.cycle, o.now = cycle, now }

// turns is a queue whose scheduling cycle is the one that At named.
type turns struct {
	internalqueue.SchedulingQueue
	oracle *Oracle
}

// SchedulingCycle is what kube-scheduler takes for the number of the cycle.
func (t turns) SchedulingCycle() int64 { return t.oracle.cycle }

// sign signs a pod that waits, as kube-scheduler's queue does when it hears of it.
func (o *Oracle) sign(pod *corev1.Pod) {
	profile, mine := o.profiles[pod.Spec.SchedulerName]
	if _, placed := o.placed[key(pod)]; placed || !mine || pod.Spec.NodeName != "" {
		return
	}
	o.signatures[key(pod)] = profile.framework.SignPod(o.ctx, pod)
}

// Batch is what a cycle did with the scores that an earlier one left.
type Batch struct {
	Hint string   // the node that came next in them; empty for none
	Kept []string // the nodes whose scores were kept, best first
}

// batching is a profile's framework whose use of scores of earlier cycles is
// watched, and runs by the time that At named.
type batching struct {
	framework.Framework
	oracle *Oracle
	order  []fwk.NodeInfo         // of the snapshot
	byMap  bool                   // the feasible nodes are in the order of a map
	scores []fwk.NodePluginScores // of the feasible nodes
	Batch
}

// GetNodeHint remembers the hint.
func (b *batching) GetNodeHint(
	ctx context.Context, pod *corev1.Pod, signature fwk.PodSignature, state fwk.CycleState, cycle int64,
) string {
	b.setAge()
	b.Hint = b.Framework.GetNodeHint(ctx, pod, signature, state, cycle)
	return b.Hint
}

// RunScorePlugins remembers the scores.
func (b *batching) RunScorePlugins(
	ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo,
) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := b.Framework.RunScorePlugins(ctx, state, pod, nodes)
	b.scores = slices.Clone(scores)
	return scores, status
}

// StoreScheduleResults remembers what is kept. Where the order of a map decided,
// it keeps what the order of the snapshot would have left.
func (b *batching) StoreScheduleResults(
	ctx context.Context, signature fwk.PodSignature, hint, chosen string, others framework.SortedScoredNodes, cycle int64,
) {
	if b.byMap && others != nil && hint != chosen {
		others, chosen = bySnapshot(b.inOrder())
	}
	b.Framework.StoreScheduleResults(ctx, signature, hint, chosen, others, cycle)
	if hint == chosen || signature == nil || others == nil {
		return
	}
	b.oracle.stored[b.ProfileName()] = b.oracle.now
	b.Kept = append(b.Kept, bestFirst(others)...)
}

func (b *batching) inOrder() []fwk.NodePluginScores {
	var scores []fwk.NodePluginScores
	for _, node := range b.order {
		for _, s := range b.scores {
			if s.Name == node.Node().Name {
				scores = append(scores, s)
			}
		}
	}
	return scores
}

// setAge makes the scores as old or as young as they are by the time of At:
// kube-scheduler reads the clock.
func (b *batching) setAge() {
	batch := reflect.ValueOf(b.Framework).Elem().FieldByName("batch")
	if batch.IsNil() || batch.Elem().FieldByName("state").IsNil() {
		return
	}
	created := time.Now().Add(time.Hour)
	if b.oracle.now.Sub(b.oracle.stored[b.ProfileName()]) > 500*time.Millisecond {
		created = time.Time{}
	}
	field := batch.Elem().FieldByName("state").Elem().FieldByName("creationTime")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem(). //nolint:gosec // of this very field
										Set(reflect.ValueOf(created))
}
