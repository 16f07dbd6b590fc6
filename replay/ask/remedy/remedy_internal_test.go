package remedy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

// failing is what a test and a law can end with.
type failing interface {
	Fatalf(format string, values ...any)
}

// told is a session at the end of a scenario's text.
func told(t failing, text string) *session.Session {
	in, err := input.ReadScenario("test", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	walk := session.New(in.Play(config.Default(), 0, trace.Reported), session.About{Title: "test"})
	walk.Move(context.Background(), session.Continue, session.Forward, nil)
	return walk
}

func found(t failing, s *session.Session, pod string) Answer {
	a, err := Find(context.Background(), s.At(), pod, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return a
}

// lines are the commands of a remedy.
func lines(r Remedy) string {
	var all []string
	for _, c := range r.Changes {
		all = append(all, c.Line)
	}
	return strings.Join(all, "; ")
}

// matching are so many pods on a node that a constraint over app=web counts.
func matching(node string, count int) string {
	var all strings.Builder
	for i := range count {
		fmt.Fprintf(&all, "pod %[1]s-%[2]d node=%[1]s labels=app=web cpu=1\n", node, i)
	}
	return all.String()
}

func TestWhatAPodLacksIsFoundInItInNodesAndInOtherPods(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{
			"too large", "node n1 cpu=2\npod a node=n1 cpu=1\npod web cpu=1500m\n",
			"set request default/web cpu=1 | evict default/a | add-node new-1 like n1",
		},
		{
			"a taint", "node n1 cpu=2 taint=gpu=true:NoSchedule\npod web cpu=1\n",
			"tolerate default/web gpu=true:NoSchedule | taint n1 gpu=true:NoSchedule-",
		},
		{
			"a taint and a size", "node n1 cpu=2 taint=gpu:NoSchedule\npod web cpu=3\n",
			"tolerate default/web gpu:NoSchedule; set request default/web cpu=2 | " +
				"taint n1 gpu:NoSchedule-; set request default/web cpu=2",
		},
		{"a cordon", "node n1 cpu=2 unschedulable\npod web cpu=1\n", "add-node new-1 like n1 | " +
			"uncordon n1 | tolerate default/web node.kubernetes.io/unschedulable:NoSchedule"},
		{
			"taints of controllers", "node n1 cpu=2 taint=node.kubernetes.io/not-ready:NoSchedule\n" +
				"node n2 cpu=2 taint=ToBeDeletedByClusterAutoscaler:NoSchedule\n" +
				"node n3 cpu=2 taint=node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule\npod web cpu=1\n",
			"add-node new-1 like n1 | add-node new-1 like n2 | add-node new-1 like n3",
		},
		{
			"the control plane, and a request that is too large",
			"node cp cpu=8 taint=node-role.kubernetes.io/control-plane:NoSchedule\nnode n1 cpu=2\npod web cpu=3\n",
			"set request default/web cpu=2 | tolerate default/web node-role.kubernetes.io/control-plane:NoSchedule | " +
				"taint cp node-role.kubernetes.io/control-plane:NoSchedule-",
		},
		{
			"a selector", "node n1 cpu=2\npod web cpu=1 node-selector=disk=ssd\n",
			"label n1 disk=ssd | relax default/web selector disk",
		},
		{
			"a resize that waits", "node n1 cpu=8\npod big node=n1 cpu=6 actual=cpu=4 resize=Deferred\npod web cpu=3\n",
			"unresize default/big | set request default/web cpu=2 | evict default/big | add-node new-1 like n1",
		},
		{
			"a resize whose end is not enough",
			"node n1 cpu=8\npod big node=n1 cpu=6 actual=cpu=4 resize=Deferred\npod web cpu=7\n",
			"set request default/web cpu=2 | unresize default/big; set request default/web cpu=4 | evict default/big | " +
				"add-node new-1 like n1",
		},
		{"a gate", "node n1 cpu=2\npod web cpu=1 gate=quota\n", "relax default/web gate quota"},
		{
			"a port", "node n1 cpu=2\npod a node=n1 host-port=80\npod web host-port=80\n",
			"relax default/web port 80 | evict default/a | add-node new-1 like n1",
		},
		{
			"anti-affinity", "node n1 cpu=2 zone=a\npod a node=n1 labels=app=web\n" +
				"pod web labels=app=web anti-affinity=app=web@zone\n",
			"relax default/web pod-anti-affinity | evict default/a",
		},
		{"more than there is", "node n1 cpu=2\npod web cpu=1 example.com/gpu=1\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) { gives(t, test.text, test.want) })
	}
}

// gives holds the remedies of the pod web to those that are wanted.
func gives(t *testing.T, text, want string) {
	t.Helper()
	var got []string
	for _, r := range found(t, told(t, "# One pod that waits.\n\n"+text), "web").Remedies {
		got = append(got, lines(r))
	}
	if all := strings.Join(got, " | "); all != want {
		t.Errorf("got  %s\nwant %s", all, want)
	}
}

func TestSpreadConstraintsAreEasedAsLittleAsWillDo(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{
			"a skew", "node a1 cpu=4 zone=a\nnode b1 cpu=1 zone=b\npod w0 node=a1 labels=app=web cpu=1\n" +
				"pod x node=b1 cpu=1\npod web labels=app=web cpu=1 spread=app=web@zone\n",
			"relax default/web max-skew topology.kubernetes.io/zone=2 | relax default/web spread | evict default/w0 | evict default/x | " +
				"add-node new-1 like b1",
		},
		{
			"a skew that would spread no more", "node a1 cpu=9 zone=a\nnode b1 cpu=1 zone=b\n" +
				matching("a1", 5) + "pod x node=b1 cpu=1\n" +
				"pod web labels=app=web cpu=1 spread=app=web@zone\n",
			"relax default/web spread | evict default/x | add-node new-1 like b1 | " +
				"evict default/a1-0; relax default/web max-skew topology.kubernetes.io/zone=5 | evict default/a1-1; relax default/web max-skew topology.kubernetes.io/zone=5",
		},
		{
			"more domains than there are", "node a1 cpu=4 zone=a\nnode b1 cpu=4 zone=b\n" +
				matching("a1", 2) + matching("b1", 2) +
				"pod web labels=app=web cpu=1 spread=app=web@zone@min-domains=3\n",
			"relax default/web min-domains | relax default/web max-skew topology.kubernetes.io/zone=3 | relax default/web spread | " +
				"evict default/a1-0; relax default/web max-skew topology.kubernetes.io/zone=2 | evict default/a1-1; relax default/web max-skew topology.kubernetes.io/zone=2",
		},
		{
			"domains outside its selector", "node a1 cpu=4 zone=a labels=pool=x\nnode b1 cpu=4 zone=b\n" +
				"pod w0 node=a1 labels=app=web cpu=1\n" +
				"pod web labels=app=web cpu=1 node-selector=pool=x spread=app=web@zone@node-affinity=Ignore\n",
			"label b1 pool=x | relax default/web outside-domains | relax default/web max-skew topology.kubernetes.io/zone=2 | relax default/web spread | " +
				"relax default/web selector pool",
		},
	} {
		t.Run(test.name, func(t *testing.T) { gives(t, test.text, test.want) })
	}
}

// TestTheConstraintThatIsBrokenIsEased: another one stays as it is.
func TestTheConstraintThatIsBrokenIsEased(t *testing.T) {
	s := told(t, "# One pod that waits.\n\nnode a1 cpu=9 zone=a\nnode a2 cpu=9 zone=a\nnode b1 cpu=1 zone=b\n"+
		matching("a1", 2)+"pod x node=b1 cpu=1\n"+
		"pod web labels=app=web cpu=1 spread=app=web@zone@max-skew=2 spread=app=web@hostname@max-skew=2\n")
	for _, r := range found(t, s, "web").Remedies {
		if c := r.Changes[0]; c.Kind == RaiseSkew {
			if len(c.Template) != 1 || c.Template[0].Path != "/spec/topologySpreadConstraints/0/maxSkew" ||
				c.Line != "relax default/web max-skew topology.kubernetes.io/zone=3" {
				t.Errorf("%s: %+v", c.Line, c.Template)
			}
			return
		}
	}
	t.Error("no larger skew was offered")
}

// TestAPreferenceWantsNoNumberOfDomains: an API server refuses minDomains beside ScheduleAnyway.
func TestAPreferenceWantsNoNumberOfDomains(t *testing.T) {
	s := told(t, "# One pod that waits.\n\nnode a1 cpu=4 zone=a\n"+matching("a1", 2)+
		"pod web labels=app=web cpu=1 spread=app=web@zone@min-domains=3\n")
	for _, r := range found(t, s, "web").Remedies {
		if c := r.Changes[0]; c.Kind == Soften {
			command := c.Kubectl().String()
			if !strings.Contains(command, `{"op":"remove","path":"/spec/topologySpreadConstraints/0/minDomains"}`) {
				t.Errorf("the command leaves minDomains: %s", command)
			}
			return
		}
	}
	t.Error("no preference was offered")
}

func TestAPodThatOnlyWaitsNeedsNoChange(t *testing.T) {
	s := told(
		t,
		"# A pod whose backoff ends.\n\nnode n1 cpu=2\npod a node=n1 cpu=2\npod web cpu=1\nadvance 1s\ndelete pod a\n",
	)
	if a := found(t, s, "web"); a.Without != "n1" || len(a.Remedies) > 0 {
		t.Errorf("%+v", a)
	}
}

func TestASetTellsWhoMoves(t *testing.T) {
	s := told(t, "# Eviction makes room, and takes a place away.\n\nnode n1 cpu=2\npod a node=n1 cpu=2\npod web cpu=2\n")
	for _, r := range found(t, s, "web").Remedies {
		if lines(r) != "evict default/a" {
			continue
		}
		if len(r.Elsewhere) != 1 || r.Elsewhere[0].Pod != "default/a" || !r.Elsewhere[0].Gone {
			t.Errorf("evicting a moves %+v", r.Elsewhere)
		}
		return
	}
	t.Error("evicting a is not offered")
}

// crowded is a random small cluster with a pod web that may fit nowhere.
func crowded(t *rapid.T) string {
	var b strings.Builder
	b.WriteString("# A random cluster.\n\n")
	nodes := rapid.IntRange(1, 4).Draw(t, "nodes")
	for n := range nodes {
		fmt.Fprintf(&b, "node n%d zone=%s cpu=%d memory=8Gi", n, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone"),
			rapid.IntRange(1, 4).Draw(t, "cpu"))
		for _, extra := range []string{" taint=gpu=true:NoSchedule", " unschedulable", " labels=disk=ssd"} {
			if rapid.IntRange(0, 3).Draw(t, "has"+extra) == 0 {
				b.WriteString(extra)
			}
		}
		b.WriteString("\n")
	}
	taken := map[int]bool{} // nodes whose port 80 a pod has: no two can
	for p := range rapid.IntRange(0, 4).Draw(t, "pods") {
		where := rapid.IntRange(0, nodes-1).Draw(t, "where")
		fmt.Fprintf(&b, "pod old-%d node=n%d cpu=%dm labels=app=%s", p, where,
			500*rapid.IntRange(1, 4).Draw(t, "used"), rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app"))
		if rapid.IntRange(0, 3).Draw(t, "with a port") == 0 && !taken[where] {
			taken[where] = true
			b.WriteString(" host-port=80")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "pod web cpu=%dm labels=app=web", 500*rapid.IntRange(1, 6).Draw(t, "wanted"))
	for _, wish := range []string{
		" node-selector=disk=ssd", " host-port=80", " anti-affinity=app=web@zone", " gate=quota", " spread=app=web@zone",
	} {
		if rapid.IntRange(0, 3).Draw(t, "wants"+wish) == 0 {
			b.WriteString(wish)
		}
	}
	return b.String() + "\n"
}

// TestEveryProposedChangePlacesThePodAndNoPartOfItDoes carries out what is proposed on a branch of the session, and
// runs it on to its end; then the same with every proper part.
func TestEveryProposedChangePlacesThePodAndNoPartOfItDoes(t *testing.T) {
	waiting, offered := 0, 0
	law.Check(t, func(t *rapid.T) {
		text := crowded(t)
		s := told(t, text)
		a := found(t, s, "web")
		if a.Without != "" {
			return
		}
		waiting++
		for _, r := range a.Remedies {
			offered++
			for mask := 1; mask < 1<<len(r.Changes); mask++ {
				var part []Change
				for i, c := range r.Changes {
					if mask&(1<<i) != 0 {
						part = append(part, c)
					}
				}
				node := onABranch(t, s, part)
				if whole := len(part) == len(r.Changes); whole != (node != "") {
					t.Fatalf("%s of %s: node %q\n%s", lines(Remedy{Changes: part}), lines(r), node, text)
				}
			}
		}
	})
	law.Met(t, waiting >= 50 && offered >= 150, "only %d pods waited, and %d changes were offered", waiting, offered)
}

// onABranch is the node of the pod web after some changes, once pods that waited for long were tried again.
func onABranch(t *rapid.T, s *session.Session, part []Change) string {
	name, _, err := s.Edit(Remedy{Changes: part}.Edit())
	if err != nil {
		return "" // a part that cannot be carried out alone
	}
	s.Move(context.Background(), session.Continue, session.Forward, nil)
	node := s.At().Place("default/web").Node
	if node == "" {
		if p, err := s.At().Trial(); err == nil {
			f := &finder{ctx: context.Background(), here: s.At(), pod: "default/web", known: map[string]run{}}
			node = f.play(p).node
		}
	}
	if err := s.Drop(name); err != nil {
		t.Fatalf("%v", err)
	}
	return node
}

// everyKind are the kinds of changes that the search tries at nodes and pods.
var everyKind = []Kind{
	Uncordon, LabelNode, Tolerate, Untaint, Request, Soften, DropPort, DropSelector, DropNodeAffinity, RelabelPod,
	DropAffinity, DropAntiAffinity, EvictPod, AddVolume,
}

// TestNoCheaperChangeIsFoundByTryingAll tries, for small clusters, every set of up to three changes of every kind to
// every node that is cheaper than what the search found, whatever the plugins answer.
func TestNoCheaperChangeIsFoundByTryingAll(t *testing.T) {
	compared := 0
	law.CheckCostly(t, func(t *rapid.T) {
		text := crowded(t)
		s := told(t, text)
		a := found(t, s, "web")
		if a.Without != "" || !a.Whole {
			return
		}
		best := 400
		if len(a.Remedies) > 0 {
			best = a.Remedies[0].Cost
		}
		compared++
		all := &finder{
			ctx: context.Background(), here: s.At(), pod: "default/web", known: map[string]run{},
		}
		if cheaper := all.cheaper(&Set{}, best, map[string]bool{}); cheaper != nil {
			t.Fatalf("%s costs %d, less than %d of %+v\n%s", cheaper.Key, cheaper.Cost, best, a.Remedies, text)
		}
	})
	law.Met(t, compared >= 8, "only %d searches were compared", compared)
}

// cheaper is a set that begins with another one, costs less than some amount, and places the pod; nil: there is none.
func (f *finder) cheaper(s *Set, than int, seen map[string]bool) *Set {
	if seen[s.Key] {
		return nil
	}
	seen[s.Key] = true
	if len(s.Changes) > 0 && f.run(s).node != "" {
		return s
	}
	p, err := f.here.Trial(edits(s.Changes)...)
	if err != nil || len(s.Changes) == 3 {
		return nil
	}
	for _, c := range f.everything(p) {
		if s.Cost+c.Cost >= than {
			continue
		}
		if found := f.cheaper(s.With(c), than, seen); found != nil {
			return found
		}
	}
	return nil
}

// everything is every change of every kind, to the pod and to every node.
func (f *finder) everything(p *play.Player) []Change {
	all := f.ungating(p)
	facts, err := p.ForPod(f.pod).Examine(f.pod)
	if err != nil {
		return all
	}
	c, _ := trace.Fold(facts)
	t, tried := c.Try(f.pod)
	if !tried {
		return all
	}
	state := p.Scheduler().State()
	for _, n := range session.Judge(t).Nearest {
		node, _ := state.Snapshot().Node(n.Node)
		for _, broken := range n.Failures {
			for _, k := range everyKind {
				all = append(all, at{f.here, state, pending(state, f.pod), node, broken.Plugin, broken}.of(k)...)
			}
		}
	}
	return append(all, f.moreNodes(state)...)
}
