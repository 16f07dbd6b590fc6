package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/compare"
	"github.com/schedstep/schedstep/replay/session"
)

// worse is a cluster whose scheduler has put shop/a on the fuller of two nodes, and after which more nodes come.
func worse(breakpoint string) (*session.Session, error) {
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	old := apiserver.Pod("old", "n1")
	old.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("500m")
	log := replay.NewLog()
	happens := func(action cluster.Action, objects ...cluster.Object) {
		for _, o := range objects {
			log.Append(replay.Timed{
				At:    began.Add(time.Duration(log.Len()) * time.Second),
				Event: cluster.Event{Action: action, Object: o},
			})
		}
	}
	happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), old, apiserver.Pod("a", ""))
	happens(cluster.Update, apiserver.Pod("a", "n1"))
	for i := range 30 {
		happens(cluster.Add, apiserver.Node(fmt.Sprintf("more-%d", i)))
	}
	c := config.Default()
	o := core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began}
	s := session.New(
		replay.NewPlayer(core.New(o), replay.NewRecorded(log), log), session.About{Hindsight: compare.NewHindsight(o)},
	)
	b, err := session.ParseBreakpoint(strings.Fields(breakpoint))
	s.Break(b)
	return s, err
}

func TestABreakpointOnDivergenceStopsWhereADecisionIsKnownToDiffer(t *testing.T) {
	for _, words := range []string{"divergence", "divergence pod a", "divergence node n2"} {
		s, err := worse(words)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time the steps are known
			stop := move(t, s, session.Continue, session.Forward)
			if stop.Reason != session.StoppedAtBreakpoint ||
				!strings.Contains(stop.Text, "shop/a is on n1, and here it would be n2: n2 has ") {
				t.Fatalf("%s: %+v", words, stop)
			}
			if f := s.Frame(); f.Agreement != (compare.Tally{Different: 1}) {
				t.Errorf("%s: %+v", words, f.Agreement)
			}
			move(t, s, session.Out, session.Backward)
			if f := s.Frame(); f.Agreement.Total() != 0 {
				t.Errorf("before anything is known: %+v", f.Agreement)
			}
		}
	}
	for _, words := range []string{"divergence pod b", "divergence node n9"} {
		s, err := worse(words)
		if stop := move(t, s, session.Continue, session.Forward); err != nil || stop.Reason != session.StoppedAtLogEnd {
			t.Errorf("%s: %+v, %v", words, stop, err)
		}
	}
}
