package cmd_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A run that waits for the answer of an extender still ends by a signal.
func TestASignalEndsARunThatWaitsForAnExtender(t *testing.T) {
	asked, answer := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-answer
	}))
	defer server.Close()
	defer close(answer)
	extended(t, server.URL, "filterVerb: filter, httpTimeout: 1h")
	for _, s := range endings {
		e := newTerminal(t)
		before := e.settings(t)
		program := e.start(t, "run", "cluster.yaml", "--config", "config.yaml")
		<-asked
		e.ends(t, program, s, before)
	}
}

// The output of convert is not read, so the first Ctrl-C finds it where no context reaches it. The next one kills.
func TestAnotherCtrlCKillsWhatIsStuck(t *testing.T) {
	nodes, err := filepath.Abs(samples + "openb/openb_node_list_all_node.csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("out.jsonl", 0o600); err != nil {
		t.Fatal(err)
	}
	e := newTerminal(t)
	program := e.start(t, "convert", nodes, "-o", "out.jsonl")
	out, err := os.Open("out.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	capacity, err := unix.FcntlInt(out.Fd(), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		t.Fatal(err)
	}
	for full := 0; full < capacity; runtime.Gosched() {
		if full, err = unix.IoctlGetInt(int(out.Fd()), unix.TIOCINQ); err != nil {
			t.Fatal(err)
		}
	}
	if err := program.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	e.seen(t, "Ctrl-C again")
	if err := program.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	status := program.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v; a signal should have killed it", program.ProcessState)
	}
}

func TestConvertKeepsTheModeOfWhatItReplaces(t *testing.T) {
	cluster, err := filepath.Abs("testdata/every_field.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o444} {
		if err := os.WriteFile("out.jsonl", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod("out.jsonl", mode); err != nil {
			t.Fatal(err)
		}
		said(t, 0, "convert", cluster, "-o", "out.jsonl", "--force")
		info, err := os.Stat("out.jsonl")
		if err != nil || info.Mode().Perm() != mode || info.Size() == 0 {
			t.Errorf("%v, %v; want the mode %v and a recording", info, err, mode)
		}
		if err := os.Remove("out.jsonl"); err != nil {
			t.Fatal(err)
		}
	}
}

// Every command that prints reports a full disk.
func TestAWriteThatFailsIsToldOf(t *testing.T) {
	for _, args := range [][]string{
		{"help"}, {"themes"}, {"demo", "--list"}, {"keys"}, {"version"}, {"run", "testdata/every_field.yaml"},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		e := newTerminal(t)
		program := e.command(args...)
		program.Stdout = full
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		e.seen(t, "no space left")
		_ = program.Wait()
		if got := program.ProcessState.ExitCode(); got != 1 {
			t.Errorf("%s: exit %d, want 1", strings.Join(args, " "), got)
		}
		if err := full.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
