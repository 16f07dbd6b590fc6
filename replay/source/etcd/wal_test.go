package etcd_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/schedstep/schedstep/replay/source/etcd"
	"github.com/schedstep/schedstep/replay/source/history"
)

// wal builds a write-ahead log as etcd writes it.
type wal struct {
	bytes.Buffer
	sum   uint32
	index uint64
}

func number(field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), n)
}

func text(field protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), b)
}

// record adds a record (walpb.Record).
func (w *wal) record(kind uint64, data []byte) {
	w.sum = crc32.Update(w.sum, crc32.MakeTable(crc32.Castagnoli), data)
	raw := append(number(1, kind), number(2, uint64(w.sum))...)
	if raw = append(raw, text(3, data)...); len(raw)%8 != 0 {
		padding := 8 - len(raw)%8
		_ = binary.Write(w, binary.LittleEndian, uint64(len(raw))|uint64(0x80|padding)<<56)
		w.Write(append(raw, make([]byte, padding)...))
		return
	}
	_ = binary.Write(w, binary.LittleEndian, uint64(len(raw)))
	w.Write(raw)
}

// entry adds an entry (raftpb.Entry).
func (w *wal) entry(kind uint64, data []byte) {
	w.index++
	w.record(2, append(append(append(number(1, kind), number(2, 1)...), number(3, w.index)...), text(4, data)...))
}

// change adds a change of who votes.
func (w *wal) change(kind, node uint64) {
	w.entry(1, append(append(number(1, w.index), number(2, kind)...), number(3, node)...))
}

// changes adds a change of who votes in its newer form.
func (w *wal) changes(kind, node uint64) {
	w.entry(2, text(2, append(number(1, kind), number(2, node)...)))
}

// put adds a write of a key that no scheduler reads.
func (w *wal) put(key string) {
	w.entry(0, text(4, append(text(1, []byte(key)), text(2, []byte("v"))...)))
}

// agreed adds that all entries so far are agreed on.
func (w *wal) agreed() {
	w.record(3, append(number(1, 1), number(3, w.index)...))
}

// With one voter what is written is agreed on, though the log says so only with the next entry; with several it is not
// known. Learners do not vote.
func TestTheLastEntriesOfTheOnlyVoterCount(t *testing.T) {
	const a, b = 7, 8
	for name, c := range map[string]struct {
		members         func(*wal)
		counted, unsure int
	}{
		"one":                       {func(w *wal) { w.change(0, a) }, 3, 0},
		"one, in the newer form":    {func(w *wal) { w.changes(0, a) }, 3, 0},
		"two":                       {func(w *wal) { w.change(0, a); w.change(0, b) }, 1, 2},
		"two, in the newer form":    {func(w *wal) { w.changes(0, a); w.changes(0, b) }, 1, 2},
		"two, one of which left":    {func(w *wal) { w.change(0, a); w.change(0, b); w.change(1, b) }, 3, 0},
		"one and a learner":         {func(w *wal) { w.change(0, a); w.change(3, b) }, 3, 0},
		"one, its address changed":  {func(w *wal) { w.change(0, a); w.change(2, a) }, 3, 0},
		"none, as no log ever says": {func(*wal) {}, 1, 2},
	} {
		w := &wal{}
		w.record(4, nil)
		w.record(1, nil)
		c.members(w)
		w.put("/registry/x/1")
		w.agreed()
		w.put("/registry/x/2")
		w.put("/registry/x/3")
		s := &etcd.Store{Vault: &history.Vault{}}
		if err := s.ReadLogs(t.Context(), []io.Reader{w}); err != nil {
			t.Fatal(name, err)
		}
		if s.Counts.Revisions != c.counted || s.Counts.Uncertain != c.unsure || s.Counts.Torn > 0 {
			t.Errorf("%s: %+v", name, s.Counts)
		}
	}
}

// A second voter that joins in the entries that are not agreed on has a say from then on.
func TestAVoterThatJoinsLastMakesTheRestUnsure(t *testing.T) {
	w := &wal{}
	w.record(4, nil)
	w.record(1, nil)
	w.change(0, 7)
	w.agreed()
	w.put("/registry/x/1")
	w.change(0, 8)
	w.put("/registry/x/2")
	s := &etcd.Store{Vault: &history.Vault{}}
	if err := s.ReadLogs(t.Context(), []io.Reader{w}); err != nil {
		t.Fatal(err)
	}
	if s.Counts.Revisions != 1 || s.Counts.Uncertain != 1 {
		t.Errorf("%+v", s.Counts)
	}
}
