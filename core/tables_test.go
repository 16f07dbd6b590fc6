package core_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/former/predicates"
	"github.com/schedstep/schedstep/core/former/priorities"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
)

// row is a case of upstream's table tests, as conformance/cmd/tables took it out by running them.
type row struct {
	Function, Name, Gates string
	Row                   int
	Predicate, Priority   string // by the names of a Policy; neither: a case of the scheduler or its queue
	Argument              map[string]json.RawMessage
	Pod                   *corev1.Pod
	Nodes                 []nodeRow
	Objects               struct {
		Pods                   []*corev1.Pod
		Services               []*corev1.Service
		ReplicationControllers []*corev1.ReplicationController
		ReplicaSets            []*appsv1.ReplicaSet
		StatefulSets           []*appsv1.StatefulSet
		PersistentVolumes      []*corev1.PersistentVolume
		PersistentVolumeClaims []*corev1.PersistentVolumeClaim
		StorageClasses         []*storagev1.StorageClass
	}
	Answers []nodeSaid
	Table   json.RawMessage
	Calls   []callRow
}

type nodeRow struct {
	Node *corev1.Node
	Pods []*corev1.Pod
}

// nodeSaid is the result for one node.
type nodeSaid struct {
	Node      string
	Predicate string // whose result it is, where it is not that of the case
	Fits      *bool
	Reasons   []string
	Score     *int64
	Error     string
}

// callRow is a call of a function of the scheduler or its queue.
type callRow struct {
	Function       string
	Given, Answers []json.RawMessage
	Queue          json.RawMessage
}

// rowsOf are the cases of a release, in the order of their files.
func rowsOf(t *testing.T, version string) []row {
	t.Helper()
	paths, err := filepath.Glob("testdata/tables/" + version + "/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no tables: %v", version, err)
	}
	var all []row
	for _, path := range paths {
		if filepath.Base(path) == "left_out.json" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var rows []row
		if err := json.Unmarshal(text, &rows); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, rows...)
	}
	return all
}

// beforeFramework are the releases whose tables are played.
var beforeFramework = []string{"1.10", "1.6"}

// TestUpstreamsTablesSayTheSame plays every case of upstream's tables of predicates and priorities, with only that one
// enabled, and holds the counts of docs/conformance.md.
func TestUpstreamsTablesSayTheSame(t *testing.T) {
	document, err := os.ReadFile("../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	played := map[string][2]int{}
	for i, version := range beforeFramework {
		for _, r := range rowsOf(t, version) {
			name := r.Predicate + r.Priority
			if name == "" {
				continue
			}
			counts := played[name]
			counts[i]++
			played[name] = counts
			name = fmt.Sprintf("%s/%s/%d %s", version, r.Function, r.Row, r.Name)
			t.Run(name, func(t *testing.T) { r.play(t, version) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(played)) {
		line := fmt.Sprintf("| %s | %d | %d |", name, played[name][0], played[name][1])
		t.Log(line)
		if !strings.Contains(string(document), line+"\n") {
			t.Errorf("docs/conformance.md does not say: %s", line)
		}
	}
}

func (r *row) play(t *testing.T, version string) {
	profile := r.profile(t, version)
	state := cluster.NewStateFor(profile.Behaviour.Reading)
	for _, o := range r.cluster() {
		state.Apply(cluster.Event{Action: cluster.Add, Object: o})
	}
	pod := r.pending(state)
	snapshot := state.Snapshot()
	var got []nodeSaid
	if r.Predicate != "" {
		for _, want := range r.Answers {
			filters := profile.Filter
			if want.Predicate != "" {
				other := row{Predicate: want.Predicate, Gates: r.Gates}
				filters = other.profile(t, version).Filter
			}
			got = append(got, filtered(filters, pod, snapshot, want))
		}
	} else {
		got = r.meant(scored(profile, pod, snapshot), version)
	}
	for i := range got {
		if want := &r.Answers[i]; got[i].Error != "" { // the verdict that upstream has beside it is never read
			got[i].Error = strings.ReplaceAll(got[i].Error, "none/pending", "/")
			got[i].Fits, got[i].Reasons = want.Fits, want.Reasons
		}
	}
	if diff := cmp.Diff(r.Answers, got); diff != "" {
		t.Errorf("(-upstream +schedstep)\n%s", diff)
	}
}

// meant turns back what 1.6 does with the scores of ServiceAntiAffinity after its function is done, which the table is
// about: it lists those of nodes with the label first, and gives them to the nodes in their order.
func (r *row) meant(scores []nodeSaid, version string) []nodeSaid {
	if r.Priority != "ServiceAntiAffinity" || version != "1.6" {
		return scores
	}
	var argument struct{ Label string }
	_ = json.Unmarshal(r.Argument["serviceAntiAffinity"], &argument)
	turned := slices.Clone(scores)
	at := 0
	for _, labelled := range []bool{true, false} {
		for i, n := range r.Nodes {
			if _, has := n.Node.Labels[argument.Label]; has == labelled {
				turned[i].Score = scores[at].Score
				at++
			}
		}
	}
	return turned
}

// profile is what the release makes of a Policy with nothing else in it.
func (r *row) profile(t *testing.T, version string) *framework.Profile {
	t.Helper()
	file := map[string]any{"kind": "Policy", "apiVersion": "v1", "predicates": []any{}, "priorities": []any{}}
	entry := map[string]any{"name": r.Predicate + r.Priority}
	for key, value := range r.Argument {
		switch key {
		case "hardPodAffinitySymmetricWeight", "maxVolumes": // flags, and a variable of the process
		case "ignoredExtendedResources":
			file["extenders"] = ignoring(t, value)
		default: // 1.10 runs no predicate of another name than its own
			entry["argument"] = map[string]any{key: value}
			if r.Priority != "" {
				entry["name"] = "own"
			}
		}
	}
	if r.Predicate != "" {
		file["predicates"] = []any{entry}
	} else {
		entry["weight"] = 1
		file["priorities"] = []any{entry}
	}
	if r.Priority == "ResourceLimitsPriority" {
		r.Gates = "ResourceLimitsPriorityFunction=true"
	}
	p := profileOf(t, version, r.Gates, file)
	r.flags(t, version, p)
	// 1.10 runs one predicate with any Policy.
	if r.Predicate != "" && r.Predicate != "CheckNodeCondition" {
		p.Filter = slices.DeleteFunc(p.Filter, func(f framework.FilterPlugin) bool {
			return f.Name() == "CheckNodeCondition"
		})
	}
	return p
}

// flags puts in a predicate or a priority with settings that no Policy has.
func (r *row) flags(t *testing.T, version string, p *framework.Profile) {
	t.Helper()
	table, _ := release.Find(version)
	if text, is := r.Argument["maxVolumes"]; is {
		most := read[int64](t, text)
		p.Filter = []framework.FilterPlugin{predicates.VolumeCount(r.Predicate, most, table.Ways.Predicates)}
	}
	if text, is := r.Argument["hardPodAffinitySymmetricWeight"]; is {
		var args configv1.InterPodAffinityArgs
		if err := json.Unmarshal(text, &args.HardPodAffinityWeight); err != nil {
			t.Fatal(err)
		}
		plugin := interpodaffinity.New(args, table.Ways.InterPodAffinity)
		p.Score[0].ScorePlugin = priorities.Of(r.Priority, plugin, nil, priorities.Stretched)
	}
}

// ignoring is an extender that has the scheduler leave resources to it.
func ignoring(t *testing.T, names json.RawMessage) []any {
	t.Helper()
	var list []string
	if err := json.Unmarshal(names, &list); err != nil {
		t.Fatal(err)
	}
	managed := []any{}
	for _, name := range list {
		managed = append(managed, map[string]any{"name": name, "ignoredByScheduler": true})
	}
	return []any{map[string]any{"urlPrefix": "http://127.0.0.1/", "managedResources": managed}}
}

// profileOf is what a release makes of a Policy.
func profileOf(t *testing.T, version, gates string, policy map[string]any) *framework.Profile {
	t.Helper()
	table, is := release.Find(version)
	if !is {
		t.Fatalf("there is no release %s", version)
	}
	set, err := config.ParseGatesOf(table, gates)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(policy)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.LoadWith(text, "policy.json", config.Options{Gates: set})
	if err != nil {
		t.Fatal(err)
	}
	return c.Profiles[0]
}

// cluster is the objects of the case. What has no name gets one.
func (r *row) cluster() []cluster.Object {
	list := placedRows(r.Nodes, r.Objects.Pods)
	o := &r.Objects
	list = append(list, withNames(o.Services)...)
	list = append(list, withNames(o.ReplicationControllers)...)
	list = append(list, withNames(o.ReplicaSets)...)
	list = append(list, withNames(o.StatefulSets)...)
	list = append(list, withNames(o.PersistentVolumes)...)
	list = append(list, withNames(o.PersistentVolumeClaims)...)
	return append(list, withNames(o.StorageClasses)...)
}

// placedRows are nodes and pods. Some cases have several pods of one name, which get different names.
func placedRows(nodes []nodeRow, elsewhere []*corev1.Pod) []cluster.Object {
	var list []cluster.Object
	pods := map[string]bool{}
	add := func(pod *corev1.Pod, node string) {
		inNamespace(pod)
		if key := cluster.Key(pod); pod.Name == "" || pods[key] {
			pod.Name = fmt.Sprintf("%s-%d", pod.Name, len(pods))
			pod.UID = types.UID(pod.Name)
		}
		pods[cluster.Key(pod)] = true
		if node != "" {
			pod.Spec.NodeName = node
		}
		list = append(list, pod)
	}
	for _, n := range nodes {
		list = append(list, n.Node)
	}
	for _, n := range nodes {
		for _, pod := range n.Pods {
			add(pod, n.Node.Name)
		}
	}
	for _, pod := range elsewhere {
		add(pod, "")
	}
	return list
}

// inNamespace gives an object that is in no namespace one that no case has.
func inNamespace(o cluster.Object) {
	if o.GetNamespace() == "" {
		o.SetNamespace("none")
	}
}

func withNames[O cluster.Object](objects []O) []cluster.Object {
	list := make([]cluster.Object, len(objects))
	for i, o := range objects {
		if o.GetName() == "" {
			o.SetName(fmt.Sprintf("own-%d", i))
		}
		if kind, _ := cluster.KindOf(o); kind != cluster.KindVolume && kind != cluster.KindStorageClass {
			inNamespace(o)
		}
		list[i] = o
	}
	return list
}

// pending adds the pod of the case. Only for the predicates that read it, it is on a node.
func (r *row) pending(state *cluster.State) *cluster.Pod {
	api := &corev1.Pod{}
	if r.Pod != nil {
		api = r.Pod.DeepCopy()
	}
	if r.Predicate != "HostName" && r.Predicate != "GeneralPredicates" {
		api.Spec.NodeName = ""
	}
	api.Name, api.UID = "pending", "pending"
	inNamespace(api)
	return state.Apply(cluster.Event{Action: cluster.Add, Object: api})[0].NewPod
}

// filtered is the result of filters for a node that the case has an answer for. Where upstream has an error, it has it
// beside a verdict, which is never read.
func filtered(filters []framework.FilterPlugin, pod *cluster.Pod, s *cluster.Snapshot, want nodeSaid) nodeSaid {
	got := nodeSaid{Node: want.Node, Predicate: want.Predicate}
	fits := true
	node := s.Nodes[slices.IndexFunc(s.Nodes, func(n *cluster.Node) bool { return n.Name == want.Node })]
	for _, filter := range filters {
		study := filter.PreFilter(pod, s)
		verdict := study.Verdict
		if study.Check != nil {
			verdict = study.Check.Filter(node)
		}
		switch verdict.Code {
		case trace.Success, trace.Skip:
		case trace.Error:
			fits, got.Error = false, verdict.Message()
		default:
			fits, got.Reasons = false, append(got.Reasons, verdict.Reasons...)
		}
	}
	got.Fits = &fits
	return got
}

// scored is the scores of all nodes.
func scored(profile *framework.Profile, pod *cluster.Pod, s *cluster.Snapshot) []nodeSaid {
	nodes := slices.Clone(s.Nodes)
	slices.SortFunc(nodes, func(a, b *cluster.Node) int { return strings.Compare(a.Name, b.Name) })
	total := make([]int64, len(nodes))
	for _, plugin := range profile.Score {
		scoring := plugin.PreScore(pod, s, nodes)
		if scoring.Scorer == nil {
			continue
		}
		scores := make([]int64, len(nodes))
		scoring.Scorer.Score(nodes, scores)
		scoring.Scorer.Normalize(nodes, scores)
		for i := range scores {
			total[i] += scores[i] * plugin.Weight
		}
	}
	got := make([]nodeSaid, len(nodes))
	for i, node := range nodes {
		got[i] = nodeSaid{Node: node.Name, Score: &total[i]}
	}
	return got
}
