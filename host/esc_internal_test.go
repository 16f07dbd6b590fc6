package host

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
)

// TestAMoveThatWaitsForAPluginStops cancels a move while a call of a plugin hangs, as Esc and Ctrl-C do: the move ends
// once the call is given up, the Error names the plugin, and the session goes on, back and forth.
func TestAMoveThatWaitsForAPluginStops(t *testing.T) {
	hangs := make(chan struct{}, 64)
	script := oddScript(8)
	p := oddPlayer(t, script, oddly(func(o *odd, pod *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
		if pod.Name == "p1" {
			hangs <- struct{}{}
			o.mu.Lock() // of itself
			o.mu.Lock()
		}
		return nil
	}))
	s := session.New(p, session.About{})
	ctx, escape := context.WithCancel(t.Context())
	go func() {
		<-hangs
		escape()
	}()
	stop := s.Move(ctx, session.Continue, session.Forward, nil)
	if stop.Reason != session.StoppedByUser {
		t.Errorf("it went on: %+v", stop)
	}
	if log := strings.Join(texts(s), "\n"); !strings.Contains(log, `plugin "Odd" at Filter: it does not come to rest`) {
		t.Errorf("the plugin is not named in\n%s", log)
	}
	here := s.Position()
	if stop := s.Move(t.Context(), session.Out, session.Backward, nil); stop.Reason != session.StoppedAtStep {
		t.Errorf("back: %+v", stop)
	}
	if s.Goto(t.Context(), here, nil); s.Position() != here {
		t.Errorf("it is at %v and not at %v", s.Position(), here)
	}
	if stop := s.Move(t.Context(), session.Continue, session.Forward, nil); stop.Reason != session.StoppedAtEnd {
		t.Errorf("on: %+v", stop)
	}
}

// texts are the facts of the steps that a session took, in words.
func texts(s *session.Session) []string {
	var all []string
	_, _ = s.Again(context.Background(), func(step play.Step, _ *core.Scheduler) { all = append(all, factsOf(step)) })
	return all
}
