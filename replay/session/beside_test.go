package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

// worse is a cluster whose scheduler has put shop/a on the fuller of two nodes, and after which more nodes come.
func worse(breakpoint string) (*session.Session, error) {
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	old := apiserver.Pod("old", "n1")
	old.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("500m")
	log := source.NewLog()
	happens := func(action cluster.Action, objects ...cluster.Object) {
		for _, o := range objects {
			log.Append(source.Timed{
				At:    began.Add(time.Duration(log.Len()) * time.Second),
				Event: cluster.Event{Action: action, Object: o},
			})
		}
	}
	happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), old, apiserver.Pod("a", ""))
	happens(cluster.Update, apiserver.Pod("a", "n1"))
	for i := range 100 {
		happens(cluster.Add, apiserver.Node(fmt.Sprintf("more-%d", i)))
	}
	c := config.Default()
	o := core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began}
	s := session.New(
		play.NewPlayer(core.New(o), play.NewRecorded(log), log), session.About{Hindsight: compare.NewHindsight(o)},
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
				!strings.Contains(stop.Text.String(), "shop/a is on n1, and here it would be n2: n2 has ") {
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

// The comparison of a session begins with a fork of its scheduler; here is one beside it that takes every entry itself.
func TestAComparisonFromAForkIsThatFromAnEmptyCluster(t *testing.T) {
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	log := source.NewLog()
	happens := func(at time.Duration, action cluster.Action, objects ...cluster.Object) {
		for _, o := range objects {
			log.Append(source.Timed{At: began.Add(at), Event: cluster.Event{Action: action, Object: o}})
		}
	}
	full := apiserver.Pod("old", "n1")
	full.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("700m")
	happens(0, cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), full)
	happens(0, cluster.Add, apiserver.Pod("a", ""), apiserver.Pod("b", ""))
	happens(time.Second, cluster.Update, apiserver.Pod("a", "n2"), apiserver.Pod("b", "n1"))
	happens(2*time.Second, cluster.Add, apiserver.Pod("c", ""))
	happens(3*time.Second, cluster.Update, apiserver.Pod("c", "n1"))
	for i := range 100 {
		happens(4*time.Second, cluster.Add, apiserver.Node(fmt.Sprintf("more-%d", i)))
	}
	c := config.Default()
	o := core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began}
	alone, beside := compare.NewHindsight(o), compare.NewHindsight(o)
	for _, entry := range log.From(0) {
		alone.See(entry)
	}
	s := session.New(play.NewPlayer(core.New(o), play.NewRecorded(log), log), session.About{Hindsight: beside})
	move(t, s, session.Continue, session.Forward)
	want, got := alone.Report(), beside.Report()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(compare.Report{}, compare.Decision{})); diff != "" {
		t.Errorf("(-from an empty cluster +from a fork):\n%s", diff)
	}
	if want.Hosts.Total() != 3 || want.Hosts.Different == 0 {
		t.Errorf("the story shows too little: %+v", want.Hosts)
	}
}
