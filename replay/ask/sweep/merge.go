package sweep

import (
	"bytes"
	"errors"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Merged is the result of a merge.
type Merged struct {
	Runs    int
	Missing int // runs that no folder has
}

// Merge joins the results of folders to those of one sweep. The order of the folders does not count, nor that a run is
// in several of them. It refuses folders of other sweeps, a run of which two folders have different figures and, unless
// partial, that runs are missing.
func Merge(to string, folders []string, partial bool) (m Merged, err error) {
	first, err := sameSweep(folders)
	if err != nil {
		return m, err
	}
	plan, err := first.plan()
	if err != nil {
		return m, err
	}
	all, err := readLogs(folders)
	if err != nil {
		return m, err
	}
	defer all.close()
	m.Runs = plan.Runs()
	missing := ""
	for run := range plan.Runs() {
		if !all.Has(run) {
			if m.Missing++; m.Missing == 1 {
				missing = strconv.Itoa(run)
			}
		}
	}
	if m.Missing > 0 && !partial {
		return m, phrase.Errorf("%d of %d runs are in none of the folders, the first of them is run %s: play their shards, "+
			"or write what is there (--partial)", m.Missing, m.Runs, missing)
	}
	first.Shard = nil
	into, err := first.Begin(to)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	for run := range plan.Runs() {
		if all.Has(run) && !into.Has(run) {
			frame, err := all.frame(run)
			if err == nil {
				err = into.append(run, frame, all.of[run].at[run].status)
			}
			if err != nil {
				return m, phrase.Errorf("%s: %w", to, disk.Bare(err))
			}
		}
	}
	return m, WriteTables(to, plan, first.Vary, 0, plan.Runs(), into)
}

// sameSweep is the manifest of the sweep that all folders are of.
func sameSweep(folders []string) (*Manifest, error) {
	var first *Manifest
	for _, folder := range folders {
		m, err := readManifest(folder)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = m
			continue
		}
		if why := first.Differs(m); !why.IsZero() {
			return nil, phrase.Errorf("%s and %s are of two sweeps: %s", folders[0], folder, why)
		}
	}
	return first, nil
}

// plan is the plan that a manifest is of.
func (m *Manifest) plan() (*Plan, error) {
	space := Space{Axes: m.Vary, Where: m.Where, Sample: m.Sample, Seed: m.SampleSeed, Most: m.Variants + 1}
	variants, err := space.Variants()
	if err != nil {
		return nil, err
	}
	p := &Plan{Seeds: m.Seeds, Variants: variants}
	for _, in := range m.Inputs {
		p.Inputs = append(p.Inputs, in.Name)
	}
	again := *m
	if err := again.Complete(p); err != nil {
		return nil, err
	}
	if again.Hash != m.Hash || again.Tables != m.Tables {
		return nil, phrase.Errorf("the sweep is of schedstep %s, whose variants are not those of this build", m.Version)
	}
	return p, nil
}

// logs are results of several folders.
type logs struct {
	open []*Log
	of   map[int]*Log // by run: that whose result counts
}

func (l *logs) Has(run int) bool { return l.of[run] != nil }

func (l *logs) frame(run int) ([]byte, error) { return l.of[run].frame(run) }

func (l *logs) close() {
	for _, log := range l.open {
		_ = log.Close() // it was only read
	}
}

// readLogs reads the logs of folders and chooses, of each run, the result that counts.
func readLogs(folders []string) (*logs, error) {
	all := &logs{of: map[int]*Log{}}
	reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(longest))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for _, folder := range folders {
		log, err := logOf(filepath.Join(folder, logFile))
		if err != nil {
			all.close()
			return nil, phrase.Errorf("%s: %w", filepath.Join(folder, logFile), disk.Bare(err))
		}
		all.open = append(all.open, log)
		for run := range log.at {
			if err := all.take(run, log, reader); err != nil {
				all.close()
				return nil, err
			}
		}
	}
	return all, nil
}

// take chooses between the result of a log and the one that counted so far: one with figures, else the lesser of the
// two lines, so that the order of folders does not count.
func (l *logs) take(run int, log *Log, reader *zstd.Decoder) error {
	old := l.of[run]
	if old == nil {
		l.of[run] = log
		return nil
	}
	var lines [2][]byte
	var done [2]bool
	for i, from := range []*Log{old, log} {
		frame, err := from.frame(run)
		if err != nil {
			return err
		}
		r, err := decode(reader, frame)
		if err != nil {
			return err
		}
		if lines[i], err = reader.DecodeAll(frame, nil); err != nil {
			return err
		}
		done[i] = r.Row.Status == Done
	}
	switch order := bytes.Compare(lines[0], lines[1]); {
	case done[0] && done[1] && order != 0:
		return phrase.Errorf("run %d has other figures in %s than in %s", run, old.path, log.path)
	case done[1] && !done[0], done[0] == done[1] && order > 0:
		l.of[run] = log
	}
	return nil
}
