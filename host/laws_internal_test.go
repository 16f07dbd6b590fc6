package host

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	_ "testing/synctest" // the clock in a bubble is virtual
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// odd is a plugin whose Filter does something that plugins should not, or that is hard to repeat.
type odd struct {
	handle fwk.Handle
	filter func(*odd, *corev1.Pod, fwk.NodeInfo) *fwk.Status

	mu    sync.Mutex
	asked int
	ticks int
	held  map[string]string // by UID of the pod: the node
	made  time.Time
}

func (*odd) Name() string { return "Odd" }

func (o *odd) Filter(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	return o.filter(o, pod, node)
}

func (o *odd) Reserve(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	o.held[string(pod.UID)] = node
	return nil
}

func (o *odd) Unreserve(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) {
	delete(o.held, string(pod.UID))
}

// oddly makes the plugin.
func oddly(filter func(*odd, *corev1.Pod, fwk.NodeInfo) *fwk.Status) config.Plugin {
	return Plugin("Odd", func(ctx context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		o := &odd{handle: h, filter: filter, held: map[string]string{}, made: time.Now()}
		go countTicks(ctx, &o.mu, &o.ticks)
		return o, nil
	})
}

// countTicks counts the ticks of the plugin's own clock, until its scheduler ends.
func countTicks(ctx context.Context, mu *sync.Mutex, ticks *int) {
	ticker := time.NewTicker(700 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			mu.Lock()
			*ticks++
			mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

var oddStart = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// oddScheduler is a scheduler with the plugins.
func oddScheduler(t *testing.T, plugins ...config.Plugin) *core.Scheduler {
	t.Helper()
	var enabled []string
	for i := range plugins {
		enabled = append(enabled, "{name: "+plugins[i].Name()+"}")
	}
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
  profiles: [{plugins: {multiPoint: {enabled: [`+strings.Join(enabled, ", ")+`]}}}]}`), "odd",
		config.Options{Plugins: plugins})
	if err != nil {
		t.Fatal(err)
	}
	s := play.NewScheduler(c, oddStart, 0, trace.Full)
	homeOf(s.State().Companion()).patience = 2 * time.Second
	return s
}

// oddScript is two small nodes, pods that come and go, and more pods than fit.
func oddScript(pods int) source.Script {
	var script source.Script
	add := func(after time.Duration, action cluster.Action, o cluster.Object) {
		script = append(script, source.Timed{
			At: oddStart.Add(after), Event: cluster.Event{Action: action, Object: o},
		})
	}
	for _, name := range []string{"n1", "n2"} {
		room := corev1.ResourceList{
			corev1.ResourceCPU: quantity.MustParse("3"), corev1.ResourceMemory: quantity.MustParse("8Gi"),
			corev1.ResourcePods: quantity.MustParse("110"),
		}
		add(0, cluster.Add, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Allocatable: room},
		})
	}
	for k := range pods {
		p := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("p%d", k), Namespace: "default", UID: types.UID(fmt.Sprintf("uid-%d", k)),
			},
			Spec: corev1.PodSpec{SchedulerName: corev1.DefaultSchedulerName, Containers: []corev1.Container{{
				Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: quantity.MustParse("1"),
				}},
			}}},
		}
		add(time.Duration(k)*time.Second, cluster.Add, p)
		if k >= 6 {
			gone := p.DeepCopy()
			gone.Name, gone.UID = fmt.Sprintf("p%d", k-6), types.UID(fmt.Sprintf("uid-%d", k-6))
			add(time.Duration(k)*time.Second+300*time.Millisecond, cluster.Delete, gone)
		}
	}
	return script
}

// facts plays to the end, and returns what happened step by step.
func facts(p *play.Player) []string {
	var all []string
	for {
		step, more := p.Step()
		if !more {
			return all
		}
		all = append(all, factsOf(step))
	}
}

// factsOf is the facts of a step with all verdicts.
func factsOf(step play.Step) string {
	lines := make([]string, len(step.Facts))
	for k, f := range step.Facts {
		lines[k] = f.String()
		if m, is := f.(trace.Filtered); is {
			for node := range m.Matrix.Nodes {
				for plugin := range m.Matrix.Plugins {
					if v, there := m.Matrix.Verdict(node, plugin); there {
						lines[k] += fmt.Sprintf(" %d %d %s", node, plugin, v.String())
					}
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}

func oddPlayer(t *testing.T, script source.Script, p config.Plugin) *play.Player {
	t.Helper()
	return play.NewPlayer(oddScheduler(t, p), play.NewSimulated(), script.Log())
}

// remembers rejects by all that the plugin has learned: calls, its ticker, its clock, what it holds.
func remembers(o *odd, _ *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	if o.asked%3 != 0 {
		return nil
	}
	return fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("call %d, %d ticks in %s, holds %d, %s has %d pods",
		o.asked, o.ticks, time.Since(o.made), len(o.held), node.Node().Name, len(node.GetPods())))
}

// TestAForkOfAPluginWithAMemoryGoesOnAsTheOriginal forks a replay at every step. Each fork makes a new instance and
// brings it to that step; what follows must be the same, and the original must not notice.
func TestAForkOfAPluginWithAMemoryGoesOnAsTheOriginal(t *testing.T) {
	script := oddScript(12)
	want := facts(oddPlayer(t, script, oddly(remembers)))
	if !strings.Contains(strings.Join(want, "\n"), "ticks in") {
		t.Fatalf("the plugin rejects nothing:\n%s", strings.Join(want, "\n"))
	}
	p := oddPlayer(t, script, oddly(remembers))
	for at := 0; ; at++ {
		if got := facts(p.Fork()); !slices.Equal(got, want[at:]) {
			t.Fatalf("a fork at step %d goes on\n%s\nand the original\n%s", at, strings.Join(got, "\n"),
				strings.Join(want[at:], "\n"))
		}
		step, more := p.Step()
		if !more {
			break
		}
		if got := factsOf(step); got != want[at] {
			t.Fatalf("step %d after forks:\n%s\nwant\n%s", at, got, want[at])
		}
	}
	for _, note := range p.Scheduler().GuestNotes() {
		if strings.Contains(note, "answered otherwise") {
			t.Error(note)
		}
	}
}

// TestTwoPlaysOfAPluginThatLeavesSomethingToChancePart finds the plugin, the point and the pod.
func TestTwoPlaysOfAPluginThatLeavesSomethingToChancePart(t *testing.T) {
	var calls atomic.Int64 // goes on from play to play, as chance does
	p := oddly(func(_ *odd, pod *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
		if n := calls.Add(1); pod.Name == "p2" {
			return fwk.NewStatus(fwk.Unschedulable, fmt.Sprint(n))
		}
		return nil
	})
	a, b := oddPlayer(t, oddScript(4), p), oddPlayer(t, oddScript(4), p)
	facts(a)
	facts(b)
	at, part := a.Scheduler().GuestsPart(b.Scheduler())
	if !part || at.Plugin != "Odd" || at.Point != "Filter" || at.Pod != "default/p2" {
		t.Errorf("they part at %+v, %t", at, part)
	}
	c := oddPlayer(t, oddScript(4), oddly(remembers))
	d := oddPlayer(t, oddScript(4), oddly(remembers))
	facts(c)
	facts(d)
	if at, part := c.Scheduler().GuestsPart(d.Scheduler()); part {
		t.Errorf("two plays of a plugin that repeats part at %+v", at)
	}
	last := a.Fork()
	if _, err := homeOf(last.Scheduler().State().Companion()).instance(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(last.Scheduler().GuestNotes(), "\n"), "Odd at Filter: it answered otherwise when") {
		t.Errorf("a fork does not notice: %v", last.Scheduler().GuestNotes())
	}
}

// even is a second plugin, whose scores are what the first one acted by.
type even struct{ seen func() int64 }

func (even) Name() string { return "Even" }

func (e even) Score(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	return e.seen(), nil
}

func (even) ScoreExtensions() fwk.ScoreExtensions { return nil }

// TestAPluginThatActsByChanceIsNamedAndNotTheNextOne has a plugin whose answers are the same in two plays, and what it
// does beside them is not. A second plugin answers by what the first did.
func TestAPluginThatActsByChanceIsNamedAndNotTheNextOne(t *testing.T) {
	for what, act := range map[string]func(o *odd, pod *corev1.Pod, node fwk.NodeInfo, chance int64) *fwk.Status{
		"activates": func(o *odd, pod *corev1.Pod, _ fwk.NodeInfo, chance int64) *fwk.Status {
			other := pod.DeepCopy()
			other.Name = fmt.Sprint("other-", chance)
			o.handle.Activate(klog.Background(), map[string]*corev1.Pod{"other": other})
			return nil
		},
		"writes": func(o *odd, _ *corev1.Pod, node fwk.NodeInfo, chance int64) *fwk.Status {
			patch := fmt.Appendf(nil, `{"metadata":{"labels":{"odd":"%d"}}}`, chance)
			_, err := o.handle.ClientSet().CoreV1().Nodes().Patch(
				context.Background(), node.Node().Name, types.MergePatchType, patch, metav1.PatchOptions{})
			return fwk.AsStatus(err)
		},
		"evicts": func(o *odd, _ *corev1.Pod, _ fwk.NodeInfo, chance int64) *fwk.Status {
			err := o.handle.ClientSet().CoreV1().Pods("default").Delete(
				context.Background(), fmt.Sprint("p", min(chance/3, 1)), metav1.DeleteOptions{})
			return fwk.AsStatus(err)
		},
	} {
		t.Run(what, func(t *testing.T) {
			var calls atomic.Int64 // goes on from play to play, as chance does
			var acted atomic.Int64 // the number of the call in this play; 0: there was none yet
			first := oddly(func(o *odd, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
				if pod.Name != "p2" || node.Node().Name != "n1" {
					return nil
				}
				acted.Store(calls.Add(1))
				return act(o, pod, node, acted.Load())
			})
			second := Plugin("Even", func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
				return even{acted.Load}, nil
			})
			play := func() *play.Player {
				acted.Store(0)
				p := play.NewPlayer(oddScheduler(t, first, second), play.NewSimulated(), oddScript(4).Log())
				facts(p)
				return p
			}
			a, b := play(), play()
			at, part := a.Scheduler().GuestsPart(b.Scheduler())
			if !part || at.Plugin != "Odd" || at.Point != "Filter" || at.Pod != "default/p2" {
				t.Errorf("they part at %+v, %t", at, part)
			}
		})
	}
}

// TestCallsThatOnlyOneSideHadAreNotBlamed compares a play with one that got less far, and with another script.
func TestCallsThatOnlyOneSideHadAreNotBlamed(t *testing.T) {
	long := oddPlayer(t, oddScript(4), oddly(remembers))
	short := oddPlayer(t, oddScript(2), oddly(remembers))
	facts(long)
	facts(short)
	for _, pair := range [][2]*play.Player{{long, short}, {short, long}} {
		if at, part := pair[0].Scheduler().GuestsPart(pair[1].Scheduler()); part {
			t.Errorf("they part at %+v", at)
		}
	}
}

// oddVerdict is what the facts have of the plugin's Filter for the pod p1, while p0 is placed.
func oddVerdict(t *testing.T, filter func(*odd, *corev1.Pod, fwk.NodeInfo) *fwk.Status) (string, *play.Player) {
	t.Helper()
	p := oddPlayer(t, oddScript(3), oddly(func(o *odd, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
		if pod.Name != "p1" {
			return nil
		}
		return filter(o, pod, node)
	}))
	return strings.Join(facts(p), "\n"), p
}

func TestAPanicIsAnErrorWithThePlace(t *testing.T) {
	said, p := oddVerdict(t, func(o *odd, _ *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
		var none *odd
		return fwk.NewStatus(fwk.Unschedulable, none.handle.ProfileName())
	})
	for _, want := range []string{`plugin "Odd" at Filter: it panicked: runtime error`, "laws_internal_test.go:"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if pod, _ := p.Scheduler().State().Pod("default/p2"); pod.NodeName == "" {
		t.Error("the next pod is not placed")
	}
}

// TestACallThatNeverEndsIsAnError is about a call that waits for what never comes, and one that is busy for ever.
func TestACallThatNeverEndsIsAnError(t *testing.T) {
	var free atomic.Bool
	t.Cleanup(func() { free.Store(true) })
	for name, filter := range map[string]func(*odd, *corev1.Pod, fwk.NodeInfo) *fwk.Status{
		"waits": func(o *odd, _ *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
			o.mu.Lock() // of itself: a mutex is no part of a bubble's clock
			o.mu.Lock()
			return nil
		},
		"is busy": func(*odd, *corev1.Pod, fwk.NodeInfo) *fwk.Status {
			for !free.Load() {
				continue
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			said, p := oddVerdict(t, filter)
			if want := `plugin "Odd" at Filter: it does not come to rest`; !strings.Contains(said, want) {
				t.Errorf("no %q in\n%s", want, said)
			}
			f := p.Scheduler().Fork()
			_, err := homeOf(f.State().Companion()).instance()
			if err == nil || !strings.Contains(err.Error(), "does not come to rest") {
				t.Errorf("a fork makes the call again: %v", err)
			}
		})
	}
}

func TestTimeThatACallTakesIsVirtual(t *testing.T) {
	said, p := oddVerdict(t, func(_ *odd, _ *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
		before := time.Now()
		time.Sleep(3 * time.Hour)
		return fwk.NewStatus(fwk.Unschedulable, "it slept "+time.Since(before).String()+" from "+
			before.UTC().Format(time.TimeOnly))
	})
	if want := "it slept 3h0m0s from 09:00:01"; !strings.Contains(said, want) {
		t.Errorf("no %q in\n%s", want, said)
	}
	notes := strings.Join(p.Scheduler().GuestNotes(), "\n")
	if !strings.Contains(notes, "Odd at Filter: it took 3h0m0s of its own time") {
		t.Errorf("no note about the time: %s", notes)
	}
}

func TestGoroutinesOfACallEndBeforeItDoes(t *testing.T) {
	said, _ := oddVerdict(t, func(o *odd, _ *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
		done := make(chan int)
		for k := range 8 {
			go func() {
				time.Sleep(time.Duration(k) * time.Millisecond)
				done <- k
			}()
		}
		var order []int
		for range 8 {
			order = append(order, <-done)
		}
		return fwk.NewStatus(fwk.Unschedulable, fmt.Sprint(order))
	})
	if want := "[0 1 2 3 4 5 6 7]"; !strings.Contains(said, want) {
		t.Errorf("no %q in\n%s", want, said)
	}
}

func TestAWriteIsAFactAndTheWorldCarriesItOut(t *testing.T) {
	said, p := oddVerdict(t, func(o *odd, _ *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
		patch := []byte(`{"metadata":{"labels":{"odd":"yes"}}}`)
		_, err := o.handle.ClientSet().CoreV1().Nodes().Patch(
			context.Background(), node.Node().Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return fwk.AsStatus(err)
	})
	if want := "the plugin wrote a Node"; !strings.Contains(said, want) {
		t.Errorf("no %q in\n%s", want, said)
	}
	if n, _ := p.Scheduler().State().Snapshot().Node("n1"); n.API.Labels["odd"] != "yes" {
		t.Errorf("the world has not carried it out: %v", n.API.Labels)
	}
}

// TestAPodThatAPluginDeletesGoes deletes it in a call that is not PostFilter.
func TestAPodThatAPluginDeletesGoes(t *testing.T) {
	said, p := oddVerdict(t, func(o *odd, _ *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
		err := o.handle.ClientSet().CoreV1().Pods("default").Delete(context.Background(), "p0", metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) { // the second node
			return nil
		}
		return fwk.AsStatus(err)
	})
	if n := strings.Count(said, "the plugin deleted it"); n != 1 {
		t.Errorf("it was deleted %d times in\n%s", n, said)
	}
	if _, there := p.Scheduler().State().Pod("default/p0"); there {
		t.Error("the world has not carried it out")
	}
}

// TestAPodThatATimerDeletesGoes deletes it half a second after the call, between this call and the next.
func TestAPodThatATimerDeletesGoes(t *testing.T) {
	said, p := oddVerdict(t, func(o *odd, _ *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
		if o.asked++; o.asked == 1 {
			time.AfterFunc(500*time.Millisecond, func() {
				_ = o.handle.ClientSet().CoreV1().Pods("default").Delete(context.Background(), "p0", metav1.DeleteOptions{})
			})
		}
		return nil
	})
	if want := "a hosted plugin writes Pod Delete default/p0: the plugin deleted it"; strings.Count(said, want) != 1 {
		t.Errorf("no %q in\n%s", want, said)
	}
	if _, there := p.Scheduler().State().Pod("default/p0"); there {
		t.Error("the world has not carried it out")
	}
}

func TestTheServerIsOfTheLinkedRelease(t *testing.T) {
	linked, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	newest := release.Newest()
	if !strings.Contains(string(linked), "\tk8s.io/kubernetes v"+newest.Patch+"\n") {
		t.Errorf("another release than %s is linked", newest.Patch)
	}
	said, _ := oddVerdict(t, func(o *odd, _ *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
		v, err := o.handle.ClientSet().Discovery().ServerVersion()
		if err != nil {
			return fwk.AsStatus(err)
		}
		return fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("it is %s, %s.%s", v.GitVersion, v.Major, v.Minor))
	})
	if want := "it is v" + newest.Patch + ", " + newest.Version; !strings.Contains(said, want) {
		t.Errorf("no %q in\n%s", want, said)
	}
}
