package beside

import (
	"context"
	"fmt"
	"maps"
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
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/host"
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

// way counts what was compared beside verdicts and scores.
type way struct{ Permits, Waits, Allowed, Refused, TimedOut, Written, Evicted int }

// played is a play under way.
type played struct {
	*way
	theirs  *theirs
	ours    *core.Scheduler
	waiting []string // of ours, after the step before
	going   map[string]bool
}

// play plays a seed of an example. change is made to the plugin on our side.
func (e *example) play(seed int, tally *compare.Tally, counts *way, change host.Factory) ([]compare.Difference, error) {
	play, _ := e.draw(seed)
	p := &played{way: counts, going: map[string]bool{}}
	play.Ours = func(configuration []byte, gates config.Gates, start time.Time) (*core.Scheduler, error) {
		c, err := config.LoadWith(configuration, "drawn", config.Options{
			Gates: gates, Plugins: []config.Plugin{host.Plugin(e.name, change)},
		})
		if err != nil {
			return nil, err
		}
		p.ours = core.New(core.Options{
			Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Groups: c.Groups,
			Start: start, Detail: trace.Full,
		})
		return p.ours, nil
	}
	play.Theirs = func(configuration []byte) (compare.KubeScheduler, error) {
		var err error
		p.theirs, err = newTheirs(configuration, e.name, e.create, p.ours)
		return p.theirs, err
	}
	play.Beside = p.beside
	return play.Run(tally)
}

// beside compares the way of pods from Permit on, and what the plugin did through its clients.
func (p *played) beside(effects []core.Effect, facts []trace.Fact) []compare.Difference {
	t := p.theirs
	t.do(func() {}) // what is due by now
	var differences []compare.Difference
	same := func(what, pod, theirs, ours string) {
		if theirs != ours {
			differences = append(differences, compare.Difference{What: what, Pod: pod, Theirs: theirs, Ours: ours})
		}
	}
	cycle, _ := trace.Fold(facts)
	for _, try := range cycle.Tries {
		p.permitted(try, same)
	}
	defer clear(t.written)
	var evicted []string
	for _, effect := range effects {
		switch effect := effect.(type) {
		case core.Evict:
			evicted = append(evicted, effect.Pod.Key)
		case core.Write:
			p.wrote(effect, same)
		case core.Report:
			p.refused(effect, same)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.written)) {
		same("written by PreBind", key, t.written[key], "nothing")
	}
	if cycle.Ended != nil && p.quotaEvicts(cycle.Latest()) {
		p.Evicted += len(evicted)
		t.evicted = slices.DeleteFunc(t.evicted, p.goes)
		same("evicted", "", strings.Join(t.evicted, " "), strings.Join(evicted, " "))
	}
	for _, effect := range effects {
		if e, is := effect.(core.Evict); is {
			p.going[e.Pod.UID()] = true
		}
	}
	t.evicted = nil
	before := p.waiting
	p.waiting = nil
	for _, pod := range p.ours.Waiting() {
		p.waiting = append(p.waiting, pod.Key)
	}
	slices.Sort(p.waiting)
	for _, key := range before {
		if s := t.waits[key]; s != nil && s.message == "" && !slices.Contains(p.waiting, key) {
			p.Allowed++
		}
	}
	same("waiting at Permit", "", t.waiting(), strings.Join(p.waiting, " "))
	return differences
}

// goes reports that a pod was deleted before, and is still there. To delete it again changes nothing, and schedstep has
// no effect for it; kube-scheduler sends the request.
func (p *played) goes(key string) bool {
	pod, known := p.ours.State().Pod(key)
	return known && (pod.Terminating() || p.going[pod.UID()])
}

// quotaEvicts reports that a PostFilter plugin other than DefaultPreemption made room.
func (p *played) quotaEvicts(try *trace.Try) bool {
	for _, f := range try.PostFilter {
		if f.Plugin != "DefaultPreemption" && f.Verdict.OK() {
			return true
		}
	}
	return len(p.theirs.evicted) > 0
}

// permitted compares the verdict of Permit.
func (p *played) permitted(try *trace.Try, same func(what, pod, theirs, ours string)) {
	verdict, asked := "Success", false
	for _, ran := range try.Ran {
		if ran.Point != trace.PhasePermit {
			continue
		}
		asked = true
		if !ran.Verdict.OK() {
			verdict = strings.TrimSuffix(fmt.Sprintf("%s: %s", ran.Verdict.Code, ran.Verdict.Message()), ": ")
		}
	}
	if !asked {
		return
	}
	p.Permits++
	pod := try.Entity.Key()
	same("Permit", pod, p.theirs.permits[pod], verdict)
	if strings.HasPrefix(verdict, "Wait") {
		p.Waits++
	}
}

// wrote compares the number of the license that PreBind writes to the pod.
func (p *played) wrote(w core.Write, same func(what, pod, theirs, ours string)) {
	pod, is := w.Object.(*corev1.Pod)
	if !is {
		return
	}
	p.Written++
	key := cluster.Key(pod)
	same("written by PreBind", key, p.theirs.written[key], pod.Annotations[number])
	delete(p.theirs.written, key)
}

// refused compares why a wait ended against a pod.
func (p *played) refused(r core.Report, same func(what, pod, theirs, ours string)) {
	if !slices.Contains(p.waiting, r.Pod.Key) {
		return
	}
	s := p.theirs.waits[r.Pod.Key]
	if s == nil || r.Reason != "FailedScheduling" || strings.HasSuffix(r.Message, ": preempted") {
		return // the oracle evicts no pod, so that none of its waits ends like this
	}
	p.Refused++
	if strings.Contains(s.message, "timeout") {
		p.TimedOut++
	}
	same("end of the wait", r.Pod.Key, fmt.Sprintf("0/1 nodes are available: 1 %s.", s.message), r.Message)
}

func compared(t *testing.T, e *example, few int, change host.Factory) (*compare.Tally, *way, []string) {
	t.Helper()
	tally, counts := &compare.Tally{}, &way{}
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
	"Permit":         {gang.Name, func(p fwk.Plugin) fwk.Plugin { return &hasty{p.(*gang.Gang)} }},
	"PostFilter":     {gang.Name, func(p fwk.Plugin) fwk.Plugin { return &stubborn{p.(*gang.Gang)} }},
	"Unreserve":      {gang.Name, func(p fwk.Plugin) fwk.Plugin { return &forgetful{p.(*gang.Gang)} }},
	"AddPod":         {quota.Name, func(p fwk.Plugin) fwk.Plugin { return &uncounting{p.(*quota.Quota)} }},
	"victims":        {quota.Name, func(p fwk.Plugin) fwk.Plugin { return &merciful{p.(*quota.Quota)} }},
	"Score":          {loadaware.Name, func(p fwk.Plugin) fwk.Plugin { return &generous{p.(*loadaware.LoadAware)} }},
	"NormalizeScore": {loadaware.Name, func(p fwk.Plugin) fwk.Plugin { return &plain{p.(*loadaware.LoadAware)} }},
	"Filter":         {licenses.Name, func(p fwk.Plugin) fwk.Plugin { return &lax{p.(*licenses.Licenses)} }},
	"PreBind":        {licenses.Name, func(p fwk.Plugin) fwk.Plugin { return &mute{p.(*licenses.Licenses)} }},
	"QueueingHint":   {licenses.Name, func(p fwk.Plugin) fwk.Plugin { return &deaf{p.(*licenses.Licenses)} }},
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
				found, err := e.play(seed, &compare.Tally{}, &way{}, change)
				if err != nil || len(found) > 0 {
					return // an oracle that cannot follow has found it, too
				}
			}
			t.Error("it was not found")
		})
	}
}
