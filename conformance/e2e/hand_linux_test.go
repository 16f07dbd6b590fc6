//go:build e2e

package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/schedstep/schedstep/internal/pty"
)

// onTerminal is a schedstep that a person has on a terminal.
type onTerminal struct {
	*running
	person *os.File
	unread []byte // what was drawn since the person looked last
}

// open runs schedstep on a terminal. It does not outlive its test.
func (r *running) open(args ...string) *onTerminal {
	r.Helper()
	person, program, err := pty.Open(160, 45)
	r.make(nil, err)
	c := r.command(args...)
	c.Env = append(c.Env, "TERM=xterm-256color", "XDG_STATE_HOME="+r.folder)
	c.Stdin, c.Stdout, c.Stderr = program, program, program
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	r.make(nil, c.Start())
	r.make(nil, program.Close()) // so that reading ends when the program does
	r.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		_ = person.Close()
	})
	return &onTerminal{running: r, person: person}
}

// sees waits until a word is drawn. What is drawn with it counts for the next word too.
func (o *onTerminal) sees(word string) {
	o.Helper()
	window := make([]byte, 4096)
	for {
		if at := bytes.Index(o.unread, []byte(word)); at >= 0 {
			o.unread = o.unread[at+len(word):]
			return
		}
		n, err := o.person.Read(window)
		if err != nil {
			o.Fatalf("%q was never drawn: %v\n%s", word, err, o.unread)
		}
		o.unread = append(o.unread, window[:n]...)
	}
}

func (o *onTerminal) presses(keys string) {
	o.Helper()
	o.make(o.person.WriteString(keys))
}

// A person binds a pod by hand on the screen. The scheduler stands still meanwhile, and would have
// chosen the other node.
func TestAPodIsBoundByHandOnTheScreen(t *testing.T) {
	r := start(t, 2)
	r.mayDrive()
	r.wanted("web", "schedstep", 100, nil)
	r.wanted("other", "schedstep", 100, nil)
	log := filepath.Join(r.folder, "writes.jsonl")
	o := r.open("attach", "--drive", "--as", driver, "-n", "shop", "--serve", "none", "--log", log)
	o.sees("paused")
	o.presses("m")
	o.sees("pod?")
	o.presses("web\r")
	o.sees("node?")
	o.presses("n01\r")
	o.sees("pods/web/binding")
	if p := r.pod("web"); p.Spec.NodeName != "" {
		t.Errorf("it is on %s before anybody said so", p.Spec.NodeName)
	}
	o.presses("c")
	r.await("the pod is bound", r.isBound("web"))
	if p := r.pod("web"); p.Spec.NodeName != "n01" {
		t.Errorf("it was bound to %s", p.Spec.NodeName)
	}
	if p := r.pod("other"); p.Spec.NodeName != "" {
		t.Errorf("a pod that nobody spoke of is on %s", p.Spec.NodeName)
	}
	r.boundOnce(1)
	if text, err := os.ReadFile(log); err != nil || !bytes.Contains(text, []byte("bind shop/web to n01 by hand")) {
		t.Errorf("%v; the log says %s", err, text)
	}
}
