package screen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
)

// crowd is an app over a replay of so many nodes and ten pods, at its start.
func crowd(t testing.TB, nodes int, size layout.Size) *app {
	t.Helper()
	return crowdWith(t, nodes, 0, size)
}

// crowdWith is crowd with a number of pods on each node.
func crowdWith(t testing.TB, nodes, podsOnEach int, size layout.Size) *app {
	t.Helper()
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	script := crowdScript(began, nodes, podsOnEach)
	for i := range 10 {
		script = append(script, source.Timed{
			At: began, Event: cluster.Event{Action: cluster.Add, Object: newcomer(fmt.Sprintf("web-%d", i))},
		})
	}
	c := config.Default()
	scheduler := core.New(
		core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began},
	)
	s := session.New(play.NewPlayer(scheduler, play.NewSimulated(), script.Log()), session.About{Title: "crowd"})
	a, err := newApp(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.Update(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
	return a
}

// crowdScript is so many nodes with pods on each of them, at one moment.
func crowdScript(began time.Time, nodes, podsOnEach int) source.Script {
	var script source.Script
	add := func(o cluster.Object) {
		script = append(script, source.Timed{At: began, Event: cluster.Event{Action: cluster.Add, Object: o}})
	}
	add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	for i := range nodes {
		name := fmt.Sprintf("node-%04d", i)
		room := corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi"),
			corev1.ResourcePods: resource.MustParse("110"),
		}
		n := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
			Status:     corev1.NodeStatus{Allocatable: room, Capacity: room},
		}
		if i%3 == 0 {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		}
		add(n)
		for k := range podsOnEach {
			name := fmt.Sprintf("db-%04d-%d", i, k)
			add(&corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
				Spec: corev1.PodSpec{
					NodeName: n.Name, SchedulerName: "default-scheduler", Containers: []corev1.Container{
						{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
							corev1.ResourceCPU: *resource.NewMilliQuantity(int64(10*(1+(i+k)%25)), resource.DecimalSI),
						}}},
					},
				},
			})
		}
	}
	return script
}

// newcomer is a pod without a node.
func newcomer(name string) *corev1.Pod {
	request := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
		Spec: corev1.PodSpec{SchedulerName: "default-scheduler", Containers: []corev1.Container{
			{Name: "c", Resources: corev1.ResourceRequirements{Requests: request}},
		}},
	}
}

// press is a key as the terminal reports it.
func press(text string) tea.KeyPressMsg {
	return tea.KeyPressMsg{Code: []rune(text)[0], Text: text}
}

func footer(a *app) string {
	a.stale = true
	a.View()
	lines := strings.Split(strings.TrimRight(a.canvas.Text(), "\n"), "\n")
	return lines[len(lines)-1]
}

func TestLongMoveShowsHowFarItIsAndEscStopsIt(t *testing.T) {
	a := crowd(t, 3, layout.Size{Width: 100, Height: 30})
	begun, stopped := make(chan struct{}), make(chan tea.Msg)
	cmd := a.begin("continue", nil, func(c command.Call) (command.Answer, error) {
		c.Progress(640)
		close(begun)
		<-c.Context.Done()
		return command.Answer{Moved: true, Said: "stopped", Stop: session.Stop{Reason: session.StoppedByUser}}, nil
	})
	work, ok := cmd().(tea.BatchMsg)
	if !ok {
		t.Fatal("begin is not a batch of the work and its pulse")
	}
	go func() { stopped <- work[0]() }()
	<-begun
	a.Update(press("n"))
	if len(a.early) != 1 {
		t.Errorf("a key before the first pulse does not wait: %d wait", len(a.early))
	}
	a.Update(pulse{a.job})
	if want := "n: continue is under way (esc stops it)"; a.note.text != want {
		t.Errorf("n says %q, want %q", a.note.text, want)
	}
	a.note = note{}
	if got := footer(a); !strings.Contains(got, "continue: 640 steps; esc stops") {
		t.Errorf("the footer shows %q", got)
	}
	if a.Update(press("1")); a.mode.Focus != layout.Queue {
		t.Error("panes cannot be changed while a move is under way")
	}
	a.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	a.Update(<-stopped)
	if a.job != nil || a.note.text != "stopped" {
		t.Errorf("after esc: job %v, footer %q", a.job, a.note.text)
	}
}

// carriedOut is the result of the work that a command begins.
func carriedOut(t *testing.T, cmd tea.Cmd) tea.Msg {
	t.Helper()
	work, ok := cmd().(tea.BatchMsg)
	if !ok {
		t.Fatal("it is not a batch of the work and its pulse")
	}
	return work[0]()
}

func TestEscStopsAScriptWithTheLinesThatAreLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "steps.txt")
	if err := os.WriteFile(file, []byte("next\nnext\nnext\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := crowd(t, 3, layout.Size{Width: 100, Height: 30})
	a.options.May = command.Everything
	_, first := a.Update(carriedOut(t, a.doTyped("source "+file)))
	_, second := a.Update(carriedOut(t, first))
	if a.job == nil || a.frame.Number != 1 || len(a.pending) != 1 {
		t.Fatalf("after the first line: at cycle %d, and %d lines wait", a.frame.Number, len(a.pending))
	}
	a.Update(pulse{a.job})
	a.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	a.Update(carriedOut(t, second))
	if a.job != nil || len(a.pending) != 0 || a.frame.Number > 2 {
		t.Errorf("after esc: job %v, at cycle %d, and %d lines wait", a.job, a.frame.Number, len(a.pending))
	}
}

func TestNobodyUsesTheSessionAfterTheEnd(t *testing.T) {
	a := crowd(t, 3, layout.Size{Width: 100, Height: 30})
	cmd := a.begin("next", nil, func(command.Call) (command.Answer, error) {
		t.Error("work that began after the end is carried out")
		return command.Answer{}, nil
	})
	a.stopWork()
	if msg := cmd().(tea.BatchMsg)[0](); msg != nil {
		t.Errorf("work that began after the end says %v", msg)
	}
}

func TestViewIsComposedOnlyAfterAChange(t *testing.T) {
	a := crowd(t, 3, layout.Size{Width: 100, Height: 30})
	a.View()
	if a.Update(tea.FocusMsg{}); a.stale {
		t.Error("a message that changes nothing makes the view stale")
	}
	if a.Update(press("?")); !a.stale {
		t.Error("a key leaves the view as it is")
	}
}

// BenchmarkClusterAfterAMove draws the whole screen with the cluster on it, from a frame that was not drawn before:
// 5,000 nodes with 50,000 pods. The budget is 8 ms.
func BenchmarkClusterAfterAMove(b *testing.B) {
	for _, size := range []layout.Size{{Width: 200, Height: 60}, {Width: 80, Height: 24}} {
		for _, forms := range []int{0, 1, 4} {
			b.Run(fmt.Sprintf("%dx%d/closer=%d", size.Width, size.Height, forms), func(b *testing.B) {
				a := crowdWith(b, 5000, 10, size)
				a.session.Move(b.Context(), session.Next, session.Forward, nil)
				if err := a.showPart("cluster"); err != nil {
					b.Fatal(err)
				}
				a.show(a.session.Frame())
				a.View()
				a.panes.cluster.Closer(forms)
				for b.Loop() {
					a.show(a.session.Frame())
					a.stale = true
					a.View()
				}
			})
		}
	}
}

// The budget is 4 ms at 200x60 and 1 ms at 80x24, with 5,000 nodes.
func BenchmarkViewAfterAMove(b *testing.B) {
	for _, size := range []layout.Size{{Width: 200, Height: 60}, {Width: 80, Height: 24}} {
		for _, part := range []string{"filter", "score", "facts"} {
			b.Run(fmt.Sprintf("%dx%d/%s", size.Width, size.Height, part), func(b *testing.B) {
				a := crowd(b, 5000, size)
				frames := []*session.Frame{a.frame, a.frame}
				for i := range frames {
					a.session.Move(b.Context(), session.Next, session.Forward, nil)
					frames[i] = a.session.Frame()
				}
				if err := a.showPart(part); err != nil {
					b.Fatal(err)
				}
				a.note = note{}
				i := 0
				for b.Loop() {
					a.show(frames[i%2])
					i++
					a.stale = true
					a.View()
				}
			})
		}
	}
}
