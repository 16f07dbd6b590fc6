package tui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// zonesStory is twelve nodes in three zones: one cordoned, one tainted, some full; the last pod fits on few.
func zonesStory() string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "node %c-%d zone=%c cpu=%d memory=16Gi", 'a'+i/4, i%4, 'a'+i/4, 4+i%3*4)
		switch i {
		case 2:
			b.WriteString(" unschedulable")
		case 5:
			b.WriteString(" taint=gpu:NoSchedule")
		}
		fmt.Fprintf(&b, "\npod db-%d node=%c-%d cpu=%d memory=%dGi\n", i, 'a'+i/4, i%4, 1+i%4, 1+i)
	}
	return b.String() + "pod web-0 cpu=3 memory=1Gi\npod web-1 cpu=9 memory=1Gi\n"
}

// TestTheClusterAsAPicture draws the nodes at three sizes, in colour's absence with signs alone, and with ASCII.
func TestTheClusterAsAPicture(t *testing.T) {
	for _, size := range []layout.Size{{Width: 200, Height: 60}, {Width: 120, Height: 40}, {Width: 80, Height: 24}} {
		looksAsKept(t, "cluster", "7", size, afterCycle(t, 1, zonesStory()))
	}
}

// fiveZones has so many nodes.
func fiveZones(nodes int) string {
	var b strings.Builder
	for i := range nodes {
		fmt.Fprintf(&b, "node n-%04d zone=%d cpu=4\n", i, i%5)
	}
	return b.String()
}

// TestThousandsOfNodesAreOneSignEach draws more nodes than a screen has rows, and goes to the last of them.
func TestThousandsOfNodesAreOneSignEach(t *testing.T) {
	s := afterCycle(t, 1, fiveZones(2000)+"pod web cpu=1\n")
	drawn, err := screen.Draw(s, layout.Size{Width: 120, Height: 40}, "7", screen.Options{Theme: themes.Mono})
	if err != nil {
		t.Fatal(err)
	}
	if text := ansi.Strip(drawn); strings.Count(text, "zone ") != 5 || !strings.Contains(text, "400 nodes") {
		t.Errorf("%s", text)
	}
}

func TestThePromptTellsOfEveryNode(t *testing.T) {
	s := afterCycle(t, 1, zonesStory())
	text := strings.Join(command.Lines(s.Frame(), command.PartCluster, ""), "\n")
	for _, want := range []string{
		"zone a: 4 nodes, 4 pods",
		"node a-2: cpu 25%, memory 19% requested, 1 pod, cordoned, does not fit, and evicting cannot help",
		"chosen",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if lines := command.Lines(s.Frame(), command.PartCluster, "b-1"); len(lines) != 4 {
		t.Errorf("%v", lines)
	}
}

// TestTheClusterComesCloser zooms into 5,000 nodes with keys and with the wheel, and out again.
func TestTheClusterComesCloser(t *testing.T) {
	s := afterCycle(t, 1, fiveZones(5000)+"pod web cpu=1\n")
	journey(t, layout.Size{Width: 200, Height: 60}, s, screen.Options{}, func(r *robot) {
		r.press("}").sees("}: the cluster is not shown (7 shows it)")
		r.press("7z").sees("zone 0: 1000 nodes", "zone 4: 1000 nodes")
		r.press("{").sees("all nodes are seen")
		r.press("/n-2503\r}}").sees("zone 3: 1000 nodes", "n-2503")
		r.seesNot("zone 0: 1000 nodes", "cpu   ")
		r.press("}}").sees("n-2503", "cpu", "mem", "  0%")
		r.press("}}}}}").sees("nodes are as large as they can be")
		r.press("{{{{{{{{").sees("zone 0: 1000 nodes", "zone 4: 1000 nodes")
		for range 8 {
			r.press("\x1b[<64;40;20M") // the wheel, away from the user
		}
		r.sees("cpu", "mem", "  0%")
		for range 8 {
			r.press("\x1b[<65;40;20M")
		}
		r.sees("zone 0: 1000 nodes", "zone 4: 1000 nodes")
	})
}

// TestAClickOnATileIsAboutItsNode clicks on the tiles of a row: the line below the picture then describes that node.
func TestAClickOnATileIsAboutItsNode(t *testing.T) {
	s := atStart(t, "node n-1 cpu=4\nnode n-2 cpu=4\nnode n-3 cpu=4\npod web cpu=1\n")
	journey(t, wide, s, screen.Options{}, func(r *robot) {
		r.press("n7z")
		lines := strings.Split(r.screen(), "\n")
		row := slices.IndexFunc(lines, func(line string) bool {
			return strings.Contains(line, "n-1") && strings.Contains(line, "n-3")
		})
		for _, node := range []string{"n-3", "n-1", "n-2"} {
			before, _, _ := strings.Cut(lines[row], node)
			r.seesNot(node + ": cpu")
			r.press(fmt.Sprintf("\x1b[<0;%d;%dM", utf8.RuneCountInString(before)+1, row+1)).sees(node + ": cpu")
		}
	})
}

// racksStory has two racks across two zones, GPUs on one node, and a pod that takes the place of another.
const racksStory = "node a-1 zone=a cpu=4 labels=rack=r1\nnode a-2 zone=a cpu=4 labels=rack=r2 nvidia.com/gpu=4\n" +
	"node b-1 zone=b cpu=8 labels=rack=r1\npod web-0 node=a-1 cpu=3\npod web-1 node=a-2 cpu=3 nvidia.com/gpu=1\n" +
	"pod db-0 node=b-1 cpu=4\npod cache-0 node=b-1 cpu=1\npod boss cpu=6 priority=100\n"

// TestTheClusterIsGroupedAndFilledInOtherWays presses the keys that go to the next label and the next resource.
func TestTheClusterIsGroupedAndFilledInOtherWays(t *testing.T) {
	s := afterCycle(t, 1, racksStory)
	journey(t, wide, s, screen.Options{}, func(r *robot) {
		r.press("7").sees("zone a: 2 nodes, 2 pods, cpu 75% requested", "zone b: 1 node", "cpu", "mem")
		r.sees("×db-0", "◆ b-1", "◆ pods have to leave")
		r.seesNot("×cache-0", "▸ chosen")
		r.press("r").sees("nodes are grouped by rack", "rack=r1: 2 nodes", "rack=r2: 1 node")
		r.press("r").sees("grouped by topology.kubernetes.io/zone", "zone a: 2 nodes")
		r.press("v").sees("nodes are filled with cpu", "3 of 4", "5 of 8")
		r.press("vvv")
		r.sees("nodes are filled with nvidia.com/gpu", "nvidia.com/gpu 25% requested", "no gpu", "1 of 4")
		r.press("v").sees("nodes are filled with cpu and memory")
		r.press(":group-by shelf\r")
		r.sees(`group-by: no node has the label "shelf" (rack, topology.kubernetes.io/zone)`)
	})
}

// TestTheClusterShowsPodsAndScores draws twelve nodes where there is room for the names of their pods.
func TestTheClusterShowsPodsAndScores(t *testing.T) {
	s := afterCycle(t, 1, zonesStory())
	drawn, err := screen.Draw(s, layout.Size{Width: 120, Height: 40}, "7", screen.Options{Theme: themes.Mono})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if text := ansi.Strip(drawn); !strings.Contains(text, fmt.Sprintf("db-%d ", i)) {
			t.Errorf("db-%d is not named:\n%s", i, text)
		}
	}
	total := s.Frame().About().Latest().Scores.Totals[0]
	if text := ansi.Strip(drawn); !strings.Contains(text, fmt.Sprintf(" %d", total)) {
		t.Errorf("the score %d is not shown:\n%s", total, text)
	}
}

// TestPodsStandBelowEachOtherWhereThereIsRoom draws few nodes: long names are whole, the pod that leaves is crossed,
// and pods that have no row are counted. Nodes in one domain are named by the part in which their names differ.
func TestPodsStandBelowEachOtherWhereThereIsRoom(t *testing.T) {
	story := "node ip-10-0-0-1.eu-west-1.compute.internal cpu=8\nnode ip-10-0-0-2.eu-west-1.compute.internal cpu=8\n" +
		"pod checkout-api-6c8f7d9b5-x2k4q node=ip-10-0-0-1.eu-west-1.compute.internal cpu=6\n"
	for i := range 12 {
		story += fmt.Sprintf("pod p-%d node=ip-10-0-0-2.eu-west-1.compute.internal cpu=500m priority=200\n", i)
	}
	s := afterCycle(t, 1, story+"pod boss cpu=7 priority=100\n")
	journey(t, layout.Size{Width: 200, Height: 60}, s, screen.Options{}, func(r *robot) {
		r.press("7")
		r.sees("×checkout-api-6c8f7d9b5-x2k4q ███", "p-0 ", "+4", "◆ ip-10-0-0-1.eu-west-1.compute.internal",
			"× has to leave")
	})
	journey(t, layout.Size{Width: 80, Height: 24}, s, screen.Options{}, func(r *robot) {
		r.press("7").sees("◆ ip-10-0-0-1 ", "✘ ip-10-0-0-2 ")
	})
}
