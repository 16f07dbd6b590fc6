package cmd_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// running is a cluster with two nodes, a pod on one of them, and two to place, one of which is too large. It is that of
// the current context.
func running(t *testing.T) *apiserver.Server {
	t.Helper()
	s := apiserver.New(t)
	large := apiserver.Pod("large", "")
	large.Labels = map[string]string{"size": "large"}
	large.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("64")
	for _, o := range []cluster.Object{
		apiserver.Node("n1"), apiserver.Node("n2"), apiserver.Pod("placed", "n1"), large, apiserver.Pod("small", ""),
	} {
		s.Put(o)
	}
	t.Setenv("KUBECONFIG", apiserver.Kubeconfig(t, s.URL()))
	return s
}

func TestExplainWithoutAFileReadsTheCluster(t *testing.T) {
	s := running(t)
	got := program(t, "explain", "large")
	if got.code != 3 || !strings.Contains(got.out, "0/2 nodes are available: 2 Insufficient cpu.") {
		t.Errorf("%d %s\n%s", got.code, got.out, got.err)
	}
	for _, r := range s.Requests() {
		if !strings.HasPrefix(r, "GET ") {
			t.Errorf("the server was sent %s", r)
		}
	}
}

// The clock of this machine is years behind that of the cluster, or years ahead: nothing is decided by the difference.
func TestAClockThatIsOffChangesNothing(t *testing.T) {
	want := ""
	for _, year := range []int{0, 1999, 2100} {
		s := running(t)
		if year > 0 {
			moment := metav1.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
			n := apiserver.Node("n1")
			n.CreationTimestamp = moment
			p := apiserver.Pod("small", "")
			p.CreationTimestamp = moment
			p.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
				Message: "0/2 nodes are available: 2 Insufficient cpu.", LastTransitionTime: moment,
			}}
			s.Put(n)
			s.Put(p)
		}
		got := program(t, "run", "-A", "-o", "name")
		if want == "" {
			want = got.out
		}
		if got.code != 3 || got.out != want || strings.Count(got.out, "\n") != 2 {
			t.Errorf("in %d: %d %s%s", year, got.code, got.out, got.err)
		}
	}
}

// The plugin of kubectl without a command is attach, and takes its flags; without a terminal and without flags it
// prints its help.
func TestThePluginAloneIsAttachAlsoWithoutATerminal(t *testing.T) {
	running(t)
	for args, want := range map[string]string{
		"-n shop":       "following here: 5 objects",
		"--namespace=x": "following here: 5 objects",
		"--nonsense":    "error: unknown flag: --nonsense (kubectl schedstep --help lists the flags)",
	} {
		got := called(t, "kubectl-schedstep", strings.Fields(args)...)
		if !strings.Contains(got.err, want) || strings.Contains(got.out, "Usage:") {
			t.Errorf("%s: %d %s\n%s", args, got.code, got.out, got.err)
		}
	}
	for _, args := range []string{"", "--lang en"} {
		got := called(t, "kubectl-schedstep", strings.Fields(args)...)
		if got.code != 0 || got.err != "" || !strings.Contains(got.out, "kubectl schedstep attach") {
			t.Errorf("%q: %d %s\n%s", args, got.code, got.out, got.err)
		}
	}
}

func TestExplainAsDataIsOneDocument(t *testing.T) {
	running(t)
	got := program(t, "explain", "small", "-n", "shop", "-o", "json")
	if got.code != 0 || !strings.HasPrefix(got.out, "{\n  \"apiVersion\": \"schedstep.dev/v1\"") || got.err != "" {
		t.Errorf("%d %s\n%s", got.code, got.out, got.err)
	}
}

func TestRunWithoutAFileTriesEveryPendingPod(t *testing.T) {
	running(t)
	for _, c := range []struct {
		args string
		code int
		pods string
	}{
		{"run -q -o name", 3, "pod/large pod/small"},
		{"run -q -o name -A", 3, "pod/large pod/small"},
		{"run -q -o name -n other", 0, ""},
		{"run -q -o name -l size=large", 3, "pod/large"},
		{"run -q -o name -l size!=large", 0, "pod/small"},
	} {
		got := program(t, strings.Fields(c.args)...)
		pods := strings.Fields(got.out)
		slices.Sort(pods)
		if got.code != c.code || strings.Join(pods, " ") != c.pods {
			t.Errorf("%s: exit code %d, %v\n%s", c.args, got.code, pods, got.err)
		}
	}
}

// The user looks at their own namespace. The output counts the pods that wait elsewhere, and the exit code is not 0.
func TestRunSaysWhatItDoesNotShow(t *testing.T) {
	s := running(t)
	foreign := apiserver.Pod("foreign", "")
	foreign.Spec.SchedulerName = "other"
	foreign.Labels = map[string]string{"whose": "other"}
	s.Put(foreign)
	const elsewhere = "1 pod of other namespaces has no node (-A shows them)"
	for _, c := range []struct {
		args string
		code int
		told string
	}{
		{"run -A", 3, "1 not placed (1 unschedulable); 1 pod of other schedulers has no node (left alone)"},
		{"run", 3, "1 of the 4 pods of namespace shop not placed (1 unschedulable); 1 pod of other schedulers"},
		{"run -n other", 0, "there is no pod of namespace other; " + elsewhere},
		{"run -l size!=large,!whose", 0, "shop with labels size!=large,!whose waits; 1 other pod has no node"},
		{"run -l size!=large", 3, "4 pods; 1 other pod has no node (-A without -l shows them); 1 pod of other schedulers"},
	} {
		got := program(t, strings.Fields(c.args)...)
		if got.code != c.code || !strings.Contains(got.out, c.told) || strings.Contains(got.out, "every pod is placed") {
			t.Errorf("%s: exit code %d\n%s", c.args, got.code, got.out)
		}
	}
	config, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "config")
	config = bytes.Replace(config, []byte("namespace: shop"), []byte("namespace: empty"), 1)
	if err := os.WriteFile(at, config, 0o600); err != nil {
		t.Fatal(err)
	}
	got := program(t, "run", "--kubeconfig", at)
	if got.code != 3 || !strings.Contains(got.out, "there is no pod of namespace empty; "+elsewhere) {
		t.Errorf("a context whose namespace is empty: exit code %d\n%s", got.code, got.out)
	}
}

// schedulerPod is the cluster's own scheduler, as kubeadm runs it.
func schedulerPod(arguments ...string) *corev1.Pod {
	p := apiserver.Pod("kube-scheduler-n1", "n1")
	p.Namespace = "kube-system"
	p.Spec.Containers[0].Command = append([]string{"kube-scheduler"}, arguments...)
	return p
}

func TestTheConfigurationIsThatOfTheClustersScheduler(t *testing.T) {
	s := running(t)
	s.Put(schedulerPod("--feature-gates=GenericWorkload=true"))
	got := program(t, "run", "-A")
	want := "note: the feature gates are those of kube-system/kube-scheduler-n1: GenericWorkload=true\n"
	if got.code != 3 || !strings.Contains(got.err, want) {
		t.Errorf("%d %s", got.code, got.err)
	}
	s.Put(schedulerPod("--config=/etc/kubernetes/scheduler.yaml", "--feature-gates=Strange=true"))
	got = program(t, "run", "-A")
	for _, want := range []string{
		"which may not be that of kube-system/kube-scheduler-n1: its --config is /etc/kubernetes/scheduler.yaml, a file of",
		"the feature gates of kube-system/kube-scheduler-n1 are not taken: ",
	} {
		if got.code != 3 || !strings.Contains(got.err, want) {
			t.Errorf("%d %s", got.code, got.err)
		}
	}
	if got := program(t, "run", "-A", "--feature-gates", ""); strings.Contains(got.err, "feature gates") {
		t.Errorf("the user says otherwise: %s", got.err)
	}
}

func TestWhatTheUserMayNotReadIsTold(t *testing.T) {
	s := running(t)
	s.Refuse(apiserver.PathOf(cluster.KindVolume), http.StatusForbidden)
	got := program(t, "run")
	want := "note: not read: PersistentVolume (you may not list them in all namespaces)\n"
	if got.code != 3 || !strings.Contains(got.err, want) {
		t.Errorf("%d %s", got.code, got.err)
	}
}

func TestASelectorThatCannotBeReadIsWrongUsage(t *testing.T) {
	running(t)
	if got := program(t, "run", "-l", "a in"); got.code != 2 || !strings.HasPrefix(got.err, `error: -l "a in": `) {
		t.Errorf("%d %s", got.code, got.err)
	}
}

func TestRecordEndsAndIsPlayed(t *testing.T) {
	for name, ring := range map[string][]string{"everything": nil, "a ring": {"--ring", "1h"}} {
		t.Run(name, func(t *testing.T) {
			running(t)
			file := filepath.Join(t.TempDir(), "live.schedstep")
			got := program(t, append([]string{"record", "-o", file, "--for", "1ms"}, ring...)...)
			if got.code != 0 || !strings.Contains(got.err, "5 objects, then 0 events") {
				t.Fatalf("%d %s", got.code, got.err)
			}
			if got := program(t, "run", file, "-q", "-o", "name"); got.code != 3 || got.out != "pod/large\npod/small\n" {
				t.Errorf("%d %s%s", got.code, got.out, got.err)
			}
		})
	}
}

func TestARecordingOfOnePodHasWhatItsCyclesDependOn(t *testing.T) {
	running(t)
	file := filepath.Join(t.TempDir(), "large.schedstep")
	got := program(t, "record", "-o", file, "--for", "1ms", "--slice", "large")
	if got.code != 0 || !strings.Contains(got.err, "shop/large: 4 of 5 objects kept, and the same 1 cycle") {
		t.Fatalf("%d %s", got.code, got.err)
	}
	if got := program(t, "run", file, "-q", "-o", "name"); got.code != 3 || got.out != "pod/large\n" {
		t.Errorf("%d %s%s", got.code, got.out, got.err)
	}
}

func TestASliceOfAPodThatIsNotThere(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.jsonl")
	got := program(t, "convert", "demo:rollout", "-o", out, "--slice", "default/web-v2-00")
	want := `error: --slice: no cycle is about a pod "default/web-v2-00" (did you mean "default/web-v2-0"?)` + "\n"
	if got.code != 2 || !strings.HasSuffix(got.err, want) {
		t.Errorf("%d %s", got.code, got.err)
	}
}

func TestRecordRefusesWhatItCannotDo(t *testing.T) {
	running(t)
	for _, args := range []string{
		"record", "record -o x --for -1s", "record -o x --max-size tiny", "record x -o y", "record -o - --slice p",
		"record -o x --ring -1h", "record -o - --ring 1h", "record -o x --ring 1h --max-size 1Mi",
	} {
		if got := program(t, strings.Fields(args)...); got.code != 2 {
			t.Errorf("%s: exit code %d: %s", args, got.code, got.err)
		}
	}
}

// followed is a recording of a cluster whose scheduler decided worse than it could.
func followed(t *testing.T) string {
	t.Helper()
	var text bytes.Buffer
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	w, err := recording.NewWriter(&text, recording.Header{Start: at}, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []cluster.Object{
		apiserver.Node("n1"), apiserver.Node("n2"), apiserver.Pod("placed", "n1"), apiserver.Pod("small", ""),
	} {
		err = errors.Join(err, w.Write(at, cluster.Event{Action: cluster.Add, Object: o}))
	}
	worse := cluster.Event{Action: cluster.Update, Object: apiserver.Pod("small", "n1")} // n2 is empty, and better
	file := filepath.Join(t.TempDir(), "live.schedstep")
	err = errors.Join(err, w.Write(at.Add(time.Second), worse), w.Close())
	if err := errors.Join(err, os.WriteFile(file, text.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestShadowFindsWhatTheClusterDecidedOtherwise(t *testing.T) {
	file := followed(t)
	got := program(t, "shadow", file)
	if got.code != 3 || !strings.Contains(got.out, "different: host of shop/small") ||
		!strings.Contains(got.out, "theirs: n1\n  ours:   n2\n") {
		t.Errorf("%d %s%s", got.code, got.out, got.err)
	}
	if got := program(t, "shadow", file, "-o", "json", "--fail-on", "never"); got.code != 0 ||
		!strings.Contains(got.out, `"verdict": "different"`) || !strings.Contains(got.out, `"release": "1.37"`) ||
		!strings.Contains(got.out, `"configuration": "kube-scheduler's default"`) {
		t.Errorf("%d %s%s", got.code, got.out, got.err)
	}
	if got := program(t, "shadow", samples, "-o", "markdown"); got.code == 0 || got.code == 3 {
		t.Errorf("a dump is compared with: %d %s", got.code, got.out)
	}
}

func TestAuthTellsWhatIsMissingAndPrintsTheRole(t *testing.T) {
	s := running(t)
	if got := program(t, "auth"); got.code != 0 || strings.Contains(got.out, " no ") ||
		strings.Contains(got.out, "ClusterRole") {
		t.Errorf("%d %s%s", got.code, got.out, got.err)
	}
	s.Refuse(apiserver.PathOf(cluster.KindVolume), http.StatusForbidden)
	got := program(t, "auth")
	if got.code != 3 || strings.Count(got.out, " no    no ") != 1 ||
		!strings.Contains(got.out, "bound claims point to volumes nobody knows") {
		t.Errorf("%d %s%s", got.code, got.out, got.err)
	}
	got = program(t, "auth", "--role")
	if got.code != 0 || !strings.HasPrefix(got.out, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n") {
		t.Errorf("%d %s%s", got.code, got.out, got.err)
	}
	if !strings.Contains(got.out, "  kind: User\n  name: me\n") {
		t.Errorf("the role is bound to somebody else:\n%s", got.out)
	}
	for _, kind := range cluster.Kinds() {
		if resource := cluster.RowOf(kind).GroupVersionResource().Resource; !strings.Contains(got.out, "- "+resource+"\n") {
			t.Errorf("the role lacks %s", resource)
		}
	}
}

func TestTheShellIsOfferedLiveNames(t *testing.T) {
	s := running(t)
	for args, want := range map[string]string{
		"__complete explain l":      "large\n:4\n",
		"__complete explain shop/s": "shop/small\n:4\n",
		"__complete explain node/n": "node/n1\nnode/n2\n:4\n",
		"__complete explain pod/l":  "pod/large\n:4\n",
		"__complete explain no":     "node/\n:6\n",
		"__complete explain dep":    "deploy/\n:6\n",
	} {
		if got := program(t, strings.Fields(args)...); got.code != 0 || got.out != want {
			t.Errorf("%s: %d %q %s", args, got.code, got.out, got.err)
		}
	}
	s.Refuse(apiserver.PathOf(cluster.KindPod), http.StatusForbidden)
	s.Refuse("/api/v1/namespaces/shop/pods", http.StatusForbidden)
	if got := program(t, "__complete", "explain", "l"); got.code != 0 || got.out != ":4\n" {
		t.Errorf("a user who may not list: %d %q", got.code, got.out)
	}
}
