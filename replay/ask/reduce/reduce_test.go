package reduce_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask/reduce"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// story is an input that can be played with another script.
type story struct {
	in     *input.Input
	config *config.Config
	claim  reduce.Claim
}

func read(t *testing.T, path, claim string) *story {
	t.Helper()
	in, err := input.Read(t.Context(), []string{path}, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	version, _ := release.Find(in.Release)
	if version == nil {
		version = release.Newest()
	}
	gates, err := config.ParseGatesOf(version, in.Gates)
	if err != nil {
		t.Fatal(err)
	}
	s := &story{in: in, config: config.DefaultWith(config.Options{Gates: gates})}
	if s.claim, err = reduce.ParseClaim(claim); err != nil {
		t.Fatal(err)
	}
	ends, err := reduce.Ends(t.Context(), s.play(in.Script))
	if err != nil {
		t.Fatal(err)
	}
	s.claim = s.claim.Like(ends[s.claim.Pod])
	return s
}

func (s *story) play(script source.Script) *play.Player {
	cut := *s.in
	cut.Script = script
	return cut.Play(s.config, s.in.Seed, trace.Summary)
}

func (s *story) holds(ctx context.Context, script source.Script) (bool, error) {
	return s.claim.Holds(ctx, s.play(script))
}

// again writes a scenario and reads it.
func (s *story) again(ctx context.Context, script source.Script) (bool, error) {
	text, err := reduce.Scenario(s.heading(), script)
	if err != nil {
		return false, nil //nolint:nilerr // what cannot be written shows nothing
	}
	in, err := input.ReadScenario("again", bytes.NewReader(text))
	if err != nil {
		return false, nil //nolint:nilerr // as what cannot be read
	}
	return s.claim.Holds(ctx, in.Play(s.config, s.in.Seed, trace.Summary))
}

func (s *story) heading() reduce.Heading {
	return reduce.Heading{Shows: s.claim.String() + ".", Release: s.in.Release, Gates: s.in.Gates}
}

func (s *story) search() *reduce.Search {
	return &reduce.Search{Holds: s.holds, Fields: s.again, Most: 5000, Keeps: func(k cluster.Kind, key string) bool {
		return k == cluster.KindPod && key == s.claim.Pod
	}}
}

const cases = "../../../cmd/testdata/cases/"

// claims are inputs, what they show, and the most lines of the scenario that shows it.
var claims = []struct {
	file, claim string
	objects     int
	lines       int
}{
	{cases + "release-1.35-mixed-claims.txt", "pod rank-1 says smaller than number of claims", 11, 66},
	{cases + "tainted-domain.yaml", "pod web-4 is unschedulable", 8, 50},
	{cases + "update-after-nomination.txt", "pod high is on n2", 4, 25},
}

func TestWhatIsLeftShowsTheClaimAndNothingMoreCanGo(t *testing.T) {
	for _, c := range claims {
		t.Run(c.file, func(t *testing.T) {
			s := read(t, c.file, c.claim)
			found, err := s.search().Find(t.Context(), s.in.Script)
			if err != nil {
				t.Fatal(err)
			}
			text, err := reduce.Scenario(s.heading(), found.Script)
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > c.lines || found.Objects > c.objects {
				t.Errorf("%d objects in %d lines, want at most %d in %d:\n%s", found.Objects, lines, c.objects, c.lines, text)
			}
			s.smallest(t, found.Script, text)
			s.fieldless(t, found.Script, text)
			twice, err := s.search().Find(t.Context(), s.in.Script)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := reduce.Scenario(s.heading(), twice.Script); err != nil || !bytes.Equal(again, text) {
				t.Errorf("two searches differ (%v):\n%s", err, cmp.Diff(string(text), string(again)))
			}
		})
	}
}

// smallest fails when a script does not show the claim, or shows it without one of its objects.
func (s *story) smallest(t interface {
	Helper()
	Errorf(format string, args ...any)
}, script source.Script, text []byte,
) {
	t.Helper()
	if shown, err := s.again(context.Background(), script); !shown || err != nil {
		t.Errorf("it does not show %s (%v):\n%s", s.claim, err, text)
	}
	for _, entry := range script {
		key := cluster.Key(entry.Event.Object)
		kind, _ := cluster.KindOf(entry.Event.Object)
		if kind == cluster.KindPod && key == s.claim.Pod {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(script), func(o source.Timed) bool {
			other, _ := cluster.KindOf(o.Event.Object)
			return other == kind && cluster.Key(o.Event.Object) == key
		})
		if shown, _ := s.again(context.Background(), rest); shown {
			t.Errorf("%T %s can be left out of:\n%s", entry.Event.Object, key, text)
		}
	}
}

// fieldless fails when the claim holds without some field or element of an object. What a type writes even where
// nothing was given is required.
func (s *story) fieldless(t interface {
	Helper()
	Errorf(format string, args ...any)
}, script source.Script, text []byte,
) {
	t.Helper()
	for i, entry := range script {
		for _, path := range pathsOf(tree(entry.Event.Object), nil) {
			smaller, required := withoutPath(entry.Event.Object, path)
			if required || path[0] == "kind" || path[0] == "apiVersion" || slices.Contains(path, any("selectors")) ||
				path[len(path)-1] == "nodeName" {
				continue
			}
			rest := slices.Clone(script)
			rest[i].Event.Object = smaller
			if shown, _ := s.again(context.Background(), rest); shown {
				t.Errorf("%T %s can do without %v:\n%s", smaller, smaller.GetName(), path, text)
			}
		}
	}
}

// tree is an object as JSON has it.
func tree(o cluster.Object) map[string]any {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		panic(err)
	}
	return all
}

// pathsOf are the ways to every member and element below a value.
func pathsOf(v any, to []any) [][]any {
	var all [][]any
	add := func(key, below any) {
		at := append(slices.Clone(to), key)
		all = append(all, at)
		all = append(all, pathsOf(below, at)...)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			add(key, v[key])
		}
	case []any:
		for i := range v {
			add(i, v[i])
		}
	}
	return all
}

// withoutPath is an object without what is at a path; required: the object is not smaller so, or is another one.
func withoutPath(o cluster.Object, path []any) (smaller cluster.Object, required bool) {
	all := tree(o)
	var at any = all
	set := func(any) {}
	for _, key := range path[:len(path)-1] {
		above := at
		switch above := above.(type) {
		case map[string]any:
			at = above[key.(string)]
			set = func(v any) { above[key.(string)] = v }
		case []any:
			at = above[key.(int)]
			set = func(v any) { above[key.(int)] = v }
		}
	}
	switch key := path[len(path)-1].(type) {
	case string:
		delete(at.(map[string]any), key)
	case int:
		left := slices.Delete(slices.Clone(at.([]any)), key, key+1)
		if _, list := withoutPath(o, path[:len(path)-1]); list && len(left) == 0 { // a list that is required needs an element
			return nil, true
		}
		set(left)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	smaller = reflect.New(reflect.TypeOf(o).Elem()).Interface().(cluster.Object)
	if err := json.Unmarshal(raw, smaller); err != nil {
		return nil, true
	}
	again, err := json.Marshal(smaller)
	if err != nil {
		panic(err)
	}
	same := smaller.GetName() == o.GetName() && smaller.GetNamespace() == o.GetNamespace()
	return smaller, !same || !jsonEqual(raw, again)
}

// jsonEqual reports whether two texts are the same JSON, in whatever order of members.
func jsonEqual(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// start is when drawn stories begin: as scenarios do.
var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// drawn is a small cluster with one pod that waits.
func drawn(r *rapid.T) *story {
	var script source.Script
	in := input.FromCluster("drawn", start, nil, nil)
	add := func(o cluster.Object) {
		script = append(script, source.Timed{At: start, Event: cluster.Event{Action: cluster.Add, Object: o}})
	}
	keys := rapid.SampledFrom([]string{"disk", "zone", "gpu"})
	for i := range rapid.IntRange(1, 5).Draw(r, "nodes") {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i), Labels: map[string]string{}}}
		n.Status.Allocatable = corev1.ResourceList{
			"cpu": resource.MustParse("2"), "memory": resource.MustParse("4Gi"), "pods": resource.MustParse("110"),
		}
		for range rapid.IntRange(0, 2).Draw(r, "labels") {
			n.Labels[keys.Draw(r, "key")] = "x"
		}
		if rapid.Bool().Draw(r, "tainted") {
			n.Spec.Taints = []corev1.Taint{{Key: keys.Draw(r, "taint"), Effect: corev1.TaintEffectNoSchedule}}
		}
		add(n)
	}
	for i := range rapid.IntRange(1, 5).Draw(r, "pods") {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%d", i), Namespace: "default"}}
		request := corev1.ResourceList{"cpu": resource.MustParse(rapid.SampledFrom([]string{"1", "2", "3"}).Draw(r, "cpu"))}
		p.Spec.SchedulerName = corev1.DefaultSchedulerName
		p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: request}}}
		if rapid.Bool().Draw(r, "selects") {
			p.Spec.NodeSelector = map[string]string{keys.Draw(r, "selector"): "x"}
		}
		add(p)
	}
	add(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "big", Namespace: "default"},
		Spec: corev1.PodSpec{SchedulerName: corev1.DefaultSchedulerName, Containers: []corev1.Container{{
			Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("64")}},
		}}},
	})
	in.Script = script
	s := &story{in: in, config: config.Default(), claim: reduce.Claim{Pod: "default/big", State: "unschedulable"}}
	ends, err := reduce.Ends(context.Background(), s.play(script))
	if err != nil {
		r.Fatal(err)
	}
	s.claim = s.claim.Like(ends["default/big"])
	return s
}

func TestNoSingleObjectOrFieldCanBeLeftOutOfARandomStory(t *testing.T) {
	law.CheckCostly(t, func(r *rapid.T) {
		s := drawn(r)
		found, err := s.search().Find(t.Context(), s.in.Script)
		if err != nil {
			r.Fatal(err)
		}
		text, err := reduce.Scenario(s.heading(), found.Script)
		if err != nil {
			r.Fatal(err)
		}
		s.smallest(r, found.Script, text)
		s.fieldless(r, found.Script, text)
		if most := 1 + len(s.claim.Plugins); found.Objects > most {
			r.Errorf("%d objects, want the pod and one node for each of %v:\n%s", found.Objects, s.claim.Plugins, text)
		}
	})
}

func TestAnInputThatDoesNotShowItIsRefused(t *testing.T) {
	s := read(t, cases+"claim-template.yaml", "pod infer-1 is unschedulable")
	if _, err := s.search().Find(t.Context(), s.in.Script); !errors.Is(err, reduce.ErrNotShown) {
		t.Errorf("got %v", err)
	}
}

func TestASearchThatIsInterruptedHasWhatItHasByThen(t *testing.T) {
	s := read(t, cases+"tainted-domain.yaml", "pod web-4 is unschedulable")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	search := s.search()
	search.Tell = func(p reduce.Progress) {
		if p.Plays == 12 {
			cancel()
		}
	}
	found, err := search.Find(ctx, s.in.Script)
	if err != nil || !found.Interrupted {
		t.Fatalf("%+v, %v", found, err)
	}
	if shown, err := s.holds(t.Context(), found.Script); err != nil || !shown {
		t.Errorf("what is left does not show it (%v)", err)
	}
}

func TestClaimsAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]string{
		"pod a is unschedulable":     "pod default/a is unschedulable",
		"pod shop/a is on n1":        "pod shop/a is on n1",
		"pod a says 2 Too many pods": "pod default/a says 2 Too many pods",
		"pod a\nsays\tToo  many":     "pod default/a says Too  many",
	} {
		if c, err := reduce.ParseClaim(text); err != nil || c.String() != want {
			t.Errorf("%s: %s, %v", text, c, err)
		}
	}
	for _, wrong := range []string{"", "a is unschedulable", "pod a is happy", "pod a is on", "pod a has 2 things"} {
		if c, err := reduce.ParseClaim(wrong); err == nil {
			t.Errorf("%q is read as %s", wrong, c)
		}
	}
}

func TestACaseOfPerfNamesEachTemplateAndWaitsForEveryPod(t *testing.T) {
	s := read(t, cases+"tainted-domain.yaml", "pod web-4 is unschedulable")
	found, err := s.search().Find(t.Context(), s.in.Script)
	if err != nil {
		t.Fatal(err)
	}
	perf, err := reduce.Perf(s.heading(), found.Script)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found.Script {
		if path := fmt.Sprintf("templates/reduced-%02d.yaml", i+1); strings.Count(string(perf), path) != 2 {
			t.Errorf("%s is not there twice", path)
		}
	}
	for _, text := range []string{
		"opcode: startCollectingMetrics", "namespaces: [reduced]", "stageRequirement: Attempted",
		"opcode: stopCollectingMetrics", "namespace: reduced", "image: \"registry.k8s.io/pause:3.10\"",
	} {
		if !strings.Contains(string(perf), text) {
			t.Errorf("without %q", text)
		}
	}
	if strings.Contains(string(perf), "namespace: default") {
		t.Error("scheduler_perf cannot make namespace default")
	}
	if t.Failed() {
		t.Logf("%s", perf)
	}
}

func TestAGoTestIsGo(t *testing.T) {
	s := read(t, cases+"release-1.35-mixed-claims.txt", "pod rank-1 is error")
	ends, err := reduce.Ends(t.Context(), s.play(s.in.Script))
	if err != nil {
		t.Fatal(err)
	}
	code, err := reduce.GoTest(s.heading(), s.in.Script, ends)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "reduced_test.go", code, parser.AllErrors); err != nil {
		t.Errorf("%v in\n%s", err, code)
	}
	if _, err := reduce.Perf(s.heading(), s.in.Script); err == nil {
		t.Error("a case of scheduler_perf has a claim that is allocated before it begins")
	}
	late := slices.Clone(s.in.Script)
	late[len(late)-1].At = late[0].At.Add(1)
	if _, err := reduce.Perf(s.heading(), late); err == nil {
		t.Error("a case of scheduler_perf has an event that comes later")
	}
}

func TestWhatIsReadAgainHasTheSettingsOfTheInput(t *testing.T) {
	s := read(t, cases+"tainted-domain.yaml", "pod web-4 is unschedulable")
	percentage := int32(50)
	s.in.Seed, s.in.Percentage, s.in.Release, s.in.Gates = 7, &percentage, "1.36", "DRAConsumableCapacity=false"
	for _, form := range []reduce.Form{reduce.AsScenario, reduce.AsYAML, reduce.AsGo} {
		again, err := reduce.Setting{Config: s.config}.Again(t.Context(), form, s.in)
		if err != nil {
			t.Fatal(err)
		}
		if again.Seed != 7 || again.Percentage == nil || *again.Percentage != 50 {
			t.Errorf("%s: seed %d, percentage %v", form, again.Seed, again.Percentage)
		}
		if form != reduce.AsScenario && (again.Release != "1.36" || again.Gates != s.in.Gates) {
			t.Errorf("%s: release %q, gates %q", form, again.Release, again.Gates)
		}
	}
}

func TestAGoTestHasWhatComesLaterAndChecksOutcomesInTheEnd(t *testing.T) {
	const story = "node n1 cpu=1\npod web cpu=2\nrun 1s\nnode n2 cpu=2\nrun 20s\n"
	in, err := input.ReadScenario("story", strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	ends, err := reduce.Ends(t.Context(), in.Play(config.Default(), 0, trace.Summary))
	if err != nil {
		t.Fatal(err)
	}
	code, err := reduce.GoTest(reduce.Heading{Shows: "a pod that waits"}, in.Script, ends)
	if err != nil {
		t.Fatal(err)
	}
	web, later := bytes.Index(code, []byte("name: web")), bytes.Index(code, []byte("name: n2"))
	if web < 0 || later < web || !bytes.Contains(code, []byte("tried(pod, true)")) {
		t.Errorf("the node does not come after the pod was tried:\n%s", code)
	}
	if bytes.Contains(code, []byte("`{")) {
		t.Errorf("a manifest begins with a brace, which a decoder takes for JSON:\n%s", code)
	}
}

// TestManyEventsAndMomentsGoTogether has 64 updates at moments of their own, of which none matters.
func TestManyEventsAndMomentsGoTogether(t *testing.T) {
	var text strings.Builder
	text.WriteString("node n1 cpu=1\npod web cpu=2\n")
	for i := range 64 {
		fmt.Fprintf(&text, "run 1s\nupdate node n1 labels=n=%d\n", i)
	}
	in, err := input.ReadScenario("story", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	s := &story{in: in, config: config.Default(), claim: reduce.Claim{Pod: "default/web", State: "unschedulable"}}
	search := s.search()
	search.Whole, search.Fields = true, nil
	found, err := search.Find(t.Context(), in.Script)
	if err != nil || len(found.Script) != 2 && len(found.Script) != 1 || found.Plays > 30 {
		t.Fatalf("%+v, %v", found, err)
	}
}
