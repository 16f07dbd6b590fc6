package host

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	_ "testing/synctest" // the clock in a bubble is virtual
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// troupe is a plugin of pod groups that remembers every call, and answers by what it remembers: a call that a fork does
// not repeat, or repeats otherwise, changes what it answers from there on. It makes room for groups by itself.
type troupe struct {
	handle fwk.Handle

	mu    sync.Mutex
	calls map[string]int    // by method
	held  map[string]string // by key of the pod: the node
	tries []string          // what it saw in each PodGroupPostFilter
	made  time.Time
	ticks int
}

// troupeKey is what the plugin keeps in the states of a cycle.
const troupeKey fwk.StateKey = "troupe"

// marks is a number in a state.
type marks struct{ n int }

func (m *marks) Clone() fwk.StateData { return &marks{m.n} }

// mark counts in a state, and returns how often it was counted there.
func mark(state interface {
	Read(fwk.StateKey) (fwk.StateData, error)
	Write(fwk.StateKey, fwk.StateData)
},
) int {
	n := 1
	if data, err := state.Read(troupeKey); err == nil {
		n = data.(*marks).n + 1
	}
	state.Write(troupeKey, &marks{n})
	return n
}

func (t *troupe) called(method string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[method]++
	return t.calls[method]
}

// memory is all that the plugin remembers, in a fixed order.
func (t *troupe) memory() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, method := range slices.Sorted(maps.Keys(t.calls)) {
		fmt.Fprintf(&b, "%s %d, ", method, t.calls[method])
	}
	for _, pod := range slices.Sorted(maps.Keys(t.held)) {
		fmt.Fprintf(&b, "%s on %s, ", pod, t.held[pod])
	}
	fmt.Fprintf(&b, "%d ticks, made %s, %s", t.ticks, t.made.UTC().Format(time.TimeOnly), strings.Join(t.tries, "; "))
	return b.String()
}

func (*troupe) Name() string { return "Troupe" }

func (t *troupe) Filter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	n, marked := t.called("Filter"), mark(state)
	if n%7 != 0 {
		return nil
	}
	return fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("call %d, %d in this state, %s has %d pods, %d held",
		n, marked, node.Node().Name, len(node.GetPods()), t.holds()))
}

func (t *troupe) holds() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.held)
}

func (t *troupe) Reserve(_ context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	t.called("Reserve")
	mark(state)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held[cluster.Key(pod)] = node
	return nil
}

func (t *troupe) Unreserve(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) {
	t.called("Unreserve")
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.held, cluster.Key(pod))
}

// GeneratePlacements makes a placement of each zone. Every other time the last zone is first.
func (t *troupe) GeneratePlacements(
	_ context.Context, state fwk.PodGroupCycleState, _ fwk.PodGroupInfo, all *fwk.Placement,
) (*fwk.GeneratePlacementsResult, *fwk.Status) {
	n := t.called("GeneratePlacements")
	mark(state)
	zones := map[string][]fwk.NodeInfo{}
	for _, node := range all.Nodes {
		zone := node.Node().Labels["zone"]
		zones[zone] = append(zones[zone], node)
	}
	result := &fwk.GeneratePlacementsResult{}
	for _, zone := range slices.Sorted(maps.Keys(zones)) {
		result.Placements = append(result.Placements, &fwk.Placement{Name: zone, Nodes: zones[zone]})
	}
	if n%2 == 0 {
		slices.Reverse(result.Placements)
	}
	return result, nil
}

func (t *troupe) ScorePlacement(
	_ context.Context, state fwk.PlacementCycleState, _ fwk.PodGroupInfo, placed *fwk.PodGroupAssignments,
) (int64, *fwk.Status) {
	n := t.called("ScorePlacement") + mark(state)
	for _, a := range placed.ProposedAssignments {
		n += mark(a.GetCycleState())
	}
	return int64(n*37%100 + t.holds()), nil
}

func (t *troupe) PlacementScoreExtensions() fwk.PlacementScoreExtensions { return t }

func (t *troupe) NormalizePlacementScore(
	_ context.Context, state fwk.PodGroupCycleState, _ fwk.PodGroupInfo, scores []fwk.PlacementScore,
) *fwk.Status {
	t.called("NormalizePlacementScore")
	for k := range scores {
		scores[k].Score = (scores[k].Score + int64(mark(state))) % (fwk.MaxNodeScore + 1)
	}
	return nil
}

func (t *troupe) PlacementFeasible(
	_ context.Context, state fwk.PlacementCycleState, _ fwk.PodGroupInfo, _ schedulerframework.PlacementProgress,
) *fwk.Status {
	t.called("PlacementFeasible")
	mark(state)
	return nil
}

func (*troupe) Permit(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.Status, time.Duration) {
	return nil, 0
}

// PodGroupPostFilter takes pods of lower priority away one after the other until the group fits, puts the first back if
// it fits with it, too, holds the nodes for a moment, and deletes the pods that are left.
func (t *troupe) PodGroupPostFilter(
	ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, try fwk.PodGroupSchedulingFunc,
) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	n, marked := t.called("PodGroupPostFilter"), mark(state)
	t.saw(fmt.Sprintf("%d %s at %s", n, group.GetName(), time.Now().UTC().Format(time.TimeOnly)))
	lister := t.handle.MutableSnapshotSharedLister()
	if err := lister.StartMutations(); err != nil {
		return nil, fwk.AsStatus(err)
	}
	defer func() { _ = lister.EndMutations() }()
	nodes, err := lister.NodeInfos().List()
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	var gone []*corev1.Pod
	for _, p := range lower(nodes, *group.GetPodGroup().Spec.Priority) {
		if err := lister.RemovePod(klog.Background(), p, p.Spec.NodeName); err != nil {
			return nil, fwk.AsStatus(err)
		}
		gone = append(gone, p)
		found, status := try(ctx)
		t.saw(fmt.Sprintf("without %s %s", p.Name, status.Code()))
		if !status.IsSuccess() {
			continue
		}
		return t.make(ctx, found, gone)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("no room after %d calls, %d in this state, %d held",
		n, marked, t.holds()))
}

func (t *troupe) saw(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tries = append(t.tries, what)
}

// lower are the pods of a lower priority, the least important first.
func lower(nodes []fwk.NodeInfo, priority int32) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, n := range nodes {
		for _, p := range n.GetPods() {
			if priorityOf(p.GetPod()) < priority {
				pods = append(pods, p.GetPod())
			}
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(priorityOf(a), priorityOf(b)), cmp.Compare(a.Name, b.Name))
	})
	return pods
}

// make holds what was found and gives it back, and deletes the pods that are in the way.
func (t *troupe) make(
	ctx context.Context, found *fwk.PodGroupAssignments, gone []*corev1.Pod,
) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	result := &fwk.PodGroupPostFilterResult{NominatingInfos: map[types.NamespacedName]*fwk.NominatingInfo{}}
	for _, a := range found.ProposedAssignments {
		pod := a.GetPod()
		t.saw(fmt.Sprintf("%s on %s with %d", pod.Name, a.GetNodeName(), mark(a.GetCycleState())))
		if status := t.handle.RunReservePluginsReserve(ctx, a.GetCycleState(), pod, a.GetNodeName()); !status.IsSuccess() {
			return nil, status
		}
		result.NominatingInfos[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}] = &fwk.NominatingInfo{
			NominatingMode: fwk.ModeOverride, NominatedNodeName: a.GetNodeName(),
		}
	}
	t.saw(fmt.Sprintf("%d held", t.holds()))
	for _, a := range slices.Backward(found.ProposedAssignments) {
		t.handle.RunReservePluginsUnreserve(ctx, a.GetCycleState(), a.GetPod(), a.GetNodeName())
	}
	for _, p := range gone {
		err := t.handle.ClientSet().CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{})
		if err != nil {
			return nil, fwk.AsStatus(err)
		}
	}
	return result, nil
}

// troupes makes the plugin.
func troupes() config.Plugin {
	return Plugin("Troupe", func(ctx context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		t := &troupe{handle: h, calls: map[string]int{}, held: map[string]string{}, made: time.Now()}
		go countTicks(ctx, &t.mu, &t.ticks)
		return t, nil
	})
}

// troupeConfig has the plugin at all points that groups have, and more members of the configuration.
func troupeConfig(t *testing.T, more string) *config.Config {
	t.Helper()
	gates, err := config.ParseGates(groupGates)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, `+more+`
  profiles: [{plugins: {multiPoint: {enabled: [{name: Troupe}]},
    podGroupPostFilter: {disabled: [{name: "*"}], enabled: [{name: Troupe}]},
    placementGenerate: {disabled: [{name: "*"}], enabled: [{name: Troupe}]}}}]}`), "troupe",
		config.Options{Plugins: []config.Plugin{troupes()}, Gates: gates})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// troupePlayer is a replay of a cluster with groups.
func troupePlayer(t *testing.T, detail trace.Detail) *play.Player {
	t.Helper()
	s := play.NewScheduler(troupeConfig(t, ""), oddStart, 0, detail)
	return play.NewPlayer(s, play.NewSimulated(), groupScript().Log())
}

// groupScript is two zones with a small node and a large one each, pods that fill them, and groups: one fits, one fits
// once pods have gone, one never does, and one comes when a pod has left.
func groupScript() source.Script {
	var script source.Script
	add := func(after time.Duration, action cluster.Action, o cluster.Object) {
		script = append(script, source.Timed{
			At: oddStart.Add(after), Event: cluster.Event{Action: action, Object: o},
		})
	}
	for k, cpu := range []string{"3", "4", "3", "4"} {
		add(0, cluster.Add, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("n%d", k), Labels: map[string]string{"zone": string(rune('a' + k/2))},
			},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				corev1.ResourceCPU: quantity.MustParse(cpu), corev1.ResourceMemory: quantity.MustParse("8Gi"),
				corev1.ResourcePods: quantity.MustParse("110"),
			}},
		})
	}
	for k := range 6 {
		add(time.Duration(k)*time.Second, cluster.Add, troupePod(fmt.Sprintf("low%d", k), "", 0, "1500m"))
	}
	for k, g := range []struct {
		name, cpu string
		members   int
		priority  int32
	}{{"first", "1", 2, 10}, {"second", "2", 2, 20}, {"never", "9", 2, 30}, {"third", "1", 3, 10}} {
		at := time.Duration(10+4*k) * time.Second
		add(at, cluster.Add, troupeGroup(g.name, g.members, g.priority))
		for m := range g.members {
			add(at, cluster.Add, troupePod(fmt.Sprintf("%s-%d", g.name, m), g.name, g.priority, g.cpu))
		}
	}
	add(24*time.Second, cluster.Delete, troupePod("first-0", "first", 10, "1"))
	add(25*time.Second, cluster.Add, troupePod("late", "", 5, "500m"))
	return script
}

func troupeGroup(name string, members int, priority int32) *schedulingv1beta1.PodGroup {
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	g.UID = types.UID("uid-group-" + name)
	g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(members)}
	g.Spec.Priority = &priority
	g.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
		Topology: []schedulingv1beta1.TopologyConstraint{{Key: "zone"}},
	}
	return g
}

func troupePod(name, group string, priority int32, cpu string) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name)},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, Priority: &priority,
			Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: quantity.MustParse(cpu)},
			}}},
		},
	}
	if group != "" {
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	}
	return p
}
