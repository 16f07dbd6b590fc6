package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/session"
)

// picky is a score plugin that breaks on nodes that are not open.
type picky struct{}

var _ framework.NodeScorePlugin = picky{}

func (picky) Name() string { return "Picky" }

func (picky) Score(_ *cluster.Pod, n *cluster.Node) (int64, trace.Verdict) {
	if open, _ := n.Label("open"); open == "no" {
		return 0, trace.Verdict{Code: trace.Error, Reasons: []string{"it is closed"}}
	}
	return 7, trace.Verdict{}
}

// withPicky is a session at the end of a story, with a scheduler that runs the plugin.
func withPicky(t *testing.T, text string) *session.Session {
	t.Helper()
	plugin := config.NewPlugin("Picky", func(struct{}, *field.Path) (picky, field.ErrorList) { return picky{}, nil })
	c, err := config.LoadWith([]byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Picky}]}}
`), "test", config.Options{Plugins: []config.Plugin{plugin}})
	if err != nil {
		t.Fatal(err)
	}
	return played(t, c, text)
}

func played(t interface{ Fatalf(string, ...any) }, c *config.Config, text string) *session.Session {
	walk := session.New(read(t, "# A story.\n\n"+text).Play(c, 0, trace.Reasoned), session.About{Title: "test"})
	walk.Move(context.Background(), session.Continue, session.Forward, nil)
	return walk
}

// table is scores by node and plugin: what counts of them.
func table(s *trace.Scores) map[string]string {
	all := map[string]string{}
	for k, node := range s.Index {
		said := fmt.Sprint(s.Totals[k])
		for i := range s.Columns {
			if c := &s.Columns[i]; c.Raw != nil {
				said += fmt.Sprintf(" %s %d %d %d", c.Plugin, c.Raw[k], c.Normalized[k], c.Weight)
			}
		}
		all[s.Nodes[node]] = said
	}
	return all
}

// under is the default configuration of a release.
func under(t interface{ Fatalf(string, ...any) }, version string) *config.Config {
	with, err := config.Options{}.For(version)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return config.DefaultWith(with)
}

// TestSupposedScoresAreThoseOfACycleThatAcceptsTheNode closes a node by a taint that no score plugin looks at, and
// computes what it would have got; the same cycle without the taint must come to the same scores for all nodes. In both
// the cycle is run again afterwards, and must be the same.
func TestSupposedScoresAreThoseOfACycleThatAcceptsTheNode(t *testing.T) {
	asked := map[string]int{}
	law.Check(t, func(t *rapid.T) {
		version := rapid.SampledFrom([]string{"1.37", "1.29", "1.19", "1.10"}).Draw(t, "version")
		nodes := rapid.IntRange(2, 4).Draw(t, "nodes")
		text := ""
		for i := range nodes {
			text += fmt.Sprintf("node n%d cpu=%d memory=%dGi zone=z%d", i, rapid.IntRange(3, 16).Draw(t, "cpu"),
				rapid.IntRange(4, 64).Draw(t, "memory"), i%2)
			if rapid.Bool().Draw(t, "avoid") {
				text += " taint=old=true:PreferNoSchedule"
			}
			text += "\n"
		}
		open := text + "pod web cpu=1 memory=1Gi\n"
		closed := strings.Replace(open, "zone=z0", "zone=z0 taint=gpu=true:NoSchedule", 1)
		c := under(t, version)
		s := played(t, c, closed)
		before := fmt.Sprint(s.Frame().About().Latest().Scores, s.Frame().Facts, s.Frame().Position)
		d, err := s.At().Against("web", "n0")
		if err != nil || d.Supposed == nil || d.Supposed.Scores == nil {
			t.Fatalf("%+v, %v\n%s", d.Supposed, err, closed)
		}
		want := played(t, c, open).Frame().About().Latest().Scores
		if got, want := table(d.Supposed.Scores), table(want); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("supposed\n%v\nand with an open node\n%v\n%s%s", got, want, version, closed)
		}
		if after := fmt.Sprint(s.Frame().About().Latest().Scores, s.Frame().Facts, s.Frame().Position); after != before {
			t.Fatalf("the question has changed the cycle:\n%s\n%s", before, after)
		}
		if lone := alone(s.Frame()); (lone != nil) != (nodes == 2) {
			t.Fatalf("of %d nodes %d fit, and scores are supposed: %v", nodes, nodes-1, lone)
		} else if lone != nil {
			asked["lone"]++
		}
		asked[version]++
	})
	law.Met(t, len(asked) >= 5 && asked["lone"] >= 3, "that is little: %v", asked)
}

func TestWhatIsSupposedOfANode(t *testing.T) {
	three := "node n1 cpu=4\nnode n2 cpu=8\nnode n3 cpu=8 taint=gpu=true:NoSchedule labels=open=no\n"
	for _, c := range []struct {
		name, text, node string
		scored           int // nodes with supposed scores; 0: none are supposed
		failure          string
	}{
		{"that is one of two that fit", three + "pod web cpu=1\n", "n1", 0, ""},
		{"that nothing fits beside", three + "pod web cpu=9\n", "n1", 0, ""},
		{"that is too small", three + "pod web cpu=5\n", "n1", 2, ""},
		{"that is the only one", three + "pod web cpu=5\n", "n2", 1, ""},
		{
			"on which a score plugin breaks", three + "pod web cpu=1\n", "n3", 0,
			`running Score plugins: plugin "Picky" failed with: it is closed`,
		},
	} {
		d, err := withPicky(t, c.text).At().Against("web", c.node)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		scored, failure := 0, ""
		if s := d.Supposed; s != nil && s.Scores != nil {
			scored = len(s.Scores.Index)
		} else if s != nil {
			failure = s.Failure
		}
		if scored != c.scored || failure != c.failure {
			t.Errorf("a node %s: %d nodes and %q, not %d and %q", c.name, scored, failure, c.scored, c.failure)
		}
	}
}

// TestOldReleasesSupposeOnTheirScale tries releases whose scores end at 10, and one that scores a single node itself.
func TestOldReleasesSupposeOnTheirScale(t *testing.T) {
	for version, c := range map[string]struct {
		most int64 // the highest normalised score of a plugin
		lone bool  // nobody scores a single feasible node
	}{"1.37": {100, true}, "1.10": {10, true}, "1.6": {10, false}} {
		s := played(t, under(t, version), "node n1 cpu=4\nnode n2 cpu=8\npod web cpu=5\n")
		d, err := s.At().Against("web", "n1")
		if err != nil || d.Supposed == nil || d.Supposed.Scores == nil {
			t.Fatalf("%s: %+v, %v", version, d.Supposed, err)
		}
		most := int64(0)
		for _, column := range d.Supposed.Scores.Columns {
			for _, n := range column.Normalized {
				most = max(most, n)
			}
		}
		if lone := alone(s.Frame()) != nil; most != c.most || lone != c.lone {
			t.Errorf("%s: scores up to %d, and a single node that nobody scored: %v", version, most, lone)
		}
	}
}

// TestNothingIsSupposedBeforeANodeIsChosen walks into a cycle with one feasible node.
func TestNothingIsSupposedBeforeANodeIsChosen(t *testing.T) {
	s := played(t, under(t, "1.37"), "node n1 cpu=4\nnode n2 cpu=8\npod web cpu=5\n")
	s.GotoCycle(t.Context(), 1, nil)
	end := s.Position()
	seen := map[bool]int{}
	for fact := 1; fact < end.Fact; fact++ {
		s.Goto(t.Context(), session.Position{Step: end.Step, Fact: fact}, nil)
		f := s.Frame()
		chosen := f.Try() != nil && f.Try().Selected != nil
		if (f.At.Supposed(f.Try()) != nil) != chosen {
			t.Errorf("at fact %d a node is chosen: %v; scores are supposed: %v", fact, chosen, !chosen)
		}
		seen[chosen]++
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("the walk saw %v", seen)
	}
}

// alone are the scores that kube-scheduler did not work out of the try of a frame.
func alone(f *session.Frame) *session.Supposed { return f.At.Supposed(f.Try()) }
