package tui_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// growing is a log that a test appends to, and the screen's view of it.
type growing struct {
	*source.Log
	at    time.Time
	state phrase.Phrase
}

func (g *growing) happens(objects ...cluster.Object) {
	for _, o := range objects {
		g.at = g.at.Add(time.Second)
		action := cluster.Add
		if p, is := o.(*corev1.Pod); is && p.Spec.NodeName != "" {
			action = cluster.Update
		}
		g.Append(source.Timed{At: g.at, Event: cluster.Event{Action: action, Object: o}})
	}
	g.Reach(g.at.Add(time.Millisecond))
}

// follow is a session at the end of a log that grows.
func (g *growing) follow(t *testing.T) (*session.Session, screen.Options) {
	t.Helper()
	c := config.Default()
	o := core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began, Seed: 1,
	}
	s := session.New(play.NewPlayer(core.New(o), play.NewRecorded(g.Log), g.Log), session.About{
		Title: "kind", Hindsight: compare.NewHindsight(o),
	})
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	return s, screen.Options{Live: &screen.Live{
		Changed: g.Changed, State: func() phrase.Phrase { return g.state }, Says: "configuration: mine",
	}}
}

func TestALiveClusterIsFollowedPausedAndReturnedTo(t *testing.T) {
	log := &growing{Log: source.NewLog(), at: began}
	log.happens(node("n1", "4"), node("n2", "4"))
	s, options := log.follow(t)
	journey(t, layout.Size{Width: 160, Height: 45}, s, options, func(r *robot) {
		r.sees("▶ live", "2 nodes", "configuration: mine", "q quit")
		log.happens(pod("first", "1"))
		r.settle()
		r.sees("▶ live", "default/first", "cycle 1")
		r.press(" ").sees("■ paused")
		log.happens(pod("second", "1"), pod("third", "1"))
		r.settle()
		r.sees("2 behind, F: now", "cycle 1")
		r.press("b")
		log.happens(pod("fourth", "1"))
		r.settle()
		r.sees("3 behind", "■ paused")
		r.press("F").sees("▶ live", "cycle 4", "default/fourth")
		log.state = phrase.New("cut off since %s: %s", "10:00:00", phrase.New("it does not answer"))
		log.happens(pod("fifth", "1"))
		r.settle()
		r.sees("cut off since 10:00:00: it does not answer", "default/fifth")
	})
}

func TestTheScreenCountsWhatAgreesAndStopsAtWhatDiffers(t *testing.T) {
	log := &growing{Log: source.NewLog(), at: began}
	log.happens(node("n1", "4"), node("n2", "4"))
	s, options := log.follow(t)
	journey(t, layout.Size{Width: 160, Height: 45}, s, options, func(r *robot) {
		r.press(":break divergence\r")
		log.happens(pod("first", "1"), bound("first", "n1"), pod("second", "1"), bound("second", "n2"))
		r.settle()
		r.sees("▶ live", "100.0 % agreed")
		log.happens(node("n3", "4"), pod("third", "1"), bound("third", "n1"))
		for i := range 96 { // none of them explains it
			log.happens(node(fmt.Sprintf("more-%d", i), "4"))
		}
		r.settle()
		r.sees("■ paused", "66.6 % agreed, 1 differs", "default/third is on n1, and here it would be n3")
	})
}

// bound is a pod that the cluster's own scheduler has put on a node.
func bound(name, on string) *corev1.Pod {
	p := pod(name, "1")
	p.Spec.NodeName = on
	return p
}

// Between two checkpoints lie 64 cycles: that is how finely history is dropped.
func TestHistoryThatIsTooOldIsDroppedAndTheScreenSaysSo(t *testing.T) {
	log := &growing{Log: source.NewLog(), at: began}
	log.happens(node("n1", "4"))
	s, options := log.follow(t)
	s.Limit(session.History{Events: 64})
	wave := func(name string) {
		for i := range 200 {
			log.happens(pod(fmt.Sprintf("%s-%d", name, i), "1m"))
		}
	}
	journey(t, layout.Size{Width: 160, Height: 45}, s, options, func(r *robot) {
		wave("first")
		r.settle()
		r.sees("▶ live", "Timeline since 10:02:03.000, 123 events before dropped", "cycle 200")
		r.press(" ")
		wave("second")
		r.settle()
		r.sees("■ paused", "cycle 200", "events before dropped") // the cursor stays, though nothing around it is kept
		r.press("b").sees("this is the oldest that is kept")
		r.press("F").sees("▶ live", "400 pods", "Timeline since 10:05:06.000")
	})
}
