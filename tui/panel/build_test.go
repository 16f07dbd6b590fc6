package panel_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/tui/view"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/cause"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

var start = time.Date(2026, 11, 20, 10, 2, 0, 0, time.UTC)

// configuration names its plugins, so that pictures do not change when the default set grows.
const configuration = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      disabled: [{name: "*"}]
      enabled:
      - name: SchedulingGates
      - name: PrioritySort
      - name: NodeName
      - name: NodeUnschedulable
      - {name: TaintToleration, weight: 3}
      - {name: NodeAffinity, weight: 2}
      - name: NodePorts
      - {name: NodeResourcesFit, weight: 1}
      - {name: NodeResourcesBalancedAllocation, weight: 1}
      - {name: ImageLocality, weight: 1}
      - name: DefaultBinder
`

// node is a Node with some CPU and memory.
func node(name, cpu, memory string, change ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(name), Labels: map[string]string{"kubernetes.io/hostname": name},
	}}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	n.Status.Capacity = n.Status.Allocatable
	for _, c := range change {
		c(n)
	}
	return n
}

func tainted(n *corev1.Node) {
	n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}
}

// pod is a Pod of the default namespace that requests some CPU and memory.
func pod(name, cpu, memory string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	p.Spec.SchedulerName = "default-scheduler"
	p.Spec.Containers = []corev1.Container{{
		Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
		}},
	}}
	for _, c := range change {
		c(p)
	}
	return p
}

func on(node string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.NodeName = node } }

func priority(n int32) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.Priority = &n } }

func gated(p *corev1.Pod) {
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
}

// rollout is a small cluster in which everything happens: pods that are placed, rejected, gated and backing off.
func rollout(t testing.TB) *session.Session {
	t.Helper()
	return rolloutWith(t, nil)
}

// rolloutWith is rollout with objects that hold gates, and some more.
func rolloutWith(t testing.TB, holders []cause.Holder, more ...cluster.Object) *session.Session {
	t.Helper()
	c, err := config.Load([]byte(configuration), "configuration")
	if err != nil {
		t.Fatal(err)
	}
	var script source.Script
	add := func(at time.Duration, objects ...cluster.Object) {
		for _, o := range objects {
			script = append(script, source.Timed{At: start.Add(at), Event: cluster.Event{Action: cluster.Add, Object: o}})
		}
	}
	add(0,
		node("n1", "4", "8Gi", tainted), node("n2", "8", "16Gi"), node("n3", "4", "16Gi"), node("n4", "4", "8Gi"),
		pod("db-2", "2", "4Gi", on("n1")), pod("cache-0", "1500m", "1Gi", on("n1")),
		pod("cache-1", "3800m", "1Gi", on("n4")), pod("log-0", "1", "10Gi", on("n3")),
		pod("web-6", "500m", "1Gi"), pod("batch-9", "1", "1Gi", gated), pod("gpu-1", "64", "1Gi"),
		pod("web-7", "500m", "1Gi"), pod("db-0", "6", "12Gi", priority(100)),
	)
	add(
		3*time.Second, node("n5", "2", "2Gi"), pod("big-0", "7500m", "1Gi", priority(7)), pod("web-8", "250m", "512Mi"),
		pod("web-9", "250m", "512Mi"),
	)
	add(4*time.Second, more...)
	s := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start, Seed: 1,
		Detail: trace.Full,
	})
	player := play.NewPlayer(s, play.NewSimulated(), script.Log())
	player.RunOn(start.Add(20 * time.Second))
	return session.New(player, session.About{
		Title: "web-rollout", Version: "1.37", Unjudged: []string{"VolumeBinding", "DynamicResources"}, Holders: holders,
	})
}

// after is the frame at the end of a pod's first cycle.
func after(t testing.TB, s *session.Session, name string) *session.Frame {
	t.Helper()
	s.Goto(context.Background(), session.Position{}, nil)
	stop := s.GotoPod(context.Background(), "default/"+name, nil)
	f := s.Frame()
	if f.Cycle == nil || f.Cycle.Entity.Name != name {
		t.Fatalf("no cycle of %s: %s", name, stop.Text)
	}
	return f
}

// inside is the frame in the middle of a pod's cycle, some strides before its end.
func inside(t testing.TB, s *session.Session, name string, stride session.Stride, back int) *session.Frame {
	t.Helper()
	after(t, s, name)
	for range back {
		s.Move(context.Background(), stride, session.Backward, nil)
	}
	return s.Frame()
}

func styles(t testing.TB, theme string, glyphs themes.Glyphs) themes.Styles {
	t.Helper()
	palette, err := themes.Load(theme)
	if err != nil {
		t.Fatal(err)
	}
	return themes.Derive(palette, glyphs)
}

// drawer is what every panel can do.
type drawer interface {
	Title(f *session.Frame) string
	Note(f *session.Frame) string
	Draw(f *session.Frame, r widget.Region, focus widget.Focus)
	Move(f *session.Frame, rows, columns int)
	MovePages(f *session.Frame, pages int)
	MoveTo(f *session.Frame, end panel.End)
	Point(f *session.Frame, x, y int) bool
	Selection(f *session.Frame) view.Selection
}

// shot is a panel in a box of a size, as text.
func shot(t testing.TB, p drawer, f *session.Frame, width, height int) string {
	t.Helper()
	return shotIn(p, f, width, height, styles(t, themes.Default, themes.Unicode()))
}

func shotIn(p drawer, f *session.Frame, width, height int, look themes.Styles) string {
	c := widget.NewCanvas()
	c.Reset(layout.Size{Width: width, Height: height}, look)
	inner := widget.Box{Title: p.Title(f), Focus: widget.Focused}.Draw(c.All())
	p.Draw(f, inner, widget.Focused)
	widget.Box{Title: p.Title(f), Note: p.Note(f), Focus: widget.Focused}.Draw(c.All())
	p.Draw(f, inner, widget.Focused)
	return c.Text()
}

// album is pictures that are compared with a file of testdata.
type album struct {
	file string
	text strings.Builder
}

func (a *album) add(title, picture string) {
	fmt.Fprintf(&a.text, "== %s\n", title)
	for line := range strings.Lines(picture) {
		a.text.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// compare fails when the pictures differ from the file's.
func (a *album) compare(t *testing.T) {
	t.Helper()
	golden.Is(t, filepath.Join("testdata", a.file), a.text.String())
}
