package host

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/replay/session"
)

// hanging is a session in which a call of a plugin about the pod p1 waits for itself, and what is sent when it does.
// The plugin's calls have all the time of the test.
func hanging(t *testing.T) (s *session.Session, hangs chan struct{}) {
	t.Helper()
	hangs = make(chan struct{}, 64)
	p := oddPlayer(t, oddScript(8), oddly(func(o *odd, pod *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
		if pod.Name == "p1" {
			hangs <- struct{}{}
			o.mu.Lock() // of itself
			o.mu.Lock()
		}
		return nil
	}))
	homeOf(p.Scheduler().State().Companion()).patience = time.Hour
	return session.New(p, session.About{}), hangs
}

const givenUp = `plugin "Odd" at Filter: it does not come to rest: a call went on when the move was ended`

// TestTheEndOfAMoveEndsACallThatHangs cancels as Esc and Ctrl-C do: the call is given up, where it would go on for an
// hour, and the step is over. It is not made again when the step is. tui has the test by key.
func TestTheEndOfAMoveEndsACallThatHangs(t *testing.T) {
	s, hangs := hanging(t)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-hangs
		interrupt()
	}()
	if stop := s.Move(ctx, session.Continue, session.Forward, nil); stop.Reason != session.StoppedByUser {
		t.Errorf("it went on: %+v", stop)
	}
	if stop := s.Move(t.Context(), session.Continue, session.Forward, nil); stop.Reason != session.StoppedAtEnd {
		t.Errorf("on: %+v", stop)
	}
	if log := strings.Join(texts(s), "\n"); !strings.Contains(log, givenUp) {
		t.Errorf("the plugin is not named in\n%s", log)
	}
	if len(hangs) > 0 {
		t.Errorf("the call was made %d times more", len(hangs))
	}
}
