package host

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// TestMain silences kube-scheduler.
func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// inTree puts kube-scheduler's own plugins, hosted, in the place of ours in all profiles of a configuration. Left out
// are those of leave.
func inTree(configuration []byte, c *config.Config, leave ...string) ([]*framework.Profile, error) {
	theirs, err := theirConfiguration(configuration)
	if err != nil {
		return nil, err
	}
	registry := plugins.NewInTreeRegistry()
	var profiles []*framework.Profile
	for k, p := range c.Profiles {
		hosted := map[string]framework.Plugin{}
		for _, at := range c.Expanded[k].Points {
			for _, e := range at.Plugins {
				if hosted[e.Name] != nil || slices.Contains(leave, e.Name) || registry[e.Name] == nil {
					continue
				}
				g := &guest{name: e.Name, profile: p.SchedulerName, create: registry[e.Name]}
				for _, of := range theirs.Profiles[k].PluginConfig {
					if of.Name == e.Name {
						g.args = of.Args
					}
				}
				if hosted[e.Name], _, err = g.meet(); err != nil && len(g.points) > 0 {
					return nil, fmt.Errorf("%s: %w", e.Name, err)
				}
			}
		}
		profiles = append(profiles, swapped(p, hosted))
	}
	return profiles, nil
}

// theirConfiguration is a configuration as kube-scheduler reads it.
func theirConfiguration(data []byte) (*schedulerconfig.KubeSchedulerConfiguration, error) {
	if data == nil {
		return latest.Default()
	}
	read, _, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	return read.(*schedulerconfig.KubeSchedulerConfiguration), nil
}

func swapped(p *framework.Profile, by map[string]framework.Plugin) *framework.Profile {
	s := *p
	if sorter, is := p.QueueSort.(framework.Plugin); is && by[sorter.Name()] != nil {
		s.QueueSort = by[sorter.Name()].(queue.Sorter)
	}
	s.PreEnqueue, s.PreFilter = swap(p.PreEnqueue, by), swap(p.PreFilter, by)
	s.Filter, s.PostFilter = swap(p.Filter, by), swap(p.PostFilter, by)
	s.PreScore, s.Reserve = swap(p.PreScore, by), swap(p.Reserve, by)
	s.Permit, s.PreBind = swap(p.Permit, by), swap(p.PreBind, by)
	s.Bind, s.PostBind = swap(p.Bind, by), swap(p.PostBind, by)
	s.PodGroupPostFilter = swap(p.PodGroupPostFilter, by)
	if g := p.PlacementGenerate; g != nil && by[g.Name()] != nil {
		s.PlacementGenerate = by[g.Name()].(framework.PlacementGeneratePlugin)
	}
	s.PlacementFeasible = slices.Clone(p.PlacementFeasible)
	for k, feasible := range s.PlacementFeasible {
		if other := by[feasible.Name()]; other != nil {
			s.PlacementFeasible[k], _ = other.(framework.GuestGatherer).Gathers()
		}
	}
	s.PlacementScore = slices.Clone(p.PlacementScore)
	for k, score := range s.PlacementScore {
		if other := by[score.Name()]; other != nil {
			s.PlacementScore[k].PlacementScorePlugin = other.(framework.PlacementScorePlugin)
		}
	}
	s.Score = slices.Clone(p.Score)
	for k, score := range s.Score {
		if other := by[score.Name()]; other != nil {
			s.Score[k].ScorePlugin = other.(framework.ScorePlugin)
		}
	}
	return &s
}

func swap[P framework.Plugin](list []P, by map[string]framework.Plugin) []P {
	list = slices.Clone(list)
	for k, p := range list {
		if other := by[p.Name()]; other != nil {
			list[k] = other.(P)
		}
	}
	return list
}

// hostedScheduler makes a scheduler of ours whose plugins are kube-scheduler's own, except for those of leave. made
// gets it.
func hostedScheduler(
	leave []string, made func(*core.Scheduler),
) func([]byte, config.Gates, time.Time) (*core.Scheduler, error) {
	return func(configuration []byte, gates config.Gates, start time.Time) (*core.Scheduler, error) {
		c, err := compare.Load(configuration, gates)
		if err != nil {
			return nil, err
		}
		profiles, err := inTree(configuration, c, leave...)
		if err != nil {
			return nil, err
		}
		s := core.New(core.Options{
			Profiles: profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Groups: c.Groups,
			Start: start, Detail: trace.Full,
		})
		made(s)
		return s, nil
	}
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

// byItself are differences that are none of the adapter's: evidence of our plugins, which a plugin of kube-scheduler
// does not give, and chance: which of several equal nodes preemption chooses, which of all nodes it tries where it
// is to stop early (it begins anywhere), and whether a pool is complete whose ResourceSlices do not agree on how many
// they are (the first of them decides, in the order of a map).
func byItself(d compare.Difference, play compare.Play) bool {
	if strings.HasPrefix(d.What, "preemption") {
		return true
	}
	early := stopsEarly(play)
	chosen := func(text string) (string, bool) {
		before, after, is := strings.Cut(text, "potential placement for pod on node ")
		_, victims, _ := strings.Cut(after, ",")
		if early {
			victims = ""
		}
		return before + victims, is
	}
	theirs, is := chosen(d.Theirs)
	ours, also := chosen(d.Ours)
	if is && also && theirs == ours || d.What == "nominated node" && d.Theirs != "" && d.Ours != "" {
		return true
	}
	for _, pool := range disputed(play) {
		text := "resource pool " + pool + " is currently being updated"
		if strings.Contains(d.Theirs, text) != strings.Contains(d.Ours, text) {
			return true
		}
	}
	return false
}

// stopsEarly reports that DefaultPreemption may have candidates enough before it has tried all nodes.
func stopsEarly(play compare.Play) bool {
	c, err := theirConfiguration(play.Configuration)
	if err != nil {
		return false
	}
	nodes := 0
	for _, t := range play.Script {
		if _, is := t.Event.Object.(*corev1.Node); is {
			nodes++
		}
	}
	for _, p := range c.Profiles {
		for _, of := range p.PluginConfig {
			args, is := of.Args.(*schedulerconfig.DefaultPreemptionArgs)
			if is && int(args.MinCandidateNodesAbsolute) < nodes && args.MinCandidateNodesPercentage < 100 {
				return true
			}
		}
	}
	return false
}

// disputed are the pools whose ResourceSlices of one generation name different numbers of slices.
func disputed(play compare.Play) []string {
	type generation struct {
		pool string
		of   int64
	}
	counts := map[generation]int64{}
	var pools []string
	for _, t := range play.Script {
		s, is := t.Event.Object.(*resourcev1.ResourceSlice)
		if !is {
			continue
		}
		g := generation{s.Spec.Driver + "/" + s.Spec.Pool.Name, s.Spec.Pool.Generation}
		if n, known := counts[g]; known && n != s.Spec.Pool.ResourceSliceCount {
			pools = append(pools, g.pool)
		}
		counts[g] = s.Spec.Pool.ResourceSliceCount
	}
	return pools
}

// playHosted plays drawn clusters with hosted plugins beside the real kube-scheduler.
func playHosted(
	t *testing.T, few int, draw func(int, config.Gates) (compare.Play, error), twist func(string, any) any,
	leave ...string,
) (*compare.Tally, []string) {
	t.Helper()
	var found []string
	tally := &compare.Tally{}
	from, to := seeds(t, few)
	for seed := from; seed < to; seed++ {
		play, err := draw(seed, config.Gates{})
		if err != nil {
			t.Fatal(err)
		}
		var made *core.Scheduler
		play.Ours = hostedScheduler(leave, func(s *core.Scheduler) {
			made = s
			homeOf(s.State().Companion()).twist = twist
		})
		differences, err := play.Run(tally)
		if made != nil {
			homeOf(made.State().Companion()).live.close()
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, d := range differences {
			if !byItself(d, play) {
				found = append(found, fmt.Sprintf("seed %d, %s", seed, d))
			}
		}
	}
	return tally, found
}

// draws are the clusters that are played.
var draws = map[string]func(int, config.Gates) (compare.Play, error){
	"Drawn": plays.Drawn, "Roomy": plays.Roomy, "Restless": plays.Restless,
}

// planted are changes of the adapter, by what they change, and whether the comparison has to find them.
var planted = map[string]func(what string, answer any) any{
	"PreFilter": func(what string, answer any) any {
		if what == "NodeAffinity PreFilter" {
			return emptied(answer)
		}
		return answer
	},
	"Filter": func(what string, answer any) any {
		if v, is := answer.(trace.Verdict); is && what == "TaintToleration Filter" {
			return trace.Verdict{Code: v.Code, Reasons: []string{"planted"}}
		}
		return answer
	},
	"AddPod":         refusing(" AddPod"),
	"RemovePod":      refusing(" RemovePod"),
	"Reserve":        refusing(" Reserve"),
	"SignPod":        emptying(" SignPod"),
	"NormalizeScore": emptying("TaintToleration NormalizeScore"),
	"PreScore": func(what string, answer any) any {
		if v, is := answer.(trace.Verdict); is && v.OK() && what == "TaintToleration PreScore" {
			return trace.Verdict{Code: trace.Skip}
		}
		return answer
	},
	"Score": func(what string, answer any) any {
		if what == "NodeResourcesBalancedAllocation Score" {
			return higher(answer)
		}
		return answer
	},
	"QueueingHint": func(what string, answer any) any {
		if strings.HasSuffix(what, " QueueingHint") {
			return emptied(answer)
		}
		return answer
	},
	"PreEnqueue": func(what string, answer any) any {
		if what == "SchedulingGates PreEnqueue" {
			return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{"planted"}}
		}
		return answer
	},
	"PostFilter": func(what string, answer any) any {
		if what == "DefaultPreemption PostFilter" {
			return emptied(answer)
		}
		return answer
	},
}

// preemption is what is not hosted to find a change: hosted, it removes pods through its Handle.
var preemption = map[string][]string{"RemovePod": {"DefaultPreemption"}}

// refusing has the calls whose names end so answer that they failed.
func refusing(end string) func(string, any) any {
	return func(what string, answer any) any {
		if strings.HasSuffix(what, end) {
			return trace.Verdict{Code: trace.Error, Reasons: []string{"planted"}}
		}
		return answer
	}
}

// emptying has the calls whose names end so answer nothing.
func emptying(end string) func(string, any) any {
	return func(what string, answer any) any {
		if strings.HasSuffix(what, end) {
			return emptied(answer)
		}
		return answer
	}
}

// emptied is the zero value of an answer's type.
func emptied(answer any) any { return reflect.Zero(reflect.TypeOf(answer)).Interface() }

// higher is an answer with scores, each one more.
func higher(answer any) any {
	v := reflect.New(reflect.TypeOf(answer)).Elem()
	v.Set(reflect.ValueOf(answer))
	scores := slices.Clone(v.FieldByName("Scores").Interface().([]int64))
	for k := range scores {
		scores[k]++
	}
	v.FieldByName("Scores").Set(reflect.ValueOf(scores))
	return v.Interface()
}

// TestPlantedChangesOfTheAdapterAreFound shows that the comparison below would find an adapter that is wrong.
func TestPlantedChangesOfTheAdapterAreFound(t *testing.T) {
	for what, twist := range planted {
		t.Run(what, func(t *testing.T) {
			for _, draw := range draws {
				if _, found := playHosted(t, 12, draw, twist, preemption[what]...); len(found) > 0 {
					return
				}
			}
			t.Error("it was not found")
		})
	}
}

// TestKubeSchedulersOwnPluginsAnswerTheSameWhenHosted shows that the adapter adds nothing and loses nothing: the
// plugins of kube-scheduler answer here what they answer there.
func TestKubeSchedulersOwnPluginsAnswerTheSameWhenHosted(t *testing.T) {
	for name, draw := range draws {
		t.Run(name, func(t *testing.T) {
			tally, found := playHosted(t, 12, draw, nil)
			few, more := playHosted(t, 4, draw, nil, preemption["RemovePod"]...)
			tally.Add(few)
			found = append(found, more...)
			for k, d := range found {
				if k == 20 {
					t.Errorf("and %d more", len(found)-k)
					break
				}
				t.Error(d)
			}
			t.Logf("%d verdicts, %d scores, %d hints, %d cycles", tally.Verdicts(), tally.Scores(), tally.Hints(),
				tally.Cycles)
			if tally.Verdicts() == 0 || tally.Hints() == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}
