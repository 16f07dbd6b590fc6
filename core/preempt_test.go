package core_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
)

var preemptStart = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

func preemptScheduler(d trace.Detail, permit ...framework.PermitPlugin) *core.Scheduler {
	c := config.Default()
	c.Profiles[0].Permit = permit
	return core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: preemptStart,
		Detail: d, Seed: 7,
	})
}

func preemptNode(name string, cpu int64) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewQuantity(cpu, resource.DecimalSI), corev1.ResourcePods: resource.MustParse("110"),
		}},
	}
}

func preemptPod(name, node string, cpu int64, priority int32) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name)},
		Spec: corev1.PodSpec{
			SchedulerName: "default-scheduler", NodeName: node, Priority: &priority, Containers: []corev1.Container{{
				Name: "c", Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(cpu, resource.DecimalSI)},
				},
			}},
		},
	}
	if node != "" {
		p.Status.StartTime = &metav1.Time{Time: preemptStart.Add(-time.Hour)}
	}
	return p
}

func apply(s *core.Scheduler, objects ...cluster.Object) []trace.Fact {
	var facts []trace.Fact
	for _, o := range objects {
		_, f := s.Apply(cluster.Event{Action: cluster.Update, Object: o})
		facts = append(facts, f...)
	}
	return facts
}

// cycleOf runs one cycle and returns its effects in words and its try.
func cycleOf(t testing.TB, s *core.Scheduler) ([]string, *trace.Try, []core.Effect) {
	t.Helper()
	effects, facts, ok := s.Schedule()
	if !ok {
		t.Fatal("nobody is ready")
	}
	var words []string
	for _, e := range effects {
		words = append(words, e.String())
	}
	c, _ := trace.Fold(facts)
	return words, c.Latest(), effects
}

func leaving(p *corev1.Pod, byPreemption bool) *corev1.Pod {
	p = p.DeepCopy()
	p.DeletionTimestamp = &metav1.Time{Time: preemptStart}
	if byPreemption {
		p.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler},
		}
	}
	return p
}

func where(s *core.Scheduler, key string) trace.QueueName {
	_, queue, _ := s.Queue().Find(key)
	return queue
}

func TestPreemptionAsksForEvictionsInOrder(t *testing.T) {
	s := preemptScheduler(trace.Full)
	lower := preemptPod("lower", "", 9, 5)
	lower.Status.NominatedNodeName = "n"
	apply(s, preemptNode("n", 4), preemptPod("a", "n", 1, 0), preemptPod("b", "n", 3, 1), lower)
	s.Schedule() // lower fits nowhere and stays nominated
	lower.Status.NominatedNodeName = "n"
	apply(s, lower, preemptPod("new", "", 4, 10))
	got, c, effects := cycleOf(t, s)
	message := "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n, preempting 2 victims"
	want := []string{
		"nominate default/new on n",
		"report Warning FailedScheduling default/new: " + message,
		"nominate default/lower nowhere",
		"evict default/b for default/new",
		"report Normal Preempted default/b: Preempted by pod uid-new on node n",
		"evict default/a for default/new",
		"report Normal Preempted default/a: Preempted by pod uid-new on node n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("effects\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c.Ended.Outcome != trace.Preempting || c.Ended.NominatedNode != "n" || c.Ended.MovedTo != "unschedulable" ||
		!slices.Equal(c.Ended.Plugins, []string{"NodeResourcesFit"}) {
		t.Errorf("the cycle ended %+v", c.Ended)
	}
	for _, e := range effects {
		if e, ok := e.(core.Evict); ok && (e.Reason != "PreemptionByScheduler" ||
			e.Message != "default-scheduler: preempting to accommodate a higher priority pod") {
			t.Errorf("condition %q, %q", e.Reason, e.Message)
		}
	}
	p := c.Preemption
	if !p.Eligible || p.Node != "n" ||
		p.Message != "preemption: found a potential placement for pod on node n, preempting 2 victims" ||
		!slices.Equal(p.Victims, []string{"default/b", "default/a"}) {
		t.Errorf("preemption %+v", p)
	}
}

// TestPreemptorWaitsUntilTheLastVictimIsTold deletes two victims. The preemptor stays gated when the first one is gone
// and the last one is terminating, and is requeued when the last one is gone.
func TestPreemptorWaitsUntilTheLastVictimIsTold(t *testing.T) {
	s := preemptScheduler(trace.Full)
	a, b := preemptPod("a", "n", 2, 0), preemptPod("b", "n", 2, 1)
	apply(s, preemptNode("n", 4), a, b, preemptPod("new", "", 4, 10))
	cycleOf(t, s)
	if got := where(s, "default/new"); got != "unschedulable" {
		t.Fatalf("after its cycle new is %s", got)
	}
	s.Apply(cluster.Event{Action: cluster.Delete, Object: b})
	if got := where(s, "default/new"); got != "gated" {
		t.Errorf("while the last victim stays, new is %s", got)
	}
	item, _, _ := s.Queue().Find("default/new")
	if item.GateText != "waiting for the preemption for this pod to be finished" {
		t.Errorf("gated because %q", item.GateText)
	}
	f := s.Fork()
	apply(s, leaving(a, true))
	if got := where(s, "default/new"); got != "gated" {
		t.Errorf("the last victim being told wakes nobody, new is %s", got)
	}
	s.Apply(cluster.Event{Action: cluster.Delete, Object: a})
	if got := where(s, "default/new"); got != "backoffQ" {
		t.Errorf("without victims new is %s", got)
	}
	if _, c, _ := cycleOf(t, s); c.Ended.Node != "n" {
		t.Errorf("new went to %q: %s", c.Ended.Node, c.Ended.Message)
	}
	if got := where(f, "default/new"); got != "gated" {
		t.Errorf("in the fork new is %s", got)
	}
}

func TestWorldsThatSendNoEventEndTheWait(t *testing.T) {
	for _, test := range []struct {
		name string
		tell func(*core.Scheduler, core.Evict)
		want trace.QueueName
	}{
		{"evicted", func(s *core.Scheduler, e core.Evict) { s.Answer(core.EvictionDone{Evict: e}) }, "backoffQ"},
		{"spared", func(s *core.Scheduler, e core.Evict) { s.Answer(core.EvictionRefused{Evict: e}) }, "activeQ"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := preemptScheduler(trace.Summary)
			a, b := preemptPod("a", "n", 2, 0), preemptPod("b", "n", 2, 1)
			apply(s, preemptNode("n", 4), a, b, preemptPod("new", "", 4, 10))
			_, _, effects := cycleOf(t, s)
			for _, e := range effects {
				if e, ok := e.(core.Evict); ok {
					test.tell(s, e)
				}
			}
			s.Apply(cluster.Event{Action: cluster.Delete, Object: b})
			if got := where(s, "default/new"); got != test.want {
				t.Errorf("new is in %s, want %s", got, test.want)
			}
		})
	}
}

func TestVictimsThatLeaveAlreadyAreNotAskedAgain(t *testing.T) {
	s := preemptScheduler(trace.Summary)
	apply(s, preemptNode("n", 4), leaving(preemptPod("a", "n", 2, 0), false), preemptPod("b", "n", 2, 1), preemptPod(
		"new", "", 4, 10,
	))
	got, _, _ := cycleOf(t, s)
	want := []string{"evict default/b for default/new"}
	if got := slices.DeleteFunc(got, func(e string) bool {
		return !strings.HasPrefix(e, "evict")
	}); !slices.Equal(got, want) {
		t.Errorf("effects %q, want %q", got, want)
	}
}

// preemptorOn is the pod that wants to preempt, nominated on a node.
func preemptorOn(node string) *corev1.Pod {
	p := preemptPod("new", "", 4, 10)
	p.Status.NominatedNodeName = node
	return p
}

// preemptorThatNeverDoes is the pod with the policy Never.
func preemptorThatNeverDoes() *corev1.Pod {
	p := preemptPod("new", "", 4, 10)
	p.Spec.PreemptionPolicy = ptr.To(corev1.PreemptNever)
	return p
}

// preemptors are pods that want to preempt, on a cluster with node n of 4 cpu and other objects.
var preemptors = []struct {
	name    string
	pod     *corev1.Pod
	objects []cluster.Object
	want    string // after "preemption: "
	node    string
}{
	{
		"by policy", preemptorThatNeverDoes(),
		[]cluster.Object{preemptPod("a", "n", 4, 0)},
		"not eligible due to preemptionPolicy=Never.", "",
	},
	{
		"while its victims leave", preemptorOn("n"),
		[]cluster.Object{leaving(preemptPod("a", "n", 4, 0), true)},
		"not eligible due to a terminating pod on the nominated node.", "n",
	},
	{
		"pods that leave for another reason do not count", preemptorOn("n"),
		[]cluster.Object{leaving(preemptPod("a", "n", 4, 0), false)},
		"found a potential placement for pod on node n, preempting 1 victims", "n",
	},
	{
		"nor do more important ones", preemptorOn("n"),
		[]cluster.Object{leaving(preemptPod("a", "n", 2, 11), true), preemptPod("b", "n", 2, 0)},
		"0/1 nodes are available: 1 Insufficient cpu.", "",
	},
	{
		"a nominated node that is gone", preemptorOn("gone"),
		[]cluster.Object{preemptPod("a", "n", 4, 0)},
		"found a potential placement for pod on node n, preempting 1 victims", "n",
	},
	{"a nominated node that is no good at all", preemptorOn("small"), []cluster.Object{
		preemptNode("small", 2), leaving(preemptPod("a", "small", 1, 0), true), preemptPod("b", "n", 4, 0),
	}, "found a potential placement for pod on node n, preempting 1 victims", "n"},
	{
		"nowhere a victim", preemptPod("new", "", 4, 10),
		[]cluster.Object{preemptNode("small", 2), preemptPod("a", "n", 4, 10)},
		"0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
		"",
	},
	{
		"nowhere helpful", preemptPod("new", "", 5, 10),
		[]cluster.Object{preemptPod("a", "n", 4, 0)},
		"0/1 nodes are available: 1 Preemption is not helpful for scheduling.", "",
	},
}

func TestWhoMayNotPreempt(t *testing.T) {
	for _, test := range preemptors {
		t.Run(test.name, func(t *testing.T) {
			s := preemptScheduler(trace.Full)
			apply(s, preemptNode("n", 4))
			apply(s, test.objects...)
			apply(s, test.pod)
			_, c, _ := cycleOf(t, s)
			if want := "preemption: " + test.want; !strings.HasSuffix(c.Ended.Message, want) || c.Preemption.Message != want {
				t.Errorf("message %q, preemption says %q, want %q", c.Ended.Message, c.Preemption.Message, want)
			}
			live, _ := s.State().Pod("default/new")
			if got := s.Queue().NominatedNode(live); got != test.node {
				t.Errorf("nominated on %q, want %q", got, test.node)
			}
		})
	}
}

// holdBack is a Permit plugin that lets some pods wait.
type holdBack struct{ name string }

func (holdBack) Name() string { return "HoldBack" }
func (h holdBack) Permit(ask framework.PermitAsk) framework.PermitAnswer {
	if ask.Pod.Name() != h.name {
		return framework.PermitAnswer{}
	}
	return framework.PermitAnswer{Verdict: trace.Verdict{Code: trace.Wait}, Timeout: time.Minute}
}

func TestVictimsThatWaitAtPermitLoseTheirPlaceInMemory(t *testing.T) {
	s := preemptScheduler(trace.Full, holdBack{"slow"})
	apply(s, preemptNode("n", 4), preemptPod("slow", "", 4, 0))
	if _, c, _ := cycleOf(t, s); c.Ended.Outcome != trace.Waiting {
		t.Fatalf("slow ended %s", c.Ended.Outcome)
	}
	apply(s, preemptPod("new", "", 4, 10))
	got, _, _ := cycleOf(t, s)
	for _, want := range []string{
		"report Warning FailedScheduling default/slow: waiting on permit for pod: preempted",
		"report Normal Preempted default/slow: Preempted by pod uid-new on node n (in kube-scheduler memory).",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("effects %q lack %q", got, want)
		}
	}
	if slices.ContainsFunc(got, func(e string) bool { return strings.HasPrefix(e, "evict") }) {
		t.Errorf("effects %q delete a pod that was not bound", got)
	}
	if slow, fresh := where(s, "default/slow"), where(s, "default/new"); slow != "backoffQ" || fresh != "activeQ" {
		t.Errorf("slow is in %s and new in %s", slow, fresh)
	}
	if _, c, _ := cycleOf(t, s); c.Entity.Name != "new" || c.Ended.Node != "n" {
		t.Errorf("%s went to %q", c.Entity.Name, c.Ended.Node)
	}
}

func TestOffsetComesFromTheSeedAndTheCycle(t *testing.T) {
	offsets := map[int]bool{}
	for seed := range uint64(40) {
		c := config.Default()
		s := core.New(core.Options{Profiles: c.Profiles, Start: preemptStart, Seed: seed, Detail: trace.Reported})
		for i := range 8 {
			name := fmt.Sprint("n", i)
			apply(s, preemptNode(name, 4), preemptPod("p"+name, name, 4, 0))
		}
		apply(s, preemptPod("new", "", 4, 10))
		f := s.Fork()
		_, c1, _ := cycleOf(t, s)
		_, c2, _ := cycleOf(t, f)
		if c1.Preemption.Offset != c2.Preemption.Offset {
			t.Fatalf("a fork began at %d, the original at %d", c2.Preemption.Offset, c1.Preemption.Offset)
		}
		if p := c1.Preemption; p.Node != "n0" || p.Tied != 8 || p.TieBreak != "node order" || p.Found != 8 {
			t.Fatalf("seed %d chose %+v", seed, p)
		}
		offsets[c1.Preemption.Offset] = true
	}
	if len(offsets) < 6 {
		t.Errorf("40 seeds began at %d of 8 nodes only", len(offsets))
	}
}

// TestEverybodyIsPlacedOrNominatedWhoFitsSomewhere plays random arrivals in a world where victims leave at once.
func TestEverybodyIsPlacedOrNominatedWhoFitsSomewhere(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s := preemptScheduler(trace.Reported)
		nodes := rapid.IntRange(1, 4).Draw(t, "nodes")
		for i := range nodes {
			apply(s, preemptNode(fmt.Sprint("n", i), 4))
		}
		for i := range rapid.IntRange(1, 14).Draw(t, "pods") {
			apply(s, preemptPod(fmt.Sprint("p", i), "", rapid.Int64Range(1, 5).Draw(t, "cpu"), rapid.Int32Range(0, 3).Draw(
				t, "priority",
			)))
			for range 60 {
				parent := fmt.Sprint(s.State().Snapshot().Names, s.Queue().Counts(), s.State().PodCount())
				f := s.Fork()
				f.Schedule()
				if now := fmt.Sprint(s.State().Snapshot().Names, s.Queue().Counts(), s.State().PodCount()); now != parent {
					t.Fatalf("a fork changed its parent from %s to %s", parent, now)
				}
				effects, facts, ok := s.Schedule()
				if !ok {
					break
				}
				c, _ := trace.Fold(facts)
				if fitsSomewhere(s, c) && c.Ended.Node == "" && c.Ended.NominatedNode == "" {
					t.Fatalf("%s could have a node: %s", c.Entity.Key(), c.Ended.Message)
				}
				carryOut(t, s, c, effects)
			}
		}
	})
}

// fitsSomewhere reports whether the pod would fit on a node if all less important pods were gone, and nobody else was
// promised a place.
func fitsSomewhere(s *core.Scheduler, c *trace.Cycle) bool {
	pod, ok := s.State().Pod(c.Entity.Key())
	if !ok || pod.NodeName != "" {
		return false
	}
	for _, n := range s.State().Snapshot().Nodes {
		free := int64(4000)
		for _, other := range n.Pods {
			if other.Priority >= pod.Priority {
				free -= other.Requests.MilliCPU
			}
		}
		for _, other := range s.Queue().Nominated(n.Name) {
			if other.Priority >= pod.Priority && other.Key != pod.Key {
				free -= other.Requests.MilliCPU
			}
		}
		if pod.Requests.MilliCPU <= free {
			return true
		}
	}
	return false
}

// carryOut is the world: it binds, nominates and deletes.
func carryOut(t *rapid.T, s *core.Scheduler, c *trace.Cycle, effects []core.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case core.Bind:
			p := *e.Pod.API
			apply(s, &p)
		case core.Nominate:
			if live, ok := s.State().Pod(e.Pod.Key); ok && live.NodeName == "" {
				apply(s, live.Nominate(e.Node).API)
			}
		case core.Evict:
			if e.Pod.Priority >= c.Entity.Priority {
				t.Fatalf("%s of priority %d is evicted for one of %d", e.Pod.Key, e.Pod.Priority, c.Entity.Priority)
			}
			s.Apply(cluster.Event{Action: cluster.Delete, Object: e.Pod.API})
		}
	}
}

// resumed is the scheduler made again from its keyframe, as it comes out of a file.
func resumed(t *testing.T, s *core.Scheduler) *core.Scheduler {
	t.Helper()
	packer := cluster.NewPacker(func(o cluster.Object) cluster.Object { return o })
	k, err := s.Keyframe(packer)
	if err != nil {
		t.Fatal(err)
	}
	if k.Pods, err = packer.Pods(); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	k = &core.Keyframe{}
	if err := json.Unmarshal(text, k); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	again, _, err := k.Resume(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Detail: trace.Reported,
	})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestASchedulerWithANewSeedDrawsAmongEqualCandidates(t *testing.T) {
	chosen := map[string]bool{}
	for seed := range uint64(40) {
		s := preemptScheduler(trace.Reported)
		for i := range 3 {
			name := fmt.Sprint("n", i)
			apply(s, preemptNode(name, 4), preemptPod("p"+name, name, 4, 0))
		}
		apply(s, preemptPod("new", "", 4, 10))
		s.Reseed(seed)
		f, r := s.Fork(), resumed(t, s)
		_, c, _ := cycleOf(t, s)
		if _, again, _ := cycleOf(t, f); again.Preemption.Node != c.Preemption.Node {
			t.Fatalf("a fork chose %s, the original %s", again.Preemption.Node, c.Preemption.Node)
		}
		if _, again, _ := cycleOf(t, r); again.Preemption.Node != c.Preemption.Node {
			t.Fatalf("from a keyframe %s is chosen, by the original %s", again.Preemption.Node, c.Preemption.Node)
		}
		if p := c.Preemption; p.Tied != 3 || p.Victims[0] != "default/p"+p.Node || p.TieBreak != "drawn by the seed" {
			t.Fatalf("seed %d chose %+v", seed, p)
		}
		chosen[c.Preemption.Node] = true
	}
	if len(chosen) != 3 {
		t.Errorf("40 seeds chose %v", chosen)
	}
}
