package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// stateFile is the path of the file in which the progress of a learner is kept.
type stateFile string

// progressFile is in the user's folder of states: XDG_STATE_HOME, or ~/.local/state.
func progressFile() (stateFile, error) {
	folder, err := stateFolder()
	return stateFile(filepath.Join(folder, "lessons.json")), err
}

// stateFolder is where the program keeps what it must not lose.
func stateFolder() (string, error) {
	folder := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(folder) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", phrase.Errorf("where the progress is kept: %w (set XDG_STATE_HOME)", err)
		}
		folder = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(folder, "schedstep"), nil
}

// mostOfProgress is far beyond what any course needs.
const mostOfProgress = 1 << 20

// read is the progress that was saved last; a missing file is no progress.
func (f stateFile) read() (lesson.Progress, error) {
	data, err := bounded.ReadFile(string(f), mostOfProgress)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, phrase.Errorf("progress %s: %w", f, disk.Bare(err))
	}
	p, err := lesson.ReadProgress(data)
	if err != nil {
		return nil, phrase.Errorf("progress %s: %w", f, err)
	}
	return p, nil
}

// write keeps the progress whole or not at all.
func (f stateFile) write(p lesson.Progress) error {
	data, err := p.Bytes()
	if err != nil {
		return err
	}
	if err := disk.Keep(string(f), data); err != nil {
		return phrase.Errorf("progress: %w", err)
	}
	return nil
}
