package sweep

import (
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Loaded is the results of a folder.
type Loaded struct {
	Manifest *Manifest
	plan     *Plan
	results  []*Result // in the order of runs, without pods; nil: the folder has no such run
}

// Load reads the results of a folder.
func Load(folder string) (*Loaded, error) {
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	plan, err := m.plan()
	if err != nil {
		return nil, phrase.Errorf("%s: %w", folder, err)
	}
	log, err := logOf(filepath.Join(folder, logFile))
	if err != nil {
		return nil, phrase.Errorf("%s: %w", filepath.Join(folder, logFile), disk.Bare(err))
	}
	defer func() { _ = log.Close() }() // it was only read
	reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(longest))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	l := &Loaded{Manifest: m, plan: plan, results: make([]*Result, plan.Runs())}
	for run := range l.results {
		if !log.Has(run) {
			continue
		}
		frame, err := log.frame(run)
		if err != nil {
			return nil, err
		}
		r, err := decode(reader, frame)
		if err != nil {
			return nil, phrase.Errorf("%s: run %d: %w", folder, run, err)
		}
		r.Pods = nil
		l.results[run] = r
	}
	return l, nil
}
