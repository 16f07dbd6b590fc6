package input

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/audit"
	"github.com/schedstep/schedstep/replay/source/etcd"
	"github.com/schedstep/schedstep/replay/source/history"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/schedulerlog"
)

// traces are the paths of which a cluster's past is rebuilt.
type traces struct {
	logs      []string // audit logs
	databases []string // databases and snapshots of etcd
	wals      []string // files of its write-ahead log
	beliefs   []string // logs of kube-scheduler
}

func (t *traces) any() bool { return len(t.logs)+len(t.databases)+len(t.wals) > 0 }

// take reports whether a path holds traces of a cluster's past and nothing else, and remembers them. A folder in which
// they lie among other files, as in a must-gather, is left to the importer, with a notice: the folder of the logs can
// be named by itself.
func (t *traces) take(r *reading, path string) bool {
	if r.Format != "" || r.streams[path] != nil || path == "-" {
		return false
	}
	var found traces
	others := 0
	for _, name := range expanded(path) {
		for i, file := range under(name) {
			if !found.add(file) {
				others++
			}
			if others > 0 && i >= mostLookedAt && !found.any() {
				return false
			}
		}
	}
	switch {
	case others > 0 && found.any():
		r.hints = append(r.hints, phrase.Textf(
			"%s: logs of the cluster in it (%s) are left out; name them to play its past", path, phrase.Names(found.all()),
		))
		return false
	case others > 0 || len(found.all()) == 0:
		return false
	}
	t.logs, t.wals = append(t.logs, found.logs...), append(t.wals, found.wals...)
	t.databases, t.beliefs = append(t.databases, found.databases...), append(t.beliefs, found.beliefs...)
	return true
}

// mostLookedAt is how many files of a folder are looked into before one without any trace is left.
const mostLookedAt = 64

// add takes a file for what its first bytes are; false when it is something else.
func (t *traces) add(file string) bool {
	switch head := headOf(file); {
	case audit.Is(head):
		t.logs = append(t.logs, file)
	case etcd.IsDatabase(head):
		t.databases = append(t.databases, file)
	case etcd.IsLog(head):
		t.wals = append(t.wals, file)
	case schedulerlog.Is(head):
		t.beliefs = append(t.beliefs, file)
	default:
		return isOfMember(file)
	}
	return true
}

// all are the files of every sort.
func (t *traces) all() []string { return slices.Concat(t.logs, t.databases, t.wals, t.beliefs) }

// isOfMember reports whether a file of an etcd's folder holds nothing that is needed.
func isOfMember(name string) bool {
	return strings.HasSuffix(name, ".snap") || strings.HasSuffix(name, ".wal") || strings.HasSuffix(name, ".tmp")
}

// expanded is a path, or the paths that match it.
func expanded(path string) []string {
	if !importer.IsPattern(path) {
		return []string{path}
	}
	found, _ := filepath.Glob(path)
	return found
}

// mostFiles is how many files of a folder are looked into.
const mostFiles = 10_000

// under is a regular file, or those of a folder in the order of their names.
func under(path string) []string {
	var files []string
	_ = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && len(files) < mostFiles {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				files = append(files, name)
			}
		}
		return nil
	})
	return files
}

// headOf is the first bytes of a file, unpacked when it is compressed; nil when it cannot be read.
func headOf(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	from, err := audit.Unpacked(f)
	if err != nil {
		return nil
	}
	head := make([]byte, 16<<10)
	n, _ := io.ReadFull(from, head)
	return bytes.Clone(head[:n])
}

// relive makes a replay of what a cluster's logs keep. beside are the objects of a dump that was taken later; nil:
// there is none.
func (r *reading) relive(ctx context.Context, t traces, beside *Input) (*Input, error) {
	if len(t.databases)+len(t.wals) > 0 {
		return r.ofEtcd(ctx, t, beside)
	}
	vault := r.vault()
	log, err := r.readLogs(ctx, &audit.Log{Vault: vault}, t.logs)
	if err != nil {
		return nil, err
	}
	var later []cluster.Object
	if beside != nil {
		for _, timed := range beside.Script {
			later = append(later, timed.Event.Object)
		}
	}
	if len(log.Writes) == 0 {
		return nil, nothingIn(t.logs, log)
	}
	g := r.gather(vault)
	report := history.Stream(log.Writes, log.Marks, later, vault, g.take)
	in := g.input(t.logs, report, beside)
	in.Past.ofEntries(log.Counts)
	in.ofAudit(log, report)
	in.ofReport(report)
	if report.Incomplete() {
		in.emptier = "the logs do not show everything that was there"
		in.Hidden = in.emptier
	}
	return in, nil
}

// readLogs reads audit logs, file by file.
func (r *reading) readLogs(ctx context.Context, log *audit.Log, names []string) (*audit.Log, error) {
	log.To, log.Whole, log.Most = r.To, r.Whole, r.Most
	if log.Most == 0 {
		log.Most = mostKept
	}
	done, total := int64(0), sizeOf(names)
	for _, name := range names {
		if err := r.readLog(ctx, log, name, &done, total); err != nil {
			return nil, err
		}
	}
	return log, nil
}

// mostKept is how many bytes of bodies are kept of logs unless --max-input sets another number.
const mostKept = 2 << 30

func sizeOf(names []string) (total int64) {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			total += info.Size()
		}
	}
	return total
}

// readLog adds one file to a log.
func (r *reading) readLog(ctx context.Context, log *audit.Log, name string, done *int64, total int64) error {
	f, err := os.Open(name)
	if err != nil {
		return phrase.Errorf("%s cannot be read: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	return log.Read(ctx, name, &counted{in: f, done: done, total: total, progress: r.Progress})
}

// counted reports how far the reading of several files is.
type counted struct {
	in       io.Reader
	done     *int64
	shown    int64
	total    int64
	progress func(done, total int64)
}

// Read reads on.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	*c.done += int64(n)
	if c.progress != nil && *c.done-c.shown > 1<<20 {
		c.shown = *c.done
		c.progress(*c.done, c.total)
	}
	return n, err
}

// nothingIn is the error of logs without any write.
func nothingIn(names []string, log *audit.Log) error {
	c := log.Counts
	if c.Outside > 0 {
		return phrase.Errorf("%s: nothing lies before --to; %d writes lie after it", called(names), c.Outside)
	}
	return phrase.Errorf("%s: %d entries of an audit log, and no write of an object that a scheduler reads",
		called(names), c.Entries)
}
