package cmd_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestThemesOfTheUsersFolderAreListedAndTaken(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, home)
	}
	folder := filepath.Join(home, "schedstep", "themes")
	if runtime.GOOS == "darwin" {
		folder = filepath.Join(home, "Library", "Application Support", "schedstep", "themes")
	}
	if p := program(t, "themes"); strings.Contains(p.out, "mine") {
		t.Fatalf("a theme is listed that is nowhere:\n%s", p.out)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(folder, "mine.yaml")
	write(t, mine, "about: a brighter green\nextends: dark\ncolors:\n  green: \"#7ee787\"\n")
	if p := program(t, "themes"); !strings.Contains(p.out, "a brighter green") || !strings.Contains(p.out, "mono") {
		t.Errorf("themes lists (exit %d):\n%s%s", p.code, p.out, p.err)
	}
	if p := program(t, "demo", "--theme", "mine"); p.code != 0 {
		t.Errorf("--theme mine is refused: %s", p.err)
	}
	if p := program(t, "demo", "--theme", "yours"); p.code != 2 || !strings.Contains(p.err, "mine, mono") {
		t.Errorf("a theme that does not exist ends with %d: %s", p.code, p.err)
	}
	write(t, mine, "extends: dusk\n")
	if p := program(t, "themes"); p.code != 1 || !strings.Contains(p.err, `mine.yaml: extends: `) {
		t.Errorf("a theme that cannot be read ends with %d: %s", p.code, p.err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
