package host

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// surface is every interface that a plugin may implement, with its methods that are called.
var surface = map[string]string{
	"Plugin": "Name", "PreEnqueuePlugin": "PreEnqueue", "QueueSortPlugin": "Less", "EnqueueExtensions": "EventsToRegister",
	"PreFilterPlugin": "PreFilter PreFilterExtensions", "PreFilterExtensions": "AddPod RemovePod",
	"FilterPlugin":     "Filter",
	"PostFilterPlugin": "PostFilter", "PreScorePlugin": "PreScore", "ScorePlugin": "Score ScoreExtensions",
	"ScoreExtensions": "NormalizeScore", "ReservePlugin": "Reserve Unreserve", "PermitPlugin": "Permit",
	"PreBindPlugin": "PreBindPreFlight PreBind", "BindPlugin": "Bind", "PostBindPlugin": "PostBind",
	"SignPlugin": "SignPod",

	"PodGroupPostFilterPlugin": "PodGroupPostFilter", "PlacementGeneratePlugin": "GeneratePlacements",
	"PlacementScorePlugin":     "ScorePlacement PlacementScoreExtensions",
	"PlacementScoreExtensions": "NormalizePlacementScore",
}

// handled are the methods of a Handle, each with what is noted when a plugin calls it; "": it is answered. Those that a
// hosted plugin has in part are here with the part that it has.
var handled = map[string]string{
	"NominatedPodsForNode": "", "Activate": "", "SnapshotSharedLister": "", "MutableSnapshotSharedLister": "",
	"IterateOverWaitingPods": "", "GetWaitingPod": "", "RejectWaitingPod": "", "ClientSet": "", "KubeConfig": "",
	"EventRecorder": "", "SharedInformerFactory": "", "SharedDRAManager": "", "SharedCSIManager": "", "Parallelizer": "",
	"ProfileName": "", "PodGroupManager": "", "RunFilterPlugins": "", "RunFilterPluginsWithNominatedPods": "",
	"RunPreFilterExtensionAddPod": "", "RunPreFilterExtensionRemovePod": "",
	// nil, as without SchedulerAsyncAPICalls, and about a pod that is not in PreBind
	"APIDispatcher": "", "APICacher": "", "GetPodInPreBind": "",

	"Extenders": "", // none, as the configuration has none: extending_internal_test.go

	"AddNominatedPod": "", "DeleteNominatedPodIfExists": "", "UpdateNominatedPod": "",

	"AddPodInPreBind":    "it called AddPodInPreBind",
	"RemovePodInPreBind": "it called RemovePodInPreBind", "RunPreScorePlugins": "it called RunPreScorePlugins",
	"RunScorePlugins": "it called RunScorePlugins", "RunReservePluginsReserve": "it called RunReservePluginsReserve",
	"RunReservePluginsUnreserve": "it called RunReservePluginsUnreserve", "SignPod": "it called SignPod",
}

// interfaces are the interfaces of kube-scheduler's framework that plugins implement, from its source.
func interfaces(t *testing.T) map[string][]string {
	t.Helper()
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", "k8s.io/kube-scheduler/framework").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(),
		filepath.Join(strings.TrimSpace(string(folder)), "interface.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.TypeSpec)
		if !is {
			return true
		}
		i, is := spec.Type.(*ast.InterfaceType)
		name := spec.Name.Name
		if !is || !strings.HasSuffix(name, "Plugin") && !strings.HasSuffix(name, "Extensions") {
			return false
		}
		found[name] = []string{}
		for _, m := range i.Methods.List {
			for _, id := range m.Names {
				found[name] = append(found[name], id.Name)
			}
		}
		return false
	})
	return found
}

// TestEveryInterfaceOfTheFrameworkIsHosted compares the table with the source of the release that is linked, and plays
// a plugin that implements all of them: each method is called.
func TestEveryInterfaceOfTheFrameworkIsHosted(t *testing.T) {
	found := interfaces(t)
	for name := range surface {
		if found[name] == nil {
			t.Errorf("the framework has no %s", name)
		}
	}
	calls, notes := playEverything(t)
	for name, methods := range found {
		hosted, known := surface[name]
		if !known {
			t.Errorf("nothing is said about %s", name)
		}
		for _, m := range methods {
			if slices.Contains(strings.Fields(hosted), m) != (calls[m] > 0) {
				t.Errorf("%s of %s was called %d times, and the table has %q", m, name, calls[m], hosted)
			}
		}
	}
	if len(notes) > 0 {
		t.Errorf("notes: %q", notes)
	}
}

// TestEveryMethodOfTheHandleAnswersOrIsNoted calls each, in Filter.
func TestEveryMethodOfTheHandleAnswersOrIsNoted(t *testing.T) {
	methods := reflect.TypeFor[fwk.Handle]()
	for k := range methods.NumMethod() {
		name := methods.Method(k).Name
		want, known := handled[name]
		if !known {
			t.Errorf("nothing is said about %s", name)
			continue
		}
		said, p := oddVerdict(t, func(o *odd, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
			call(o.handle, name, pod, node)
			return nil
		})
		if strings.Contains(said, "panicked") {
			t.Errorf("%s: %s", name, said)
		}
		notes := strings.Join(p.Scheduler().GuestNotes(), "\n")
		if want == "" && strings.Contains(notes, "it called") || !strings.Contains(notes, want) {
			t.Errorf("%s: the notes are %q, want %q", name, notes, want)
		}
	}
	if len(handled) != methods.NumMethod() {
		t.Errorf("the table has %d methods, and the Handle %d", len(handled), methods.NumMethod())
	}
}

// call calls a method of a Handle with what each parameter needs.
func call(h fwk.Handle, name string, pod *corev1.Pod, node fwk.NodeInfo) {
	method := reflect.ValueOf(h).MethodByName(name)
	in := make([]reflect.Value, method.Type().NumIn())
	given := []any{
		context.Background(), klog.Background(), pod, node, podInfo(pod), &fwk.NominatingInfo{},
		map[string]*corev1.Pod{},
		func(fwk.WaitingPod) {},
		[]fwk.NodeInfo{node},
	}
	for k := range in {
		in[k] = reflect.Zero(method.Type().In(k))
		for _, g := range given {
			if reflect.TypeOf(g).AssignableTo(in[k].Type()) {
				in[k] = reflect.ValueOf(g)
				break
			}
		}
		if in[k].Type() == reflect.TypeFor[fwk.CycleState]() {
			in[k] = reflect.ValueOf(schedulerframework.NewCycleState())
		}
	}
	method.Call(in)
}

// everything implements all that the framework has, and counts the calls.
type everything struct {
	mu    *sync.Mutex
	calls map[string]int
}

func (e *everything) called(method string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls[method]++
}

func (e *everything) Name() string { e.called("Name"); return "Everything" }

func (e *everything) PreEnqueue(context.Context, *corev1.Pod) *fwk.Status {
	e.called("PreEnqueue")
	return nil
}

func (e *everything) Less(a, b fwk.QueuedEntityInfo) bool {
	e.called("Less")
	return a.GetTimestamp().Before(b.GetTimestamp())
}

func (e *everything) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	e.called("EventsToRegister")
	return nil, nil
}

func (e *everything) PreFilter(
	context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo,
) (*fwk.PreFilterResult, *fwk.Status) {
	e.called("PreFilter")
	return nil, nil
}

func (e *everything) PreFilterExtensions() fwk.PreFilterExtensions {
	e.called("PreFilterExtensions")
	return e
}

func (e *everything) AddPod(context.Context, fwk.CycleState, *corev1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	e.called("AddPod")
	return nil
}

func (e *everything) RemovePod(context.Context, fwk.CycleState, *corev1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	e.called("RemovePod")
	return nil
}

func (e *everything) Filter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) *fwk.Status {
	e.called("Filter")
	return nil
}

func (e *everything) PostFilter(
	context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	e.called("PostFilter")
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

func (e *everything) PreScore(context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo) *fwk.Status {
	e.called("PreScore")
	return nil
}

func (e *everything) Score(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	e.called("Score")
	return 0, nil
}

func (e *everything) ScoreExtensions() fwk.ScoreExtensions { e.called("ScoreExtensions"); return e }

func (e *everything) NormalizeScore(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeScoreList) *fwk.Status {
	e.called("NormalizeScore")
	return nil
}

func (e *everything) Reserve(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status {
	e.called("Reserve")
	return nil
}

func (e *everything) Unreserve(context.Context, fwk.CycleState, *corev1.Pod, string) {
	e.called("Unreserve")
}

func (e *everything) Permit(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.Status, time.Duration) {
	e.called("Permit")
	return nil, 0
}

func (e *everything) PreBindPreFlight(
	context.Context, fwk.CycleState, *corev1.Pod, string,
) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	e.called("PreBindPreFlight")
	return nil, nil
}

func (e *everything) PreBind(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) *fwk.Status {
	e.called("PreBind")
	if pod.Name == "p1" {
		return fwk.NewStatus(fwk.Unschedulable, "not this one")
	}
	return nil
}

func (e *everything) Bind(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status {
	e.called("Bind")
	return fwk.NewStatus(fwk.Skip)
}

func (e *everything) PostBind(context.Context, fwk.CycleState, *corev1.Pod, string) {
	e.called("PostBind")
}

func (e *everything) SignPod(context.Context, *corev1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	e.called("SignPod")
	return nil, nil
}

func (e *everything) PodGroupPostFilter(
	context.Context, fwk.PodGroupCycleState, fwk.PodGroupInfo, fwk.PodGroupSchedulingFunc,
) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	e.called("PodGroupPostFilter")
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

func (e *everything) GeneratePlacements(
	_ context.Context, _ fwk.PodGroupCycleState, _ fwk.PodGroupInfo, all *fwk.Placement,
) (*fwk.GeneratePlacementsResult, *fwk.Status) {
	e.called("GeneratePlacements")
	return &fwk.GeneratePlacementsResult{Placements: []*fwk.Placement{
		{Name: "one", Nodes: all.Nodes}, {Name: "other", Nodes: all.Nodes[:1]},
	}}, nil
}

func (e *everything) ScorePlacement(
	context.Context, fwk.PlacementCycleState, fwk.PodGroupInfo, *fwk.PodGroupAssignments,
) (int64, *fwk.Status) {
	e.called("ScorePlacement")
	return 0, nil
}

func (e *everything) PlacementScoreExtensions() fwk.PlacementScoreExtensions {
	e.called("PlacementScoreExtensions")
	return e
}

func (e *everything) NormalizePlacementScore(
	context.Context, fwk.PodGroupCycleState, fwk.PodGroupInfo, []fwk.PlacementScore,
) *fwk.Status {
	e.called("NormalizePlacementScore")
	return nil
}

// playEverything plays pods that bind, that are not bound after all, that evict others, that fit nowhere, and two of
// groups, one of which fits nowhere. It returns the calls and the notes.
func playEverything(t *testing.T) (calls map[string]int, notes []string) {
	t.Helper()
	calls = map[string]int{}
	var mu sync.Mutex
	p := Plugin("Everything", func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
		return &everything{&mu, calls}, nil
	})
	gates, err := config.ParseGates(groupGates)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
  profiles: [{plugins: {multiPoint: {enabled: [{name: Everything}], disabled: [{name: PodTopologySpread}]},
    queueSort: {disabled: [{name: PrioritySort}], enabled: [{name: Everything}]},
    podGroupPostFilter: {enabled: [{name: Everything}]},
    placementGenerate: {disabled: [{name: TopologyPlacementGenerator}]},
    bind: {disabled: [{name: DefaultBinder}], enabled: [{name: Everything}, {name: DefaultBinder}]}}}]}`), "everything",
		config.Options{Plugins: []config.Plugin{p}, Gates: gates})
	if err != nil {
		t.Fatal(err)
	}
	script := oddScript(8)
	urgent, grouped := script[3].Event.Object.(*corev1.Pod).DeepCopy(), script[3].Event.Object.(*corev1.Pod).DeepCopy()
	urgent.Name, urgent.UID, urgent.Spec.Priority = "urgent", "urgent", new(int32)
	*urgent.Spec.Priority = 1000
	grouped.Name, grouped.UID = "grouped", "grouped"
	grouped.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new(string)}
	*grouped.Spec.SchedulingGroup.PodGroupName = "group"
	giant := grouped.DeepCopy()
	giant.Name, giant.UID, *giant.Spec.SchedulingGroup.PodGroupName = "giant", "giant", "giants"
	giant.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = quantity.MustParse("1000")
	alone := giant.DeepCopy()
	alone.Name, alone.UID, alone.Spec.SchedulingGroup = "alone", "alone", nil
	grouped.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	for _, name := range []string{"group", "giants"} {
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: grouped.Namespace, Name: name}}
		g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: 1}
		script = append(script, source.Timed{
			At: oddStart.Add(time.Minute), Event: cluster.Event{Action: cluster.Add, Object: g},
		})
	}
	for k, pod := range []*corev1.Pod{urgent, grouped, giant, alone} {
		pod.ObjectMeta.CreationTimestamp = metav1.Time{}
		script = append(script, source.Timed{
			At:    oddStart.Add(time.Minute + time.Duration(k)*time.Second),
			Event: cluster.Event{Action: cluster.Add, Object: pod},
		})
	}
	s := play.NewScheduler(c, oddStart, 0, trace.Full)
	player := play.NewPlayer(s, play.NewSimulated(), script.Log())
	happened := facts(player)
	mu.Lock()
	defer mu.Unlock()
	if t.Failed() {
		t.Log(strings.Join(happened, "\n"))
	}
	return calls, player.Scheduler().GuestNotes()
}
