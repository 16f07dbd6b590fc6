package play_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/scenario"
	"github.com/schedstep/schedstep/replay/source"
)

// playScenario plays the events of a scenario to their end, in a world made from its script.
func playScenario(t *testing.T, text string, in func(source.Script) play.World) (*play.Player, []trace.Fact) {
	t.Helper()
	r := parsed(t, text)
	return playOut(r, in(r.Script))
}

func parsed(t *testing.T, text string) *scenario.Replay {
	t.Helper()
	s, err := scenario.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Replay()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func playOut(r *scenario.Replay, w play.World) (*play.Player, []trace.Fact) {
	c := config.Default()
	machine := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: r.Start,
		Detail: trace.Reported,
	})
	p := play.NewPlayer(machine, w, r.Script.Log())
	p.RunOn(r.Until)
	var facts []trace.Fact
	for {
		step, ok := p.Step()
		if !ok {
			return p, facts
		}
		facts = append(facts, step.Facts...)
	}
}

func simulated(source.Script) play.World { return play.NewSimulated() }

func recorded(s source.Script) play.World { return play.NewRecorded(s.Log()) }

// onNodes is where every pod named is; "" for one that waits, "gone" for one that is not there.
func onNodes(p *play.Player, names ...string) map[string]string {
	on := map[string]string{}
	for _, name := range names {
		on[name] = "gone"
		if pod, ok := p.Scheduler().State().Pod("default/" + name); ok {
			on[name] = pod.NodeName
		}
	}
	return on
}

// The recording still updates a pod as the cluster that it was made in knew it; here the pod has been bound since.
func TestAScriptedUpdateTakesNoPodOffItsNode(t *testing.T) {
	s := parsed(t, `
node n1
node n2
pod web cpu=1
advance 1s
update pod web labels=tier=front
advance 1s
`)
	for _, e := range s.Script {
		if pod, is := e.Event.Object.(*corev1.Pod); is {
			pod.Spec.NodeName, pod.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
		}
	}
	p, _ := playOut(s, play.NewSimulated())
	pod, _ := p.Scheduler().State().Pod("default/web")
	if pod.NodeName == "" || pod.API.Labels["tier"] != "front" || pod.API.Status.Phase != corev1.PodRunning {
		t.Errorf(
			"web is on %q, %s, labelled %v; it was bound and running before its label changed", pod.NodeName,
			pod.API.Status.Phase, pod.API.Labels,
		)
	}
}

func TestABindingKeepsWhatWasWrittenBeforeIt(t *testing.T) {
	p, _ := playScenario(t, `
node n1
deviceclass gpu cel="device.driver == 'gpu.example.com'" extended-resource=example.com/gpu
resourceslice gpus driver=gpu.example.com node=n1 device=gpu-0
pod web example.com/gpu=1
advance 5s
`, simulated)
	pod, _ := p.Scheduler().State().Pod("default/web")
	if pod.NodeName != "n1" || pod.API.Status.ExtendedResourceClaimStatus == nil {
		t.Errorf("web is on %q with the status %v", pod.NodeName, pod.API.Status.ExtendedResourceClaimStatus)
	}
}

func TestDevicesAreFreedWithTheirLastUser(t *testing.T) {
	const world = `
node n1
deviceclass gpu cel="device.driver == 'gpu.example.com'" extended-resource=example.com/gpu
resourceslice gpus driver=gpu.example.com node=n1 device=gpu-0
resourceclaim mine request=gpu
resourceclaim theirs request=gpu
pod a devices=mine
pod b devices=mine
advance 5s
pod c devices=theirs
advance 5s
`
	for _, test := range []struct{ name, more, c string }{
		{"one of two users goes", "delete pod a\n", ""},
		{"both go", "delete pod a\ndelete pod b\n", "n1"},
		{"both finish", "update pod a phase=Succeeded\nupdate pod b phase=Failed\n", "n1"},
	} {
		p, _ := playScenario(t, world+test.more+"advance 20s\n", simulated)
		if got := onNodes(p, "c")["c"]; got != test.c {
			t.Errorf("%s: c is on %q, want %q", test.name, got, test.c)
		}
	}
	p, _ := playScenario(t, strings.Replace(
		world, "pod a devices=mine\npod b devices=mine", "pod a example.com/gpu=1", 1,
	)+"delete pod a\nadvance 20s\n", simulated)
	if got, left := onNodes(p, "c")["c"], p.Scheduler().State().Objects().ResourceClaims.Len(); got != "n1" || left != 2 {
		t.Errorf("the claim of a deleted pod's extended resources: c is on %q, %d claims are left", got, left)
	}
}

func TestVolumesGoOrStayWhenTheirClaimsGo(t *testing.T) {
	p, _ := playScenario(t, `
node n1 zone=a
storageclass made provisioner=csi.example.com mode=WaitForFirstConsumer
csidriver csi.example.com counts-storage
storagecapacity in-a class=made size=10Gi where=zone=a
csinode n1 driver=csi.example.com topology-keys=zone
volume kept size=1Gi
volumeclaim old class= size=1Gi
volumeclaim new class=made size=8Gi
pod web claim=old claim=new
advance 5s
delete pod web
delete volumeclaim old
delete volumeclaim new
advance 5s
volumeclaim again class=made size=8Gi
pod web2 claim=again
advance 5s
`, simulated)
	if got := onNodes(p, "web2")["web2"]; got != "n1" {
		t.Errorf("the storage was not given back: web2 is on %q", got)
	}
	var volumes []string
	objects := p.Scheduler().State().Objects()
	kept, _ := objects.Volumes.Find("kept")
	volumes = append(volumes, string(kept.Status.Phase))
	if _, still := objects.Volumes.Find("pvc-default/new"); still {
		volumes = append(volumes, "new is there")
	}
	if diff := cmp.Diff([]string{"Released"}, volumes); diff != "" {
		t.Error(diff)
	}
}

func TestRecordedPodsLeaveWhenHistorySaysSo(t *testing.T) {
	const world = `
node n1 cpu=2
pod old node=n1 cpu=2 priority=1 grace=5
pod boss cpu=2 priority=10
advance 3s
`
	for _, test := range []struct {
		name, text string
		want       map[string]string
		stayed     bool
	}{
		{"history keeps the pod", world + "advance 20s\n", map[string]string{"old": "n1", "boss": ""}, true},
		{"history evicts it later", world +
			"delete pod old\nadvance 20s\n", map[string]string{"old": "gone", "boss": "n1"}, false},
		{
			"history never placed it", strings.Replace(world, "node=n1 ", "", 1) + "advance 20s\n",
			map[string]string{"old": "gone", "boss": "n1"},
			false,
		},
	} {
		if strings.Contains(test.name, "never placed") {
			test.text = strings.Replace(test.text, "pod boss", "advance 1s\npod boss", 1)
		}
		p, facts := playScenario(t, test.text, recorded)
		got := onNodes(p, "old", "boss")
		if boss, assumed := p.Scheduler().State().Assumed("default/boss"); assumed {
			got["boss"] = boss.NodeName
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		stayed := slices.Contains(facts, trace.Fact(trace.Stayed{Pod: "default/old", For: "default/boss"}))
		if stayed != test.stayed {
			t.Errorf("%s: the fact that it stays: %v", test.name, stayed)
		}
	}
}
