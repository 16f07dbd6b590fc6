//go:build !before_1_35

package oracle

import (
	"context"
	"reflect"
	"slices"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	kubescheduler "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// tiesByChance: before 1.35 kube-scheduler draws one of the best nodes at random; without extenders it no longer does.
const tiesByChance = false

// signature is equal for pods that would be judged alike.
type signature = kubescheduler.PodSignature

// countCycles has the scheduler number its cycles as At does.
func (o *Oracle) countCycles() { o.scheduler.SchedulingQueue = turns{o.scheduler.SchedulingQueue, o} }

// turns is a queue whose scheduling cycle is the one that At named.
type turns struct {
	internalqueue.SchedulingQueue
	oracle *Oracle
}

// SchedulingCycle is what kube-scheduler takes for the number of the cycle.
func (t turns) SchedulingCycle() int64 { return t.oracle.cycle }

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

// watched is the profile's framework for one cycle.
func (q question) watched(byMap bool) *batching {
	return &batching{Framework: q.profile.framework, oracle: q.Oracle, order: q.nodes, byMap: byMap}
}

// RunScorePlugins remembers the scores.
func (b *batching) RunScorePlugins(
	ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo,
) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := b.Framework.RunScorePlugins(ctx, state, pod, nodes)
	b.scores = slices.Clone(scores)
	return scores, status
}

// StoreScheduleResults remembers what is kept for the next cycle. Where the order of a map decided, it is what the
// order of the snapshot would have left.
func (b *batching) StoreScheduleResults(
	ctx context.Context, signature signature, hint, chosen string, others framework.SortedScoredNodes, cycle int64,
) {
	if b.byMap && others != nil && hint != chosen {
		others, chosen = bySnapshot(b.inOrder())
	}
	var names []string
	if others != nil && hint != chosen {
		others, names = bestFirst(others)
	}
	b.Framework.StoreScheduleResults(ctx, signature, hint, chosen, others, cycle)
	if hint == chosen || signature == nil || others == nil {
		return
	}
	b.oracle.stored[b.ProfileName()] = b.oracle.now
	b.Kept = append(b.Kept, names...)
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

// Groups reports whether kube-scheduler knows pod groups under its gates.
func Groups() bool { return utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) }
