package cmd_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/internal/pty"
)

// watcher is a person who looks at a terminal, on which programs draw.
type watcher struct {
	*terminal
	picture *vt.Emulator
	sent    []byte // all that was ever written to the terminal
}

func newWatcher(t *testing.T) *watcher {
	t.Helper()
	w := &watcher{terminal: newTerminal(t), picture: vt.NewEmulator(200, 45)}
	if err := pty.Resize(w.program, 200, 45); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, w.picture) // what a terminal answers to questions of a program
		close(drained)
	}()
	t.Cleanup(func() {
		_ = w.picture.InputPipe().(io.Closer).Close() // Close of the terminal itself writes what its readers read
		<-drained
	})
	return w
}

// waitsFor looks at the terminal until all texts are on it at once. Whoever waits in vain is ended with the test.
func (w *watcher) waitsFor(t *testing.T, texts ...string) {
	t.Helper()
	w.waits(t, func(picture string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(picture, text) })
	}, fmt.Sprint(texts))
}

// waits looks at the terminal until the picture is as it should be.
func (w *watcher) waits(t *testing.T, is func(picture string) bool, what string) {
	t.Helper()
	window := make([]byte, 4096)
	for !is(w.picture.String()) {
		n, err := w.person.Read(window)
		if err != nil {
			t.Fatalf("%s was never seen, and %v, after\n%s", what, err, w.picture.String())
		}
		_, _ = w.picture.Write(window[:n])
		w.sent = append(w.sent, window[:n]...)
	}
}

func (w *watcher) presses(keys string) { fmt.Fprint(w.person, keys) }

// ended waits for a program to end, and checks how it does: without a crash, and the terminal is as it was.
func (w *watcher) ended(t *testing.T, program *exec.Cmd, code int, before unix.Termios) {
	t.Helper()
	_ = program.Wait()
	if got := program.ProcessState.ExitCode(); got != code {
		t.Errorf("exit %d, want %d\n%s", got, code, w.picture.String())
	}
	if diff := cmp.Diff(before, w.settings(t)); diff != "" {
		t.Errorf("the terminal's settings (-before +after):\n%s", diff)
	}
}

// fault is something that keeps a server from answering as it should.
type fault struct {
	name       string
	begin, end func(s *apiserver.Server)
	open       string // what the screen says of it while it is open
	start      string // what the program says of it when it ends because of it; "": the same as open
	patience   string // --request-timeout of the program; "": 5s
}

func refusing(code int) (begin, end func(*apiserver.Server)) {
	return func(s *apiserver.Server) { s.Refuse("", code) }, func(s *apiserver.Server) { s.Refuse("", 0) }
}

func faults() []fault {
	all := []fault{
		{name: "401", open: "it does not accept these credentials (401 Unauthorized)"},
		{name: "403", open: "you may not do this (403 Forbidden)"},
		{name: "429", open: "it answers 429 Too Many Requests: "},
		{name: "500", open: "it answers 500 Internal Server Error: "},
		{
			name: "put off", open: "it answers 429 Too Many Requests and asks to be asked later",
			begin: func(s *apiserver.Server) { s.Delay("/") }, end: func(s *apiserver.Server) { s.Delay("") },
		},
		{
			name: "garbage", open: "it answers, but not as a Kubernetes API server does",
			begin: func(s *apiserver.Server) { s.Garble(true) }, end: func(s *apiserver.Server) { s.Garble(false) },
		},
		{
			name: "silence", open: "it does not answer", start: "no answer came within 2s", patience: "2s",
			begin: func(s *apiserver.Server) { s.Keep("/") }, end: func(s *apiserver.Server) { s.Keep("") },
		},
		{
			name: "away", open: "it closes the connection without an answer",
			begin: func(s *apiserver.Server) { s.Vanish() }, end: func(s *apiserver.Server) { s.Return() },
		},
	}
	for i := range all {
		f := &all[i]
		if f.begin == nil {
			var code int
			_, _ = fmt.Sscan(f.name, &code)
			f.begin, f.end = refusing(code)
		}
		if f.start == "" {
			f.start = f.open
		}
		if f.patience == "" {
			f.patience = "5s"
		}
	}
	return all
}

// attached starts the program on a server. Patience is how long it waits for an answer.
func (w *watcher) attached(t *testing.T, s *apiserver.Server, patience string) *exec.Cmd {
	t.Helper()
	return w.start(t, "attach", "--kubeconfig", apiserver.Kubeconfig(t, s.URL()), "--request-timeout", patience)
}

// In each case the screen shows what is wrong, still takes keys, goes on when the fault has passed, and ends when the
// user quits while it lasts.
func TestAFaultWhileTheScreenIsOpenIsToldAndPassesOrIsLeft(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := apiserver.New(t)
			s.Put(apiserver.Node("n1"))
			s.Put(apiserver.Pod("first", ""))
			w := newWatcher(t)
			before := w.settings(t)
			program := w.attached(t, s, f.patience)
			w.waitsFor(t, "▶ live", "shop/first")
			f.begin(s)
			s.HangUp()
			w.waitsFor(t, "cut off since ", f.open)
			w.presses("?")
			w.waitsFor(t, "esc close")
			w.presses("\x1b")
			w.waitsFor(t, "q quit")
			f.end(s)
			s.Put(apiserver.Pod("second", ""))
			w.waits(t, func(picture string) bool {
				return strings.Contains(picture, "shop/second") && !strings.Contains(picture, "cut off")
			}, "shop/second without a fault")
			f.begin(s)
			s.HangUp()
			w.waitsFor(t, "cut off since ", f.open)
			w.presses("q")
			w.seen(t, "\x1b[?1049l") // the screen is left
			w.ended(t, program, 0, before)
		})
	}
}

// Without a good start there is no screen: one sentence gives the reason.
func TestAFaultFromTheStartIsOneSentence(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		if f.name == "403" {
			continue // nobody need know the version and the kinds; that the lists are refused is told elsewhere
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := apiserver.New(t)
			f.begin(s)
			w := newWatcher(t)
			before := w.settings(t)
			program := w.attached(t, s, f.patience)
			w.waitsFor(t, "error: the cluster here (http://", f.start)
			w.ended(t, program, 1, before)
		})
	}
}

// The server has answered with its version, and then does not answer the first request after that, which is for its
// kinds.
func TestAServerThatFallsSilentAfterItsVersionIsOneSentence(t *testing.T) {
	t.Parallel()
	s := apiserver.New(t)
	s.Keep("/api")
	w := newWatcher(t)
	before := w.settings(t)
	program := w.attached(t, s, "2s")
	w.waitsFor(t, "error: the cluster here (http://", "no answer came within 2s")
	w.ended(t, program, 1, before)
}

// The first lists do not come, and the program repeats its requests. The terminal shows the reason, and q ends the
// program.
func TestWhatKeepsTheFirstListsIsTold(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]struct {
		begin func(s *apiserver.Server, path string)
		told  string
	}{
		"silence": {func(s *apiserver.Server, path string) { s.Keep(path) }, "it does not answer"},
		"put off": {
			func(s *apiserver.Server, path string) { s.Delay(path) },
			"it answers 429 Too Many Requests and asks to be asked later",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apiserver.New(t)
			keep.begin(s, apiserver.PathOf(cluster.KindPod))
			w := newWatcher(t)
			before := w.settings(t)
			program := w.attached(t, s, "2s")
			w.waitsFor(t, "reading the cluster: ", "cut off since ", keep.told)
			w.presses("q")
			w.ended(t, program, 0, before)
		})
	}
}

// Before the first answer the terminal names the server, and the key that ends the wait.
func TestTheServerThatIsAskedIsNamedBeforeItAnswers(t *testing.T) {
	t.Parallel()
	s := apiserver.New(t)
	s.Keep("/")
	w := newWatcher(t)
	before := w.settings(t)
	program := w.start(t, "attach", "--kubeconfig", apiserver.Kubeconfig(t, s.URL()), "--lang", "zh")
	w.waitsFor(t, "正在连接 "+s.URL()+" ……（按 q 结束）")
	w.presses("q")
	w.waitsFor(t, "已停止")
	w.ended(t, program, 0, before)
}

// loggingIn is a kubeconfig for a server with TLS, to which a credential plugin logs in.
func loggingIn(t *testing.T, s *apiserver.Server, program string) string {
	t.Helper()
	secure := httptest.NewTLSServer(s) // nobody logs in where nothing is secret
	t.Cleanup(secure.Close)
	config := apiserver.Kubeconfig(t, secure.URL)
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("token: secret"), []byte("exec: {apiVersion: client.authentication.k8s.io/v1, "+
		"command: "+program+", interactiveMode: IfAvailable}"), 1)
	text = bytes.Replace(text, []byte("{server: "), []byte("{insecure-skip-tls-verify: true, server: "), 1)
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// The login program of a kubeconfig may print a question before there is a screen. When it runs again later, the first
// line shows its output, and it cannot read the keys.
func TestALoginThatIsRunAgainNeverTouchesTheScreen(t *testing.T) {
	t.Parallel()
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	folder := t.TempDir()
	logIn := filepath.Join(folder, "log-in")
	script := fmt.Sprintf(`#!/bin/sh
if test -e %[1]s/expired; then echo "one-time password:" >&2; read -r word || exit 7; fi
echo "who are you?" >&2
touch %[1]s/asked
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"secret"}}'
`, folder)
	if err := os.WriteFile(logIn, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	config := loggingIn(t, s, logIn)
	states := t.TempDir()
	s.Warn("v1 Pod goes away in v1.99")
	w := newWatcher(t)
	before := w.settings(t)
	program := w.command("attach", "--kubeconfig", config, "--request-timeout", "5s")
	program.Env = append(program.Env, "XDG_STATE_HOME="+states)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	w.waitsFor(t, "▶ live")
	if !bytes.Contains(w.sent, []byte("who are you?")) {
		t.Errorf("before there is a screen the login may ask, and what it says was not written:\n%s", w.sent)
	}
	if err := os.WriteFile(filepath.Join(folder, "expired"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Refuse("", http.StatusUnauthorized)
	s.HangUp()
	w.waitsFor(t, "the login program says: one-time password:")
	w.presses("?") // the program takes the keys, not the login
	w.waitsFor(t, "esc close")
	if picture := w.picture.String(); strings.Count(picture, "one-time password") != 1 ||
		!strings.Contains(strings.SplitN(picture, "\n", 2)[0], "one-time password") {
		t.Errorf("the login writes on the screen:\n%s", picture)
	}
	w.presses("\x1b")
	w.waitsFor(t, "q quit")
	if err := os.Remove(filepath.Join(folder, "expired")); err != nil {
		t.Fatal(err)
	}
	s.Refuse("", 0)
	s.Put(apiserver.Pod("second", ""))
	w.waits(t, func(picture string) bool {
		return strings.Contains(picture, "shop/second") && !strings.Contains(picture, "cut off")
	}, "shop/second without a fault")
	log := filepath.Join(states, "schedstep", "schedstep.log")
	w.presses("q")
	w.waitsFor(t, " about the connection, in ")
	w.ended(t, program, 0, before)
	fileSays(t, log, "one-time password", "v1 Pod goes away in v1.99", "Cut off", "401", "Followed again")
	if bytes.Contains(w.sent, []byte("goes away")) {
		t.Errorf("a warning was written to the terminal:\n%s", w.sent)
	}
}

// fileSays holds that all texts are in a file.
func fileSays(t *testing.T, file string, texts ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	for _, said := range texts {
		if !bytes.Contains(text, []byte(said)) {
			t.Errorf("%s does not say %q: %v\n%s", file, said, err, text)
		}
	}
}
