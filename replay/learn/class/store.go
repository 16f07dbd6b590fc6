package class

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// Store is a folder with a file for each person.
type Store string

// record is what is kept of a person.
type record struct {
	Name     string          `json:"name"`
	Key      string          `json:"key,omitempty"` // the fingerprint; "": they are known by their name
	Progress lesson.Progress `json:"progress"`
	Did      []did           `json:"did,omitempty"`
	Answers  []Answer        `json:"answers,omitempty"`
	Points   int             `json:"points"` // of the rounds they guessed in
	Worth    int             `json:"worth"`  // that these rounds were worth
}

// did is a task that was done.
type did struct {
	At     time.Time `json:"at"`
	Lesson string    `json:"lesson"`
	Task   string    `json:"task"`
	Hints  int       `json:"hints"` // that were shown
}

// Answer is what was answered to a task.
type Answer struct {
	At     time.Time `json:"at"`
	Lesson string    `json:"lesson"`
	Task   string    `json:"task"`
	Text   string    `json:"text"`
	Right  bool      `json:"right"`
}

// idOf is the name of a student's file and the student's identity. The name that the student typed is not in it.
func idOf(name, key string) string {
	who := "name " + name
	if key != "" {
		who = "key " + key
	}
	sum := sha256.Sum256([]byte(who))
	return hex.EncodeToString(sum[:12])
}

// recordEnding is the ending of the names of these files.
const recordEnding = ".json"

// mostOfARecord is the most bytes that are read of a file. What is written is far smaller.
const mostOfARecord = 1 << 20

// read reads the records of all people. A damaged file is an error: otherwise it would be overwritten, and the progress
// in it lost.
func (s Store) read() (map[string]record, error) {
	files, err := os.ReadDir(string(s))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, phrase.Errorf("class: %w", err)
	}
	all := map[string]record{}
	for _, f := range files {
		id, is := strings.CutSuffix(f.Name(), recordEnding)
		if !is || strings.HasPrefix(id, ".") {
			continue
		}
		path := filepath.Join(string(s), f.Name())
		data, err := bounded.ReadFile(path, mostOfARecord)
		if err != nil {
			return nil, phrase.Errorf("class: %w", err)
		}
		var r record
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, phrase.Errorf("class: %s is not what a class writes: %w (move it away to begin anew)", path, err)
		}
		if r.Progress == nil {
			r.Progress = lesson.Progress{}
		}
		all[id] = r
	}
	return all, nil
}

// forget takes away what is kept of a person, if it can be.
func (s Store) forget(id string) { _ = os.Remove(filepath.Join(string(s), id+recordEnding)) }

func (s Store) write(id string, r *record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = disk.Keep(filepath.Join(string(s), id+recordEnding), append(data, '\n'))
	}
	if err != nil {
		return phrase.Errorf("class: the progress of %s: %w", r.Name, err)
	}
	return nil
}
