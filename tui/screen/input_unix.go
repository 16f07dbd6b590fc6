//go:build unix

package screen

import (
	"os"

	tea "charm.land/bubbletea/v2"
)

// guardedInput reads the terminal of this process through a guard.
func guardedInput() []tea.ProgramOption {
	return []tea.ProgramOption{tea.WithInput(&guardedFile{File: os.Stdin})}
}

// guardedFile is a terminal; everything but reading is the file's own.
type guardedFile struct {
	*os.File
	guard guard
}

// Read reads what is harmless. It returns no bytes and no error when nothing of what came is.
func (f *guardedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	return len(f.guard.pass(p[:n])), err
}
