package diff_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
)

// under is a story played by the default configuration of a release.
func under(t *testing.T, version, story string, change func(*play.Player)) diff.Side {
	t.Helper()
	path := filepath.Join(t.TempDir(), "story.txt")
	if err := os.WriteFile(path, []byte(story), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := input.Read(t.Context(), []string{path}, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, known := release.Find(version)
	if !known {
		t.Fatalf("there is no release %s", version)
	}
	gates, err := config.ParseGatesOf(r, "")
	if err != nil {
		t.Fatal(err)
	}
	c := config.DefaultWith(config.Options{Gates: gates})
	return diff.Side{Name: phrase.Verbatim(version), Play: func(d trace.Detail) *play.Player {
		player := in.Play(c, 1, d)
		if change != nil {
			change(player)
		}
		return player
	}}
}

// of is the difference about a pod; it fails where there is none.
func of(t *testing.T, r *diff.Report, pod string) diff.Difference {
	t.Helper()
	for _, d := range r.Differences {
		if d.Pod == "default/"+pod {
			return d
		}
	}
	t.Fatalf("nothing differs about %s: %+v", pod, r.Differences)
	return diff.Difference{}
}

func TestEachCauseIsNamed(t *testing.T) {
	for _, test := range []struct {
		what, story, old, pod string
		way                   diff.What
		kind                  diff.Kind
		plugin, says          string
	}{
		{
			what:  "the same reason in other words",
			story: "node n1 taint=gpu=true:NoSchedule\npod web\n",
			old:   "1.33", pod: "web", way: diff.Message, kind: diff.Words, plugin: "TaintToleration",
			says: "1.33: node(s) had untolerated taint {gpu: true}; 1.37: node(s) had untolerated taint(s)",
		},
		{
			what:  "preemption is not asked any more",
			story: "node n1 cpu=2\npod old node=n1 cpu=1\npod huge cpu=4 priority=9\n",
			old:   "1.33", pod: "huge", way: diff.Message, kind: diff.Filter, plugin: "NodeResourcesFit",
			says: "(Unschedulable); 1.37: Insufficient cpu (UnschedulableAndUnresolvable)",
		},
		{
			what:  "a plugin that looks at nothing yet",
			story: "node n1\npod trainer devices=missing\n",
			old:   "1.33", pod: "trainer", way: diff.Lost, kind: diff.Gate, plugin: "DynamicResources",
			says: "holds it back under 1.37",
		},
		{
			what: "a score", story: lean, old: "1.35", pod: "web", way: diff.Elsewhere, kind: diff.Score,
			plugin: "NodeResourcesBalancedAllocation",
			says:   "gives n1 beside n2 3 more under 1.35, and 5 less under 1.37",
		},
		{
			what: "other victims", story: budgets, old: "1.36", pod: "boss", way: diff.Elsewhere, kind: diff.Preemption,
			plugin: "DefaultPreemption",
			says:   "1.36: default/job-1, default/job-2 leave n2; 1.37: default/web, default/front leave n1",
		},
		{
			what: "who is a victim", story: budgets, old: "1.36", pod: "web", way: diff.Evicted, kind: diff.Preemption,
			plugin: "DefaultPreemption", says: "default/boss takes its place under 1.37; of that: ",
		},
		{
			what: "who is none any more", story: budgets, old: "1.36", pod: "job-1", way: diff.Spared,
			kind: diff.Preemption, plugin: "DefaultPreemption", says: "default/boss takes its place under 1.36",
		},
	} {
		t.Run(test.what, func(t *testing.T) {
			r, err := diff.Run(t.Context(), under(t, test.old, test.story, nil), under(t, "1.37", test.story, nil))
			if err != nil {
				t.Fatal(err)
			}
			d := of(t, r, test.pod)
			if d.What != test.way || d.Cause.Kind != test.kind || d.Cause.Plugin != test.plugin ||
				!strings.Contains(d.Cause.Text.String(), test.says) {
				t.Errorf("%+v", d)
			}
		})
	}
}

// lean is a pod between a node that is even and one that it makes less uneven.
const lean = `node n1 cpu=4 memory=4Gi
node n2 cpu=4 memory=4Gi
pod one node=n1 cpu=1500m memory=1536Mi
pod two node=n2 cpu=1 memory=2Gi
pod web cpu=400m memory=1Mi
`

// budgets has a pod that counts twice until 1.36, and once from then on.
const budgets = `node n1 cpu=2
node n2 cpu=2
disruptionbudget a selector=app=web allowed=0
disruptionbudget b selector=tier=front allowed=1
disruptionbudget c selector=app=job allowed=0
pod web node=n1 cpu=1 priority=2 labels=app=web,tier=front started=2025-12-01T00:00:00Z grace=0
pod front node=n1 cpu=1 priority=2 labels=tier=front started=2025-12-01T00:00:00Z grace=0
pod job-1 node=n2 cpu=1 priority=1 labels=app=job started=2025-12-01T00:00:00Z grace=0
pod job-2 node=n2 cpu=1 priority=1 labels=app=job started=2025-12-01T00:00:00Z grace=0
pod boss cpu=2 priority=100
`

// crowd fills a node, so that a pod that comes first takes the place of another.
const crowd = `node n1 cpu=2
node n2 cpu=1
pod a cpu=1 image=app
pod b cpu=1
pod c cpu=1
`

func TestAWeightMovesAPod(t *testing.T) {
	story := strings.Replace(lean, "node n2", "node n2 taint=slow=yes:PreferNoSchedule", 1)
	heavier := func(p *play.Player) { p.Scheduler().Reweigh("NodeResourcesBalancedAllocation", 100) }
	r, err := diff.Run(t.Context(), under(t, "1.37", story, nil), under(t, "1.37", story, heavier))
	if err != nil {
		t.Fatal(err)
	}
	d := of(t, r, "web")
	want := []diff.Count{{Kind: diff.Score, Plugin: "NodeResourcesBalancedAllocation", Pods: 1}}
	if d.A.Node != "n1" || d.B.Node != "n2" || r.First != "default/web" || !slices.Equal(r.Causes, want) ||
		r.Of(diff.Elsewhere) != 1 {
		t.Errorf("%+v", r)
	}
}

// tight has two equal nodes: the pod that takes one first sends the next to the other, and the last finds no room.
const tight = `node n1 cpu=2
node n2 cpu=2
pod a cpu=1 priority=9
pod b cpu=1
pod c cpu=2
`

func TestAPodThatIsOnlyCrowdedOutIsAMatterOfOrder(t *testing.T) {
	r, err := diff.Run(t.Context(), under(t, "1.34", tight, nil), under(t, "1.37", tight, nil))
	if err != nil {
		t.Fatal(err)
	}
	for pod, want := range map[string]diff.Kind{"a": diff.Tie, "b": diff.Order, "c": diff.Words} {
		if got := of(t, r, pod).Cause.Kind; got != want {
			t.Errorf("%s: %s, want %s", pod, got, want)
		}
	}
	if r.First != "default/a" || r.Of(diff.Elsewhere) != 2 || r.Of(diff.Message) != 1 || len(r.Causes) != 3 {
		t.Errorf("%+v", r)
	}
}

// full is a node for one pod of two: under a heavier weight the first one goes to n1, and the second finds no room.
const full = `node n1 cpu=4 memory=4Gi
node n2 cpu=4 memory=4Gi
pod one node=n1 cpu=1500m memory=1536Mi
pod two node=n2 cpu=1 memory=2Gi
pod web cpu=400m memory=1Mi
pod big cpu=2700m
`

// TestWhatIsOnTheNodeOfALostPodIsNamed has a pod that both releases place in the same cluster.
func TestWhatIsOnTheNodeOfALostPodIsNamed(t *testing.T) {
	lost, gained := 0, 0
	for _, side := range [][2]string{{"1.35", "1.37"}, {"1.37", "1.35"}} {
		r, err := diff.Run(t.Context(), under(t, side[0], full, nil), under(t, side[1], full, nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Differences {
			if d.Pod != "default/big" {
				continue
			}
			if d.What == diff.Lost {
				lost++
			} else {
				gained++
			}
			taken := d.Cause.Taken
			if d.Cause.Kind != diff.Order || taken == nil || taken.Plugin != "NodeResourcesFit" ||
				!slices.Equal(taken.Pods, []string{"default/web"}) || !strings.Contains(
				d.Cause.Text.String(), "of default/web: NodeResourcesBalancedAllocation gives",
			) {
				t.Errorf("%s: %+v", d.What, d.Cause)
			}
		}
		if r.Sides.A.Placed+r.Sides.B.Placed != 7 || r.Sides.A.Used != 2 {
			t.Errorf("%+v", r.Sides)
		}
	}
	if lost != 1 || gained != 1 {
		t.Errorf("lost %d times, gained %d times", lost, gained)
	}
}

func TestTheSameSettingsDifferInNothing(t *testing.T) {
	r, err := diff.Run(t.Context(), under(t, "1.37", crowd, nil), under(t, "1.37", crowd, nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Differences) != 0 || len(r.Causes) != 0 || r.First != "" || r.Pods != 3 {
		t.Errorf("%+v", r)
	}
}

func TestACancelledDiffEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := diff.Run(ctx, under(t, "1.37", crowd, nil), under(t, "1.36", crowd, nil)); err == nil {
		t.Error("it went on")
	}
}
