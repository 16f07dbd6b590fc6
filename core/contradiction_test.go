package core_test

import (
	"fmt"
	"math/rand/v2" //nolint:depguard // of a test, with a seed
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

// contradictions is how many recordings that contradict themselves are played; each has a seed of its own.
const contradictions = 3000

// TestRecordingsThatContradictThemselvesLoseNothing plays what no API server sends: names that are added twice, objects
// that change or go and never came, nodes that vanish under their pods, pods that change their UID, their scheduler,
// their node or their group. Nothing panics, every event is observed, the queue agrees with itself, and every pod of
// ours without a node waits somewhere, or a fact reports that it does not.
func TestRecordingsThatContradictThemselvesLoseNothing(t *testing.T) {
	total := liar{}
	for seed := range uint64(contradictions) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			l := newLiar(t, seed)
			for range 40 {
				l.step()
			}
			total.events, total.observed, total.cycles = total.events+l.events, total.observed+l.observed,
				total.cycles+l.cycles
			total.odd += l.odd
		})
	}
	if total.observed < total.events || total.events < 20*contradictions || total.cycles < contradictions ||
		total.odd < contradictions/10 {
		t.Errorf("%d events, %d observed, %d cycles, %d odd: too few to show anything", total.events, total.observed,
			total.cycles, total.odd)
	}
}

// liar feeds a scheduler with events that need not fit together.
type liar struct {
	*core.Scheduler
	t *testing.T
	r *rand.Rand

	version  int
	reported map[string]bool // keys of pods that a fact took out of the queues

	events, observed, cycles, odd int
}

func newLiar(t *testing.T, seed uint64) *liar {
	gates := ""
	if seed%3 == 0 {
		gates = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"
	}
	return &liar{
		Scheduler: gangs(t, gates), t: t, r: rand.New(rand.NewPCG(seed, 1)), reported: map[string]bool{},
	}
}

func (l *liar) any(words ...string) string { return words[l.r.IntN(len(words))] }

func (l *liar) step() {
	switch l.r.IntN(10) {
	case 0, 1, 2:
		effects, facts, ran := l.Schedule()
		if ran {
			l.cycles++
		}
		l.take(effects, facts)
	case 3:
		l.take(l.Advance(l.Now().Add(time.Duration(l.r.IntN(400)) * time.Second)))
	default:
		action := cluster.Action(l.r.IntN(3))
		l.tell(cluster.Event{Action: action, Object: l.object()})
	}
	if err := l.Queue().Check(); err != nil {
		l.t.Fatal(err)
	}
	l.nobodyIsLost()
}

func (l *liar) tell(e cluster.Event) {
	l.events++
	effects, facts := l.Apply(e)
	seen := 0
	for _, f := range facts {
		if o, is := f.(trace.Observed); is {
			seen++
			if o.Note != "" && o.Note != "not known" {
				l.odd++
			}
		}
	}
	if seen == 0 {
		l.t.Fatalf("%s is not observed", e)
	}
	l.observed += seen
	l.take(effects, facts)
}

// take notes the facts, and answers effects as a world that cannot be relied on.
func (l *liar) take(effects []core.Effect, facts []trace.Fact) {
	for _, f := range facts {
		switch f := f.(type) {
		case trace.Moved:
			l.reported[f.Entity.Key()] = f.To == ""
		case trace.Observed:
			if strings.Contains(f.Note.String(), "does not queue it") {
				l.reported[f.Object] = true
			}
		case trace.Forgotten:
			l.reported[f.Pod] = true
		case trace.MemberSettled:
			l.reported[f.Pod.Key()] = f.Outcome == trace.SkippedScheduling
		case trace.Ended:
			if f.Outcome == trace.SkippedScheduling {
				if c, begun := trace.Fold(facts); begun {
					l.reported[c.Entity.Key()] = true
				}
			}
		}
	}
	for _, e := range effects {
		bind, is := e.(core.Bind)
		switch {
		case is && l.r.IntN(3) == 0:
			l.take(l.Answer(core.BindingRefused{Bind: bind, Reason: "no"}))
		case is && l.r.IntN(2) == 0:
			pod := bind.Pod.API.DeepCopy()
			pod.Spec.NodeName, pod.ResourceVersion = bind.Node, l.next()
			l.tell(cluster.Event{Action: cluster.Update, Object: pod})
		}
	}
}

// nobodyIsLost wants every pod of ours without a node to wait, to be on its way, or to be reported.
func (l *liar) nobodyIsLost() {
	l.State().EachPod(func(p *cluster.Pod) bool {
		_, ours := l.Profile(p.API.Spec.SchedulerName)
		_, assumed := l.State().Assumed(p.Key)
		_, _, queued := l.Queue().Find(p.Key)
		if ours && p.NodeName == "" && !assumed && !queued && !l.reported[p.Key] {
			l.t.Fatalf("%s waits nowhere, and no fact says why", p.Key)
		}
		return true
	})
}

func (l *liar) next() string {
	l.version++
	return fmt.Sprint(l.version - l.r.IntN(2)) // now and then one that was there
}

func (l *liar) object() cluster.Object {
	switch l.r.IntN(8) {
	case 0, 1:
		return build.Node(l.any("n0", "n1", "n2"), func(n *corev1.Node) {
			n.ResourceVersion = l.next()
			n.Labels = map[string]string{"zone": l.any("a", "b")}
			n.Status.Allocatable = corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(l.any("0", "1", "2")), corev1.ResourcePods: resource.MustParse("9"),
			}
		})
	case 2:
		group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: l.any("g", "h"), UID: types.UID(l.any("g1", "g2")), ResourceVersion: l.next(),
		}}
		group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(1 + l.r.IntN(3))}
		return group
	case 3:
		return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: l.any("c", "d"), UID: types.UID(l.any("c1", "c2")), ResourceVersion: l.next(),
		}}
	}
	return build.Pod(l.any("p0", "p1", "p2", "p3", "p4"), l.vary)
}

func (l *liar) vary(p *corev1.Pod) {
	p.UID, p.ResourceVersion = types.UID(p.Name+l.any("", "", "", "'")), l.next()
	p.Spec.SchedulerName = l.any("default-scheduler", "default-scheduler", "default-scheduler", "another")
	p.Spec.NodeName = l.any("", "", "", "n0", "n1", "gone")
	p.Spec.Priority = ptr.To(int32(l.r.IntN(3)))
	p.Status.NominatedNodeName = l.any("", "", "n0", "gone")
	p.Status.Phase = corev1.PodPhase(l.any("Pending", "Pending", "Pending", "Pending", "Running", "Succeeded"))
	p.Spec.Containers = []corev1.Container{build.Requests(corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(l.any("500m", "1", "2")),
	})}
	if group := l.any("", "", "g", "h"); group != "" {
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	}
	switch l.r.IntN(8) {
	case 0:
		p.DeletionTimestamp = &metav1.Time{Time: l.Now()}
	case 1:
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
	case 2:
		build.Claims(l.any("c", "d"))(p)
	}
}
