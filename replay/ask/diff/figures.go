package diff

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session/room"
)

// Figures are what a side came to at its end. Their JSON is stable: members are added, and none changes its meaning.
type Figures struct {
	Placed    int         `json:"placed"`  // pods with a node
	Pending   int         `json:"pending"` // pods without one
	Evicted   int         `json:"evicted"` // pods that had to leave for others
	Nodes     int         `json:"nodes"`
	Used      int         `json:"used"` // nodes with pods
	Resources []room.Use  `json:"resources"`
	Fill      []room.Fill `json:"fill"`
	// Virtual time from the queue to the binding, in seconds, of the pods that were bound.
	Median  float64 `json:"waitingMedian"`
	P95     float64 `json:"waitingP95"`
	Longest float64 `json:"waitingLongest"`
}

// waits gathers how long pods waited.
type waits struct {
	came map[string]time.Time // into the queue, by pod
	took []time.Duration
}

func (w *waits) see(step *play.Step) {
	for _, fact := range step.Facts {
		if f, is := fact.(trace.Moved); is && f.From == "" && f.Entity.Type == trace.KindPod {
			if _, known := w.came[f.Entity.Key()]; !known {
				w.came[f.Entity.Key()] = step.At
			}
		}
	}
	for _, e := range step.Effects {
		if bind, is := e.(core.Bind); is {
			if since, known := w.came[bind.Pod.Key]; known {
				w.took = append(w.took, step.At.Sub(since))
			}
		}
	}
}

// measure fills in the figures of a course from the scheduler at its end.
func (c *course) measure(s *core.Scheduler, took []time.Duration) {
	f := &c.figures
	s.State().EachPod(func(p *cluster.Pod) bool {
		_, assumed := s.State().Assumed(p.Key)
		switch {
		case cluster.Finished(p.API), p.Terminating():
		case p.NodeName != "" || assumed:
			f.Placed++
		default:
			f.Pending++
		}
		return true
	})
	nodes := s.State().Snapshot().Nodes
	f.Nodes, f.Resources, f.Fill = len(nodes), room.UsesOf(nodes), room.FillsOf(nodes)
	for _, n := range nodes {
		if len(n.Pods) > 0 {
			c.used = append(c.used, n.API.Name)
		}
	}
	f.Used = len(c.used)
	if len(took) > 0 {
		slices.Sort(took)
		of := func(percent int) float64 { return took[(len(took)*percent+99)/100-1].Seconds() }
		f.Median, f.P95, f.Longest = of(50), of(95), of(100)
	}
}

// sidesOf puts two courses beside each other.
func sidesOf(under [2]course) Sides {
	alone := func(one, other []string) []string {
		there := map[string]bool{}
		for _, name := range other {
			there[name] = true
		}
		return slices.DeleteFunc(append([]string{}, one...), func(name string) bool { return there[name] })
	}
	return Sides{
		A: under[0].figures, B: under[1].figures, OnlyA: alone(under[0].used, under[1].used),
		OnlyB: alone(under[1].used, under[0].used),
	}
}
