package cmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
)

// A binding is under way to a server that is silent. All keys work, q closes the screen, the terminal shows what is
// waited for, and esc ends that too.
func TestEscEndsTheWaitForABindingThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	s := apiserver.New(t)
	t.Cleanup(func() { s.Keep("") }) // the server ends when all its requests have
	s.Put(apiserver.Node("n1"))
	mine := apiserver.Pod("mine", "")
	mine.Spec.SchedulerName = "schedstep"
	s.Put(mine)
	w := newWatcher(t)
	before := w.settings(t)
	program := w.start(t, "attach", "--drive", "--serve", "none", "--log", filepath.Join(t.TempDir(), "writes.jsonl"),
		"--kubeconfig", apiserver.Kubeconfig(t, s.URL()))
	w.waits(t, func(picture string) bool {
		return strings.Contains(picture, "shop/mine") && strings.Contains(picture, "q quit") ||
			strings.Contains(picture, "Not sent yet")
	}, "the pod, which waits or was tried")
	if !strings.Contains(w.picture.String(), "Not sent yet") { // it is there when the screen was slow to open
		w.presses("n")
	}
	w.waitsFor(t, "Not sent yet", "create pods/mine/binding -n shop", "y send")
	s.Keep("/") // watches that are open stay so, and nothing more is answered
	w.presses("y")
	w.waitsFor(t, "sent", "q quit")
	w.presses("?")
	w.waitsFor(t, "esc close")
	w.presses("\x1b")
	w.waits(t, func(picture string) bool { return !strings.Contains(picture, "esc close") }, "the help closed")
	w.presses("q") // not earlier: a q right behind an esc is alt+q
	w.waitsFor(t, "waiting for the answers to what was asked of the server (q ends it)")
	w.presses("\x1b")
	w.waitsFor(t, "stopped", "not waited for: what was under way may have been done or not")
	w.ended(t, program, 0, before)
	if p, is := s.Get(cluster.KindPod, "shop/mine").(*corev1.Pod); !is || p.Spec.NodeName != "" {
		t.Errorf("the server was silent, and the pod is %v", p)
	}
}

// Once the screen has shown that the server is cut off, the program does not wait on its way out.
func TestQuittingADriveOfAServerThatIsCutOffWaitsForNothing(t *testing.T) {
	t.Parallel()
	s := apiserver.New(t)
	t.Cleanup(func() { s.Keep("") })
	s.Put(apiserver.Node("n1"))
	w := newWatcher(t)
	before := w.settings(t)
	program := w.start(t, "attach", "--drive", "--serve", "none", "--log", filepath.Join(t.TempDir(), "writes.jsonl"),
		"--kubeconfig", apiserver.Kubeconfig(t, s.URL()), "--request-timeout", "1s")
	w.waitsFor(t, "q quit")
	s.Keep("/")
	s.HangUp()
	w.waitsFor(t, "cut off since ", "it does not answer")
	w.presses("q")
	w.waitsFor(t, "no answer in time: what was under way may have been done or not; the lease ends by itself within 15s")
	w.ended(t, program, 0, before)
}
