package etcd

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// longestRecord is how long a record of the write-ahead log may be: etcd takes requests of 1.5 MiB.
const longestRecord = 64 << 20

// Types of the records of a write-ahead log (walpb).
const (
	entryRecord = 2
	stateRecord = 3
	crcRecord   = 4
)

// IsLog reports whether the first bytes of a file are those of a write-ahead log of etcd: it begins with a record of a
// checksum, and one of metadata.
func IsLog(head []byte) bool {
	if len(head) < 16 {
		return false
	}
	length := int64(binary.LittleEndian.Uint64(head) & (1<<56 - 1))
	if length <= 0 || length > 64 || int(length)+8 > len(head) {
		return false
	}
	kind := uint64(0)
	return fields(head[8:8+length], func(number protowire.Number, n uint64, _ []byte) {
		if number == 1 {
			kind = n
		}
	}) && kind == crcRecord
}

// Kinds of entries (raftpb.EntryType), and of changes of the voters (raftpb.ConfChangeType).
const (
	configEntry   = 1
	configEntryV2 = 2

	addVoter    = 0
	removeVoter = 1
	addLearner  = 3
)

// raftEntry is one entry of the log, as far as it is a request.
type raftEntry struct {
	index uint64
	kind  uint64
	data  []byte
}

// errMiddle is the error of a log whose beginning is gone.
var errMiddle = errors.New("the write-ahead log does not begin with the first entry: its revisions are not numbered " +
	"here; the database beside it is read alone")

// ReadLogs adds the revisions that the files of a write-ahead log hold, in the order of their names. Revisions are not
// in it: they are counted from the first entry on, by the rules by which etcd counts.
func (s *Store) ReadLogs(ctx context.Context, files []io.Reader) error {
	var entries []raftEntry
	commit := uint64(0)
	for _, file := range files {
		if err := s.records(ctx, file, func(kind uint64, data []byte) {
			switch kind {
			case entryRecord:
				entries = appendEntry(entries, data)
			case stateRecord:
				_ = fields(data, func(number protowire.Number, n uint64, _ []byte) {
					if number == 3 {
						commit = n
					}
				})
			}
		}); err != nil {
			return err
		}
	}
	if len(entries) == 0 || entries[0].index != 1 {
		return errMiddle
	}
	m := newMachine(s)
	voters := map[uint64]bool{}
	for i, e := range entries {
		if e.index > commit && len(voters) != 1 {
			s.Counts.Uncertain += len(entries) - i
			break
		}
		switch {
		case e.kind == configEntry || e.kind == configEntryV2:
			vote(voters, e)
		case len(e.data) > 0:
			m.apply(e.data)
		}
	}
	s.decode()
	return nil
}

// vote changes the voters by an entry of the log (raftpb.ConfChange, raftpb.ConfChangeV2). An entry is agreed on once
// most voters have written it; the log shows that only with the next one, and loses it when etcd is killed or copied.
// What the only voter has written is agreed on: when it starts again, nothing can take the entry's place.
func vote(voters map[uint64]bool, e raftEntry) {
	kindField, nodeField := protowire.Number(2), protowire.Number(3)
	if e.kind == configEntryV2 {
		kindField, nodeField = 1, 2
	}
	change := func(raw []byte) {
		var kind, node uint64
		_ = fields(raw, func(number protowire.Number, n uint64, _ []byte) {
			switch number {
			case kindField:
				kind = n
			case nodeField:
				node = n
			}
		})
		switch kind {
		case addVoter:
			voters[node] = true
		case removeVoter, addLearner:
			delete(voters, node)
		}
	}
	if e.kind == configEntry {
		change(e.data)
		return
	}
	_ = fields(e.data, func(number protowire.Number, _ uint64, b []byte) {
		if number == 2 {
			change(b)
		}
	})
}

// appendEntry adds an entry; an index that comes again replaces itself and all after it.
func appendEntry(entries []raftEntry, data []byte) []raftEntry {
	var e raftEntry
	if !fields(data, func(number protowire.Number, n uint64, b []byte) {
		switch number {
		case 1:
			e.kind = n
		case 3:
			e.index = n
		case 4:
			e.data = b
		}
	}) {
		return entries
	}
	for n := len(entries); n > 0 && entries[n-1].index >= e.index; n-- {
		entries = entries[:n-1]
	}
	return append(entries, e)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// records visits the records of one file. A record that is cut or damaged ends the file.
func (s *Store) records(ctx context.Context, file io.Reader, visit func(kind uint64, data []byte)) error {
	from := bufio.NewReaderSize(file, 1<<20)
	sum := uint32(0)
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var frame [8]byte
		if _, err := io.ReadFull(from, frame[:]); err != nil {
			return nil // the file ends
		}
		head := int64(binary.LittleEndian.Uint64(frame[:]))
		length, padding := head&(1<<56-1), int64(0)
		if head < 0 {
			padding = (head >> 56) & 7
		}
		switch {
		case head == 0:
			return nil // room that was not used yet
		case length > longestRecord:
			s.Counts.Torn++
			return nil
		}
		raw := make([]byte, length+padding)
		if _, err := io.ReadFull(from, raw); err != nil {
			s.Counts.Torn++
			return nil
		}
		var kind, crc uint64
		var data []byte
		whole := fields(raw[:length], func(number protowire.Number, n uint64, b []byte) {
			switch number {
			case 1:
				kind = n
			case 2:
				crc = n
			case 3:
				data = b
			}
		})
		if kind == crcRecord {
			sum = uint32(crc)
			continue
		}
		sum = crc32.Update(sum, castagnoli, data)
		if !whole || sum != uint32(crc) {
			s.Counts.Torn++
			return nil
		}
		visit(kind, data)
	}
}

// slot is a key that is there.
type slot struct {
	modified, created, version uint64
	lease                      uint64
}

// machine numbers the revisions of a log as etcd does.
type machine struct {
	store    *Store
	revision uint64
	keys     map[string]slot
	leases   map[uint64]map[string]bool
}

func newMachine(s *Store) *machine {
	return &machine{store: s, revision: 1, keys: map[string]slot{}, leases: map[uint64]map[string]bool{}}
}

// apply does one request (etcdserverpb.InternalRaftRequest).
func (m *machine) apply(request []byte) {
	_ = fields(request, func(number protowire.Number, _ uint64, b []byte) {
		before := m.revision
		switch number {
		case 4:
			m.put(b, before+1)
		case 5:
			m.deleteRange(b, before+1)
		case 6:
			m.txn(b, before+1, 0)
		case 9:
			m.revoke(b, before+1)
		}
	})
}

// put writes a key.
func (m *machine) put(raw []byte, revision uint64) {
	var key, value []byte
	lease := uint64(0)
	_ = fields(raw, func(number protowire.Number, n uint64, b []byte) {
		switch number {
		case 1:
			key = b
		case 2:
			value = b
		case 3:
			lease = n
		}
	})
	was, there := m.keys[string(key)]
	now := slot{modified: revision, created: revision, version: 1, lease: lease}
	if there {
		now.created, now.version = was.created, was.version+1
		delete(m.leases[was.lease], string(key))
	}
	if lease != 0 {
		if m.leases[lease] == nil {
			m.leases[lease] = map[string]bool{}
		}
		m.leases[lease][string(key)] = true
	}
	m.keys[string(key)] = now
	m.revision = revision
	m.store.add(key, value, revision, false)
}

// drop deletes a key that is there.
func (m *machine) drop(key string, revision uint64) {
	was, there := m.keys[key]
	if !there {
		return
	}
	delete(m.leases[was.lease], key)
	delete(m.keys, key)
	m.revision = revision
	m.store.add([]byte(key), nil, revision, true)
}

// deleteRange deletes a key, or all from one to before another.
func (m *machine) deleteRange(raw []byte, revision uint64) {
	var key, end []byte
	_ = fields(raw, func(number protowire.Number, _ uint64, b []byte) {
		switch number {
		case 1:
			key = b
		case 2:
			end = b
		}
	})
	if len(end) == 0 {
		m.drop(string(key), revision)
		return
	}
	var all []string
	for k := range m.keys {
		if k >= string(key) && (string(end) == "\x00" || k < string(end)) {
			all = append(all, k)
		}
	}
	slices.Sort(all)
	for _, k := range all {
		m.drop(k, revision)
	}
}

// revoke ends a lease: its keys go in one revision.
func (m *machine) revoke(raw []byte, revision uint64) {
	lease := uint64(0)
	_ = fields(raw, func(number protowire.Number, n uint64, _ []byte) {
		if number == 1 {
			lease = n
		}
	})
	var all []string
	for k := range m.leases[lease] {
		all = append(all, k)
	}
	slices.Sort(all)
	for _, k := range all {
		m.drop(k, revision)
	}
	delete(m.leases, lease)
}

// txn does one branch of a transaction, all in one revision.
func (m *machine) txn(raw []byte, revision uint64, depth int) {
	holds := true
	var branches [2][][]byte
	_ = fields(raw, func(number protowire.Number, _ uint64, b []byte) {
		switch number {
		case 1:
			holds = holds && m.compares(b)
		case 2:
			branches[0] = append(branches[0], b)
		case 3:
			branches[1] = append(branches[1], b)
		}
	})
	branch := branches[0]
	if !holds {
		branch = branches[1]
	}
	for _, operation := range branch {
		_ = fields(operation, func(number protowire.Number, _ uint64, b []byte) {
			switch {
			case number == 2:
				m.put(b, revision)
			case number == 3:
				m.deleteRange(b, revision)
			case number == 4 && depth < 4:
				m.txn(b, revision, depth+1)
			}
		})
	}
}

// compares does one comparison of a transaction. Values are kept by no machine: a comparison with one fails.
func (m *machine) compares(raw []byte) bool {
	var result, target, want uint64
	var key []byte
	_ = fields(raw, func(number protowire.Number, n uint64, b []byte) {
		switch number {
		case 1:
			result = n
		case 2:
			target = n
		case 3:
			key = b
		case 4, 5, 6:
			want = n
		}
	})
	now := m.keys[string(key)]
	have := []uint64{now.version, now.created, now.modified}
	if target > 2 {
		return false
	}
	switch has := have[target]; result {
	case 0:
		return has == want
	case 1:
		return has > want
	case 2:
		return has < want
	default:
		return has != want
	}
}
