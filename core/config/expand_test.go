package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
)

func TestExpansionIsKubeSchedulersOwn(t *testing.T) {
	files, err := filepath.Glob("testdata/expand/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			c := load(t, file)
			if diff := cmp.Diff(string(want), tables(c)); diff != "" {
				t.Errorf("expanded plugins (-kube-scheduler +ours):\n%s", diff)
			}
		})
	}
}

func TestDefaultAsksWhatKubeSchedulerAsks(t *testing.T) {
	filters := "NodeName, NodeUnschedulable, TaintToleration, NodeAffinity, NodePorts, NodeResourcesFit, VolumeRestrictions, NodeVolumeLimits, " +
		"VolumeBinding, VolumeZone, PodTopologySpread, InterPodAffinity, DynamicResources, NodeDeclaredFeatures"
	want := "profile default-scheduler\n" +
		"  PreEnqueue: SchedulingGates, DynamicResources, DefaultPreemption\n" +
		"  QueueSort: PrioritySort\n" +
		"  PreFilter: " + filters + "\n" +
		"  Filter: " + filters + "\n" +
		"  PostFilter: DynamicResources, DefaultPreemption\n" +
		"  PreScore: TaintToleration, NodeAffinity, NodeResourcesFit, VolumeBinding, PodTopologySpread, InterPodAffinity, NodeResourcesBalancedAllocation\n" +
		"  Score: TaintToleration 3, NodeAffinity 2, NodeResourcesFit 1, VolumeBinding 1, PodTopologySpread 2, InterPodAffinity 2, " +
		"DynamicResources 2, NodeResourcesBalancedAllocation 1, ImageLocality 1\n" +
		"  Reserve: VolumeBinding, DynamicResources\n" +
		"  Permit: \n" +
		"  PreBind: VolumeBinding, DynamicResources\n" +
		"  Bind: DefaultBinder\n" +
		"  PostBind: \n" +
		"  PlacementGenerate: \n" +
		"  PlacementScore: NodeResourcesFit 1\n" +
		"  PodGroupPostFilter: DynamicResources, DefaultPreemption\n"
	if diff := cmp.Diff(want, tables(config.Default())); diff != "" {
		t.Errorf("default profile (-want +got):\n%s", diff)
	}
}

// TestProfileHoldsWhatTheExpansionNames shows that the lists of a profile are the expansion without what is unjudged.
func TestProfileHoldsWhatTheExpansionNames(t *testing.T) {
	files, err := filepath.Glob("testdata/expand/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		c := load(t, file)
		for i, p := range c.Profiles {
			unjudged := make(map[string]bool)
			for _, name := range p.Unjudged {
				unjudged[name] = true
			}
			judged := func(point framework.Point) []string {
				var names []string
				for _, e := range c.Expanded[i].At(point) {
					if !unjudged[e.Name] {
						names = append(names, strings.TrimSuffix(fmt.Sprintf("%s %d", e.Name, e.Weight), " 0"))
					}
				}
				return names
			}
			got := make(map[framework.Point][]string)
			for _, plugin := range p.PreEnqueue {
				got[framework.PreEnqueue] = append(got[framework.PreEnqueue], plugin.Name())
			}
			for _, plugin := range p.PreFilter {
				got[framework.PreFilter] = append(got[framework.PreFilter], plugin.Name())
			}
			for _, plugin := range p.Filter {
				got[framework.Filter] = append(got[framework.Filter], plugin.Name())
			}
			for _, plugin := range p.PreScore {
				got[framework.PreScore] = append(got[framework.PreScore], plugin.Name())
			}
			for _, plugin := range p.Score {
				got[framework.Score] = append(got[framework.Score], fmt.Sprintf("%s %d", plugin.Name(), plugin.Weight))
			}
			for _, plugin := range p.Bind {
				got[framework.Bind] = append(got[framework.Bind], plugin.Name())
			}
			for _, point := range []framework.Point{
				framework.PreEnqueue, framework.PreFilter, framework.Filter, framework.PreScore, framework.Score, framework.Bind,
			} {
				if diff := cmp.Diff(judged(point), got[point]); diff != "" {
					t.Errorf("%s, profile %s, %s (-expansion +profile):\n%s", file, p.SchedulerName, point, diff)
				}
			}
			if p.QueueSort == nil {
				t.Errorf("%s, profile %s: no queue sort", file, p.SchedulerName)
			}
		}
	}
}

func TestPercentageOfAProfileGoesBeforeTheGlobalOne(t *testing.T) {
	c := load(t, "testdata/expand/several_profiles.yaml")
	got := make(map[string]int32)
	for _, p := range c.Profiles {
		got[p.SchedulerName] = p.Percentage
	}
	want := map[string]int32{"packer": 100, "no-scoring": 40, "default-scheduler": 40}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("percentages (-want +got):\n%s", diff)
	}
}

// load reads a file that must be accepted.
func load(t *testing.T, file string) *config.Config {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(data, filepath.Base(file))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tables is every extension point of every profile on a line of its own.
func tables(c *config.Config) string {
	var b strings.Builder
	for _, e := range c.Expanded {
		fmt.Fprintf(&b, "profile %s\n", e.SchedulerName)
		for _, asked := range e.Points {
			var names []string
			for _, plugin := range asked.Plugins {
				name := plugin.Name
				if plugin.Weight != 0 {
					name += fmt.Sprintf(" %d", plugin.Weight)
				}
				names = append(names, name)
			}
			fmt.Fprintf(&b, "  %s: %s\n", asked.Point, strings.Join(names, ", "))
		}
	}
	return b.String()
}
