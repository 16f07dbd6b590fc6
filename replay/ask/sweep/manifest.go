package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// The names of the files of a sweep besides its tables.
const (
	manifestFile = "manifest.json"
	logFile      = "runs.log"
)

// Results are the files that a sweep goes on from and is merged from, the manifest first.
func Results() []string { return []string{manifestFile, logFile} }

const apiVersion = "schedstep.dev/v1"

// tablesVersion is that of the columns and of the figures in them.
const tablesVersion = 1

// Manifest is what the results of a sweep depend on. Two sweeps with the same manifest except for the shard have the
// same results. Its JSON is stable: members are added, and none changes its meaning.
type Manifest struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Version    string   `json:"version"` // of schedstep
	Tables     int      `json:"tables"`  // version of the tables
	Inputs     []Hashed `json:"inputs"`
	Files      []Hashed `json:"files,omitempty"`    // that settings name
	Settings   []string `json:"settings,omitempty"` // flags that hold for every run
	Vary       []Axis   `json:"vary"`
	Where      string   `json:"where,omitempty"`
	Sample     int      `json:"sample,omitempty"`
	SampleSeed uint64   `json:"sampleSeed,omitempty"`
	Seeds      []uint64 `json:"seeds"`
	Variants   int      `json:"variants"` // with the base
	Runs       int      `json:"runs"`
	Hash       string   `json:"hash"` // of the variants
	Shard      *ShardOf `json:"shard,omitempty"`
}

// Hashed is a name and the SHA-256 of what it stands for.
type Hashed struct {
	Name string `json:"name"`
	Hash string `json:"sha256"`
}

// ShardOf is which part of a sweep a folder holds.
type ShardOf struct {
	Index int `json:"index"` // from 0
	Of    int `json:"of"`
}

// Hash is the SHA-256 of what a writer is given.
func Hash(write func(io.Writer) error) (string, error) {
	sum := sha256.New()
	if err := write(sum); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Complete fills in what follows from a plan.
func (m *Manifest) Complete(plan *Plan) error {
	m.APIVersion, m.Kind, m.Tables = apiVersion, "Sweep", tablesVersion
	m.Seeds, m.Variants, m.Runs = plan.Seeds, len(plan.Variants), plan.Runs()
	var err error
	m.Hash, err = Hash(func(to io.Writer) error { return json.NewEncoder(to).Encode(plan.Variants) })
	return err
}

// text is the manifest as its file has it.
func (m *Manifest) text() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// Differs is a sentence about the first thing in which another manifest is of another sweep; zero: it is of the same.
// The shards may differ.
func (m *Manifest) Differs(o *Manifest) phrase.Phrase {
	same := func(a, b any) bool {
		x, errX := json.Marshal(a)
		y, errY := json.Marshal(b)
		return errX == nil && errY == nil && bytes.Equal(x, y)
	}
	switch {
	case m.Version != o.Version || m.Tables != o.Tables:
		return phrase.New("one is of schedstep %s, the other of %s", m.Version, o.Version)
	case len(m.Inputs) != len(o.Inputs):
		return phrase.New("one has %d inputs, the other %d", len(m.Inputs), len(o.Inputs))
	}
	for i := range m.Inputs {
		switch a, b := m.Inputs[i], o.Inputs[i]; {
		case a.Name != b.Name:
			return phrase.New("one has the input %s, the other %s", a.Name, b.Name)
		case a.Hash != b.Hash:
			return phrase.New("the input %s is not the same in both", a.Name)
		}
	}
	switch {
	case !slices.Equal(m.Seeds, o.Seeds):
		return phrase.New("the seeds are not the same in both")
	case !same(m.Vary, o.Vary) || m.Hash != o.Hash:
		return phrase.New("the variants are not the same in both")
	case !same(m.Files, o.Files):
		return phrase.New("the files that settings name are not the same in both")
	case !same(m.Settings, o.Settings):
		return phrase.New("the flags are not the same in both")
	}
	return phrase.Phrase{}
}

// readManifest reads the manifest of a folder.
func readManifest(folder string) (*Manifest, error) {
	path := filepath.Join(folder, manifestFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, phrase.Errorf("%s: %w", path, disk.Bare(err))
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil || m.Kind != "Sweep" {
		return nil, phrase.Errorf("%s is no manifest of a sweep", path)
	}
	return &m, nil
}

// leftover matches the name of a file that was not moved to where it belongs, because its process was killed.
var leftover = regexp.MustCompile(
	`^(probe|manifest\.json|(runs|resources|pods|variants)\.(csv|parquet)|tune\.json|steps\.csv|best\.yaml)\.[0-9]+$`,
)

func isLeftover(name string) bool { return leftover.MatchString(name) }

// clean removes leftovers from the folder of a sweep.
func clean(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return phrase.Errorf("%s: %w", folder, disk.Bare(err))
	}
	for _, e := range entries {
		if !isLeftover(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return phrase.Errorf("%s: %w", filepath.Join(folder, e.Name()), disk.Bare(err))
		}
	}
	return nil
}

// Begin makes the folder of a sweep ready: it is new, empty, or holds results of the same sweep, which stay.
func (m *Manifest) Begin(folder string) (*Log, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, phrase.Errorf("%s: %w", folder, disk.Bare(err))
	}
	old, err := readManifest(folder)
	if err != nil {
		entries, listed := os.ReadDir(folder)
		if listed == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !isLeftover(e.Name()) }) {
			return nil, phrase.Errorf("%s holds something else than a sweep: choose another folder", folder)
		}
		text, err := m.text()
		if err != nil {
			return nil, err
		}
		err = replace(folder, manifestFile, func(to io.Writer) error {
			_, err := to.Write(text)
			return err
		})
		if err != nil {
			return nil, err
		}
		return m.log(folder)
	}
	if why := m.Differs(old); !why.IsZero() {
		return nil, phrase.Errorf("%s holds another sweep: %s; choose another folder", folder, why)
	}
	if (old.Shard == nil) != (m.Shard == nil) || m.Shard != nil && *m.Shard != *old.Shard {
		return nil, phrase.Errorf("%s holds another shard of this sweep: choose another folder", folder)
	}
	return m.log(folder)
}

func (m *Manifest) log(folder string) (*Log, error) {
	l, err := OpenLog(filepath.Join(folder, logFile))
	if err != nil {
		return nil, phrase.Errorf("%s: %w", filepath.Join(folder, logFile), disk.Bare(err))
	}
	if err := clean(folder); err != nil { // now that nothing else is writing there
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
