package core_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/scenario"
)

// rewrite writes what happened into the files. Commit only the changes whose cause you understand.
var rewrite = flag.Bool("rewrite", false, "write what the scenarios print into their files")

// TestScenarios runs every testdata/*.txt, a conversation with the scheduler in the language of docs/scenario.md.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no scenarios")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runScenario(t, file) })
	}
}

func runScenario(t *testing.T, file string, plugins ...config.Plugin) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(file, want, plugins...)
	if err != nil {
		t.Fatal(err)
	}
	if s.Story() == "" {
		t.Errorf("%s does not open with a sentence that says what it shows", file)
	}
	transcript, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	got := transcript.File()
	if *rewrite {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf(
			"%s says something else than what happened (- file, + happened; -rewrite after you understand it):\n%s",
			file, diff,
		)
	}
}

// TestScenariosWithPlugins runs testdata/plugins/*.txt with plugins that return what the labels of pods name: verdicts
// that no plugin of kube-scheduler's own returns in a cluster of nodes and pods.
func TestScenariosWithPlugins(t *testing.T) {
	files, err := filepath.Glob("testdata/plugins/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runScenario(t, file, tellable()...) })
	}
}

// tellable are the plugins that return what the labels of pods name.
func tellable() []config.Plugin {
	return []config.Plugin{
		named(herder{}), named(judge{}), named(keeper{"First"}), named(keeper{"Second"}), named(doorkeeper{}),
		named(porter{}),
	}
}

// named registers a plugin that takes no args under its own name.
func named[P framework.Plugin](plugin P) config.Plugin {
	return config.NewPlugin(plugin.Name(), func(struct{}, *field.Path) (P, field.ErrorList) { return plugin, nil })
}

// said is the verdict that a pod's label names, as in herd=Unschedulable: the code, and a fixed reason.
func said(pod *cluster.Pod, label string) trace.Verdict {
	code, known := trace.CodeNamed(pod.API.Labels[label])
	if !known || code == trace.Success {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: code, Reasons: []string{"told to"}}
}

// herder returns at PreFilter the verdict of the label herd, and gives the node set of the label only (names between
// dots).
type herder struct{}

func (herder) Name() string { return "Herder" }

func (herder) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) framework.Study {
	study := framework.Study{Verdict: said(pod, "herd"), Check: herd{said(pod, "herd-node")}}
	if names := pod.API.Labels["only"]; names != "" {
		study.Nodes = strings.Split(names, ".")
	}
	return study
}

type herd struct{ verdict trace.Verdict }

func (h herd) Filter(*cluster.Node) trace.Verdict { return h.verdict }

// judge gives every node the score of the label score, which may be more than is allowed.
type judge struct{}

func (judge) Name() string { return "Judge" }

func (judge) Score(pod *cluster.Pod, _ *cluster.Node) (int64, trace.Verdict) {
	score, _ := strconv.ParseInt(pod.API.Labels["score"], 10, 64)
	return score, trace.Verdict{}
}

// keeper returns at Reserve the verdict of the label of its name.
type keeper struct{ name string }

func (k keeper) Name() string { return k.name }

func (k keeper) Reserve(ask framework.ReserveAsk) framework.Reservation {
	return framework.Reservation{Verdict: said(ask.Pod, k.name)}
}

func (keeper) Unreserve(framework.BindAsk) []framework.Write { return nil }

// doorkeeper lets a pod with the label door=Wait wait for a minute and lets all waiting pods in when one with the label
// door=open comes; other pods get the verdict of the label.
type doorkeeper struct{}

func (doorkeeper) Name() string { return "Doorkeeper" }

func (doorkeeper) Permit(ask framework.PermitAsk) framework.PermitAnswer {
	answer := framework.PermitAnswer{Verdict: said(ask.Pod, "door"), Timeout: time.Minute}
	if ask.Pod.API.Labels["door"] == "open" {
		for _, p := range ask.Waiting {
			answer.Allow = append(answer.Allow, p.Key)
		}
	}
	return answer
}

// porter returns at PreBind the verdict of the label port.
type porter struct{}

func (porter) Name() string { return "Porter" }

func (porter) PreFlight(ask framework.BindAsk) trace.Verdict {
	if ask.Pod.API.Labels["port"] == "" {
		return trace.Verdict{Code: trace.Skip}
	}
	return trace.Verdict{}
}

func (porter) PreBind(ask framework.BindAsk) framework.PreBound {
	return framework.PreBound{Verdict: said(ask.Pod, "port")}
}
