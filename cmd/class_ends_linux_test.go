package cmd_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// modes are the private modes of a terminal that a screen sets and takes back, such as the other screen (1049), the
// cursor (25) and reports of the mouse (1000 to 1006).
var modes = regexp.MustCompile(`\x1bc|\x1b\[\?([0-9;]+)([hl])`)

// leftSet are the modes that are not as a terminal begins, after it was written to.
func leftSet(written []byte) []string {
	set := map[string]bool{}
	for _, m := range modes.FindAllSubmatch(written, -1) {
		if string(m[0]) == "\x1bc" { // a full reset
			clear(set)
			continue
		}
		for _, mode := range strings.Split(string(m[1]), ";") {
			begins := mode == "25" || mode == "7" // the cursor is seen, and lines wrap
			set[mode] = (string(m[2]) == "h") != begins
		}
	}
	var left []string
	for mode, is := range set {
		if is {
			left = append(left, mode)
		}
	}
	return left
}

// pupil is a student at a pseudo terminal of their own, with the OpenSSH client in it.
type pupil struct {
	*terminal
	name   string
	before unix.Termios
	run    *exec.Cmd

	mu      sync.Mutex
	changed *sync.Cond
	written []byte // all that the terminal was sent
}

// sits connects a student with a line of a shell, and reads what the terminal is sent until it is hung up.
func sits(t *testing.T, name, line string) *pupil {
	t.Helper()
	p := &pupil{terminal: newTerminal(t), name: name}
	p.changed = sync.NewCond(&p.mu)
	p.before = p.settings(t)
	p.run = exec.Command("sh", "-c", line)
	p.run.Env = append(os.Environ(), "TERM=xterm-256color")
	p.run.Stdin, p.run.Stdout, p.run.Stderr = p.program, p.program, p.program
	p.run.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.run.Process.Kill() })
	go func() {
		piece := make([]byte, 4096)
		for {
			n, err := p.person.Read(piece)
			p.mu.Lock()
			p.written = append(p.written, piece[:n]...)
			p.mu.Unlock()
			p.changed.Broadcast()
			if err != nil {
				return
			}
		}
	}()
	return p
}

// sees waits until the terminal was sent a text.
func (p *pupil) sees(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !bytes.Contains(p.written, []byte(text)) {
		p.changed.Wait()
	}
}

// isGivenBack waits until the student has a shell again, and looks at the terminal.
func (p *pupil) isGivenBack(t *testing.T, goodbye string) {
	t.Helper()
	_ = p.run.Wait() // the exit status of ssh differs with the end
	if diff := cmp.Diff(asTyped(p.before), asTyped(p.settings(t))); diff != "" {
		t.Errorf("%s: the terminal's settings (-before +after):\n%s", p.name, diff)
	}
	_, _ = p.program.WriteString("a shell again")
	p.sees("a shell again")
	if left := leftSet(p.written); len(left) > 0 {
		t.Errorf("%s: modes %v are left set", p.name, left)
	}
	if !bytes.Contains(p.written, []byte(goodbye)) {
		t.Errorf("%s: there is no %q in\n%q", p.name, goodbye, p.written[max(0, len(p.written)-400):])
	}
}

// asTyped are the settings that a person who types feels: lines, echo, ctrl+c, and where lines begin and end. reset
// sets others, as a login does.
func asTyped(s unix.Termios) [3]uint32 {
	return [3]uint32{
		s.Iflag & unix.ICRNL, s.Oflag & (unix.OPOST | unix.ONLCR),
		s.Lflag & (unix.ECHO | unix.ICANON | unix.ISIG | unix.IEXTEN),
	}
}

// keysOf writes a key for each of some students, and is the file with the public ones.
func keysOf(t *testing.T, folder string, names []string) string {
	t.Helper()
	var public []byte
	for _, name := range names {
		_, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		signs, err := ssh.NewSignerFromKey(key)
		if err != nil {
			t.Fatal(err)
		}
		block, err := ssh.MarshalPrivateKey(key, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		public = append(public, ssh.MarshalAuthorizedKey(signs.PublicKey())...)
	}
	file := filepath.Join(folder, "public")
	if err := os.WriteFile(file, public, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// relay passes connections on to a port until it is cut, as a network is.
func relay(t *testing.T, port string) (at string, cut func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []net.Conn
	cut = func() {
		mu.Lock()
		defer mu.Unlock()
		_ = l.Close()
		for _, c := range all {
			_ = c.Close()
		}
	}
	t.Cleanup(cut)
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err != nil {
				_ = near.Close()
				return
			}
			mu.Lock()
			all = append(all, near, far)
			mu.Unlock()
			go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
			go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
		}
	}()
	_, at, _ = net.SplitHostPort(l.Addr().String())
	return at, cut
}

// ends are the ways in which a class ends. What a student types is one line of docs/class.md: where the class cannot
// give the terminal back any more, ssh fails, and reset does.
var ends = map[string]struct {
	goodbye string
	end     func(desk *terminal, class *exec.Cmd, cut func())
}{
	"q":       {"Goodbye", func(desk *terminal, _ *exec.Cmd, _ func()) { _, _ = desk.person.WriteString("qq") }},
	"SIGTERM": {"Goodbye", func(_ *terminal, class *exec.Cmd, _ func()) { _ = class.Process.Signal(syscall.SIGTERM) }},
	"a crash": {"\x1bc", func(_ *terminal, class *exec.Cmd, _ func()) { _ = class.Process.Kill() }},
	"network": {"\x1bc", func(_ *terminal, _ *exec.Cmd, cut func()) { cut() }},
}

// TestFiftyTerminalsAreGivenBackHoweverAClassEnds seats fifty students with OpenSSH at a class with a teacher's desk,
// and ends it in each way. Half of them are in the list of lessons, and half in a lesson.
func TestFiftyTerminalsAreGivenBackHoweverAClassEnds(t *testing.T) {
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Log("there is no ssh here (package openssh-client): nothing was shown")
		return
	}
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprintf("pupil%d", i))
	}
	folder := t.TempDir()
	public := keysOf(t, folder, names)
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			desk := newTerminal(t)
			class := desk.command("class", "--listen", "127.0.0.1:0", "--authorized-keys", public)
			class.Env = append(class.Env, "XDG_STATE_HOME="+t.TempDir())
			if err := class.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = class.Process.Kill() })
			port := regexp.MustCompile(`ssh -p (\d+)`).FindStringSubmatch(desk.seen(t, "NAME@127.0.0.1"))
			if port == nil {
				t.Fatal("the desk names no port")
			}
			go func() { _, _ = io.Copy(io.Discard, desk.person) }()
			at, cut := relay(t, port[1])
			var all []*pupil
			for _, name := range names {
				all = append(all, sits(t, name, fmt.Sprintf(
					"ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "+
						"-o LogLevel=ERROR -i %s -p %s %s@127.0.0.1 || reset", filepath.Join(folder, name), at, name)))
			}
			for i, p := range all {
				p.sees("What a scheduler is")
				if i%2 == 0 {
					_, _ = p.person.WriteString("\r")
					p.sees("page 1 of")
				}
			}
			end.end(desk, class, cut)
			for _, p := range all {
				p.isGivenBack(t, end.goodbye)
			}
		})
	}
}
