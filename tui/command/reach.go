package command

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Reach is what a user may reach from a session besides the session itself. The zero value is nothing. This file is the
// only one of the verbs that touches files; every verb that needs a file calls it.
type Reach uint8

// What can be reached.
const (
	ReadFiles Reach = 1 << iota
	WriteFiles
	RunPrograms // an editor
	Clipboard
)

// Everything is what a user at their own machine may reach.
const Everything = ReadFiles | WriteFiles | RunPrograms | Clipboard

// kinds names what cannot be reached.
var kinds = []struct {
	reach Reach
	named phrase.Phrase
}{
	{ReadFiles, phrase.New("reads no files")},
	{WriteFiles, phrase.New("writes no files")},
	{RunPrograms, phrase.New("runs no programs")},
	{Clipboard, phrase.New("leaves the clipboard alone")},
}

// Check is the sentence for a user that may not reach something; nil: it is allowed.
func (r Reach) Check(wanted Reach) error {
	var not phrase.Phrase
	for _, k := range kinds {
		switch {
		case wanted&^r&k.reach == 0:
		case not.IsZero():
			not = k.named
		default:
			not = phrase.New("%s and %s", not, k.named)
		}
	}
	if not.IsZero() {
		return nil
	}
	return phrase.Errorf("this session %s: it is shown by somebody else's machine", not)
}

// readFile is a file's text, if the person may read files.
func (c Call) readFile(path string, most int64) ([]byte, error) {
	if err := c.May.Check(ReadFiles); err != nil {
		return nil, err
	}
	return bounded.ReadFile(path, most)
}

// stat describes a file that would be written.
func (c Call) stat(path string) (fs.FileInfo, error) {
	if err := c.May.Check(WriteFiles); err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// writeNew makes a file; one that is there already stays as it is. What cannot be written whole is removed again.
func (c Call) writeNew(path, text string) error {
	if err := c.May.Check(WriteFiles); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return c.lang().Errorf("%s is there already (name another file)", path)
	case err != nil:
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// replace makes the output of write take the place of a file, and returns how large it is.
func (c Call) replace(path string, write func(io.Writer) error) (size int64, err error) {
	if err := c.May.Check(WriteFiles); err != nil {
		return 0, err
	}
	if err := disk.Replace(path, 0o644, write); err != nil {
		return 0, err
	}
	written, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return written.Size(), nil
}

// room refuses to make one more thing where only so many may be.
func (c Call) room() error {
	if c.Most > 0 && c.Session.Made() >= c.Most {
		return c.lang().Errorf(
			"there are %d branches, breakpoints, bookmarks and displayed values, the most there may be here: "+
				"undo, clear, forget or undisplay takes some away", c.Most,
		)
	}
	return nil
}
