package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/asleep"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

// sleepers are the pods that sleep at the cursor of a session, and how many were tried.
func sleepers(t interface{ Fatalf(string, ...any) }, s *session.Session) ([]asleep.Sleeper, int) {
	found, err := asleep.Question().Find(ask.Call{Context: context.Background(), At: s.At()})
	if err != nil {
		t.Fatalf("%v", err)
	}
	a := found.(asleep.Answer)
	return a.Found, a.Asked
}

// deaf is a plugin that rejects nodes which are not open, and whose hint returns Skip for every event.
type deaf struct{}

var (
	_ framework.NodeFilterPlugin = deaf{}
	_ framework.Waker            = deaf{}
)

func (deaf) Name() string { return "Deaf" }

func (deaf) Filter(_ *cluster.Pod, n *cluster.Node) trace.Verdict {
	if open, _ := n.Label("open"); open == "no" {
		return trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"node(s) were not open"}}
	}
	return trace.Verdict{}
}

func (deaf) Hints() []queue.Hint {
	return []queue.Hint{{
		Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.UpdateNodeLabel},
		Helps: func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error) { return false, nil },
	}}
}

// withDeaf is a session at the end of a story, with a scheduler that runs the plugin.
func withDeaf(t interface{ Fatalf(string, ...any) }, text string) *session.Session {
	plugin := config.NewPlugin("Deaf", func(struct{}, *field.Path) (deaf, field.ErrorList) { return deaf{}, nil })
	c, err := config.LoadWith([]byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Deaf}]}}
`), "test", config.Options{Plugins: []config.Plugin{plugin}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	walk := session.New(read(t, "# A story.\n\n"+text).Play(c, 0, trace.Summary), session.About{Title: "test"})
	walk.Move(context.Background(), session.Continue, session.Forward, nil)
	return walk
}

func TestAHintThatIsTooStrictIsNamed(t *testing.T) {
	s := withDeaf(t, "node n1 cpu=2 labels=open=no\npod web cpu=1\nadvance 20s\nupdate node n1 labels=open=yes\n")
	found, asked := sleepers(t, s)
	if asked != 1 || len(found) != 1 {
		t.Fatalf("%d of %d pods sleep", len(found), asked)
	}
	one := found[0]
	if one.Pod != "default/web" || one.Node != "n1" || one.Since.Sub(one.Parked).Seconds() != 20 ||
		!strings.HasPrefix(one.Event, "Node Update n1") {
		t.Errorf("%+v", one)
	}
	if len(one.Hints) != 1 || one.Hints[0] != (asleep.Slept{Plugin: "Deaf", Asked: true}) {
		t.Errorf("%+v", one.Hints)
	}
}

// TestWhoSleepsIsPlacedWhenWokenAndNobodyElse plays random stories with a plugin whose hints requeue no pod, lists the
// pods that sleep, and has every unschedulable pod tried by hand: those that were named get a node, and no other one
// does. Then the event that the plugin is deaf to is fired for all of them at once.
func TestWhoSleepsIsPlacedWhenWokenAndNobodyElse(t *testing.T) {
	asleep, awake, fired := 0, 0, 0
	law.Check(t, func(t *rapid.T) {
		var b strings.Builder
		nodes := rapid.IntRange(1, 3).Draw(t, "nodes")
		for i := range nodes {
			fmt.Fprintf(&b, "node n%d cpu=%d labels=open=%s\n", i, rapid.IntRange(1, 3).Draw(t, "cpu"),
				rapid.SampledFrom([]string{"yes", "no"}).Draw(t, "open"))
		}
		for i := range rapid.IntRange(1, 5).Draw(t, "pods") {
			fmt.Fprintf(&b, "pod p%d cpu=%d00m\n", i, rapid.IntRange(2, 20).Draw(t, "request"))
		}
		b.WriteString("advance 20s\n")
		for range rapid.IntRange(0, 2).Draw(t, "openings") {
			fmt.Fprintf(&b, "update node n%d labels=open=%s\n", rapid.IntRange(0, nodes-1).Draw(t, "which"),
				rapid.SampledFrom([]string{"yes", "no"}).Draw(t, "becomes"))
		}
		b.WriteString("advance 20s\n")
		s := withDeaf(t, b.String())
		found, _ := sleepers(t, s)
		named := map[string]string{}
		for _, one := range found {
			named[one.Pod] = one.Node
		}
		for _, pod := range s.At().Names().Pods {
			if s.At().Place(pod).Queue != queue.Unschedulable {
				continue
			}
			p, err := s.At().Trial(session.Wake(pod))
			if err != nil {
				t.Fatalf("%v", err)
			}
			p.Step()
			live, _ := p.Scheduler().State().Assumed(pod)
			node := ""
			if live != nil {
				node = live.NodeName
			}
			if node != named[pod] {
				t.Fatalf("%s comes to %q when it is woken, and is named for %q\n%s", pod, node, named[pod], b.String())
			}
			if node == "" {
				awake++
			} else {
				asleep++
			}
		}
		fired += placedByFiring(t, s, "NodeUpdateNodeLabel", named)
	})
	// Every seed has all three, though one of them few: the least of 200 seeds is 3.
	law.Met(t, asleep > 0 && awake > 0 && fired > 0,
		"%d pods slept, %d did not, and %d were placed by an event", asleep, awake, fired)
}

// placedByFiring fires an event by hand and runs the cycles that come of it. The pods that wait for the event compete,
// and none makes room: whoever is placed was named, and if one of them was named, one is placed.
func placedByFiring(t *rapid.T, s *session.Session, event string, named map[string]string) (placed int) {
	waiting := s.At().Waiting(event)
	if len(waiting) == 0 {
		return 0
	}
	p, err := s.At().Trial(session.Fire(waiting))
	if err != nil {
		t.Fatalf("%v", err)
	}
	for range waiting {
		p.Step()
	}
	may := false
	for _, pod := range waiting {
		may = may || named[pod] != ""
		live, _ := p.Scheduler().State().Assumed(pod)
		if live == nil {
			if known, there := p.Scheduler().State().Pod(pod); !there || known.NodeName == "" {
				continue
			}
		}
		if placed++; named[pod] == "" {
			t.Fatalf("%s has a node after %s was fired, and was not named", pod, event)
		}
	}
	if may && placed == 0 {
		t.Fatalf("%s was fired for %q, of whom some are named, and nobody has a node", event, waiting)
	}
	return placed
}

// TestFireWakesThoseThatWaitForTheEvent has a pod that waits for room, and one that waits for a label as well: a label
// concerns the second alone.
func TestFireWakesThoseThatWaitForTheEvent(t *testing.T) {
	wants := pod("labelled", "10m").DeepCopy()
	wants.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	s := sessionOf(source.Script{added(0, node("n1", "1")), added(0, pod("large", "9")), added(0, wants)})
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	for label, want := range map[string][]string{
		"NodeAdd": {"default/large", "default/labelled"}, "NodeUpdateNodeLabel": {"default/labelled"},
		"NodeUpdateNodeCondition": nil, "nonsense": nil,
	} {
		got := s.At().Waiting(label)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("for %s wait %q, want %q", label, got, want)
		}
	}
	if _, _, err := s.Edit(session.Fire(s.At().Waiting("NodeUpdateNodeLabel"))); err != nil {
		t.Fatal(err)
	}
	large, labelled := s.At().Place("default/large").Queue, s.At().Place("default/labelled").Queue
	if large != "unschedulable" || labelled != "activeQ" {
		t.Errorf("large is in %s, labelled in %s", large, labelled)
	}
}

// TestEveryEventThatIsWaitedForCanBeFired has a pod that waits for a claim, which is none of the common events.
func TestEveryEventThatIsWaitedForCanBeFired(t *testing.T) {
	stored := pod("stored", "10m").DeepCopy()
	stored.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	s := sessionOf(source.Script{added(0, node("n1", "1")), added(0, pod("large", "9")), added(0, stored)})
	if slices.Contains(s.At().Wakers(), "PersistentVolumeClaimAdd") {
		t.Errorf("nobody waits, and these can be fired: %q", s.At().Wakers())
	}
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	known := s.At().Wakers()
	if !slices.Contains(known, "PersistentVolumeClaimAdd") || !slices.Contains(known, "NodeAdd") {
		t.Errorf("these can be fired: %q", known)
	}
	if got := s.At().Waiting("PersistentVolumeClaimAdd"); !slices.Equal(got, []string{"default/stored"}) {
		t.Errorf("for the claim wait %q", got)
	}
}
