package core_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// pairs is a guest that binds pods two by two: the second one lets the first one go. The pod p00009 makes it turn down
// all that wait. It counts the nodes it has seen come, and returns how many at PreFilter.
type pairs struct{}

func (pairs) Name() string { return "Pairs" }

func (pairs) Found(_ []*framework.Profile, around framework.Around) framework.Home {
	return &pairsHome{around: around}
}

// PreFilter returns what the home has seen.
func (pairs) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	h := snapshot.Companion().(*pairsHome)
	h.asked++
	if h.pod != pod.Key || h.nodes == 0 {
		return framework.Study{Verdict: trace.Verdict{Code: trace.Error, Reasons: []string{"not at home"}}}
	}
	return framework.Study{Verdict: trace.Verdict{Code: trace.Skip, Reasons: []string{
		fmt.Sprintf("%d nodes, asked %d times", h.nodes, h.asked),
	}}}
}

// Permit waits, or lets the other one go.
func (pairs) Permit(ask framework.PermitAsk) framework.PermitAnswer {
	h := ask.Known.Companion().(*pairsHome)
	for _, w := range h.around.Waiting() {
		switch {
		case ask.Pod.Name() == "p00009":
			h.acts = append(h.acts, framework.RejectWaiting{Pod: w.Pod.Key, Plugin: "Pairs", Reason: "no more pairs"})
		default:
			h.acts = append(h.acts, framework.AllowWaiting{Pod: w.Pod.Key, Plugin: w.Plugins[0]})
			return framework.PermitAnswer{}
		}
	}
	return framework.PermitAnswer{Verdict: trace.Verdict{Code: trace.Wait}, Timeout: time.Minute}
}

// Reserve counts what is held.
func (pairs) Reserve(ask framework.ReserveAsk) framework.Reservation {
	ask.Known.Companion().(*pairsHome).held++
	return framework.Reservation{}
}

// Unreserve gives back.
func (pairs) Unreserve(ask framework.BindAsk) []framework.Write {
	ask.Known.Companion().(*pairsHome).held--
	return nil
}

func (pairs) Hints() []queue.Hint { return nil }

type pairsHome struct {
	around             framework.Around
	nodes, asked, held int
	pod                string
	acts               []framework.Act
}

func (*pairsHome) Beside() {}
func (h *pairsHome) Fork(around framework.Around) framework.Home {
	f := *h
	f.around, f.acts = around, slices.Clone(h.acts)
	return &f
}
func (*pairsHome) Notes() []string { return nil }
func (h *pairsHome) Parts(from framework.Home) (framework.Parting, bool) {
	return framework.Parting{Plugin: "Pairs"}, h.asked != from.(*pairsHome).asked
}

func (h *pairsHome) Refill() { h.nodes = len(h.around.State().Snapshot().Nodes) }

func (h *pairsHome) Begin(pod *cluster.Pod, _ string, _ *cluster.Snapshot) { h.pod = pod.Key }
func (h *pairsHome) Continue(pod *cluster.Pod, _ string)                   { h.pod = pod.Key }

func (*pairsHome) Heed(<-chan struct{}) <-chan struct{}                  { return nil }
func (*pairsHome) BeginGroup(framework.Group, string, *cluster.Snapshot) {}
func (*pairsHome) BeginPlacement(framework.Placement)                    {}
func (*pairsHome) ChoosePlacement(int)                                   {}
func (*pairsHome) EndGroup()                                             {}

func (h *pairsHome) Lend(to framework.Around) (back func()) {
	own := h.around
	h.around = to
	return func() { h.around = own }
}

func (h *pairsHome) See(change *cluster.Change) {
	if change.Kind == cluster.KindNode && change.Action == cluster.Add {
		h.nodes++
	}
}

func (h *pairsHome) Acts() []framework.Act {
	acts := h.acts
	h.acts = nil
	return acts
}

// pairing is a scheduler of so many nodes with the guest, and its configuration.
func pairing(t *testing.T, nodes int) (*core.Scheduler, core.Options) {
	t.Helper()
	made := func([]byte, string) (framework.Plugin, []framework.Point, error) {
		return pairs{}, []framework.Point{framework.PreFilter, framework.Reserve, framework.Permit}, nil
	}
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
  profiles: [{plugins: {multiPoint: {enabled: [{name: Pairs}]}}}]}`), "pairs", config.Options{
		Plugins: []config.Plugin{config.NewGuest("Pairs", made)},
	})
	if err != nil {
		t.Fatal(err)
	}
	o := core.Options{
		Profiles: c.Profiles, InitialBackoff: time.Second, MaxBackoff: time.Minute, Start: time.Unix(1e9, 0),
		Detail: trace.Full,
	}
	s := core.New(o)
	for i := range nodes {
		s.Apply(cluster.Event{Object: benchNode(i)})
	}
	return s, o
}

// next adds a pod and runs its cycle; it returns what PreFilter of the guest returned, and the effects.
func next(s *core.Scheduler, i int) (string, []core.Effect) {
	s.Apply(cluster.Event{Object: benchPod(i)})
	effects, facts, _ := s.Schedule()
	for _, f := range facts {
		if p, is := f.(trace.PreFiltered); is && p.Plugin == "Pairs" {
			return p.Verdict.Message(), effects
		}
	}
	return "", effects
}

func held(s *core.Scheduler) int { return s.State().Companion().(*pairsHome).held }

// TestAGuestLetsAnotherPodGo shows that what a guest does besides answering is carried out when its cycle is over.
func TestAGuestLetsAnotherPodGo(t *testing.T) {
	s, _ := pairing(t, 2)
	if _, effects := next(s, 0); len(s.Waiting()) != 1 {
		t.Fatalf("the first pod does not wait: %s", words(effects))
	}
	_, effects := next(s, 1)
	var bound []string
	for _, e := range effects {
		if b, is := e.(core.Bind); is {
			bound = append(bound, b.Pod.Key)
		}
	}
	if len(bound) != 2 || bound[0] != "default/p00001" || bound[1] != "default/p00000" {
		t.Errorf("the second pod binds %v, and is to be bound itself, and then the first", bound)
	}
}

// TestAGuestTurnsDownPodsThatWait shows a pod that a guest rejects at Permit: it gives back what it holds.
func TestAGuestTurnsDownPodsThatWait(t *testing.T) {
	s, _ := pairing(t, 2)
	next(s, 0)
	next(s, 9)
	if waiting := s.Waiting(); len(waiting) != 1 || waiting[0].Key != "default/p00009" {
		t.Errorf("%d pods wait, and only the last one is to wait", len(waiting))
	}
	if held(s) != 1 {
		t.Errorf("the guest holds something for %d pods, and one waits", held(s))
	}
}

// TestForksHaveHomesOfTheirOwn shows that a guest remembers in each fork what happened in that fork.
func TestForksHaveHomesOfTheirOwn(t *testing.T) {
	s, _ := pairing(t, 2)
	next(s, 0)
	f := s.Fork()
	f.Apply(cluster.Event{Object: benchNode(7)})
	if said, _ := next(f, 1); said != "3 nodes, asked 2 times" {
		t.Errorf("in the fork the guest says %q", said)
	}
	if said, _ := next(s, 1); said != "2 nodes, asked 2 times" {
		t.Errorf("beside the fork the guest says %q", said)
	}
	if _, err := s.Examine("default/p00000"); err != nil {
		t.Error(err)
	}
	if said, _ := next(s, 2); said != "2 nodes, asked 3 times" {
		t.Errorf("after an examination the guest says %q", said)
	}
}

// TestARestartRefillsTheHome shows that a scheduler that is started anew has a home that knows the cluster as it is.
func TestARestartRefillsTheHome(t *testing.T) {
	s, o := pairing(t, 2)
	next(s, 0)
	next(s, 1)
	s.Restart(o)
	if said, _ := next(s, 2); said != "2 nodes, asked 1 times" {
		t.Errorf("after a restart the guest says %q", said)
	}
}
