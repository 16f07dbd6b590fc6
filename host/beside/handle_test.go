package beside

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/host"
	"github.com/schedstep/schedstep/host/kube"
)

// pick is a number below n that depends on the words alone.
func pick(n int, words ...string) int {
	h := fnv.New32a()
	h.Write([]byte(strings.Join(words, "/")))
	return int(h.Sum32() % uint32(n)) //nolint:gosec // small
}

// steward keeps nodes for pods that wait, by every method of its Handle, and by what PostFilter returns. Its Filter
// reports the pods that a node is kept for.
type steward struct {
	handle fwk.Handle
	lazy   bool // planted: it keeps no node for others
}

func newSteward(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
	return &steward{handle: h}, nil
}

// Name is Steward.
func (*steward) Name() string { return "Steward" }

// kept lists the pods that a node is kept for, by name: their order is kube-scheduler's chance.
func (s *steward) kept(node string) []string {
	var names []string
	for _, p := range s.handle.NominatedPodsForNode(node) {
		names = append(names, p.GetPod().Namespace+"/"+p.GetPod().Name)
	}
	slices.Sort(names)
	return names
}

// Filter rejects nodes that are kept for two others.
func (s *steward) Filter(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, n fwk.NodeInfo) *fwk.Status {
	others := slices.DeleteFunc(s.kept(n.Node().Name), func(name string) bool { return name == cluster.Key(pod) })
	if len(others) < 2 {
		return nil
	}
	return fwk.NewStatus(fwk.Unschedulable, "the node is kept for "+strings.Join(others, ", "))
}

// PostFilter does one thing to another pod that waits, and one to the pod itself.
func (s *steward) PostFilter(
	_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	all, err := s.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil || len(all) == 0 {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	var nodes, kept []string
	for _, n := range all {
		nodes = append(nodes, n.Node().Name)
	}
	slices.Sort(nodes)
	for _, n := range nodes {
		kept = append(kept, fmt.Sprint(n, s.kept(n)))
	}
	node := nodes[pick(len(nodes), pod.Name, "node")]
	if other := s.other(pod); other != nil && !s.lazy {
		s.keep(pick(4, pod.Name, "way"), other, node)
	}
	to := &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node}
	switch pick(5, pod.Name, "own") {
	case 0:
		return &fwk.PostFilterResult{NominatingInfo: to}, fwk.NewStatus(fwk.Success)
	case 1:
		return framework.NewPostFilterResultWithNominatedNode(""), fwk.NewStatus(fwk.Unschedulable)
	case 2:
		return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatingMode: fwk.ModeNoop}},
			fwk.NewStatus(fwk.Unschedulable)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, "kept: "+strings.Join(kept, " "))
}

// other is a pod that waits besides this one; nil: there is none.
func (s *steward) other(pod *corev1.Pod) *corev1.Pod {
	pods, err := s.handle.SharedInformerFactory().Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		return nil
	}
	pods = slices.DeleteFunc(pods, func(p *corev1.Pod) bool {
		return p.Spec.NodeName != "" || p.UID == pod.UID || p.DeletionTimestamp != nil
	})
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	if len(pods) == 0 {
		return nil
	}
	return pods[pick(len(pods), pod.Name, "other")]
}

// keep keeps a node for a pod, or no longer.
func (s *steward) keep(way int, pod *corev1.Pod, node string) {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return
	}
	switch way {
	case 0, 1:
		s.handle.AddNominatedPod(klog.Background(), info, &fwk.NominatingInfo{
			NominatingMode: fwk.ModeOverride, NominatedNodeName: node,
		})
	case 2:
		updated := pod.DeepCopy()
		updated.Status.NominatedNodeName = node
		if info, err = framework.NewPodInfo(updated); err == nil {
			s.handle.UpdateNominatedPod(klog.Background(), pod, info)
		}
	case 3:
		s.handle.DeleteNominatedPodIfExists(pod)
	}
}

var stewardship = example{
	name: "Steward", create: newSteward, args: func(*dice) string { return "{}" },
	dress: func(d *dice, c *generate.Case) { // few pods fit
		large, priorities := map[string]bool{}, map[string]int32{}
		pods(c, func(p *corev1.Pod) {
			key := cluster.Key(p)
			if _, known := large[key]; !known {
				large[key], priorities[key] = d.percent(60), 100*d.Int32N(3)
			}
			priority := priorities[key]
			p.Spec.Priority = &priority
			if large[key] && len(p.Spec.Containers) > 0 && p.Spec.NodeName == "" {
				p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{
					corev1.ResourceCPU: *resource.NewQuantity(1+int64(pick(4, key)), resource.DecimalSI),
				}
			}
		})
	},
}

// TestNominationsOfPluginsAreThoseOfKubeScheduler compares them in drawn clusters, and finds a plugin that makes none.
// The dry run of preemption is left out: the comparison repeats it after the plugin has made its nominations.
func TestNominationsOfPluginsAreThoseOfKubeScheduler(t *testing.T) {
	holds(t, &stewardship, 16, func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		return &steward{h, true}, nil
	})
}

// holds compares an example in drawn clusters, and finds another one in its place on our side.
func holds(t *testing.T, e *example, few int, planted host.Factory) {
	t.Helper()
	tally, counts := &compare.Tally{}, &kube.Counts{}
	from, to := seeds(t, few)
	for seed := from; seed < to; seed++ {
		found, err := e.play(seed, tally, counts, e.create)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, d := range found {
			if !strings.HasPrefix(d.What, "preemption") {
				t.Errorf("seed %d, %s", seed, d)
			}
		}
	}
	t.Logf("%d clusters, %d cycles, %d verdicts, %d scores, %d PostFilters", tally.Cases, tally.Cycles, tally.Verdicts(),
		tally.Scores(), tally.Preemptions)
	for seed := range 40 {
		found, err := e.play(seed, &compare.Tally{}, &kube.Counts{}, planted)
		if err != nil {
			t.Fatalf("planted, seed %d: %v", seed, err)
		}
		if slices.ContainsFunc(found, func(d compare.Difference) bool { return !strings.HasPrefix(d.What, "preemption") }) {
			return
		}
	}
	t.Error("what was planted was not found")
}

// client asks the extenders of the configuration by its Handle: in PreFilter about all nodes, in PostFilter about
// victims.
type client struct {
	handle fwk.Handle
	deaf   bool              // planted: it asks none
	said   map[string]string // by node: of the pod under way
	points map[string]int64
}

func newClient(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
	return &client{handle: h}, nil
}

// Name is Client.
func (*client) Name() string { return "Client" }

// extenders are those that the plugin asks.
func (c *client) extenders() []fwk.Extender {
	if c.deaf {
		return nil
	}
	return c.handle.Extenders()
}

// PreFilter asks for the verdicts and the scores of all nodes.
func (c *client) PreFilter(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) (
	*fwk.PreFilterResult, *fwk.Status,
) {
	c.said, c.points = map[string]string{}, map[string]int64{}
	for _, e := range c.extenders() {
		if !e.IsInterested(pod) {
			continue
		}
		left, failed, never, err := e.Filter(pod, nodes)
		if err != nil {
			if e.IsIgnorable() {
				continue
			}
			return nil, fwk.NewStatus(fwk.Unschedulable, err.Error())
		}
		for _, n := range nodes {
			name := n.Node().Name
			is := slices.ContainsFunc(left, func(l fwk.NodeInfo) bool { return l.Node().Name == name })
			c.said[name] += fmt.Sprintf("[left %v %s %s]", is, failed[name], never[name])
		}
		scores, weight, err := e.Prioritize(pod, left)
		if err != nil {
			continue
		}
		for _, s := range *scores {
			c.points[s.Host] += s.Score * weight
		}
	}
	return nil, nil
}

// PreFilterExtensions has none.
func (*client) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter rejects a node of which an extender says that it fails.
func (c *client) Filter(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, n fwk.NodeInfo) *fwk.Status {
	if said := c.said[n.Node().Name]; strings.Contains(said, "not today") {
		return fwk.NewStatus(fwk.Unschedulable, said)
	}
	return nil
}

// Score is what the extenders gave.
func (c *client) Score(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, n fwk.NodeInfo) (int64, *fwk.Status) {
	return min(c.points[n.Node().Name], fwk.MaxScore), nil
}

// ScoreExtensions has none.
func (*client) ScoreExtensions() fwk.ScoreExtensions { return nil }

// PostFilter asks which of the pods on each node may be evicted, and reports the answer.
func (c *client) PostFilter(
	_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	lister := c.handle.SnapshotSharedLister().NodeInfos()
	all, err := lister.List()
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	victims := map[string]*extenderv1.Victims{}
	for _, n := range all {
		if pods := n.GetPods(); len(pods) > 0 {
			victims[n.Node().Name] = &extenderv1.Victims{Pods: []*corev1.Pod{pods[0].GetPod()}, NumPDBViolations: 1}
		}
	}
	said := "extenders:"
	for _, e := range c.extenders() {
		if !e.SupportsPreemption() {
			continue
		}
		left, err := e.ProcessPreemption(pod, victims, lister)
		if err != nil {
			said += fmt.Sprintf(" %v", err)
			continue
		}
		for _, n := range all {
			if v := left[n.Node().Name]; v != nil {
				said += fmt.Sprintf(" %s %d %d", n.Node().Name, len(v.Pods), v.NumPDBViolations)
			}
		}
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, said)
}

// opinionated is a server of an extender whose answers depend on the question alone. It closes its connections: one
// that stays open is no rest for the bubble of kube-scheduler.
func opinionated(t *testing.T, who string) string {
	t.Helper()
	answer := func(w http.ResponseWriter, with any) {
		if err := json.NewEncoder(w).Encode(with); err != nil {
			t.Error(err)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/filter", func(w http.ResponseWriter, r *http.Request) {
		pod, names := questioned(t, r)
		left, failed := []string{}, extenderv1.FailedNodesMap{}
		never := extenderv1.FailedNodesMap{}
		for _, n := range names {
			switch pick(9, who, pod, n) {
			case 0:
				failed[n] = "not today"
			case 1:
				never[n] = "never"
			default:
				left = append(left, n)
			}
		}
		result := extenderv1.ExtenderFilterResult{
			NodeNames: &left, FailedNodes: failed, FailedAndUnresolvableNodes: never,
		}
		if pick(15, who, pod, "mood") == 0 {
			result.Error = who + " is out of order"
		}
		answer(w, result)
	})
	mux.HandleFunc("/prioritize", func(w http.ResponseWriter, r *http.Request) {
		pod, names := questioned(t, r)
		list := extenderv1.HostPriorityList{}
		for _, n := range names {
			list = append(list, extenderv1.HostPriority{Host: n, Score: int64(pick(11, who, pod, n, "score"))})
		}
		answer(w, list)
	})
	mux.HandleFunc("/preempt", func(w http.ResponseWriter, r *http.Request) {
		var a extenderv1.ExtenderPreemptionArgs
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			t.Error(err)
		}
		left := map[string]*extenderv1.MetaVictims{}
		for n, v := range a.NodeNameToMetaVictims {
			if pick(3, who, a.Pod.Name, n) > 0 {
				left[n] = v
			}
		}
		answer(w, extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: left})
	})
	server := httptest.NewUnstartedServer(mux)
	server.Config.SetKeepAlivesEnabled(false)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

func questioned(t *testing.T, r *http.Request) (pod string, nodes []string) {
	t.Helper()
	var a extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		t.Error(err)
	}
	return a.Pod.Name, *a.NodeNames
}

// TestPluginsGetTheAnswersOfExtendersAsInKubeScheduler has two extenders asked by the cycle and by a plugin, on both
// sides.
func TestPluginsGetTheAnswersOfExtendersAsInKubeScheduler(t *testing.T) {
	a, b := opinionated(t, "a"), opinionated(t, "b")
	e := example{
		name: "Client", create: newClient, args: func(*dice) string { return "{}" }, dress: stewardship.dress,
		extenders: fmt.Sprintf(`[{"urlPrefix":%q,"filterVerb":"filter","prioritizeVerb":"prioritize","preemptVerb":"preempt",
"weight":2,"nodeCacheCapable":true},{"urlPrefix":%q,"filterVerb":"filter","prioritizeVerb":"prioritize","weight":3,
"nodeCacheCapable":true,"ignorable":true}]`, a, b),
	}
	holds(t, &e, 16, func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		return &client{handle: h, deaf: true}, nil
	})
}
