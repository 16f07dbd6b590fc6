package prose_test

import (
	"context"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

// TestPodsThatNoCycleIsAboutAreExplained explains pods that finished, were deleted, or came with their node.
func TestPodsThatNoCycleIsAboutAreExplained(t *testing.T) {
	in, err := input.ReadScenario("test", strings.NewReader(`# Pods that no cycle is about.

node n1 cpu=4 memory=8Gi
pod bound node=n1 cpu=1
pod job node=n1 cpu=1
pod web cpu=1
advance 10s
update pod job phase=Succeeded
delete pod web
`))
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(in.Play(config.Default(), 0, trace.Reported), session.About{Title: "test"})
	first := func(pod string) string {
		e, err := s.At().Explain(pod)
		if err != nil {
			return err.Error()
		}
		return prose.Plain(prose.Page(e, nil, prose.Usual))[0]
	}
	s.Move(context.Background(), session.Next, session.Forward, nil)
	if text := first("job"); text != "default/job is on node n1." {
		t.Errorf("before it finished: %s", text)
	}
	s.Move(context.Background(), session.Continue, session.Forward, nil)
	for pod, want := range map[string]string{
		"job":    "default/job is over: Succeeded on node n1, known since 00:00:10. No scheduler looks at it any more.",
		"web":    "default/web is no longer there: it was deleted at 00:00:10.",
		"nobody": `there is no pod "nobody"`,
	} {
		if text := first(pod); text != want {
			t.Errorf("%s: %s, want %s", pod, text, want)
		}
	}
	e, err := s.At().Explain("bound")
	if err != nil {
		t.Fatal(err)
	}
	want := "No cycle of this replay chose the node: why it is there is not known. Its schedulerName is default-scheduler."
	if text := strings.Join(prose.Plain(prose.Page(e, nil, prose.Usual)), "\n"); !strings.Contains(text, want) {
		t.Errorf("%q is missing:\n%s", want, text)
	}
}

// TestAPageOfAPastNamesWhatIsInTheWay explains a pod that waits where pods hold what it lacks, one of them in the place
// of the pod before it.
func TestAPageOfAPastNamesWhatIsInTheWay(t *testing.T) {
	in, err := input.ReadScenario("test", strings.NewReader(`# A pod comes again, and another has its place.

node n1 cpu=4 memory=8Gi
pod keeper node=n1 cpu=2
pod db node=n1 cpu=2
advance 10s
pod batch cpu=2
advance 10s
delete pod db
advance 10s
pod db cpu=2
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, happened := range []bool{true, false} {
		s := session.New(in.Play(config.Default(), 0, trace.Reported), session.About{Title: "test", Happened: happened})
		s.Move(context.Background(), session.Continue, session.Forward, nil)
		e, err := s.At().Explain("db")
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(prose.Plain(prose.Page(e, nil, prose.Usual)), "\n")
		want := `What holds what it lacks, and since when
  cpu of n1, where nothing else is missing
    Pod default/batch: 2, 1 pod, bound at 00:00:20
    Pod default/keeper: 2, 1 pod
  default/db was on n1 before, until it was deleted at 00:00:20; what was bound there since:
    default/batch, bound at 00:00:20
`
		if strings.Contains(text, want) != happened {
			t.Errorf("a past: %v\n%s", happened, text)
		}
	}
}
