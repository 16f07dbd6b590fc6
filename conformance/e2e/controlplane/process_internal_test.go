//go:build unix

package controlplane

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAProcessThatEndsIsToldWithItsLastWords(t *testing.T) {
	p, err := start(filepath.Join(t.TempDir(), "log"), "/bin/sh", "-c", "echo no certificate; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	<-p.gone
	for _, want := range []string{"sh ended", "exit status 3", "no certificate"} {
		if err := p.ended(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q in it", err, want)
		}
	}
	p.stop(time.Hour) // of one that is gone: at once
}

func TestAStubbornProcessIsKilledWithItsGroup(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := syscall.Mkfifo(log, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := start(log, "/bin/sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 600; done")
	if err != nil {
		t.Fatal(err)
	}
	words, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer words.Close()
	if word, err := bufio.NewReader(words).ReadString('\n'); word != "deaf\n" {
		t.Fatalf("it says %q: %v", word, err)
	}
	p.stop(10 * time.Millisecond)
	if p.err == nil || p.err.Error() != "signal: "+syscall.SIGKILL.String() {
		t.Errorf("it ended by %v", p.err)
	}
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	if _, err := start(filepath.Join(t.TempDir(), "log"), "/nowhere/etcd"); err == nil ||
		!strings.Contains(err.Error(), "etcd") {
		t.Errorf("%v", err)
	}
}
