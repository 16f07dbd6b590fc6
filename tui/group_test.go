package tui_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

const zone = "topology.kubernetes.io/zone"

// gangs are a pod of its own, a gang that has to be within one zone and fits in one of them, and a gang that fits
// nowhere.
func gangs(t testing.TB) *session.Session {
	t.Helper()
	gates, err := config.ParseGates("GenericWorkload=true,TopologyAwareWorkloadScheduling=true")
	if err != nil {
		t.Fatal(err)
	}
	s := &story{}
	s.add(0, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	for _, name := range []string{"a-1", "a-2", "b-1", "b-2", "c-1"} {
		cpu := "4"
		if name == "c-1" {
			cpu = "16"
		}
		n := node(name, cpu)
		n.Labels[zone] = name[:1]
		s.add(0, n)
	}
	s.add(0, placed("web-0", "1", "a-1", 0, 1))
	s.add(time.Second, inZoneA(pod("alone-0", "100m")))
	s.gang(2*time.Second, "train", 4, "2", true)
	s.gang(3*time.Second, "huge", 3, "9", false)
	s.add(4*time.Second, inZoneA(pod("alone-1", "100m")))
	c := config.DefaultWith(config.Options{Gates: gates})
	scheduler := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff,
		Groups: c.Groups, Start: began, Seed: 1,
		Detail: trace.Reported,
	})
	return session.New(
		play.NewPlayer(scheduler, play.NewSimulated(), s.script.Log()), session.About{Title: "gangs", Version: "1.37"},
	)
}

func inZoneA(p *corev1.Pod) *corev1.Pod {
	p.Spec.NodeSelector = map[string]string{zone: "a"}
	return p
}

// gang is a group that needs all of its pods at once.
func (s *story) gang(after time.Duration, name string, pods int32, cpu string, withinAZone bool) {
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: pods}
	if withinAZone {
		g.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
			Topology: []schedulingv1beta1.TopologyConstraint{{Key: zone}},
		}
	}
	s.add(after, g)
	for i := range pods {
		p := pod(name+"-"+string(rune('0'+i)), cpu)
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &name}
		s.add(after, p)
	}
}

func TestACycleOfAGroupOpensOnTheGroup(t *testing.T) {
	for _, size := range []layout.Size{wide, medium, narrow} {
		journey(t, size, gangs(t), screen.Options{}, func(r *robot) {
			name := map[layout.Size]string{wide: "160x45", medium: "100x30", narrow: "80x24"}[size]
			r.press("2n").sees("[Filter]")
			r.seesNot("Group")
			r.press("n").sees("[Group]", "Quorum 4 of 4", "zone b")
			golden.Is(t, filepath.Join("testdata", "screens", "group_"+name+".txt"), r.screen()+"\n")
			r.press("n").sees("[Group]", "Quorum 1 of 3", "no node for default/huge-1: ", "not tried: default/huge-2")
			r.press("5").sees("huge-1", "It finds no node")
			golden.Is(t, filepath.Join("testdata", "screens", "group_why_"+name+".txt"), r.screen()+"\n")
		})
	}
}

func TestAGroupIsWalkedMemberByMember(t *testing.T) {
	journey(t, wide, gangs(t), screen.Options{}, func(r *robot) {
		r.press("2nn")
		r.press("jjjj").sees("Pod 4 of 4 of its group, tried in zone b, with")
		r.press("2").sees("train-3 in zone b, of pod group default/train", "[Filter]", "1 fit of 2 tried")
		r.press("[").sees("[Group]")
		r.press("G")
		r.press("2")
		r.sees("train-3 in zone a, of pod group default/train", "train-3 was not tried: minCount (4) cannot be satisfied")
		r.press("[")
		r.press("k")
		r.press("2").sees("train-2 in zone a, of pod group default/train", "0 fit of 2 tried")
		r.press("[[").sees("[Charts]")
		r.press(":show group\r").sees("[Group]")
		r.press(":filter insufficient\r").sees("1 row with \"insufficient\"")
		r.press(":filter\r")
		r.press("N").sees("[Filter]", "default/alone-0")
		r.press(":show group\r").sees("not about a pod group")
		r.press("\x1b")
		r.press("nb").sees("[Group]", "pod group default/train")
		r.press(":rev step 30\r").sees("[Group]", "being tried")
		r.press("o")
		r.press("x").sees("Why default/train-0 is where it is")
		r.press("\x1b")
		r.press(":export group md\r").sees("takes the group")
	})
}

func TestThePromptTellsOfGroups(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader("n\nn\nn\nshow group\nshow group zone\nshow filter\nshow why\nshow queue\nexplain\nshow preemption\nshow timeline\nexport group csv\nexport filter csv\n")
	if err := prompt.Run(t.Context(), gangs(t), in, &out); err != nil {
		t.Fatal(err)
	}
	golden.Is(t, filepath.Join("testdata", "group_prompt.txt"), out.String())
}
