package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
)

// guarded is a cluster that shows its kube-scheduler but not that one's configuration. Reading volumes is forbidden.
func guarded(t *testing.T) *apiserver.Server {
	t.Helper()
	s := running(t)
	own := apiserver.Pod("kube-scheduler-n1", "n1")
	own.Namespace = "kube-system"
	own.Spec.Containers[0].Command = []string{
		"kube-scheduler", "--config=/etc/scheduler.yaml", "--feature-gates=GenericWorkload=true",
	}
	s.Put(own)
	s.Refuse(apiserver.PathOf(cluster.KindVolume), 403)
	return s
}

// TestWhatIsSaidOfAClusterIsInTheLanguage checks both streams of the commands for a cluster: only names and logs stay
// English.
func TestWhatIsSaidOfAClusterIsInTheLanguage(t *testing.T) {
	for _, line := range []string{
		"auth", "auth --drive", "run -A", "run -l size=large", "explain small", "shadow --for 1ms", "attach --plain",
		"attach --plain -q", "record -o OUT --for 1ms",
	} {
		guarded(t)
		line = strings.ReplaceAll(line, "OUT", filepath.Join(t.TempDir(), "out.schedstep"))
		got := program(t, append([]string{"--lang", "zh"}, strings.Fields(line)...)...)
		if got.out+got.err == "" {
			t.Errorf("%s says nothing", line)
		}
		role := strings.Index(got.out, "apiVersion: rbac")
		if role > 0 {
			got.out = got.out[:role]
		}
		left := map[string]string{}
		leftIn(left, line, got.out+got.err, []string{
			"0/2 nodes are available: 2 Insufficient cpu.", "Successfully assigned shop/small to n",
			"preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
		})
		for said := range left {
			t.Errorf("%s: left in English is %q of\n%s%s", line, said, got.out, got.err)
		}
	}
}

// A drive reports its actions and its end in the user's language.
func TestADriveSpeaksTheLanguage(t *testing.T) {
	s := guarded(t)
	mine := apiserver.Pod("mine", "")
	mine.Spec.SchedulerName = "schedstep"
	s.Put(mine)
	w := newWatcher(t)
	program := w.start(t, "drive", "--lang", "zh", "--dry-run", "server")
	w.waitsFor(t, "正在跟随 here：", "正在 http://127.0.0.1:", "正在调度：schedulerName 为 schedstep 的 Pod（试运行：不改变任何东西）",
		"bind shop/mine to n", "（试运行）")
	if err := program.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	w.waitsFor(t, " 次写入")
	_ = program.Wait()
	if p, is := s.Get(cluster.KindPod, "shop/mine").(*corev1.Pod); !is || p.Spec.NodeName != "" {
		t.Errorf("a dry run binds: %v", p)
	}
}
