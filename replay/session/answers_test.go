package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/explain"
	"github.com/schedstep/schedstep/replay/session"
)

// configured reads configurations as the command line does.
func configured(version string, text []byte, source string) (*config.Config, error) {
	with, err := config.Options{}.For(version)
	if err != nil {
		return nil, err
	}
	return config.LoadOr(text, source, with)
}

// ended is a session at the end of a scenario, under kube-scheduler's default configuration with feature gates.
func ended(t *testing.T, gates, text string) *session.Session {
	t.Helper()
	return endedUnder(t, "1.37", gates, text)
}

// endedUnder is ended under the default configuration of a release.
func endedUnder(t *testing.T, version, gates, text string) *session.Session {
	t.Helper()
	decides, _ := release.Find(version)
	on, err := config.ParseGatesOf(decides, gates)
	if err != nil {
		t.Fatal(err)
	}
	c := config.DefaultWith(config.Options{Gates: on})
	about := session.About{Title: "test", Version: version, Configure: configured}
	walk := session.New(read(t, "# A story.\n\n"+text).Play(c, 0, trace.Reported), about)
	walk.Move(context.Background(), session.Continue, session.Forward, nil)
	return walk
}

const withoutTaints = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {disabled: [{name: TaintToleration}]}}
`

// TestRoomThatPodsBeforeItTakeIsTheCause goes to the first cycle: the pods that are tried before low take its room, or
// leave some.
func TestRoomThatPodsBeforeItTakeIsTheCause(t *testing.T) {
	const pods = "pod a cpu=2 priority=5\npod b cpu=2 priority=5\npod low cpu=2\n"
	for nodes, want := range map[string]string{
		"node n1 cpu=4\n":                       "the room is there, and 2 pods before it take it",
		"node n1 cpu=3\n":                       "the room is there, and default/a, which is tried before it, takes it",
		"node n1 cpu=4\npod on node=n1 cpu=4\n": "",
		"node n1 cpu=6\n":                       "",
	} {
		s := withDeaf(t, nodes+pods)
		s.Goto(t.Context(), session.Position{}, nil)
		s.Move(t.Context(), session.Next, session.Forward, nil)
		s.Move(t.Context(), session.Over, session.Backward, nil)
		e, err := s.At().Explain("low")
		if err != nil || e.Place.Queue != queue.ActiveQ {
			t.Fatalf("%q, %v", e.Place.Queue, err)
		}
		said := ""
		for _, c := range s.At().Outrun(t.Context(), &e) {
			said += c.Says.String()
		}
		if said != want {
			t.Errorf("with %q its cause is %q, want %q", nodes, said, want)
		}
	}
}

// TestWhoIsBeingTriedIsNotInTheQueueAnyMore counts, in the middle of a cycle, the pods that will be popped before a
// pod.
func TestWhoIsBeingTriedIsNotInTheQueueAnyMore(t *testing.T) {
	s := withDeaf(t, "node n1 cpu=8\npod a cpu=1\npod b cpu=1\npod c cpu=1\n")
	s.Goto(t.Context(), session.Position{}, nil)
	s.Move(t.Context(), session.Next, session.Forward, nil)
	s.Move(t.Context(), session.Over, session.Backward, nil)
	for pod, before := range map[string]int{"default/b": 0, "default/c": 1} {
		e, err := s.At().Explain(pod)
		if err != nil || e.Place.Before != before {
			t.Errorf("%d are popped before %s, want %d (%v)", e.Place.Before, pod, before, err)
		}
	}
}

func TestAnotherConfigurationDecidesOnABranch(t *testing.T) {
	s := ended(t, "", "node n1 cpu=2 taint=gpu=true:NoSchedule\npod web cpu=1\nadvance 1s\n")
	if node := s.At().Place("default/web").Node; node != "" {
		t.Fatalf("web is on %s", node)
	}
	branch, said, err := s.Edit(session.SetConfig("scheduler.yaml", withoutTaints))
	if err != nil || !strings.Contains(said.String(), "scheduler.yaml") {
		t.Fatalf("%q, %v", said, err)
	}
	if row := s.At().Place("default/web"); row.Queue != "activeQ" || row.Row.Attempts != 0 {
		t.Errorf("it is to be queued as if it came now, and is %+v", row)
	}
	s.Move(context.Background(), session.Continue, session.Forward, nil)
	if node := s.At().Place("default/web").Node; node != "n1" {
		t.Errorf("web is on %q", node)
	}
	if err := s.Drop(branch); err != nil {
		t.Fatal(err)
	}
	s.Move(context.Background(), session.Continue, session.Forward, nil)
	if node := s.At().Place("default/web").Node; node != "" {
		t.Errorf("on the main line web is on %q", node)
	}
	if _, _, err := s.Edit(session.SetConfig("scheduler.yaml", "kind: Pod\n")); err == nil {
		t.Error("a text that is no configuration is taken")
	}
}

// TestAnotherReleaseDecidesOnABranch has the same pods under two releases: the branch ends as a replay of its own does.
func TestAnotherReleaseDecidesOnABranch(t *testing.T) {
	const story = "node n1 cpu=8 taint=team=db:NoSchedule\nnode n2 cpu=4\npod web cpu=3\npod big cpu=4\nadvance 1s\n"
	said := func(s *session.Session) string {
		s.Move(context.Background(), session.Continue, session.Forward, nil)
		return s.Frame().About().Ended.Message
	}
	s := ended(t, "", story)
	now := said(s)
	s.Goto(context.Background(), session.Position{}, nil)
	branch, text, err := s.Edit(session.SetRelease("1.19"))
	if err != nil || !strings.Contains(text.String(), "kube-scheduler 1.19 decides") {
		t.Fatalf("%q, %v", text, err)
	}
	if v := s.Frame().Version; v != "1.19" {
		t.Errorf("the version on the branch is %q", v)
	}
	then := said(s)
	alone := said(endedUnder(t, "1.19", "", story))
	want := "node(s) had taint {team: db}, that the pod didn't tolerate"
	if then != alone || !strings.Contains(then, want) {
		t.Errorf("on the branch: %q\nby itself:     %q", then, alone)
	}
	if now == then {
		t.Errorf("both releases say %q", now)
	}
	if _, _, err := s.Edit(session.SetWeight("ImageLocality", 2)); err != nil || s.Frame().Version != "1.19" {
		t.Errorf("an edit more, and the version is %q (%v)", s.Frame().Version, err)
	}
	if err := s.Drop(branch); err != nil || s.Frame().Version != "1.37" {
		t.Errorf("back on the main line the version is %q (%v)", s.Frame().Version, err)
	}
	if _, _, err := s.Edit(session.SetRelease("1.2")); err == nil || !strings.Contains(err.Error(), "one of 1.37") {
		t.Errorf("release 1.2: %v", err)
	}
}

func TestANodeTellsWhatIsStrandedOnItAndHowOftenItWasChosen(t *testing.T) {
	s := ended(t, "", "node n1 cpu=4 memory=4Gi\nnode n2 cpu=4 memory=4Gi taint=gpu=true:NoSchedule\n"+
		"pod a cpu=1 memory=3Gi\npod b cpu=2 memory=2Gi\npod c cpu=3 memory=2Gi\nadvance 1s\n")
	about := func(node string) session.NodeExplanation {
		e, err := explain.Node(t.Context(), s.At(), node, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := about("n1")
	if got := fmt.Sprint(e.Stranded); got != "[{n1 cpu 3000 2 [memory]}]" {
		t.Errorf("stranded: %s", got)
	}
	if got := fmt.Sprint(e.Fate, e.Cycles); got != "{n1 3 1 0 0 [{NodeResourcesFit 2}]} 3" {
		t.Errorf("n1: %s", got)
	}
	if got := fmt.Sprint(about("n2").Fate); got != "{n2 3 0 0 0 [{TaintToleration 3}]}" {
		t.Errorf("n2: %s", got)
	}
	s.GotoCycle(t.Context(), 1, nil)
	if e := about("n1"); e.Fate.Tries != 1 || e.Cycles != 1 {
		t.Errorf("after the first cycle it tells of %d cycles: %v", e.Cycles, e.Fate)
	}
}

func TestAPodGroupIsExplained(t *testing.T) {
	s := ended(t, "GenericWorkload=true", "node n1 cpu=2\npodgroup train gang=3\n"+
		"pod t-0 cpu=1 group=train\npod t-1 cpu=1 group=train\npod t-2 cpu=1 group=train\nadvance 1s\n")
	for _, word := range []string{"podgroup/train", "podgroup/default/train"} {
		e, err := s.At().ExplainGroup(word)
		if err != nil {
			t.Fatal(err)
		}
		if !e.Gang || e.MinCount != 3 || len(e.Members) != 3 || e.Cycle == nil || e.Place.Queue == "" {
			t.Errorf("%s: %+v", word, e)
		}
	}
	_, err := s.At().ExplainGroup("podgroup/trian")
	if err == nil || !strings.Contains(err.Error(), "podgroup/default/train") {
		t.Errorf("a misspelt name: %v", err)
	}
}

func TestAPodThatIsGoneIsExplainedByItsLastCycle(t *testing.T) {
	s := ended(t, "", "node n1 cpu=4\nnode n2 cpu=2\nnode n3 cpu=8\npod web cpu=1\nadvance 1s\ndelete pod web\n")
	e, err := s.At().Explain("web")
	if err != nil || !e.Gone || e.Cycle == nil || e.Cycle.Selected == nil || e.Cycle.Selected.Node != "n3" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := s.At().Explain("wbe"); err == nil {
		t.Error("a pod that never was is explained")
	}
}

func TestAPodThatIsGoneIsFoundHoweverItWent(t *testing.T) {
	s := ended(t, "", `node n1 cpu=4
pod tried cpu=1
pod came cpu=1 node=n1
schedule
delete pod tried
delete pod came
pod waits cpu=1 gate=ready
`)
	if _, _, err := s.Edit(session.DeletePod("default/waits")); err != nil {
		t.Fatal(err)
	}
	for name, told := range map[string]bool{"tried": true, "came": true, "waits": false} {
		key, err := s.At().PodKey(name)
		if err != nil || key != "default/"+name {
			t.Errorf("%s is found as %q, %v", name, key, err)
		}
		if how, gone := s.At().Left(key); !gone || (how != nil) != told || told && !how.Deleted {
			t.Errorf("%s left %+v, %v", name, how, gone)
		}
		_, err = s.At().Pod(name)
		if err == nil || errors.Is(err, session.ErrNoPod) || !strings.Contains(err.Error(), "is no longer there") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.At().Pod("never"); !errors.Is(err, session.ErrNoPod) {
		t.Errorf("a pod that never was: %v", err)
	}
}
