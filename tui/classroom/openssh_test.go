package classroom_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/crypto/ssh"
	"k8s.io/utils/clock"

	"github.com/schedstep/schedstep/replay/learn/class"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/serve"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/classroom"
	"github.com/schedstep/schedstep/tui/prompt"
)

// school is a class that is open, with a key for its students.
type school struct {
	t     testing.TB
	class *classroom.Class
	at    *net.TCPAddr
	files string // of the students' ssh
	close func()
}

// signer is the key of a student or of the host. The name alone decides the key.
func signer(t testing.TB, who string) (ed25519.PrivateKey, ssh.Signer) {
	t.Helper()
	seed := sha256.Sum256([]byte(who))
	key := ed25519.NewKeyFromSeed(seed[:])
	s, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return key, s
}

// opened is a class that keeps its students in a folder. Each of the names has a key.
func opened(t testing.TB, folder string, names ...string) *school {
	t.Helper()
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	room, err := class.New(course, lesson.WordsIn(lesson.English), class.Store(folder), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	theme, err := themes.Load(themes.Mono)
	if err != nil {
		t.Fatal(err)
	}
	c := &classroom.Class{
		Room: room, Language: lesson.English, Theme: theme, Limits: classroom.Usual(), Turns: classroom.NewTurns(),
		Clock: clock.RealClock{},
		Play: func(ctx context.Context, s *session.Session, line string) error {
			return prompt.CarryOut(ctx, s, line, 0, io.Discard)
		},
	}
	_, host := signer(t, "the host")
	s := &school{t: t, class: c, files: t.TempDir()}
	limits := serve.Usual()
	limits.Requests, limits.Typing = 1e6, 1e6
	door, err := serve.New(serve.Options{
		HostKey: host, Keys: s.writeKeys(names), Limits: limits, Clock: clock.RealClock{},
	}, c.Host)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.at = l.Addr().(*net.TCPAddr)
	s.write("known", fmt.Appendf(nil, "[127.0.0.1]:%d %s", s.at.Port, ssh.MarshalAuthorizedKey(host.PublicKey())))
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- door.Serve(ctx, l) }()
	s.close = sync.OnceFunc(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(s.close)
	return s
}

// writeKeys writes the private keys of students, and is the public ones.
func (s *school) writeKeys(names []string) []ssh.PublicKey {
	s.t.Helper()
	var public []ssh.PublicKey
	for _, name := range names {
		key, signs := signer(s.t, name)
		block, err := ssh.MarshalPrivateKey(key, name)
		if err != nil {
			s.t.Fatal(err)
		}
		s.write("key-"+name, pem.EncodeToMemory(block))
		public = append(public, signs.PublicKey())
	}
	return public
}

// write writes a file that the students' ssh reads.
func (s *school) write(name string, text []byte) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.files, name), text, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// ssh is the OpenSSH client that connects to the class as one user.
func (s *school) ssh(name string, more ...string) *exec.Cmd {
	args := append([]string{
		"-F", os.DevNull, "-p", fmt.Sprint(s.at.Port), "-i", filepath.Join(s.files, "key-"+name), "-l", name,
		"-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "LogLevel=ERROR",
		"-o", "UserKnownHostsFile=" + filepath.Join(s.files, "known"),
	}, more...)
	c := exec.Command("ssh", args...)
	c.Env = append(os.Environ(), "TERM=xterm-256color")
	return c
}

// seen is what a student sees: the screen of an emulated terminal.
type seen struct {
	t    testing.TB
	keys io.WriteCloser
	run  *exec.Cmd

	mu       sync.Mutex
	changed  *sync.Cond
	terminal *vt.Emulator
	over     bool
}

// sits connects a student by ssh.
func (s *school) sits(name string) *seen {
	s.t.Helper()
	v := &seen{t: s.t, run: s.ssh(name, "-tt", "127.0.0.1"), terminal: vt.NewEmulator(80, 24)}
	v.changed = sync.NewCond(&v.mu)
	keys, err := v.run.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := v.run.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	v.keys = keys
	if err := v.run.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, v.terminal) }()
	go func() {
		piece := make([]byte, 4096)
		for {
			n, err := out.Read(piece)
			v.mu.Lock()
			_, _ = v.terminal.Write(piece[:n])
			v.over = err != nil
			v.mu.Unlock()
			v.changed.Broadcast()
			if err != nil {
				return
			}
		}
	}()
	s.t.Cleanup(func() {
		_ = v.run.Process.Kill()
		_ = v.run.Wait()
		_ = v.terminal.InputPipe().(io.Closer).Close() // Close of the terminal itself writes what its readers read
	})
	return v
}

// sees waits until the screen shows all of some texts.
func (v *seen) sees(texts ...string) {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for {
		now, all := v.terminal.String(), true
		for _, text := range texts {
			all = all && strings.Contains(now, text)
		}
		if all {
			return
		}
		if v.over {
			v.t.Fatalf("the screen never showed %q:\n%s", texts, now)
		}
		v.changed.Wait()
	}
}

// leaves waits until the student is out.
func (v *seen) leaves() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for !v.over {
		v.changed.Wait()
	}
}

func (v *seen) types(keys string) {
	v.t.Helper()
	if _, err := io.WriteString(v.keys, keys); err != nil {
		v.t.Fatal(err)
	}
}

// hasSSH reports whether the OpenSSH client is there; .ci/run installs it.
func hasSSH(t *testing.T) bool {
	t.Helper()
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Log("there is no ssh here (package openssh-client): nothing was shown")
		return false
	}
	return true
}

func TestAStudentWalksTheFirstLessonByOpenSSHAndGoesOnAfterTheServerWasKilled(t *testing.T) {
	if !hasSSH(t) {
		return
	}
	folder := t.TempDir()
	first := opened(t, folder, "anna", "bob")
	anna := first.sits("anna")
	anna.sees("The class", "What a scheduler is", "0 of")
	anna.types("\r")
	anna.sees("page 1 of", "run to 1")
	anna.types("n")
	anna.sees("done.")
	anna.types(">")
	anna.sees("page 2 of")
	first.close() // nothing is written when a server ends: it may as well be killed
	again := opened(t, folder, "anna", "bob")
	if all := again.class.Room.Students(); len(all) != 1 || all[0].Name != "anna" || all[0].Done != 1 {
		t.Fatalf("of anna's progress this is left: %+v", all)
	}
	anna = again.sits("anna")
	anna.sees("The class", "1 of")
	anna.types("\r")
	anna.sees("page 2 of")
	anna.types("q")
	anna.sees("The class")
	anna.types("q")
	if err := anna.run.Wait(); err != nil {
		t.Errorf("ssh ended with %v", err)
	}
}

func TestOpenSSHGetsNothingButTheScreen(t *testing.T) {
	if !hasSSH(t) {
		return
	}
	s := opened(t, t.TempDir(), "anna", "bob")
	for what, c := range map[string]struct {
		args []string
		says string
	}{
		"a command":   {[]string{"127.0.0.1", "id"}, "no commands are run"},
		"files":       {[]string{"-s", "127.0.0.1", "sftp"}, "There are no files here"},
		"no terminal": {[]string{"-T", "127.0.0.1"}, "A class needs a terminal"},
		"a port there": {
			[]string{"-N", "-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:1", "127.0.0.1"},
			"remote port forwarding failed",
		},
		"a connection": {[]string{"-W", "127.0.0.1:1", "127.0.0.1"}, "stdio forwarding failed"},
		"a device":     {[]string{"-N", "-o", "ExitOnForwardFailure=yes", "-w", "0:0", "127.0.0.1"}, "unnel"},
		"a socket there": {
			[]string{"-N", "-o", "ExitOnForwardFailure=yes", "-R", "/tmp/x:127.0.0.1:1", "127.0.0.1"},
			"remote port forwarding failed",
		},
	} {
		run := s.ssh("anna", c.args...)
		var said bytes.Buffer
		run.Stdout, run.Stderr = &said, &said
		if err := run.Run(); err == nil || !strings.Contains(said.String(), c.says) {
			t.Errorf("%s: ssh ends with %v and says %q, want %q", what, err, said.String(), c.says)
		}
	}
}

// What a student sends besides keys neither reaches a file nor ends the screen of another student.
func TestAStudentWhoTriesToLeaveTheSandboxGetsNowhere(t *testing.T) {
	if !hasSSH(t) {
		return
	}
	s := opened(t, t.TempDir(), "anna", "bob")
	bob := s.sits("bob")
	bob.sees("The class")
	bob.types("\r")
	bob.sees("page 1 of")
	bob.types("n")
	bob.sees("done.")
	for line, says := range map[string]string{
		"source /etc/passwd": "reads no files", "edit node/n1": "runs no programs",
		"export cycle /tmp/class-x.html": "no files",
		"edit node/n1 /etc/passwd":       "reads no files",
	} {
		bob.types(":" + line + "\r")
		bob.sees(":"+line, says)
		bob.types(strings.Repeat("\x7f", len(line)+1)) // the line that is to be mended is emptied, and closed
		bob.sees("space run")
	}
	bob.types("y")
	bob.sees("leaves the clipboard alone")
	bob.types("\x1a") // ctrl+z
	bob.sees("no shell here")
	bob.types("\x1b[" + strings.Repeat("1;", 5000) + "m\x1b]52;c;" + strings.Repeat("A", 1000) + "\x07\x1b[8;9999;9999t")
	bob.types("n")
	bob.sees("cycle 2")
	anna := s.sits("anna")
	anna.sees("The class")
	// What is pasted and does not end is not gathered for ever: bob has to come in again.
	_, _ = io.WriteString(bob.keys, "\x1b[200~"+strings.Repeat("x", 1<<20))
	bob.leaves()
	anna.types("\r")
	anna.sees("page 1 of")
}
