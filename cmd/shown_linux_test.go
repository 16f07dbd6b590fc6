package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
)

// shops is a cluster with pods of two namespaces that wait, and the flag that names its kubeconfig.
func shops(t *testing.T) (s *apiserver.Server, kubeconfig string) {
	t.Helper()
	s = apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	for name, namespace := range map[string]string{"web": "shop", "db": "shop", "agent": "system"} {
		p := apiserver.Pod(name, "")
		p.Namespace, p.Labels = namespace, map[string]string{"app": name}
		p.UID = "uid-of-" + p.UID
		s.Put(p)
	}
	return s, "--kubeconfig=" + apiserver.Kubeconfig(t, s.URL())
}

// The screen lists the waiting pods that the user means. The counts of the queues are of all.
func TestTheScreenShowsThePodsThatAreMeant(t *testing.T) {
	t.Parallel()
	for args, shown := range map[string][]string{
		"":                     {"shop/web", "shop/db", "system/agent"},
		"-n shop":              {"shop/web", "shop/db"},
		"-n shop -A":           {"shop/web", "shop/db", "system/agent"},
		"-n shop -l app=web":   {"shop/web"},
		"-l app=agent":         {"system/agent"},
		"-l app!=agent,app!=x": {"shop/web", "shop/db"},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := shops(t)
			w := newWatcher(t)
			before := w.settings(t)
			program := w.start(t, append([]string{"attach", kubeconfig}, strings.Fields(args)...)...)
			title := "3 pods, 1 node"
			if flags := strings.TrimSuffix(args, " -A"); flags == args && args != "" {
				title = flags + ", " + title
			}
			from := "configuration: kube-scheduler's default, because the cluster shows no kube-scheduler"
			w.waitsFor(t, append(shown, "▶ live", title, "Timeline", from)...)
			picture := w.picture.String()
			queue := picture[:strings.Index(picture, "Timeline")] // which shows the cycles of all
			for _, pod := range []string{"shop/web", "shop/db", "system/agent"} {
				if want := strings.Contains(strings.Join(shown, " "), pod); !want && strings.Contains(leftHalf(queue), pod) {
					t.Errorf("%s is shown:\n%s", pod, queue)
				}
			}
			w.presses("q")
			w.seen(t, "\x1b[?1049l")
			w.ended(t, program, 0, before)
		})
	}
}

// leftHalf is what is left of the middle of each line, whichever pane has the focus.
func leftHalf(picture string) string {
	var left []string
	for line := range strings.Lines(picture) {
		for _, between := range []string{"╮╭", "╮┏", "┓╭", "││", "│┃", "┃│"} {
			line, _, _ = strings.Cut(line, between)
		}
		left = append(left, line)
	}
	return strings.Join(left, "\n")
}

// Decisions about other pods are not compared; they count for what is decided, because they fill the node.
func TestAShadowComparesThePodsThatAreMeant(t *testing.T) {
	t.Parallel()
	s, kubeconfig := shops(t)
	file := filepath.Join(t.TempDir(), "night.jsonl")
	w := newWatcher(t)
	before := w.settings(t)
	recorder := w.start(t, "record", kubeconfig, "-o", file, "--no-redact", "-n", "shop")
	w.waitsFor(t, "all namespaces are recorded, not only shop: their pods fill the nodes too")
	for _, name := range []string{"system/agent", "shop/web"} {
		p := s.Get(cluster.KindPod, name).(*corev1.Pod).DeepCopy()
		p.Spec.NodeName = "n1"
		s.Put(p)
	}
	full := s.Get(cluster.KindPod, "shop/db").(*corev1.Pod).DeepCopy()
	full.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
		Message: "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: " +
			"1 No preemption victims found for incoming pod.",
	}}
	s.Put(full)
	w.waitsFor(t, "then 3 events")
	if err := recorder.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	w.seen(t, "plays it") // anywhere: the names of the folder are so long that the line goes on in the next one
	w.ended(t, recorder, 0, before)
	for args, want := range map[string][2]int{
		"": {2, 1}, "-n shop": {1, 1}, "-n system": {1, 0}, "-n system -A": {2, 1}, "-l app=web": {1, 0},
		"-n shop -l app=db": {0, 1},
	} {
		got := program(t, append([]string{"shadow", file, "-o", "json"}, strings.Fields(args)...)...)
		var report struct {
			Pods            string
			Hosts, Messages struct{ Agreed, Tied, Explained, Different int }
		}
		if err := json.Unmarshal([]byte(got.out), &report); err != nil {
			t.Fatalf("%s: %v\n%s%s", args, err, got.out, got.err)
		}
		if report.Hosts.Agreed != want[0] || report.Messages.Agreed != want[1] || report.Hosts.Different > 0 ||
			report.Messages.Different > 0 || got.code != 0 {
			t.Errorf("%s: %+v, want %v agreed\n%s", args, report, want, got.out)
		}
		if flags := report.Pods; (flags == "") != (args == "" || strings.Contains(args, "-A")) {
			t.Errorf("%q: it says that the pods are those of %q", args, flags)
		}
	}
	const said = "compared are only the pods of -l app=web"
	if got := program(t, "shadow", file, "-l", "app=web"); !strings.Contains(got.out, said) {
		t.Error(got.out)
	}
}

// A recording has everything, so there is nothing to choose by labels.
func TestARecordingCannotLeaveOutPods(t *testing.T) {
	t.Parallel()
	_, kubeconfig := shops(t)
	got := program(t, "record", kubeconfig, "-o", filepath.Join(t.TempDir(), "x"), "-l", "app=web")
	if got.code != 2 || !strings.Contains(got.err, "-l: a recording has all pods, because the others fill the nodes") {
		t.Errorf("%d %s", got.code, got.err)
	}
	for _, line := range []string{"attach --plain -l app=(", "shadow -l app=("} {
		got := program(t, append(strings.Fields(line), kubeconfig)...)
		if got.code != 2 || !strings.Contains(got.err, "-l \"app=(\"") {
			t.Errorf("%s: %d %s", line, got.code, got.err)
		}
	}
}
