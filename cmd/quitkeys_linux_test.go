package cmd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
)

// quitsBefore presses a key when a text is seen, while there is no screen yet: the program ends, and the terminal is as
// it was. The server stays silent meanwhile, so a program that waits for it would not end at all.
func quitsBefore(t *testing.T, key, see string, asked <-chan struct{}, args ...string) {
	t.Helper()
	e := newTerminal(t)
	before := e.settings(t)
	program := e.start(t, args...)
	if asked != nil {
		<-asked
	}
	if see != "" {
		e.seen(t, see)
	}
	fmt.Fprint(e.person, key)
	said := e.seen(t, "stopped")
	_ = program.Wait()
	if got := program.ProcessState.ExitCode(); got != 0 || strings.Contains(said, "error") {
		t.Errorf("%v: exit %d\n%s", args, got, said)
	}
	if diff := cmp.Diff(before, e.settings(t)); diff != "" {
		t.Errorf("%v: the terminal's settings (-before +after):\n%s", args, diff)
	}
}

func TestQuittingEndsWhatWaitsForAServerThatNeverAnswers(t *testing.T) {
	for _, key := range []string{"q", "\x1b"} {
		asked := make(chan struct{}, 100)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-r.Context().Done()
		}))
		t.Setenv("KUBECONFIG", apiserver.Kubeconfig(t, server.URL))
		quitsBefore(t, key, "", asked, "attach")
		server.Close()
	}
}

func TestQuittingEndsTheFirstLists(t *testing.T) {
	running(t).Keep(apiserver.PathOf(cluster.KindPod))
	quitsBefore(t, "q", "reading the cluster: ", nil, "attach")
}

func TestQuittingEndsTheWaitForTheLease(t *testing.T) {
	running(t)
	folder := t.TempDir()
	first := newTerminal(t)
	driver := first.start(t, "drive", "--serve", "none")
	first.seen(t, "driving: ")
	quitsBefore(t, "q", "waiting for the lease", nil,
		"attach", "--drive", "--serve", "none", "--log", filepath.Join(folder, "writes.jsonl"))
	_ = driver.Process.Kill()
	_ = driver.Wait()
}
