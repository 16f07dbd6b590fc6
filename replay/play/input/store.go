package input

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/audit"
	"github.com/schedstep/schedstep/replay/source/etcd"
	"github.com/schedstep/schedstep/replay/source/history"
)

// ofEtcd makes a replay of the files of an etcd.
func (r *reading) ofEtcd(ctx context.Context, t traces, beside *Input) (*Input, error) {
	names := slices.Concat(t.databases, t.wals)
	if len(t.databases) > 1 {
		return nil, phrase.Errorf("%s: several databases of etcd; one holds all that the others do", called(names))
	}
	store := &etcd.Store{Whole: r.Whole, Vault: r.vault()}
	since := uint64(0)
	told := r.readWALs(ctx, store, t.wals)
	logged := len(store.Changes)
	whole := len(t.wals) > 0 && told == nil
	for _, name := range t.databases {
		if err := r.readDatabase(ctx, store, name); err != nil {
			return nil, err
		}
		if !whole {
			since = store.Counts.Compacted
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := disagree(store.Changes[:logged], store.Changes[logged:]); n > 0 {
		store.Changes, whole, since = store.Changes[logged:], false, store.Counts.Compacted
		told = phrase.Errorf("the write-ahead log is not that of the database: %d revisions disagree; "+
			"the database is read alone", n)
	}
	if len(store.Changes) == 0 {
		if told != nil && len(t.databases) == 0 {
			return nil, phrase.Errorf("%s: %w", called(t.wals), told)
		}
		return nil, phrase.Errorf("%s: %d revisions, and none of an object that a scheduler reads (%d are encrypted)",
			called(names), store.Counts.Revisions, store.Counts.Encrypted)
	}
	log, err := r.readLogs(ctx, &audit.Log{Pulse: true}, t.logs)
	if err != nil {
		return nil, err
	}
	beats := history.Beats(slices.Concat(log.Writes, log.Leases), log.Marks)
	if len(t.logs) > 0 {
		beats = append(beats, history.Paired(store.Changes, log.Writes, beats)...)
	}
	g := r.gather(store.Vault)
	report := history.OfStore(store.Changes, history.Joined(beats, store.Beats), since, store.Vault, g.take)
	in := g.input(names, report, beside)
	if len(t.logs) > 0 {
		in.ofMoments(log, len(beats))
	}
	if in.release != "" {
		in.Release, in.Told = in.release, "its nodes say so"
	}
	if told != nil {
		in.Refused = append(in.Refused, phrase.Textf("%s: %s", called(t.wals), told))
	}
	in.ofStore(store, report, whole, len(beats) == 0)
	return in, nil
}

// disagree counts the revisions of a database that the write-ahead log has reached and does not have alike.
func disagree(logged, kept []history.Change) (n int) {
	if len(logged) == 0 {
		return 0
	}
	type place struct {
		revision  uint64
		kind, key string
	}
	of := func(c history.Change) place {
		return place{c.Revision, c.Name.GetObjectKind().GroupVersionKind().Kind, cluster.Key(c.Name)}
	}
	have := map[place]bool{}
	for _, c := range logged {
		have[of(c)] = true
	}
	last := logged[len(logged)-1].Revision
	for _, c := range kept {
		if c.Revision <= last && !have[of(c)] {
			n++
		}
	}
	return n
}

// readWALs adds the files of a write-ahead log in the order of their names.
func (r *reading) readWALs(ctx context.Context, store *etcd.Store, names []string) error {
	if len(names) == 0 {
		return nil
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(a, b) })
	var files []io.Reader
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return phrase.Errorf("it cannot be read: %w", err)
		}
		r.opened = append(r.opened, f)
		from, err := audit.Unpacked(f)
		if err != nil {
			return phrase.Errorf("it cannot be unpacked: %w", err)
		}
		files = append(files, from)
	}
	return store.ReadLogs(ctx, files)
}

// readDatabase adds one database. One that is compressed is unpacked in memory: a copy on the disk would hold the
// Secrets of the cluster.
func (r *reading) readDatabase(ctx context.Context, store *etcd.Store, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return phrase.Errorf("%s cannot be read: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return phrase.Errorf("%s cannot be read: %w", name, err)
	}
	var file io.ReaderAt = f
	size := info.Size()
	head := make([]byte, headOfAFile)
	if n, _ := f.ReadAt(head, 0); !etcd.IsDatabase(head[:n]) {
		from, err := audit.Unpacked(f)
		if err != nil {
			return phrase.Errorf("%s cannot be unpacked: %w", name, err)
		}
		most := r.Most
		if most == 0 {
			most = mostKept
		}
		all, err := io.ReadAll(io.LimitReader(from, most+1))
		if err != nil || int64(len(all)) > most {
			return phrase.Errorf("%s: it is cut, or larger than --max-input allows when it is unpacked", name)
		}
		file, size = bytes.NewReader(all), int64(len(all))
	}
	if err := store.ReadDatabase(ctx, file, size); err != nil {
		return phrase.Errorf("%s: %w", name, err)
	}
	return nil
}

// ofMoments notes what audit logs beside an etcd give: moments, and the schedulers that decided.
func (in *Input) ofMoments(log *audit.Log, moments int) {
	in.note("audit logs beside etcd: objects are those of etcd, and %s of audit entries",
		phrase.Count(moments, "moment is that", "moments are those"))
	if c := log.Counts; c.Scheduler != "" {
		in.Release, in.Told = c.Scheduler, "its scheduler's user agent says so"
	}
	by := map[string]int{}
	for i := range log.Writes {
		if log.Writes[i].Sub == "binding" {
			by[log.Writes[i].By]++
		}
	}
	in.ofBindings(by)
	if n := log.Counts.Broken; n > 0 {
		in.Refused = append(in.Refused, phrase.Textf("audit logs: left out %s (no audit entry, or cut)",
			phrase.Count(n, "line", "lines")))
	}
}

// ofStore notes what the files of an etcd held, and what could not be read.
func (in *Input) ofStore(store *etcd.Store, r history.Report, whole, alone bool) {
	c := store.Counts
	in.note("etcd: %d versions of objects that a scheduler reads, up to revision %d, %s to %s", r.Writes, c.Last,
		clock(r.From), clock(r.To))
	in.note("etcd: the files hold all Secrets of the cluster; none was decoded")
	if c.Compacted > 0 && !whole {
		in.note("etcd: history begins at revision %d: what is older was compacted; %s there then", c.Compacted,
			phrase.Count(r.Unchanged, "object was", "objects were"))
	}
	switch {
	case !alone:
	case len(store.Beats) > 0:
		in.note("etcd: moments are guessed between %s", phrase.Count(len(store.Beats), "renewal of a lease",
			"renewals of leases"))
	default:
		in.note("etcd: moments are guessed from the times at which objects were created")
	}
	if c.Mismatched {
		in.Refused = append(in.Refused, "etcd: the checksum of the snapshot is wrong: it was changed, or cut")
	}
	for _, lost := range []struct {
		n         int
		one, many string
		is        phrase.Text
	}{
		{c.Encrypted, "value", "values", "encrypted by the API server"},
		{c.Undecoded, "value", "values", "of a kind that is read, and cannot be decoded"},
		{c.Damaged, "page or element", "pages or elements", "damaged"},
		{c.Torn, "record", "records", "of the write-ahead log, cut or with a wrong checksum; what follows in its file too"},
	} {
		if lost.n > 0 {
			in.Refused = append(in.Refused, phrase.Textf("etcd: left out %s (%s)",
				phrase.Count(lost.n, lost.one, lost.many), lost.is))
		}
	}
	if c.Uncertain > 0 {
		in.note("etcd: left out %s that were perhaps never agreed on",
			phrase.Count(c.Uncertain, "entry of the write-ahead log", "entries of the write-ahead log"))
	}
}
