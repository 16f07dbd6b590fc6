package play_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
)

// tale is a random scenario under construction; when a law breaks, its text is what to report.
type tale struct {
	*rapid.T
	lines []string
	pods  []string
	gated []string
	nodes []string
}

func (t *tale) say(format string, a ...any) { t.lines = append(t.lines, fmt.Sprintf(format, a...)) }

func (t *tale) one(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t.T, label) }

func (t *tale) number(label string, from, to int) int {
	return rapid.IntRange(from, to).Draw(t.T, label)
}

// node adds a node with a few devices and room for a few volumes.
func (t *tale) node() {
	name := fmt.Sprint("n", len(t.nodes))
	t.nodes = append(t.nodes, name)
	t.say("node %s cpu=%d memory=%dGi pods=%d zone=%s%s", name, t.number("cpu", 1, 6), t.number("memory", 2, 8),
		t.number("pods", 2, 8),
		t.one("zone", "a", "b"), t.one("taint", "", "", " taint=dedicated:NoSchedule", " unschedulable"))
	t.say("csinode %s driver=csi.example.com:%d topology-keys=zone", name, t.number("limit", 0, 2))
	devices := ""
	for i := range t.number("devices", 0, 2) {
		devices += fmt.Sprint(" device=d", i)
	}
	t.say("resourceslice on-%s driver=gpu.example.com node=%s%s", name, name, devices)
}

// pod adds a pod. Most request nothing but room, which makes it easy to know where they fit.
func (t *tale) pod() {
	name := fmt.Sprint("p", len(t.pods))
	t.pods = append(t.pods, name)
	text := fmt.Sprintf("pod %s cpu=%d00m memory=%d00Mi priority=%d grace=%s%s", name, t.number("cpu", 1, 40),
		t.number("memory", 1, 40),
		t.number("priority", 0, 3), t.one("grace", "0", "5", "20"), t.one("policy", "", "", "", " preempts=Never"))
	switch t.number("kind", 0, 7) {
	case 0:
		t.say("volumeclaim of-%s class=made size=1Gi", name)
		text += " labels=app=data claim=of-" + name
	case 1:
		t.say("resourceclaim of-%s request=gpu", name)
		text += " labels=app=data devices=of-" + name
	case 2:
		text += " labels=app=alone anti-affinity=app=alone@" + t.one("topology", "zone", "hostname")
	case 3:
		text += " labels=app=alone host-port=80"
	default:
		text += " labels=app=plain" + t.one("where", "", "", " node-selector=topology.kubernetes.io/zone=a")
		if t.number("gate", 0, 3) == 0 {
			text += " gate=later"
			t.gated = append(t.gated, name)
		}
	}
	t.say("%s", text)
}

// happening is anything else.
func (t *tale) happening() {
	switch t.number("happening", 0, 9) {
	case 0, 1:
		t.say("advance %ds", t.number("seconds", 1, 40))
	case 2:
		if i := t.number("victim", 0, len(t.pods)-1); t.pods[i] != "" {
			t.say("delete pod %s", t.pods[i])
			t.pods[i] = ""
		}
	case 3:
		t.say("update node %s unschedulable=%s", t.one("node", t.nodes...), t.one("cordon", "true", "false"))
	case 4: // no API server takes a node from a pod: only pods that wait for this are updated
		if len(t.gated) > 0 && slices.Contains(t.pods, t.gated[0]) {
			t.say("update pod %s gate=", t.gated[0])
			t.gated = t.gated[1:]
		}
	case 5:
		t.node()
	default:
		t.pod()
	}
}

// drawTale is a random story with its replay.
func drawTale(rt *rapid.T) (string, *play.Player) {
	text, in := drawInput(rt)
	return text, in.Play(config.Default(), rapid.Uint64().Draw(rt, "seed"), trace.Reported)
}

// drawInput is a random story.
func drawInput(rt *rapid.T) (string, *input.Input) {
	t := &tale{T: rt}
	t.say("storageclass made provisioner=csi.example.com mode=WaitForFirstConsumer")
	t.say("deviceclass gpu cel=\"device.driver == 'gpu.example.com'\"")
	t.say("disruptionbudget plain selector=app=plain allowed=%d", t.number("allowed", 0, 2))
	for range t.number("nodes", 1, 4) {
		t.node()
	}
	for range t.number("pods", 1, 10) {
		t.pod()
	}
	for range t.number("happenings", 0, 14) {
		t.happening()
	}
	t.say("advance 60s")
	text := strings.Join(t.lines, "\n") + "\n"
	in, err := input.ReadScenario("random", strings.NewReader(text))
	if err != nil {
		rt.Fatalf("%v\n%s", err, text)
	}
	return text, in
}

// mostSteps ends a replay that does not end by itself, which is a defect.
const mostSteps = 5000

// TestLawsOfEveryReplay plays random clusters and looks after every step: no node holds more than it has, no device and
// no volume is given away twice, every pod that waits is in exactly one place, no eviction hits the equally important,
// and a pod that could have a node has one, or a promise.
func TestLawsOfEveryReplay(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		text, p := drawTale(t)
		for steps := 0; ; steps++ {
			step, ok := p.Step()
			if !ok {
				return
			}
			if steps > mostSteps {
				t.Fatalf("the replay does not end:\n%s", text)
			}
			s := p.Scheduler()
			for _, broken := range []string{
				overAllocated(s.State()), givenTwice(s.State()), misplaced(s), unjust(s, step.Facts),
				forsaken(s, step.Facts),
			} {
				if broken != "" {
					t.Fatalf("%s after %v:\n%s", broken, step.Facts, text)
				}
			}
		}
	})
}

func overAllocated(s *cluster.State) string {
	for _, n := range s.Snapshot().Nodes {
		if n.API == nil {
			continue
		}
		if n.Requested.MilliCPU > n.Allocatable.MilliCPU || n.Requested.Memory > n.Allocatable.Memory ||
			int64(len(n.Pods)) > n.PodLimit() {
			return fmt.Sprintf("%s holds %dm of %dm, %d of %d bytes, %d of %d pods", n.Name, n.Requested.MilliCPU,
				n.Allocatable.MilliCPU,
				n.Requested.Memory, n.Allocatable.Memory, len(n.Pods), n.PodLimit())
		}
	}
	return ""
}

func givenTwice(s *cluster.State) (broken string) {
	holders := map[string]string{}
	hold := func(what, claim string) {
		if other, taken := holders[what]; taken {
			broken = fmt.Sprintf("%s belongs to %s and to %s", what, other, claim)
		}
		holders[what] = claim
	}
	s.Objects().ResourceClaims.Each(func(c *resourcev1.ResourceClaim) bool {
		if c.Status.Allocation != nil {
			for _, r := range c.Status.Allocation.Devices.Results {
				hold(r.Driver+"/"+r.Pool+"/"+r.Device, cluster.Key(c))
			}
		}
		return true
	})
	s.Objects().VolumeClaims.Each(func(c *corev1.PersistentVolumeClaim) bool {
		if c.Spec.VolumeName != "" {
			hold(c.Spec.VolumeName, cluster.Key(c))
		}
		return true
	})
	return broken
}

func misplaced(s *core.Scheduler) (broken string) {
	if err := s.Queue().Check(); err != nil {
		return err.Error()
	}
	s.State().EachPod(func(p *cluster.Pod) bool {
		_, in, _ := s.Queue().Find(p.Key)
		_, assumed := s.State().Assumed(p.Key)
		switch waits := p.NodeName == ""; {
		case waits && assumed == (in != ""):
			broken = fmt.Sprintf("%s waits, is in queue %q, and assumed is %v", p.Key, in, assumed)
		case !waits && (in != "" || assumed):
			broken = fmt.Sprintf("%s is on %s, in queue %q, and assumed is %v", p.Key, p.NodeName, in, assumed)
		}
		return broken == ""
	})
	return broken
}

func unjust(s *core.Scheduler, facts []trace.Fact) string {
	for _, f := range facts {
		preempted, is := f.(trace.Preempted)
		if !is || preempted.Node == "" {
			continue
		}
		c, _ := trace.Fold(facts)
		for _, key := range preempted.Victims {
			if victim, ok := s.State().Pod(key); ok && victim.Priority >= c.Entity.Priority {
				return fmt.Sprintf("%s of priority %d leaves for one of %d", key, victim.Priority, c.Entity.Priority)
			}
		}
	}
	return ""
}

// forsaken is a plain pod that found no place and no promise, though a node would have had room for it without those
// whose place it may take.
func forsaken(s *core.Scheduler, facts []trace.Fact) string {
	c, is := trace.Fold(facts)
	if !is || c.Ended == nil || c.Ended.Outcome != trace.NotSchedulable {
		return ""
	}
	pod, ok := s.State().Pod(c.Entity.Key())
	if !ok || pod.API.Labels["app"] != "plain" || s.Queue().NominatedNode(pod) != "" {
		return ""
	}
	never := pod.API.Spec.PreemptionPolicy != nil && *pod.API.Spec.PreemptionPolicy == corev1.PreemptNever
	for _, n := range s.State().Snapshot().Nodes {
		if n.API == nil || n.API.Spec.Unschedulable || len(n.API.Spec.Taints) > 0 {
			continue
		}
		if zone := pod.API.Spec.NodeSelector[corev1.LabelTopologyZone]; zone != "" &&
			n.API.Labels[corev1.LabelTopologyZone] != zone {
			continue
		}
		beside := slices.DeleteFunc(slices.Clone(n.Pods), func(o *cluster.Pod) bool {
			return !never && o.Priority < pod.Priority
		})
		for _, o := range s.Queue().Nominated(n.Name) {
			if o.Priority >= pod.Priority && o.Key != pod.Key {
				beside = append(beside, o)
			}
		}
		cpu, memory := pod.Requests.MilliCPU, pod.Requests.Memory
		for _, o := range beside {
			cpu, memory = cpu+o.Requests.MilliCPU, memory+o.Requests.Memory
		}
		if cpu <= n.Allocatable.MilliCPU && memory <= n.Allocatable.Memory && int64(len(beside)) < n.PodLimit() {
			return fmt.Sprintf("%s could have had %s: %s", pod.Key, n.Name, c.Ended.Message)
		}
	}
	return ""
}

// TestAForkNeverChangesItsParent lets a copy run on from a random moment, then the original, and compares.
func TestAForkNeverChangesItsParent(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		text, parent := drawTale(t)
		for range rapid.IntRange(0, 60).Draw(t, "before") {
			parent.Step()
		}
		fork := parent.Fork()
		before := digest(parent)
		if got := digest(fork); got != before {
			t.Fatalf("a fork is not as its parent:\n%s\n%s\n%s", before, got, text)
		}
		for range 40 {
			fork.Step()
		}
		if got := digest(parent); got != before {
			t.Fatalf("a fork changed its parent:\n%s\n%s\n%s", before, got, text)
		}
		after := digest(fork)
		for range 40 {
			parent.Step()
		}
		if got := digest(fork); got != after {
			t.Fatalf("a parent changed its fork:\n%s\n%s\n%s", after, got, text)
		}
		if got := digest(parent); got != after {
			t.Fatalf("the same 40 steps led elsewhere:\n%s\n%s\n%s", after, got, text)
		}
	})
}

// digest is everything that can be seen of a player.
func digest(p *play.Player) string {
	s := p.Scheduler()
	var b strings.Builder
	fmt.Fprintln(&b, s.Now(), s.Cycles(), p.Remaining(), s.Queue().Counts())
	s.State().EachPod(func(pod *cluster.Pod) bool {
		_, in, _ := s.Queue().Find(pod.Key)
		assumed, _ := s.State().Assumed(pod.Key)
		on := ""
		if assumed != nil {
			on = assumed.NodeName
		}
		fmt.Fprintln(&b, pod.Key, pod.API.ResourceVersion, pod.NodeName, pod.Nominated, pod.Terminating(), in, on)
		return true
	})
	for _, n := range s.State().Snapshot().Nodes {
		fmt.Fprintln(&b, n.Name, n.Requested.MilliCPU, n.Requested.Memory, len(n.Pods))
		for _, pod := range s.Queue().Nominated(n.Name) {
			fmt.Fprintln(&b, " for", pod.Key)
		}
	}
	s.State().Objects().VolumeClaims.Each(func(c *corev1.PersistentVolumeClaim) bool {
		fmt.Fprintln(&b, c.Name, c.ResourceVersion, c.Spec.VolumeName)
		return true
	})
	s.State().Objects().ResourceClaims.Each(func(c *resourcev1.ResourceClaim) bool {
		fmt.Fprintln(&b, c.Name, c.ResourceVersion, c.Status.Allocation != nil, len(c.Status.ReservedFor))
		return true
	})
	return b.String()
}
