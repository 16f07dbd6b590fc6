package screen

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/tui/layout"
)

// The load of a cluster that is followed: so many events between two looks at its log, 200 in a second.
const (
	eventsPerLook = 20
	everyEvent    = followEvery / eventsPerLook
)

// busy is a screen that follows a cluster, and what is going to happen there.
type busy struct {
	*app
	log   *source.Log
	comes source.Script
}

// newBusy is a screen of a cluster with ten pods on each node, in which a pod comes with every second event, and with
// every other the one before it is bound to the node that kube-scheduler would take.
func newBusy(b *testing.B, nodes, looks int, size layout.Size) *busy {
	b.Helper()
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	script := crowdScript(began, nodes, 10)
	c := config.Default()
	o := core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began}
	theirs, ours := source.NewLog(), source.NewLog()
	for _, t := range script {
		theirs.Append(t)
		ours.Append(t)
	}
	real := play.NewPlayer(core.New(o), play.NewSimulated(), theirs)
	v := &busy{log: ours}
	for i := range looks * eventsPerLook / 2 {
		at := began.Add(time.Second + time.Duration(2*i)*everyEvent)
		pod := newcomer(fmt.Sprintf("new-%06d", i))
		comes := source.Timed{At: at, Event: cluster.Event{Action: cluster.Add, Object: pod}}
		theirs.Append(comes)
		theirs.Reach(at.Add(everyEvent))
		for more := true; more; {
			_, more = real.Step()
		}
		placed, there := real.Scheduler().State().Pod(cluster.Key(pod))
		if !there || placed.API.Spec.NodeName == "" {
			b.Fatalf("%s has no node", pod.Name)
		}
		bound := pod.DeepCopy()
		bound.Spec.NodeName = placed.API.Spec.NodeName
		v.comes = append(v.comes, comes, source.Timed{
			At: at.Add(everyEvent), Event: cluster.Event{Action: cluster.Update, Object: bound},
		})
	}
	s := session.New(play.NewPlayer(core.New(o), play.NewRecorded(ours), ours), session.About{
		Title: "busy", Hindsight: compare.NewHindsight(o),
	})
	s.Limit(session.History{Events: 100_000})
	var err error
	v.app, err = newApp(b.Context(), s, Options{Live: &Live{
		Changed: ours.Changed, State: func() phrase.Phrase { return phrase.Phrase{} },
	}})
	if err != nil {
		b.Fatal(err)
	}
	v.Update(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
	v.following = true
	return v
}

// look has the events of one look happen, and the screen take them; took is how long the session was busy with them,
// and drawn how long the frame took after it.
func (v *busy) look(b *testing.B) (took, drawn time.Duration) {
	b.Helper()
	for _, t := range v.comes[:eventsPerLook] {
		v.log.Append(t)
	}
	v.comes = v.comes[eventsPerLook:]
	v.log.Reach(v.log.Reached().Add(everyEvent / 2))
	began := time.Now()
	done := v.keepUp(b)
	took = time.Since(began)
	v.Update(done)
	v.View()
	return took, time.Since(began) - took
}

// keepUp is the result of the job that goes on to the end of the log.
func (v *busy) keepUp(b *testing.B) tea.Msg {
	b.Helper()
	_, cmd := v.Update(grown{})
	both, is := cmd().(tea.BatchMsg)
	if !is || len(both) != 2 {
		b.Fatal("the news of more is not followed")
	}
	return both[1]().(tea.BatchMsg)[0]()
}

// BenchmarkFramesWhileEventsArrive follows a cluster of 5,000 nodes and 50,000 pods in which 200 events happen in a
// second. A frame should take 16 ms at most, and the session should be behind by 100 ms at most.
func BenchmarkFramesWhileEventsArrive(b *testing.B) {
	for _, part := range []string{"filter", "cluster"} {
		b.Run(part, func(b *testing.B) {
			const warm = 2
			v := newBusy(b, 5000, b.N+warm, layout.Size{Width: 200, Height: 60})
			if err := v.showPart(part); err != nil {
				b.Fatal(err)
			}
			for range warm {
				v.look(b)
			}
			var took, drawn []time.Duration
			for b.ResetTimer(); len(took) < b.N; {
				t, d := v.look(b)
				took, drawn = append(took, t), append(drawn, d)
			}
			report(b, "session", took)
			report(b, "frame", drawn)
			if v.frame.Agreement.Different > 0 || v.frame.Agreement.Total() == 0 {
				b.Fatalf("the comparison says %+v", v.frame.Agreement)
			}
		})
	}
}

// report reports the median, the 99th percentile and the longest of some times, in milliseconds.
func report(b *testing.B, of string, times []time.Duration) {
	b.Helper()
	slices.Sort(times)
	for _, q := range []struct {
		name string
		at   int
	}{{"half", len(times) / 2}, {"99%", len(times) * 99 / 100}, {"most", len(times) - 1}} {
		b.ReportMetric(float64(times[q.at].Microseconds())/1000, of+"-"+q.name+"-ms")
	}
}
