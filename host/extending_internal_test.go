package host

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	answered "github.com/schedstep/schedstep/replay/source/extender"
)

// server counts its questions. It rejects n2.
type server struct{ asked int }

func (s *server) Ask(q framework.Question) framework.Answer {
	s.asked++
	if q.Call == framework.CallPrioritize {
		return framework.Answer{Scores: []framework.NodeScore{{Node: q.Nodes[0].Name, Score: int64(s.asked)}}}
	}
	a := framework.Answer{}
	for _, n := range q.Nodes {
		if n.Name == "n2" {
			a.Failed = append(a.Failed, framework.NodeReason{Node: n.Name, Reason: fmt.Sprintf("question %d", s.asked)})
			continue
		}
		a.Nodes = append(a.Nodes, n.Name)
	}
	return a
}

// consults has a plugin ask the extender in Filter, and bind by it.
func consults(o *odd, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	var all []string
	for _, e := range o.handle.Extenders() {
		left, failed, _, err := e.Filter(pod, []fwk.NodeInfo{node})
		all = append(all, fmt.Sprint(e.Name(), " leaves ", len(left), " ", failed, err))
		scores, weight, err := e.Prioritize(pod, []fwk.NodeInfo{node})
		all = append(all, fmt.Sprint(*scores, " by ", weight, err))
		other := pod.DeepCopy()
		other.Labels = map[string]string{"changed": "true"}
		_, _, _, err = e.Filter(other, []fwk.NodeInfo{node})
		all = append(all, fmt.Sprint(err), fmt.Sprint(e.Bind(&corev1.Binding{})))
	}
	return fwk.NewStatus(fwk.Unschedulable, strings.Join(all, "; "))
}

// TestExtendersAnswerAPluginOnce has forks at every step repeat what the plugin was answered, without a question to the
// server. A binding, and a question about what is not in the cluster, are refused by name.
func TestExtendersAnswerAPluginOnce(t *testing.T) {
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
  extenders: [{urlPrefix: "http://price", filterVerb: filter, prioritizeVerb: prioritize, weight: 7, bindVerb: bind}],
  profiles: [{plugins: {multiPoint: {enabled: [{name: Odd}]}}}]}`), "odd",
		config.Options{Plugins: []config.Plugin{oddly(consults)}})
	if err != nil {
		t.Fatal(err)
	}
	answers := &server{}
	journal, _ := answered.NewJournal(nil)
	c = answered.ConnectTo(c, journal, map[string]framework.Line{"http://price": answers})
	p := play.NewPlayer(play.NewScheduler(c, oddStart, 0, trace.Reported), play.NewSimulated(), oddScript(3).Log())
	said := ""
	for {
		at := p.Fork()
		step, more := p.Step()
		if !more {
			break
		}
		asked := answers.asked
		if again, _ := at.Step(); factsOf(again) != factsOf(step) {
			t.Fatalf("a fork has\n%s\nand the original\n%s", factsOf(again), factsOf(step))
		}
		if answers.asked != asked {
			t.Fatalf("a fork asked the server %d times", answers.asked-asked)
		}
		said += factsOf(step) + "\n"
	}
	said += strings.Join(p.Scheduler().GuestNotes(), "\n")
	for _, want := range []string{
		"leaves 1 map[] <nil>", "leaves 0 map[n2:question", "by 7 <nil>", "default/p0 was changed",
		"schedstep does not answer Bind of extender-1", "it called Bind of an extender of its Handle", "with changes of its own",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// TestAnErrorThatIsReportedTakesNoTime has a plugin report one as controllers do, after this process did: the time of
// that report is ahead of the clock of the bubble.
func TestAnErrorThatIsReportedTakesNoTime(t *testing.T) {
	utilruntime.HandleError(errors.New("outside")) //nolint:contextcheck // there is none
	p := oddPlayer(t, oddScript(2), oddly(func(*odd, *corev1.Pod, fwk.NodeInfo) *fwk.Status {
		utilruntime.HandleError(errors.New("inside"))
		return nil
	}))
	happened := strings.Join(append(facts(p), p.Scheduler().GuestNotes()...), "\n")
	if strings.Contains(happened, "come to rest") || strings.Contains(happened, "of its own time") ||
		!strings.Contains(happened, "Successfully assigned default/p1") {
		t.Error(happened)
	}
}
