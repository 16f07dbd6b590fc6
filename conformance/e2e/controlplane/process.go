//go:build unix

package controlplane

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// process is a child in a process group of its own, with its output in a file.
type process struct {
	name string
	log  string
	pid  int
	gone chan struct{} // closed when the child has ended
	err  error         // why it ended; read after gone
}

// start runs a program. Where the system can do it, the child dies with the thread that started it, so that one thread
// stays with it to the end.
func start(log, program string, args ...string) (*process, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	p := &process{name: filepath.Base(program), log: log, gone: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer out.Close()
		c := exec.Command(program, args...)
		c.Stdout, c.Stderr, c.SysProcAttr = out, out, attributes()
		err := c.Start()
		if err == nil {
			p.pid = c.Process.Pid
		}
		started <- err
		if err != nil {
			return
		}
		p.err = c.Wait()
		close(p.gone)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return p, nil
}

// stop sends SIGTERM to the process group, and SIGKILL after grace.
func (p *process) stop(grace time.Duration) {
	if grace > 0 && p.signal(syscall.SIGTERM) {
		select {
		case <-p.gone:
		case <-time.After(grace):
		}
	}
	p.signal(syscall.SIGKILL)
	<-p.gone
}

// signal reaches the whole group; false when no process is left in it.
func (p *process) signal(s syscall.Signal) bool {
	return !errors.Is(syscall.Kill(-p.pid, s), syscall.ESRCH)
}

// ended describes how the process ended, with the last lines of its output; nil while it runs.
func (p *process) ended() error {
	select {
	case <-p.gone:
		return fmt.Errorf("%s ended: %s; its last lines (%s):\n%s", p.name, fmt.Sprint(p.err), p.log, p.tail())
	default:
		return nil
	}
}

// tail is the last few lines of the output.
func (p *process) tail() string {
	const lines = 15
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	all := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}
