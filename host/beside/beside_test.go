package beside

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/gang"
	"example.com/licenses"
	"example.com/loadaware"
	"example.com/quota"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/host"
	"github.com/schedstep/schedstep/host/kube"
	"github.com/schedstep/schedstep/replay/source/extender"
)

// TestMain silences kube-scheduler. The goroutine that hands out signals begins with the first Notify, which
// kube-scheduler makes, and must not begin in a bubble.
func TestMain(m *testing.M) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGWINCH)
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// seeds are the range of SCHEDSTEP_SEEDS, as in conformance; without it the first few.
func seeds(t *testing.T, few int) (from, to int) {
	t.Helper()
	a, b, is := strings.Cut(os.Getenv("SCHEDSTEP_SEEDS"), ":")
	if !is {
		return 0, few
	}
	from, errFrom := strconv.Atoi(a)
	to, errTo := strconv.Atoi(b)
	if errFrom != nil || errTo != nil {
		t.Fatal("SCHEDSTEP_SEEDS is no range like 0:100")
	}
	return from, to
}

// play plays a seed of an example. change is made to the plugin on our side.
func (e *example) play(
	seed int, tally *compare.Tally, counts *kube.Counts, change host.Factory,
) ([]compare.Difference, error) {
	play, _ := e.draw(seed)
	both := kube.Between([]kube.Plugin{{Name: e.name, New: e.create}}, []kube.Plugin{{Name: e.name, New: change}})
	both.Counts = *counts
	var ours *core.Scheduler
	play.Ours = func(configuration []byte, gates config.Gates, start time.Time) (*core.Scheduler, error) {
		c, err := compare.Load(configuration, gates, both.Plugins()...)
		if err != nil {
			return nil, err
		}
		journal, _ := extender.NewJournal(nil)
		if c, err = extender.Connect(context.Background(), c, journal, extender.AskAndBind); err != nil {
			return nil, err
		}
		ours = core.New(core.Options{
			Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Groups: c.Groups,
			Start: start, Detail: trace.Full,
		})
		return ours, nil
	}
	play.Theirs = func(configuration []byte) (compare.KubeScheduler, error) { return both.Begin(configuration, ours) }
	play.Beside = both.Stepped
	found, err := play.Run(tally)
	*counts = both.Counts
	return found, err
}

func compared(t *testing.T, e *example, few int, change host.Factory) (*compare.Tally, *kube.Counts, []string) {
	t.Helper()
	tally, counts := &compare.Tally{}, &kube.Counts{}
	var found []string
	from, to := seeds(t, few)
	for seed := from; seed < to; seed++ {
		differences, err := e.play(seed, tally, counts, change)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, d := range differences {
			found = append(found, fmt.Sprintf("seed %d, %s", seed, d))
		}
	}
	return tally, counts, found
}

// TestExamplesDecideAsInKubeScheduler shows that each example decides in schedstep what it decides in kube-scheduler.
func TestExamplesDecideAsInKubeScheduler(t *testing.T) {
	for k := range examples {
		e := &examples[k]
		t.Run(e.name, func(t *testing.T) {
			tally, counts, found := compared(t, e, 10, e.create)
			for k, d := range found {
				if k == 10 {
					t.Errorf("and %d more", len(found)-k)
					break
				}
				t.Error(d)
			}
			t.Logf("%d clusters, %d cycles, %d verdicts, %d scores, %d hints; %+v", tally.Cases, tally.Cycles,
				tally.Verdicts(), tally.Scores(), tally.Hints(), *counts)
		})
	}
}

// planted are changes of the examples, on the side of schedstep alone.
var planted = map[string]struct {
	of     string
	change func(fwk.Plugin) fwk.Plugin
}{
	"Permit":           {gang.Name, func(p fwk.Plugin) fwk.Plugin { return &hasty{p.(*gang.Gang)} }},
	"PostFilter":       {gang.Name, func(p fwk.Plugin) fwk.Plugin { return &stubborn{p.(*gang.Gang)} }},
	"Unreserve":        {gang.Name, func(p fwk.Plugin) fwk.Plugin { return &forgetful{p.(*gang.Gang)} }},
	"Reserve":          {licenses.Name, func(p fwk.Plugin) fwk.Plugin { return &mean{p.(*licenses.Licenses)} }},
	"PreBindPreFlight": {licenses.Name, func(p fwk.Plugin) fwk.Plugin { return &idle{p.(*licenses.Licenses)} }},
	"RemovePod":        {quota.Name, func(p fwk.Plugin) fwk.Plugin { return &hoarding{p.(*quota.Quota)} }},
	"AddPod":           {quota.Name, func(p fwk.Plugin) fwk.Plugin { return &uncounting{p.(*quota.Quota)} }},
	"victims":          {quota.Name, func(p fwk.Plugin) fwk.Plugin { return &merciful{p.(*quota.Quota)} }},
	"Score":            {loadaware.Name, func(p fwk.Plugin) fwk.Plugin { return &generous{p.(*loadaware.LoadAware)} }},
	"NormalizeScore":   {loadaware.Name, func(p fwk.Plugin) fwk.Plugin { return &plain{p.(*loadaware.LoadAware)} }},
	"Filter":           {licenses.Name, func(p fwk.Plugin) fwk.Plugin { return &lax{p.(*licenses.Licenses)} }},
	"PreBind":          {licenses.Name, func(p fwk.Plugin) fwk.Plugin { return &mute{p.(*licenses.Licenses)} }},
	"QueueingHint":     {licenses.Name, func(p fwk.Plugin) fwk.Plugin { return &deaf{p.(*licenses.Licenses)} }},
}

type (
	hasty      struct{ *gang.Gang }
	stubborn   struct{ *gang.Gang }
	forgetful  struct{ *gang.Gang }
	uncounting struct{ *quota.Quota }
	merciful   struct{ *quota.Quota }
	generous   struct{ *loadaware.LoadAware }
	plain      struct{ *loadaware.LoadAware }
	lax        struct{ *licenses.Licenses }
	mute       struct{ *licenses.Licenses }
	deaf       struct{ *licenses.Licenses }
	mean       struct{ *licenses.Licenses }
	idle       struct{ *licenses.Licenses }
	hoarding   struct{ *quota.Quota }
)

func (*hasty) Permit(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.Status, time.Duration) {
	return nil, 0
}

func (*stubborn) PostFilter(
	context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

func (*forgetful) Unreserve(context.Context, fwk.CycleState, *corev1.Pod, string) {}

func (*mean) Reserve(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status {
	return fwk.NewStatus(fwk.Unschedulable, "planted")
}

func (*idle) PreBindPreFlight(
	context.Context, fwk.CycleState, *corev1.Pod, string,
) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Skip)
}

func (h *hoarding) PreFilterExtensions() fwk.PreFilterExtensions { return h }

func (*hoarding) RemovePod(context.Context, fwk.CycleState, *corev1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	return fwk.NewStatus(fwk.Error, "planted")
}

func (u *uncounting) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (*merciful) PostFilter(
	context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

func (g *generous) Score(
	ctx context.Context, s fwk.CycleState, p *corev1.Pod, n fwk.NodeInfo,
) (int64, *fwk.Status) {
	score, status := g.LoadAware.Score(ctx, s, p, n)
	return min(score+1, fwk.MaxScore), status
}

func (*plain) ScoreExtensions() fwk.ScoreExtensions { return nil }

func (*lax) Filter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) *fwk.Status {
	return nil
}

func (*mute) PreBind(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status {
	return nil
}

func (*deaf) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Delete}}}, nil
}

// TestPlantedChangesOfTheExamplesAreFound shows that the comparison above would find an example that decides otherwise,
// or an adapter that passes on something else.
func TestPlantedChangesOfTheExamplesAreFound(t *testing.T) {
	for what, plant := range planted {
		t.Run(what, func(t *testing.T) {
			k := slices.IndexFunc(examples, func(e example) bool { return e.name == plant.of })
			e := &examples[k]
			change := func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
				p, err := e.create(ctx, args, h)
				if err != nil {
					return nil, err
				}
				return plant.change(p), nil
			}
			for seed := range 40 {
				found, err := e.play(seed, &compare.Tally{}, &kube.Counts{}, change)
				if err != nil || len(found) > 0 {
					return // an oracle that cannot follow has found it, too
				}
			}
			t.Error("it was not found")
		})
	}
}
