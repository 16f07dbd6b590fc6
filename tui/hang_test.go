package tui_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// stuck is a plugin of others whose call about the pod p1 goes on until it is given up: module host gives up one that
// does not come to an end when what it heeds is closed.
type stuck struct{ home *stuckHome }

func (stuck) Name() string { return "Stuck" }

func (s stuck) Found([]*framework.Profile, framework.Around) framework.Home { return s.home }

func (s stuck) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) framework.Study {
	if pod.Name() != "p1" || s.home.given {
		return framework.Study{}
	}
	s.home.calls++
	if s.home.done == nil {
		return framework.Study{Verdict: trace.Verdict{Code: trace.Error, Reasons: []string{"nothing is heeded"}}}
	}
	<-s.home.done
	s.home.given = true
	return framework.Study{Verdict: trace.Verdict{Code: trace.Error, Reasons: []string{"the call was given up"}}}
}

type stuckHome struct {
	done  <-chan struct{}
	calls int
	given bool
}

func (*stuckHome) Beside()                                               {}
func (h *stuckHome) Fork(framework.Around) framework.Home                { return h }
func (*stuckHome) Refill()                                               {}
func (*stuckHome) Begin(*cluster.Pod, string, *cluster.Snapshot)         {}
func (*stuckHome) Continue(*cluster.Pod, string)                         {}
func (*stuckHome) BeginGroup(framework.Group, string, *cluster.Snapshot) {}
func (*stuckHome) BeginPlacement(framework.Placement)                    {}
func (*stuckHome) ChoosePlacement(int)                                   {}
func (*stuckHome) EndGroup()                                             {}
func (*stuckHome) Lend(framework.Around) (back func())                   { return func() {} }
func (*stuckHome) See(*cluster.Change)                                   {}
func (*stuckHome) Acts() []framework.Act                                 { return nil }
func (*stuckHome) Notes() []string                                       { return nil }
func (*stuckHome) Parts(framework.Home) (framework.Parting, bool)        { return framework.Parting{}, false }

func (h *stuckHome) Heed(done <-chan struct{}) (before <-chan struct{}) {
	before, h.done = h.done, done
	return before
}

// stuckSession is three pods and a node, with the plugin.
func stuckSession(t *testing.T) (*session.Session, *stuckHome) {
	t.Helper()
	home := &stuckHome{}
	plugin := config.NewGuest("Stuck", func([]byte, string) (framework.Plugin, []framework.Point, error) {
		return stuck{home}, []framework.Point{framework.PreFilter}, nil
	})
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
  profiles: [{plugins: {multiPoint: {enabled: [{name: Stuck}]}}}]}`), "stuck",
		config.Options{Plugins: []config.Plugin{plugin}})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)
	node := build.Node("n1")
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10")}
	script := source.Script{{At: start, Event: cluster.Event{Object: node}}}
	for _, name := range []string{"p0", "p1", "p2"} {
		p := build.Pod(name)
		p.Spec.SchedulerName = corev1.DefaultSchedulerName
		script = append(script, source.Timed{At: start, Event: cluster.Event{Object: p}})
	}
	player := play.NewPlayer(play.NewScheduler(c, start, 0, trace.Full), play.NewSimulated(), script.Log())
	return session.New(player, session.About{}), home
}

// TestEscEndsAMoveInWhichAPluginHangs presses c, and esc while the call hangs.
func TestEscEndsAMoveInWhichAPluginHangs(t *testing.T) {
	s, home := stuckSession(t)
	journey(t, layout.Size{Width: 120, Height: 40}, s, screen.Options{}, func(r *robot) {
		r.press("c")
		r.rest(time.Hour) // it hangs for as long as nothing is pressed
		if home.given {
			t.Fatal("it was given up by itself")
		}
		r.press("\x1b")
		if !home.given || home.calls != 1 {
			t.Errorf("given up: %t, after %d calls", home.given, home.calls)
		}
		r.sees("stopped")
	})
	stop := s.Move(context.Background(), session.Continue, session.Forward, nil)
	if stop.Reason != session.StoppedAtEnd {
		t.Errorf("it does not go on: %+v", stop)
	}
}
