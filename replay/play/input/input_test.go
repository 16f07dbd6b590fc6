package input_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/input"
)

const node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"9\"}}\n"

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: default}\nspec: {containers: [{name: c, image: x}]}\n"

// read writes texts into files and reads them as one input.
func read(t *testing.T, o input.Options, texts ...string) (*input.Input, error) {
	t.Helper()
	folder := t.TempDir()
	var paths []string
	for i, text := range texts {
		path := filepath.Join(folder, string(rune('a'+i))+".in")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return input.Read(t.Context(), paths, o)
}

func readable(t *testing.T, o input.Options, texts ...string) *input.Input {
	t.Helper()
	in, err := read(t, o, texts...)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// kinds are the kinds of a script's objects, in order.
func kinds(in *input.Input) []string {
	var all []string
	for _, t := range in.Script {
		kind, _ := cluster.KindOf(t.Event.Object)
		all = append(all, string(kind)+" "+t.Event.Object.GetName())
	}
	return all
}

func TestVirtualTimeBeginsAtTheNewestTimestamp(t *testing.T) {
	stamped := strings.Replace(
		pod, "namespace: default", `namespace: default, creationTimestamp: "2026-03-01T10:00:00Z"`, 1,
	)
	beating := node + "  # the last heartbeat is later\n"
	beating = strings.Replace(
		beating, "status: {",
		`status: {conditions: [{type: Ready, status: "True", lastHeartbeatTime: "2026-03-01T11:30:00Z"}], `, 1,
	)
	zero := time.Time{}
	for _, c := range []struct {
		name  string
		texts []string
		asked time.Time
		want  string
	}{
		{"none at all", []string{node, pod}, zero, "2026-01-01T00:00:00Z"},
		{"creation", []string{node, stamped}, zero, "2026-03-01T10:00:00Z"},
		{"heartbeat", []string{beating, stamped}, zero, "2026-03-01T11:30:00Z"},
		{"asked for", []string{node, stamped}, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), "2027-01-01T00:00:00Z"},
	} {
		in := readable(t, input.Options{Time: c.asked}, c.texts...)
		if got := in.Start.Format(time.RFC3339); got != c.want {
			t.Errorf("%s: it begins at %s, want %s", c.name, got, c.want)
		}
		for _, e := range in.Script {
			if !e.At.Equal(in.Start) {
				t.Errorf("%s: an object arrives at %s", c.name, e.At)
			}
		}
	}
}

func TestObjectsArriveAsAnAPIServerListsThem(t *testing.T) {
	placed := strings.Replace(strings.Replace(pod, "spec: {", "spec: {nodeName: n1, ", 1), "name: web", "name: zz", 1)
	earlier := strings.Replace(
		pod, "name: web, namespace: default", `name: x, namespace: default, creationTimestamp: "2026-03-01T10:00:00Z"`,
		1,
	)
	later := strings.Replace(
		pod, "name: web, namespace: default", `name: b, namespace: default, creationTimestamp: "2026-03-01T11:00:00Z"`,
		1,
	)
	class := "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: x\n"
	in := readable(t, input.Options{}, later, earlier, placed, node, class)
	want := []string{"StorageClass fast", "Node n1", "Pod zz", "Pod x", "Pod b"}
	if diff := cmp.Diff(want, kinds(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatNoPartOfTheSchedulerReadsIsCounted(t *testing.T) {
	extra := "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: Workload\nmetadata: {name: a}\n" +
		"---\napiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\nmetadata: {name: b}\n" +
		"---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: c}\n" +
		"---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: d}\n" +
		"---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: e}\nhandler: x\n"
	in := readable(t, input.Options{}, node+extra, pod)
	told := strings.Join(phrase.Strings(in.Notices), "\n")
	for _, kind := range []string{"1 Workload", "1 CompositePodGroup", "1 ResourceClaimTemplate"} {
		if !strings.Contains(told, kind) {
			t.Errorf("%s is not counted in:\n%s", kind, told)
		}
	}
	for _, kind := range []string{"LimitRange", "RuntimeClass"} {
		if strings.Contains(told, kind) {
			t.Errorf("%s has done its work at admission, and is counted in:\n%s", kind, told)
		}
	}
}

func TestLimitRangesAndRuntimeClassesDecideWhatPodsAsk(t *testing.T) {
	limits := "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: d, namespace: default}\n" +
		"spec: {limits: [{type: Container, defaultRequest: {cpu: 250m}}]}\n" +
		"---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: kata}\nhandler: x\noverhead: {podFixed: {memory: 64Mi}}\n"
	in := readable(t, input.Options{}, node+limits, strings.Replace(pod, "spec: {", "spec: {runtimeClassName: kata, ", 1))
	admitted, ok := in.Script[len(in.Script)-1].Event.Object.(*corev1.Pod)
	if !ok {
		t.Fatal("the last event is no pod's")
	}
	if got := admitted.Spec.Containers[0].Resources.Requests.Cpu().String(); got != "250m" {
		t.Errorf("it asks for %s of cpu", got)
	}
	if got := admitted.Spec.Overhead.Memory().String(); got != "64Mi" {
		t.Errorf("its overhead is %s of memory", got)
	}
}

func TestPodsOnNodesNobodyDescribesAreTold(t *testing.T) {
	in := readable(t, input.Options{}, node, strings.Replace(pod, "spec: {", "spec: {nodeName: gone, ", 1))
	if !slices.Contains(phrase.Strings(in.Notices), "1 pod is on 1 node not described by the input; they take no part") {
		t.Errorf("%q", in.Notices)
	}
}

func TestEveryShapeIsToldByItsContent(t *testing.T) {
	const header = `{"format":"schedstep.dev/recording","version":1,"start":"2026-01-01T00:00:00Z","world":"recorded"}`
	const event = `{"t":"2026-01-01T00:00:00Z","a":"Add","k":"Node","o":{"kind":"Node","apiVersion":"v1","metadata":{"name":"r1"}}}`
	for _, c := range []struct {
		name, text string
		world      input.World
		want       []string
	}{
		{"manifest", node, input.Simulated, []string{"Node n1"}},
		{"recording", header + "\n" + event + "\n", input.Recorded, []string{"Node r1"}},
		{"scenario", "# A node comes.\n\nnode s1 cpu=1\n", input.Simulated, []string{"Node s1"}},
	} {
		in := readable(t, input.Options{}, c.text)
		if diff := cmp.Diff(c.want, kinds(in)); diff != "" || in.World != c.world {
			t.Errorf("%s: world %s (-want +got):\n%s", c.name, in.World, diff)
		}
	}
}

func TestObjectsBesideAScenarioAreThereFromItsStart(t *testing.T) {
	in := readable(t, input.Options{}, "# A pod comes.\n\npod web cpu=1\nrun\nadvance 1h\n", node)
	if diff := cmp.Diff([]string{"Node n1", "Pod web"}, kinds(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in.Until.Sub(in.Start) < time.Hour {
		t.Errorf("it goes on to %s from %s", in.Until, in.Start)
	}
}

func TestMissingNamesTheKindsSomePodDependsOn(t *testing.T) {
	with := func(spec string) string { return strings.Replace(pod, "spec: {", "spec: {"+spec+", ", 1) }
	for _, c := range []struct {
		name, pod, want string
	}{
		{"nothing asked", pod, ""},
		{"a claim", with("volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"), "PersistentVolumeClaim ("},
		{"devices", with("resourceClaims: [{name: g, resourceClaimName: gpu}]"), "ResourceSlice"},
		{"a group", with("schedulingGroup: {podGroupName: g}"), "PodGroup"},
		{"namespaces by label", with("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
			"[{topologyKey: zone, labelSelector: {}, namespaceSelector: {}}]}}"), "Namespace"},
	} {
		got := strings.Join(phrase.Strings(readable(t, input.Options{}, node, c.pod).Missing()), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: missing are %q", c.name, got)
		}
	}
}

func TestConfigurationsBesideTheFirstAreTold(t *testing.T) {
	const wish = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	in := readable(t, input.Options{}, wish, wish, node)
	if !strings.HasSuffix(in.From, "a.in") && !strings.Contains(in.From, "a.in") {
		t.Errorf("configured by %q", in.From)
	}
	if told := strings.Join(phrase.Strings(in.Notices), "\n"); !strings.Contains(
		told, "is a scheduler configuration too; it is left out",
	) {
		t.Errorf("the other one is not told of:\n%s", told)
	}
}

func TestPodsOfSchedulersThatAreNotHereAreTold(t *testing.T) {
	in := readable(t, input.Options{}, node, strings.Replace(pod, "spec: {", "spec: {schedulerName: other, ", 1))
	want := []string{"1 pod uses schedulerName other; no profile has that name, so nobody here places it"}
	if diff := cmp.Diff(want, phrase.Strings(in.Unserved(config.Default()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnInputThatCannotBePlayedSaysWhatItHolds(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"other kinds", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n", "left out: 1 Secret"},
		{
			"a configuration", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
			"it holds a scheduler configuration",
		},
		{"bytes", "\x00\x01\x02\x03\xff\xfe", "it is no text"},
		{"a cut recording", "\x28\xb5\x2f\xfd\x00", "recording "},
		{"a scenario without events", "run\n", "no event is in it"},
	} {
		_, err := read(t, input.Options{}, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
