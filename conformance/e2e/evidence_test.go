//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/e2e"
)

// evidence is a folder for what the programs of a test write. It goes when the test has passed; when it has failed, the
// folder stays, and its name is printed.
func evidence(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "schedstep-e2e-"+strings.ReplaceAll(t.Name(), "/", "-")+"-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what the programs wrote is kept in %s", folder)
			return
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Log(err)
		}
	})
	return folder
}

// follower is a schedstep that runs until it is interrupted. It does not outlive its test.
type follower struct {
	*exec.Cmd
	out, told string // the files of standard output and standard error
	gone      chan struct{}
	err       error // why it ended; read after gone
}

// run starts schedstep, and comes back when it has printed a line that contains a text.
func (r *running) run(until string, args ...string) *follower {
	r.Helper()
	f := &follower{Cmd: r.command(args...), gone: make(chan struct{})}
	r.followers++
	name := r.file(fmt.Sprintf("schedstep-%d-%s", r.followers, args[0]))
	f.out, f.told = name+".out", name+".err"
	out, err := os.Create(f.out)
	r.make(nil, err)
	told, wrong := os.Create(f.told)
	r.make(nil, wrong)
	f.Stdout, f.Stderr = out, told
	r.make(nil, f.Start())
	go func() {
		f.err = f.Wait()
		f.err = errors.Join(f.err, out.Close(), told.Close())
		close(f.gone)
	}()
	r.Cleanup(f.kill)
	r.make(nil, e2e.Await(r.Context(), func(context.Context) (bool, error) {
		if f.says(until) != "" {
			return true, nil
		}
		select {
		case <-f.gone:
			return false, fmt.Errorf("schedstep %s ended before it said %q: %w\n%s", strings.Join(args, " "), until, f.err,
				f.text(f.told))
		default:
			return false, nil
		}
	}))
	return f
}

// kill ends it at once, wherever it is.
func (f *follower) kill() {
	_ = f.Process.Kill()
	<-f.gone
}

// text is what a file of it has by now; what cannot be read is its own text.
func (f *follower) text(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// says returns the printed line that contains a text; "" when there is none.
func (f *follower) says(text string) string {
	for line := range strings.Lines(f.text(f.told)) {
		if strings.Contains(line, text) {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
}

// stop interrupts it, waits, and returns what it printed.
func (f *follower) stop(t *testing.T) string {
	t.Helper()
	if err := f.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-f.gone
	out := f.text(f.out)
	if f.err != nil {
		t.Errorf("%s: %v\n%s%s", f.Args, f.err, out, f.text(f.told))
	}
	return out
}

// file is a file in the folder of evidence.
func (r *running) file(name string) string { return filepath.Join(r.folder, name) }

// output runs schedstep to its end.
func (r *running) output(args ...string) (code int, out, told string) {
	r.Helper()
	return r.ended(r.command(args...))
}

// ended runs a command to its end.
func (r *running) ended(c *exec.Cmd) (code int, out, told string) {
	r.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		r.Fatal(err)
	}
	return c.ProcessState.ExitCode(), stdout.String(), stderr.String()
}
