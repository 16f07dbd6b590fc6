package disk_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/disk"
)

// says writes some lines to a log.
func says(t *testing.T, l *disk.Log, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if _, err := l.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
}

// holds compares a file with its lines.
func holds(t *testing.T, file string, lines ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if got := strings.Fields(string(text)); err != nil || strings.Join(got, " ") != strings.Join(lines, " ") {
		t.Errorf("%s: %v, want %v (%v)", filepath.Base(file), got, lines, err)
	}
}

func TestALogKeepsItsLastLinesInTwoFilesOfOneSize(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "program.log")
	l := disk.NewLog(file, 10)
	if _, err := os.Stat(file); err == nil || l.Lines() != 0 {
		t.Errorf("there is a file, or %d lines, before the first line", l.Lines())
	}
	says(t, l, "one", "two", "three", "four", "five")
	holds(t, file, "four", "five")
	holds(t, file+".1", "three")
	info, err := os.Stat(file)
	if err != nil || l.Lines() != 5 {
		t.Errorf("%v, %d lines", err, l.Lines())
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v", info.Mode())
	}
	says(t, l, "longer-than-all")
	holds(t, file, "longer-than-all")
	holds(t, file+".1", "four", "five")
}

// Two processes add to one file: neither moves away what the other has just begun.
func TestTwoWhoWriteOneLogMoveItOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "program.log")
	a, b := disk.NewLog(file, 12), disk.NewLog(file, 12)
	says(t, a, "a1")
	says(t, b, "b1")
	says(t, a, "a2")
	says(t, b, "b2")
	says(t, a, "a3") // this one moves it
	says(t, b, "b3") // and this one goes on in the new one
	holds(t, file+".1", "a1", "b1", "a2", "b2")
	holds(t, file, "a3", "b3")
}

func TestALogThatCannotBeMadeSaysSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := disk.NewLog(filepath.Join(file, "program.log"), 10).Open(); err == nil {
		t.Error("a file was made within a file")
	}
}
