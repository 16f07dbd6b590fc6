package queue_test

import (
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/queuesort"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
)

const profileName = "default-scheduler"

var (
	nodeAdd       = cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}
	nodeTaint     = cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.UpdateNodeTaint}
	podDelete     = cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted}
	attachmentAdd = cluster.ClusterEvent{Resource: cluster.VolumeAttachmentResource, Action: cluster.Added}
)

// start is 300 ms after a whole second, so that alignment to seconds shows.
func start() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 300e6, time.UTC) }

// stage is a queue with a clock and a cluster of its own. Its plugins: SchedulingGates gates pods with gates, Held
// those with the annotation held, and both let go by themselves; Fit waits for added nodes named big*, deleted pods,
// and its own pod's scaling; Taint for added nodes and taints; Claim, which answers Pending, for deleted pods; Broken's
// hint fails; Silent waits for nothing. Loud has no row.
type stage struct {
	*queue.Queue
	t      *testing.T
	known  *cluster.State
	now    time.Time
	detail trace.Detail
}

// maxBackoff is kube-scheduler's when nothing is configured.
const maxBackoff = 10 * time.Second

func rules() queue.Rules { return rulesOf(release.Newest()) }

func rulesOf(r *release.Release) queue.Rules {
	gate := func(name string, holds func(*cluster.Pod) bool) queue.Gate {
		return queue.Gate{Plugin: name, Check: func(p *cluster.Pod, _ *cluster.State) trace.Verdict {
			if holds(p) {
				return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{name + " holds it"}}
			}
			return trace.Verdict{}
		}}
	}
	event := func(r cluster.Resource, a cluster.ActionType) cluster.ClusterEvent {
		return cluster.ClusterEvent{Resource: r, Action: a}
	}
	big := func(_ *cluster.Pod, c *cluster.Change, _ *cluster.State) (bool, error) {
		return strings.HasPrefix(c.NewNode.Name, "big"), nil
	}
	fails := func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error) { return false, errBroken }
	return queue.Rules{
		Sort:           queuesort.New(),
		InitialBackoff: time.Second, MaxBackoff: maxBackoff, Discipline: r.Behaviour.Queue,
		Profiles: map[string]queue.ProfileRules{profileName: {
			PreEnqueue: []queue.Gate{
				gate("SchedulingGates", func(p *cluster.Pod) bool { return len(p.API.Spec.SchedulingGates) > 0 }),
				gate("Held", func(p *cluster.Pod) bool { return p.API.Annotations["held"] != "" }),
			},
			Hints: []queue.PluginHints{
				{
					Plugin: "SchedulingGates",
					Hints:  []queue.Hint{{Event: event(cluster.TargetPod, cluster.UpdatePodSchedulingGatesEliminated)}},
				},
				{Plugin: "Held", Hints: []queue.Hint{{Event: event(cluster.AssignedPod, cluster.Deleted)}, {
					Event: event(cluster.TargetPod, cluster.Updated),
				}}},
				{Plugin: "Fit", Hints: []queue.Hint{
					{Event: event(cluster.NodeResource, cluster.Added), Helps: big},
					{Event: event(cluster.AssignedPod, cluster.Deleted)},
					{Event: event(cluster.PodResource, cluster.UpdatePodScaleDown)},
				}},
				{Plugin: "Taint", Hints: []queue.Hint{{Event: event(cluster.NodeResource, cluster.Added|cluster.UpdateNodeTaint)}}},
				{Plugin: "Claim", Hints: []queue.Hint{{Event: event(cluster.AssignedPod, cluster.Deleted)}}},
				{Plugin: "Broken", Hints: []queue.Hint{{Event: event(cluster.NodeResource, cluster.Added), Helps: fails}}},
				{Plugin: "Silent"},
			},
		}},
	}
}

type brokenError struct{}

func (brokenError) Error() string { return "cannot tell" }

var errBroken = brokenError{}

func newStage(t *testing.T) *stage {
	return &stage{Queue: queue.New(rules(), start()), t: t, known: cluster.NewState(), now: start()}
}

// newStageOf is a stage whose queue is that of a release.
func newStageOf(t *testing.T, version string) *stage {
	t.Helper()
	r, known := release.Find(version)
	if !known {
		t.Fatalf("there is no release %s", version)
	}
	s := newStage(t)
	s.Queue = queue.New(rulesOf(r), start())
	return s
}

func (s *stage) at() queue.Moment {
	return queue.Moment{Now: s.now, Known: s.known, Detail: s.detail}
}

// edit is a change to a pod before it is applied.
type edit func(*corev1.Pod)

func priority(p int32) edit { return func(a *corev1.Pod) { a.Spec.Priority = &p } }
func uid(u string) edit     { return func(a *corev1.Pod) { a.UID = types.UID(u) } }
func gates(names ...string) edit {
	return func(a *corev1.Pod) { a.Spec.SchedulingGates = gateList(names) }
}
func held(a *corev1.Pod)         { a.Annotations = map[string]string{"held": "yes"} }
func nominated(node string) edit { return func(a *corev1.Pod) { a.Status.NominatedNodeName = node } }
func on(node string) edit        { return func(a *corev1.Pod) { a.Spec.NodeName = node } }
func labelled(value string) edit {
	return func(a *corev1.Pod) { a.Labels = map[string]string{"v": value} }
}
func scheduledBy(name string) edit { return func(a *corev1.Pod) { a.Spec.SchedulerName = name } }
func gateList(names []string) (list []corev1.PodSchedulingGate) {
	for _, n := range names {
		list = append(list, corev1.PodSchedulingGate{Name: n})
	}
	return list
}

func apiPod(name string, edits ...edit) *corev1.Pod {
	api := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name)}}
	api.Spec.SchedulerName = profileName
	for _, e := range edits {
		e(api)
	}
	return api
}

// apply changes the cluster, and not the queue.
func (s *stage) apply(name string, edits ...edit) cluster.Change {
	return s.known.Apply(cluster.Event{Action: cluster.Update, Object: apiPod(name, edits...)})[0]
}

func (s *stage) remove(name string) cluster.Change {
	return s.known.Apply(cluster.Event{Action: cluster.Delete, Object: apiPod(name)})[0]
}

func (s *stage) add(name string, edits ...edit) []trace.Fact {
	return s.Add(s.apply(name, edits...).NewPod, s.at())
}

func (s *stage) update(name string, edits ...edit) []trace.Fact {
	c := s.apply(name, edits...)
	return s.Update(c.OldPod, c.NewPod, &c, s.at())
}

// pop must find something.
func (s *stage) pop() *queue.Item {
	s.t.Helper()
	item, _, ok := s.Pop(s.now)
	if !ok {
		s.t.Fatalf("nothing to pop: %+v", s.Counts())
	}
	return item
}

func (s *stage) park(item *queue.Item, plugins ...string) []trace.Fact {
	_, facts := s.Park(item, queue.Rejection{Plugins: plugins}, s.at())
	return facts
}

// reject adds a pod and has its first cycle fail.
func (s *stage) reject(name string, plugins ...string) {
	s.t.Helper()
	s.add(name)
	if item := s.pop(); item.Key() != "ns/"+name {
		s.t.Fatalf("popped %s and not %s", item.Key(), name)
	} else {
		s.park(item, plugins...)
	}
}

func (s *stage) wait(d time.Duration) []trace.Fact {
	from := s.now
	s.now = s.now.Add(d)
	return s.Advance(from, s.at())
}

func (s *stage) node(name string) *cluster.Change {
	n := cluster.NewNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	return &cluster.Change{Kind: cluster.KindNode, Action: cluster.Add, NewNode: n, New: n.API}
}

func (s *stage) wake(e cluster.ClusterEvent, c *cluster.Change) []trace.Fact {
	return s.Wake(queue.Ask{Event: e, Change: c}, s.at())
}

func (s *stage) activate(names ...string) []trace.Fact {
	var pods []*cluster.Pod
	for _, name := range names {
		p, ok := s.known.Pod("ns/" + name)
		if !ok {
			p = s.known.ParsePod(apiPod(name))
		}
		pods = append(pods, p)
	}
	return s.Activate(pods, s.at())
}

// where is the queue a pod is in, or "".
func (s *stage) where(name string) trace.QueueName {
	_, in, _ := s.Find("ns/" + name)
	return in
}

func (s *stage) isIn(name string, want trace.QueueName) {
	s.t.Helper()
	if got := s.where(name); got != want {
		s.t.Errorf("%s is in %q, want %q", name, got, want)
	}
}

func (s *stage) says(facts []trace.Fact, want ...string) {
	s.t.Helper()
	var got []string
	for _, f := range facts {
		got = append(got, f.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("facts (-want +got):\n%s", diff)
	}
	if err := s.Check(); err != nil {
		s.t.Error(err)
	}
}

func names(items iter.Seq[*queue.Item]) string {
	var s []string
	for item := range items {
		s = append(s, item.Pod.Name())
	}
	return strings.Join(s, " ")
}
