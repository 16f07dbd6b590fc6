// Package editor has a person change a text in an editor of their own. It knows nothing of what the text means, and
// draws nothing: the editor has the terminal while it runs.
package editor

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Sheet is a file with a text that is being changed. It stays until Drop.
type Sheet struct {
	Path string
	text string
}

// New puts a text into a file of its own, in the folder for temporary files, with a name that editors know it by.
func New(name, text string) (*Sheet, error) {
	dir, err := os.MkdirTemp("", "schedstep-")
	if err != nil {
		return nil, phrase.Errorf("edit: %w", err)
	}
	s := &Sheet{Path: filepath.Join(dir, filepath.Base(name)), text: text}
	if err := os.WriteFile(s.Path, []byte(text), 0o600); err != nil {
		return nil, errors.Join(phrase.Errorf("edit: %w", err), s.Drop())
	}
	return s, nil
}

// Command runs the editor on the file: $VISUAL, else $EDITOR, else the one that every system has. The variables may
// hold arguments.
func (s *Sheet) Command() *exec.Cmd {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	words := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), usual))
	return exec.Command(words[0], append(words[1:], s.Path)...)
}

// Text is the text as it is now, and whether it is another one.
func (s *Sheet) Text() (text string, changed bool, err error) {
	now, err := os.ReadFile(s.Path)
	if err != nil {
		return "", false, phrase.Errorf("edit: %w", err)
	}
	return string(now), string(now) != s.text, nil
}

// Drop removes the file.
func (s *Sheet) Drop() error { return os.RemoveAll(filepath.Dir(s.Path)) }
