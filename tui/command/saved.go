package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/schedstep/schedstep/internal/words"
)

// savedVerbs keep a session in a file.
func savedVerbs() []Verb {
	return []Verb{{
		Name: "save-session", Aliases: []string{"save"}, Usage: "FILE [yes]", takes: []kind{ofNothing, ofYes},
		Does: "save the replay, the position, breakpoints, bookmarks and branches in one file", Run: saveSession,
	}}
}

// saveSession writes the session into a file, and asks before it writes over one.
func saveSession(c Call) (Answer, error) {
	if len(c.Args) < 1 || len(c.Args) > 2 {
		return Answer{}, errors.New("save-session: into which file? (save-session web.session; schedstep replay web.session)")
	}
	to, over := c.Args[0], len(c.Args) == 2 && c.Args[1] == "yes"
	info, err := os.Stat(to)
	switch there := err == nil; {
	case there && !info.Mode().IsRegular():
		return Answer{}, fmt.Errorf("save-session: %s is no ordinary file", to)
	case there && !over:
		return Answer{Ask: Question{
			Page: Page{Title: "Write over the file?", Lines: []string{
				fmt.Sprintf("%s is there already, with %s, of %s.", to, words.CountOf(int(info.Size()), "byte", "bytes"),
					info.ModTime().UTC().Format("2006-01-02 15:04 MST")),
			}},
			Yes: "save-session " + to + " yes",
		}}, nil
	}
	var text bytes.Buffer
	if err := c.Session.Save(&text); err != nil {
		return Answer{}, fmt.Errorf("save-session: %w", err)
	}
	if err := writeWhole(to, text.Bytes()); err != nil {
		return Answer{}, fmt.Errorf("save-session: %w", err)
	}
	return Answer{Said: fmt.Sprintf("%s: %s written; schedstep replay %s opens it here", to,
		words.CountOf(text.Len(), "byte", "bytes"), to)}, nil
}

// writeWhole writes a file beside its place and moves it there, so that no half of it is ever seen.
func writeWhole(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // when it was moved, nothing is there
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
