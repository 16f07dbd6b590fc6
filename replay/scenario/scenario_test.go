package scenario_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/scenario"
)

func TestErrorsNameTheLineAndWhatWouldBeRight(t *testing.T) {
	for _, tc := range []struct{ file, want string }{
		{"", `x.txt line 1: there is no command in it (want at least: node n1, pod web, run)`},
		{"# only words\n", `x.txt line 1: there is no command in it (want at least: node n1, pod web, run)`},
		{"nod n1\n", `x.txt line 1: unknown command "nod" (did you mean "node"?)`},
		{"node n1\n\npod web tolerates=a\n", `x.txt line 3: unknown word "tolerates" (did you mean "toleration"?)`},
		{"pod web\n   cpu=1\n   memery=1Gi\n", `x.txt line 3: unknown word "memery" (did you mean "memory"?)`},
		{"pod web cpu=2x\n", `x.txt line 1: cpu: "2x" is no quantity (want one like 500m, 2 or 1Gi)`},
		{"pod web cpu=1 cpu=2\n", `x.txt line 1: "cpu" is said twice`},
		{"pod web cpu\n", `x.txt line 1: "cpu" has no value (want cpu=QUANTITY)`},
		{"pod\n", `x.txt line 1: pod wants a name`},
		{"node a/b\n", `x.txt line 1: a node has no namespace (want a name without a slash)`},
		{
			"pod web affinity=app=web\n",
			`x.txt line 1: affinity: "app=web" names no topology (want app=web@zone or app=web@kubernetes.io/hostname)`,
		},
		{
			"pod web spread=app=web@zone@max-scew=2\n",
			`x.txt line 1: spread: unknown option "max-scew" (did you mean "max-skew"?)`,
		},
		{
			"pod web anti-affinity=app>1@zone\n",
			`x.txt line 1: anti-affinity: a selector of labels knows no > and no < (in "app>1")`,
		},
		{
			"node n1 taint=a=b:Never\n",
			`x.txt line 1: taint: "Never" is no effect (want NoSchedule, PreferNoSchedule or NoExecute)`,
		},
		{"node n1 image=nginx\n", `x.txt line 1: image: "nginx" has no size (want nginx:1.27=200Mi)`},
		{"update pot web\n", `x.txt line 1: unknown kind "pot" (did you mean "pod"?); yaml update takes every kind`},
		{"delete pod web now\n", `x.txt line 1: unknown word "now"`},
		{"advance soon\n", `x.txt line 1: "soon" is no length of time (want one like 10s, 5m30s)`},
		{"expect web in bed\n", `x.txt line 1: unknown queue "bed" (want active, backoff, unschedulable, gated or flight)`},
		{"node n1 count=0\n", `x.txt line 1: count: "0" is no number from 1 to 20000`},
		{"  node n1\n", `x.txt line 1: an indented line belongs to the command above it, and there is none`},
		{"# words\n----\nnode n1\n\nnode n2\n", `x.txt line 2: ---- follows a command, and there is none above it`},
		{"refuse web \"no\n", `x.txt line 1: a quote is not closed (want "...")`},
		{"node n1 labels=a=\x1b[31m\n", `x.txt line 1: there is a control character in it`},
		{"node n1\nconfig percentage=5\n", `x.txt line 2: config comes before every other command but release and gates, and once`},
		{
			"config disable=NodePort\n",
			`x.txt line 1: config: profiles[0].plugins.multiPoint.disabled[0]: nothing to disable: "NodePort" is no plugin of kube-scheduler 1.37 (did you mean "NodePorts"?)`,
		},
		{"yaml\n", `x.txt line 1: yaml wants manifests below it, indented`},
		{"yaml\n  kind: Secret\n  apiVersion: v1\n  metadata: {name: s}\n", `x.txt line 2: nothing here reads 1 Secret`},
		{"bind web\n", `x.txt line 1: bind wants 2 names`},
	} {
		_, err := scenario.Parse("x.txt", []byte(tc.file))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q:\n%s", tc.file, diff)
		}
	}
}

func TestEveryWrongLineIsNamed(t *testing.T) {
	_, err := scenario.Parse("x.txt", []byte("nod n1\npod web cpu=x memory=y\nadvance\n"))
	want := `x.txt line 1: unknown command "nod" (did you mean "node"?)
x.txt line 2: cpu: "x" is no quantity (want one like 500m, 2 or 1Gi)
x.txt line 2: memory: "y" is no quantity (want one like 500m, 2 or 1Gi)
x.txt line 3: advance wants a length of time (10s, 5m30s)`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestARunEndsAtTheLineThatCannotBe(t *testing.T) {
	for _, tc := range []struct{ file, want string }{
		{"node n1\nnode n1\n", `x.txt line 2: node n1 exists already (want update node n1)`},
		{"delete pod web\n", `x.txt line 1: there is no pod default/web`},
		{"node n1\npod web\nrun\nexpect web on n2\n", `x.txt line 4: expected default/web on n2: it is on n1`},
		{
			"pod web class=none\n",
			`x.txt line 1: pod "default/web": the API server refuses it: no PriorityClass with name none was found (add the PriorityClass to the input)`,
		},
		{"refuse web why\n", `x.txt line 1: no binding of pod default/web is held, and no eviction`},
		{"allow web Doorkeeper\n", `x.txt line 1: pod default/web does not wait at Permit`},
		{"scores\n", `x.txt line 1: there was no cycle yet (want schedule or run before it)`},
		{"back\n", `x.txt line 1: there was no fork to go back to`},
	} {
		s, err := scenario.Parse("x.txt", []byte(tc.file))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Run()
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q:\n%s", tc.file, diff)
		}
	}
}

func TestAFileKeepsItsShapeAndGetsItsOutput(t *testing.T) {
	file := `# Two nodes.
node n1
node n2
----
stale

pods
run
----
stale
# the end`
	want := `# Two nodes.
node n1
node n2
----
Node Add n2 (NodeAdd)

pods
----
no pods

run
----
nobody is ready

# the end`
	s, err := scenario.Parse("x.txt", []byte(strings.Replace(file, "stale\n# the end", "stale\n\n# the end", 1)))
	if err != nil {
		t.Fatal(err)
	}
	transcript, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	got := string(transcript.File())
	if diff := cmp.Diff(strings.Replace(want, "nobody is ready\n\n", "\n", 1), got); diff != "" {
		t.Error(diff)
	}
}

func TestAScenarioIsToldFromOtherText(t *testing.T) {
	for text, want := range map[string]bool{
		"# a story\n\nnode n1 cpu=4\n":            true,
		"config disable=NodePorts\n":              true,
		"yaml\n  kind: Pod\n":                     true,
		"kind: Pod\nmetadata: {}\n":               false,
		"node: n1\n":                              false,
		"# a comment\napiVersion: v1\n":           false,
		`{"kind":"List"}`:                         false,
		"":                                        false,
		"cluster autoscaler log of some kind\n":   false,
		"I1120 10:00:00 schedule_one.go] hello\n": false,
	} {
		if got := scenario.Looks([]byte(text)); got != want {
			t.Errorf("Looks(%q) = %v", text, got)
		}
	}
}

// TestAReplayGoesWhereTheScenarioWent plays the events of a scenario without its commands.
func TestAReplayGoesWhereTheScenarioWent(t *testing.T) {
	file := `# Three pods, one after another.
config disable=ImageLocality
node n1 cpu=1
pod a cpu=600m
run
node n2 cpu=1
pod b cpu=600m
run
fork
delete pod a
back
advance 10s
node n3 cpu=4
pod c cpu=2
`
	s, err := scenario.Parse("x.txt", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Replay()
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(r.Config, "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	machine := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: r.Start,
		Detail: trace.Summary,
	})
	player := play.NewPlayer(machine, play.NewSimulated(), r.Script.Log())
	player.RunOn(r.Until)
	for {
		if _, ok := player.Step(); !ok {
			break
		}
	}
	got := map[string]string{}
	for _, key := range []string{"default/a", "default/b", "default/c"} {
		p, ok := machine.State().Pod(key)
		if !ok {
			t.Fatalf("%s is gone", key)
		}
		got[key] = p.NodeName
	}
	want := map[string]string{"default/a": "n1", "default/b": "n2", "default/c": "n3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, want := machine.Now().Sub(r.Start).String(), "10s"; !strings.HasPrefix(got, want) {
		t.Errorf("virtual time ends after %s, want %s", got, want)
	}
}

func TestTheManualIsNotStale(t *testing.T) {
	golden.Is(t, filepath.Join("..", "..", "docs", "scenario.md"), scenario.Manual())
}

// TestExamplesAreOfTheLanguage reads every example of the manual.
func TestExamplesAreOfTheLanguage(t *testing.T) {
	fences := strings.Split(scenario.Manual(), "```\n")
	if len(fences) < 40 {
		t.Fatalf("the manual has %d examples", len(fences)/2)
	}
	for i := 1; i < len(fences); i += 2 {
		if _, err := scenario.Parse("manual", []byte(fences[i])); err != nil {
			t.Errorf("%s\n%v", fences[i], err)
		}
	}
}
